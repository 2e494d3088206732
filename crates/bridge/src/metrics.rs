//! The counters of a bridge as Prometheus text (exposition format 0.0.4) and as a line of the log.

use crate::engine::EngineCounters;
use crate::handed::HandOverCounters;
use seamline_agent::Counters;
use seamline_host::Line;
use std::fmt::Write;

/// Define counters together with their metrics. The help of a metric is its doc comment.
macro_rules! counters {
    ($(#[$about:meta])* $struct:ident {
        $(#[doc = $help:literal] $kind:ident $name:literal $field:ident: $type:ty,)*
    }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $struct { $(#[doc = $help] pub $field: $type,)* }

        impl $struct {
            pub(crate) const METRICS: &[$crate::metrics::Metric<$struct>] =
                &[$($crate::metrics::$kind($name, $help, |it| u64::from(it.$field)),)*];
        }
    };
}
pub(crate) use counters;

counters! {
/// Events at one interface.
PortCounters {
    /// Frames received.
    counter "interface_received" received: u64,
    /// Frames sent.
    counter "interface_sent" sent: u64,
    /// Frames dropped because the receive queue was full.
    counter "interface_overrun" overrun: u64,
    /// Frames dropped because the interface was down or its queue full.
    counter "interface_unsent" unsent: u64,
    /// Frames dropped because they were longer than the MTU.
    counter "interface_too_long" too_long: u64,
    /// Frames whose checksums were filled in here.
    counter "interface_checksums_completed" completed: u64,
    /// Times the interface disappeared and returned.
    counter "interface_flaps" flaps: u64,
    /// Times the interface was set down or lost its carrier.
    counter "interface_stops" stops: u64,
    /// 1 if the interface exists.
    gauge "interface_present" is_there: bool,
    /// 1 if the interface is up and has a carrier.
    gauge "interface_running" is_running: bool,
}
}

counters! {
/// Counters of the bridge's threads.
BridgeCounters {
    /// Connections known to the agent now.
    gauge "flows" known_flows: u64,
    /// Bytes of packets kept now, as they count against `memory`.
    gauge "kept_bytes" kept_bytes: u64,
    /// Most bytes of packets that may be kept (`memory`).
    gauge "memory_bytes" memory_bytes: u64,
    /// Hand-overs that could not be delivered.
    counter "hand_over_failures" hand_over_failures: u64,
    /// Incoming hand-overs refused or aborted.
    counter "hand_overs_refused" hand_overs_refused: u64,
    /// Frames forwarded without the agent because they had waited too long.
    counter "overload" overload: u64,
    /// Times the guard took over forwarding.
    counter "bypasses" bypasses: u64,
    /// Frames forwarded by the guard.
    counter "bypassed" bypassed: u64,
    /// Frames forwarded by the kernel because the agent has nothing to do with them.
    counter "kernel_forwarded" kernel_forwarded: u64,
    /// 1 while the guard forwards.
    gauge "bypass" is_bypassed: bool,
}
}

/// All counters at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// The wired side, and the wireless side.
    pub ports: [PortCounters; 2],
    /// Frames between them.
    pub engine: EngineCounters,
    /// The agent; in a dry run, what it would have done.
    pub agent: Counters,
    /// Connections that were handed over.
    pub hand_over: HandOverCounters,
    /// The threads.
    pub bridge: BridgeCounters,
}

impl Snapshot {
    /// As text, for a bridge between these interfaces.
    pub fn text(&self, interfaces: [&str; 2]) -> String {
        let mut out = String::new();
        let labels = interfaces.map(|interface| {
            let escaped = interface.replace('\\', "\\\\").replace('"', "\\\"");
            format!("{{interface=\"{escaped}\"}}")
        });
        let ports = [(labels[0].as_str(), &self.ports[0]), (labels[1].as_str(), &self.ports[1])];
        write(&mut out, PortCounters::METRICS, &ports);
        write(&mut out, EngineCounters::METRICS, &[("", &self.engine)]);
        write(&mut out, AGENT, &[("", &self.agent)]);
        write(&mut out, HandOverCounters::METRICS, &[("", &self.hand_over)]);
        write(&mut out, BridgeCounters::METRICS, &[("", &self.bridge)]);
        out
    }

    /// As the last line of the log.
    pub(crate) fn stop_line(&self) -> Line {
        let [wired, wireless] = &self.ports;
        let line = Line::new("stop")
            .with("received", wired.received + wireless.received)
            .with("sent", wired.sent + wireless.sent);
        let line = with_all(line, EngineCounters::METRICS, &self.engine);
        let line = with_all(line, AGENT, &self.agent);
        let line = with_all(line, HandOverCounters::METRICS, &self.hand_over);
        with_all(line, BridgeCounters::METRICS, &self.bridge)
    }
}

const PREFIX: &str = "seamline_agent_";

/// A metric of one name, and how to read its value.
pub(crate) struct Metric<T> {
    pub(crate) name: &'static str,
    kind: &'static str,
    /// Of the name: that of a counter, which only grows, ends in `_total`.
    suffix: &'static str,
    help: &'static str,
    pub(crate) of: fn(&T) -> u64,
}

pub(crate) const fn counter<T>(name: &'static str, help: &'static str, of: fn(&T) -> u64) -> Metric<T> {
    Metric { name, kind: "counter", suffix: "_total", help, of }
}

pub(crate) const fn gauge<T>(name: &'static str, help: &'static str, of: fn(&T) -> u64) -> Metric<T> {
    Metric { name, kind: "gauge", suffix: "", help, of }
}

/// Write metrics with a sample of each of these, after its labels.
pub(crate) fn write<T>(out: &mut String, metrics: &[Metric<T>], samples: &[(&str, &T)]) {
    for Metric { name, kind, suffix, help, of } in metrics {
        let name = format_args!("{PREFIX}{name}{suffix}");
        let _ = writeln!(out, "# HELP {name} {}\n# TYPE {name} {kind}", help.trim());
        for (labels, it) in samples {
            let _ = writeln!(out, "{name}{labels} {}", of(it));
        }
    }
}

/// Add all values to a line of the log.
pub(crate) fn with_all<T>(line: Line, metrics: &[Metric<T>], it: &T) -> Line {
    metrics.iter().fold(line, |line, metric| line.with(metric.name, (metric.of)(it)))
}

const AGENT: &[Metric<Counters>] = &[
    counter("flows_known", "Connections that became known to the agent.", |it| it.known),
    counter("flows_expired", "Connections forgotten because they were idle.", |it| it.expired),
    counter("flows_displaced", "Unconfirmed connections displaced by newer ones.", |it| it.displaced),
    counter("flows_evicted", "Connections forgotten for those of hosts that had fewer.", |it| it.evicted),
    counter("flows_no_room", "Segments of connections for which the table had no room.", |it| it.unknown),
    counter("cached", "Data packets cached.", |it| it.cached),
    counter("not_cached", "Data packets not cached for lack of room.", |it| it.not_cached),
    counter(
        "cache_cleared",
        "Times the cache of a connection was emptied because its mobile host was silent, others needed the room, or the MTU shrank.",
        |it| it.cleared,
    ),
    counter("local_retransmissions", "Data packets retransmitted by the agent.", |it| {
        it.local_retransmissions
    }),
    counter("suppressed_acknowledgments", "Duplicate acknowledgments suppressed.", |it| {
        it.suppressed_acknowledgments
    }),
    counter("marked_acknowledgments", "Acknowledgments marked by the agent.", |it| it.marked_acknowledgments),
    counter(
        "implausible",
        "Segments and messages with implausible sequence numbers; forwarded unchanged and ignored.",
        |it| it.implausible,
    ),
    counter("messages", "Messages sent to another agent.", |it| it.messages),
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Every sample has a type, names are those that Prometheus allows, and none comes twice.
    #[test]
    fn the_text_is_what_prometheus_reads() {
        let unplugged = PortCounters { stops: 3, is_there: true, ..PortCounters::default() };
        let running = PortCounters { is_running: true, ..unplugged };
        let snapshot = Snapshot {
            bridge: BridgeCounters { bypassed: 7, ..BridgeCounters::default() },
            ports: [running, unplugged],
            ..Snapshot::default()
        };
        let text = snapshot.text(["eth0", "a\"b"]);
        let mut typed = BTreeSet::new();
        let mut samples = BTreeSet::new();
        for line in text.lines() {
            if let Some(rest) = line.strip_prefix("# TYPE ") {
                assert!(typed.insert(rest.split(' ').next().unwrap()), "{line}");
            } else if !line.starts_with("# HELP ") {
                let (sample, value) = line.rsplit_once(' ').unwrap();
                let name = sample.split('{').next().unwrap();
                assert!(typed.contains(name), "{line}");
                assert!(name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'), "{line}");
                assert!(value.parse::<u64>().is_ok() && samples.insert(sample), "{line}");
            }
        }
        assert!(text.contains("seamline_agent_bypassed_total 7\n"));
        for (interface, is_running) in [("eth0", 1), (r#"a\"b"#, 0)] {
            let sample = |name| format!("seamline_agent_interface_{name}{{interface=\"{interface}\"}}");
            assert!(text.contains(&format!("{} 1\n", sample("present"))));
            assert!(text.contains(&format!("{} {is_running}\n", sample("running"))));
            assert!(text.contains(&format!("{} 3\n", sample("stops_total"))));
        }
        let others = EngineCounters::METRICS.len() + AGENT.len() + HandOverCounters::METRICS.len();
        let ports = 2 * PortCounters::METRICS.len();
        assert_eq!(samples.len(), ports + others + BridgeCounters::METRICS.len());
    }
}
