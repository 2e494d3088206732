//! The counters of a bridge as Prometheus text (exposition format 0.0.4) and as a line of the log.

use crate::engine::EngineCounters;
use crate::handed::HandOverCounters;
use crate::measured::measured;
use seamline_agent::{Counters, Measurements};
use seamline_host::metrics::{Metric, Process, Text, counter, labels, with_all};
use seamline_host::{Line, counters};

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
    /// 1 while help is switched off (`agent pause`).
    gauge "paused" is_paused: bool,
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
    /// What the segments that the agent was shown have shown of the paths.
    pub measurements: Measurements,
    /// Connections that were handed over.
    pub hand_over: HandOverCounters,
    /// The threads.
    pub bridge: BridgeCounters,
}

impl Snapshot {
    /// As text, for a bridge between these interfaces.
    pub fn text(&self, interfaces: [&str; 2], process: &Process) -> String {
        let mut text = Text::new(PREFIX, process);
        let labels = interfaces.map(|interface| labels(&[("interface", interface)]));
        let ports = [(labels[0].as_str(), &self.ports[0]), (labels[1].as_str(), &self.ports[1])];
        text.add(PortCounters::METRICS, &ports);
        text.add(EngineCounters::METRICS, &[("", &self.engine)]);
        text.add(AGENT, &[("", &self.agent)]);
        measured(&mut text, &self.measurements);
        text.add(HandOverCounters::METRICS, &[("", &self.hand_over)]);
        text.add(BridgeCounters::METRICS, &[("", &self.bridge)]);
        text.into_string()
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

/// What the names of all metrics of agents begin with.
pub(crate) const PREFIX: &str = "seamline_agent_";

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
    use seamline_host::metrics::samples;
    use std::collections::{BTreeMap, BTreeSet};

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
        let text = snapshot.text(["eth0", "a\"b"], &Process::default());
        let types = text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.split_once(' '));
        let kinds: BTreeMap<&str, &str> = types.clone().collect();
        assert_eq!(kinds.len(), types.count(), "a metric has two types");
        let of_histogram = |name: &str| {
            let base = ["_bucket", "_sum", "_count"].iter().find_map(|suffix| name.strip_suffix(suffix));
            base.is_some_and(|base| kinds.get(base) == Some(&"histogram"))
        };
        let mut seen = BTreeSet::new();
        for it in samples(&text).unwrap() {
            assert!(kinds.contains_key(it.name.as_str()) || of_histogram(&it.name), "{it:?}");
            assert!(it.name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'), "{it:?}");
            assert!(it.value >= 0.0 && seen.insert(format!("{} {:?}", it.name, it.labels)), "{it:?}");
        }
        assert!(text.contains("seamline_agent_bypassed_total 7\n"));
        for (interface, is_running) in [("eth0", 1), (r#"a\"b"#, 0)] {
            let sample = |name| format!("seamline_agent_interface_{name}{{interface=\"{interface}\"}}");
            assert!(text.contains(&format!("{} 1\n", sample("present"))));
            assert!(text.contains(&format!("{} {is_running}\n", sample("running"))));
            assert!(text.contains(&format!("{} 3\n", sample("stops_total"))));
        }
    }

    /// Each of these has a sample for every combination of its labels, also before anything was seen.
    #[test]
    fn what_was_measured_has_all_labels_from_the_start() {
        let text = Snapshot::default().text(["eth0", "eth1"], &Process::default());
        let count = |beginning: &str| text.lines().filter(|line| line.starts_with(beginning)).count();
        for (name, samples) in [
            ("rtt_seconds_count", 2),
            ("repair_seconds_count", 3),
            ("stall_seconds_count", 2),
            ("rtt_seconds_bucket", 2 * 16),
            ("data_segments_total", 2),
            ("lost_segments_total", 4),
        ] {
            assert_eq!(count(&format!("seamline_agent_{name}{{")), samples, "{name}\n{text}");
        }
    }
}
