//! What a bridge has done, as text for Prometheus (its exposition format 0.0.4).

use crate::engine::EngineCounters;
use crate::handed::HandOverCounters;
use seamline_agent::Counters;
use std::fmt::Write;

/// What has happened at one interface.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PortCounters {
    /// Frames that came in.
    pub received: u64,
    /// Frames that left.
    pub sent: u64,
    /// Frames that came while there was no room for them to wait.
    pub overrun: u64,
    /// Frames that could not leave: the interface was down, or its queue full.
    pub unsent: u64,
    /// Frames that could not leave because they are longer than its MTU allows.
    pub too_long: u64,
    /// Frames whose checksums their sender had left to the hardware, and that were filled in here.
    pub completed: u64,
    /// How often it was lost and found again.
    pub flaps: u64,
    /// How often it was set down or lost its carrier while it was there.
    pub stops: u64,
    /// Whether it is there.
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
    /// Hand-overs that have not come to the agent that they were for.
    pub hand_over_failures: u64,
    /// Hand-overs that others have begun, and that were refused or broke off.
    pub hand_overs_refused: u64,
    /// Connections that the agent is shown now.
    pub known_flows: u64,
    /// Frames that passed the agent by because they had waited too long.
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
struct Series<T> {
    name: &'static str,
    kind: Type,
    help: &'static str,
    of: fn(&T) -> u64,
}

#[derive(Clone, Copy)]
enum Type {
    /// Only grows; its name ends in `_total`.
    Counter,
    Gauge,
}

const fn counter<T>(name: &'static str, help: &'static str, of: fn(&T) -> u64) -> Series<T> {
    Series { name, kind: Type::Counter, help, of }
}

const fn gauge<T>(name: &'static str, help: &'static str, of: fn(&T) -> u64) -> Series<T> {
    Series { name, kind: Type::Gauge, help, of }
}

impl<T> Series<T> {
    /// With a sample of each of these, behind its labels.
    fn write<'a>(&self, out: &mut String, samples: impl Iterator<Item = (&'a str, &'a T)>)
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
    counter("interface_received", "Frames that came in.", |it| it.received),
    counter("interface_sent", "Frames that left.", |it| it.sent),
    counter("interface_overrun", "Frames that came while there was no room for them to wait.", |it| {
        it.overrun
    }),
    counter("interface_unsent", "Frames that could not leave.", |it| it.unsent),
    counter("interface_too_long", "Frames longer than the MTU allows.", |it| it.too_long),
    counter("interface_checksums_completed", "Frames whose checksums were filled in.", |it| it.completed),
    counter("interface_flaps", "How often it was lost and found again.", |it| it.flaps),
    counter("interface_stops", "How often it was set down or lost its carrier.", |it| it.stops),
    gauge("interface_present", "Whether it is there.", |it| it.is_there.into()),
    gauge("interface_running", "Whether it is up and has a carrier.", |it| it.is_running.into()),
];

const WHOLE: &[Series<Snapshot>] = &[
    counter("not_ip", "Frames without an IP packet.", |it| it.engine.not_ip),
    counter("opaque", "Packets that the agent cannot take in, and that passed untouched.", |it| {
        it.engine.opaque
    }),
    counter("unknown", "Segments of connections that the agent is not shown.", |it| it.engine.unknown),
    counter("shown", "Segments that the agent was shown.", |it| it.engine.shown),
    counter("changed", "Frames that left otherwise than they came.", |it| it.engine.changed),
    counter("made", "Frames that the agent made or sent again.", |it| it.engine.made),
    counter("too_long", "Frames that would have become too long, and left as they came.", |it| {
        it.engine.too_long
    }),
    counter("unsendable", "Packets of the agent that could not be made into frames.", |it| {
        it.engine.unsendable
    }),
    counter("failures", "How often the agent failed and was begun anew.", |it| it.engine.failures),
    gauge("flows", "Connections that the agent is shown now.", |it| it.known_flows),
    counter("flows_known", "Connections that the agent was shown.", |it| it.agent.known),
    counter("flows_expired", "Connections forgotten after silence.", |it| it.agent.expired),
    counter("flows_displaced", "Unanswered handshakes whose place another took.", |it| it.agent.displaced),
    counter("flows_no_room", "Segments of connections for which there was no room.", |it| it.agent.unknown),
    counter("cached", "Data packets that were kept.", |it| it.agent.cached),
    counter("not_cached", "Data packets for which there was no room.", |it| it.agent.not_cached),
    counter("local_retransmissions", "Data packets sent again.", |it| it.agent.local_retransmissions),
    counter("suppressed_acknowledgments", "Acknowledgments not passed on.", |it| {
        it.agent.suppressed_acknowledgments
    }),
    counter("marked_acknowledgments", "Acknowledgments in which something was written.", |it| {
        it.agent.marked_acknowledgments
    }),
    counter(
        "implausible",
        "Segments and messages whose numbers may be forged: they passed, and changed nothing.",
        |it| it.agent.implausible,
    ),
    counter("messages", "Messages to another agent.", |it| it.agent.messages),
    counter("handed_out_connections", "Connections that went to other agents.", |it| {
        it.hand_over.connections_out
    }),
    counter("handed_out_packets", "Packets that went to other agents.", |it| it.hand_over.packets_out),
    counter("hand_over_failures", "Hand-overs that did not come to the agent they were for.", |it| {
        it.hand_over_failures
    }),
    counter("taken_in_connections", "Connections taken in from other agents.", |it| {
        it.hand_over.connections_in
    }),
    counter("taken_in_packets", "Packets taken in from other agents, to be sent.", |it| {
        it.hand_over.packets_in
    }),
    counter("refused_connections", "Connections of other agents that were not taken in.", |it| {
        it.hand_over.connections_refused
    }),
    counter("refused_packets", "Packets of other agents that were not taken in.", |it| {
        it.hand_over.packets_refused
    }),
    counter("hand_overs_refused", "Hand-overs of others that were refused or broke off.", |it| {
        it.hand_overs_refused
    }),
    counter("overload", "Frames that passed the agent by because they had waited too long.", |it| {
        it.overload
    }),
    counter("bypasses", "How often the guard has taken over.", |it| it.bypasses),
    counter("bypassed", "Frames that the guard has forwarded.", |it| it.bypassed),
    gauge("bypass", "Whether the guard forwards now.", |it| it.is_bypassed.into()),
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
