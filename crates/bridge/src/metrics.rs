//! The counters of a bridge as Prometheus text (exposition format 0.0.4).

use crate::engine::EngineCounters;
use crate::handed::HandOverCounters;
use seamline_agent::Counters;
use std::fmt::Write;

/// What has happened at one interface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PortCounters {
    /// Frames received.
    pub received: u64,
    /// Frames sent.
    pub sent: u64,
    /// Frames dropped because the receive queue was full.
    pub overrun: u64,
    /// Frames that could not leave: the interface was down, or its queue full.
    pub unsent: u64,
    /// Frames that could not leave because they are longer than its MTU allows.
    pub too_long: u64,
    /// Frames whose checksums their sender had left to the hardware, and that were filled in here.
    pub completed: u64,
    /// How often it disappeared and returned.
    pub flaps: u64,
    /// How often it was set down or lost its carrier while it was there.
    pub stops: u64,
    /// Whether it exists.
    pub is_there: bool,
    /// Whether it is up and has a carrier, too.
    pub is_running: bool,
}

/// Everything at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// Of the wired side, and of the wireless side.
    pub ports: [PortCounters; 2],
    /// Of frames between them.
    pub engine: EngineCounters,
    /// Of the agent; with a dry run, what it would have done.
    pub agent: Counters,
    /// Of connections that were handed over.
    pub hand_over: HandOverCounters,
    /// Hand-overs that could not be delivered.
    pub hand_over_failures: u64,
    /// Incoming hand-overs that were refused or aborted.
    pub hand_overs_refused: u64,
    /// Connections known to the agent now.
    pub known_flows: u64,
    /// Frames forwarded without the agent because they had waited too long.
    pub overload: u64,
    /// How often the guard has taken over.
    pub bypasses: u64,
    /// Frames that it has forwarded.
    pub bypassed: u64,
    /// Whether it forwards now.
    pub is_bypassed: bool,
}

impl Snapshot {
    /// As text, for a bridge between these interfaces.
    pub fn text(&self, interfaces: [&str; 2]) -> String {
        let mut out = String::new();
        let labels = interfaces.map(|interface| {
            let escaped = interface.replace('\\', "\\\\").replace('"', "\\\"");
            format!("{{interface=\"{escaped}\"}}")
        });
        for series in PORTS {
            series.write(&mut out, labels.iter().map(String::as_str).zip(&self.ports));
        }
        for series in WHOLE {
            series.write(&mut out, std::iter::once(("", self)));
        }
        out
    }
}

const PREFIX: &str = "seamline_agent_";

/// Of one name, with how to find its values.
pub(crate) struct Series<T> {
    pub(crate) name: &'static str,
    kind: Type,
    help: &'static str,
    pub(crate) of: fn(&T) -> u64,
}

#[derive(Clone, Copy)]
enum Type {
    /// Only grows; its name ends in `_total`.
    Counter,
    Gauge,
}

pub(crate) const fn counter<T>(name: &'static str, help: &'static str, of: fn(&T) -> u64) -> Series<T> {
    Series { name, kind: Type::Counter, help, of }
}

pub(crate) const fn gauge<T>(name: &'static str, help: &'static str, of: fn(&T) -> u64) -> Series<T> {
    Series { name, kind: Type::Gauge, help, of }
}

impl<T> Series<T> {
    /// With a sample of each of these, behind its labels.
    pub(crate) fn write<'a>(&self, out: &mut String, samples: impl Iterator<Item = (&'a str, &'a T)>)
    where
        T: 'a,
    {
        let Series { name, help, of, .. } = self;
        let (kind, suffix) = match self.kind {
            Type::Counter => ("counter", "_total"),
            Type::Gauge => ("gauge", ""),
        };
        let _ = writeln!(out, "# HELP {PREFIX}{name}{suffix} {help}\n# TYPE {PREFIX}{name}{suffix} {kind}");
        for (labels, it) in samples {
            let _ = writeln!(out, "{PREFIX}{name}{suffix}{labels} {}", of(it));
        }
    }
}

const PORTS: &[Series<PortCounters>] = &[
    counter("interface_received", "Frames received.", |it| it.received),
    counter("interface_sent", "Frames sent.", |it| it.sent),
    counter("interface_overrun", "Frames dropped because the receive queue was full.", |it| it.overrun),
    counter("interface_unsent", "Frames dropped because the interface was down or its queue full.", |it| {
        it.unsent
    }),
    counter("interface_too_long", "Frames dropped because they were longer than the MTU.", |it| it.too_long),
    counter("interface_checksums_completed", "Frames whose checksums were filled in here.", |it| {
        it.completed
    }),
    counter("interface_flaps", "Times the interface disappeared and returned.", |it| it.flaps),
    counter("interface_stops", "Times the interface was set down or lost its carrier.", |it| it.stops),
    gauge("interface_present", "1 if the interface exists.", |it| it.is_there.into()),
    gauge("interface_running", "1 if the interface is up and has a carrier.", |it| it.is_running.into()),
];

const WHOLE: &[Series<Snapshot>] = &[
    counter("not_ip", "Frames without an IP packet.", |it| it.engine.not_ip),
    counter("opaque", "Packets that the agent cannot parse; forwarded unchanged.", |it| it.engine.opaque),
    counter("unknown", "Segments of connections unknown to the agent; forwarded unchanged.", |it| {
        it.engine.unknown
    }),
    counter("shown", "Segments and messages given to the agent.", |it| it.engine.shown),
    counter("changed", "Frames forwarded with changes.", |it| it.engine.changed),
    counter("made", "Frames created or retransmitted by the agent.", |it| it.engine.made),
    counter("too_long", "Frames forwarded unchanged because the change would have exceeded the MTU.", |it| {
        it.engine.too_long
    }),
    counter("unsendable", "Packets of the agent that could not be encoded.", |it| it.engine.unsendable),
    counter("failures", "Times the agent failed and was replaced.", |it| it.engine.failures),
    gauge("flows", "Connections known to the agent now.", |it| it.known_flows),
    counter("flows_known", "Connections that became known to the agent.", |it| it.agent.known),
    counter("flows_expired", "Connections forgotten because they were idle.", |it| it.agent.expired),
    counter("flows_displaced", "Unconfirmed connections displaced by newer ones.", |it| it.agent.displaced),
    counter("flows_no_room", "Segments of connections for which the table had no room.", |it| {
        it.agent.unknown
    }),
    counter("cached", "Data packets cached.", |it| it.agent.cached),
    counter("not_cached", "Data packets not cached for lack of room.", |it| it.agent.not_cached),
    counter("local_retransmissions", "Data packets retransmitted by the agent.", |it| {
        it.agent.local_retransmissions
    }),
    counter("suppressed_acknowledgments", "Duplicate acknowledgments suppressed.", |it| {
        it.agent.suppressed_acknowledgments
    }),
    counter("marked_acknowledgments", "Acknowledgments marked by the agent.", |it| {
        it.agent.marked_acknowledgments
    }),
    counter(
        "implausible",
        "Segments and messages with implausible sequence numbers; forwarded unchanged and ignored.",
        |it| it.agent.implausible,
    ),
    counter("messages", "Messages sent to another agent.", |it| it.agent.messages),
    counter("handed_out_connections", "Connections handed over to other agents.", |it| {
        it.hand_over.connections_out
    }),
    counter("handed_out_packets", "Packets handed over to other agents.", |it| it.hand_over.packets_out),
    counter("hand_over_failures", "Hand-overs that could not be delivered.", |it| it.hand_over_failures),
    counter("taken_in_connections", "Connections accepted from other agents.", |it| {
        it.hand_over.connections_in
    }),
    counter("taken_in_packets", "Packets accepted from other agents.", |it| it.hand_over.packets_in),
    counter("refused_connections", "Connections from other agents not accepted.", |it| {
        it.hand_over.connections_refused
    }),
    counter("refused_packets", "Packets from other agents not accepted.", |it| it.hand_over.packets_refused),
    counter("hand_overs_refused", "Incoming hand-overs refused or aborted.", |it| it.hand_overs_refused),
    counter("overload", "Frames forwarded without the agent because they had waited too long.", |it| {
        it.overload
    }),
    counter("bypasses", "Times the guard took over forwarding.", |it| it.bypasses),
    counter("bypassed", "Frames forwarded by the guard.", |it| it.bypassed),
    gauge("bypass", "1 while the guard forwards.", |it| it.is_bypassed.into()),
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
        let snapshot = Snapshot { bypassed: 7, ports: [running, unplugged], ..Snapshot::default() };
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
        assert_eq!(samples.len(), 2 * PORTS.len() + WHOLE.len());
    }
}
