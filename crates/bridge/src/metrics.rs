//! What a bridge has done, as text for Prometheus (its exposition format 0.0.4).

use crate::engine::EngineCounters;
use crate::flows::FlowCounters;
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
    /// Whether it is there.
    pub is_there: bool,
}

/// Everything at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// Of the wired side, and of the wireless side.
    pub ports: [PortCounters; 2],
    /// Of frames between them.
    pub engine: EngineCounters,
    /// Of connections.
    pub flows: FlowCounters,
    /// Of the agent; with a dry run, what it would have done.
    pub agent: Counters,
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
        for (name, help, of) in PORTS {
            let kind = if *name == "present" { "gauge" } else { "counter" };
            head(&mut out, &format!("interface_{name}"), kind, help);
            for (interface, port) in interfaces.iter().zip(&self.ports) {
                let shown = interface.replace('\\', "\\\\").replace('"', "\\\"");
                let suffix = if kind == "gauge" { "" } else { "_total" };
                let _ =
                    writeln!(out, "{PREFIX}interface_{name}{suffix}{{interface=\"{shown}\"}} {}", of(port));
            }
        }
        for (name, kind, help, of) in WHOLE {
            head(&mut out, name, kind, help);
            let suffix = if *kind == "gauge" { "" } else { "_total" };
            let _ = writeln!(out, "{PREFIX}{name}{suffix} {}", of(self));
        }
        out
    }
}

const PREFIX: &str = "seamline_agent_";

fn head(out: &mut String, name: &str, kind: &str, help: &str) {
    let suffix = if kind == "gauge" { "" } else { "_total" };
    let _ = writeln!(out, "# HELP {PREFIX}{name}{suffix} {help}\n# TYPE {PREFIX}{name}{suffix} {kind}");
}

type OfPort = (&'static str, &'static str, fn(&PortCounters) -> u64);

const PORTS: &[OfPort] = &[
    ("received", "Frames that came in.", |it| it.received),
    ("sent", "Frames that left.", |it| it.sent),
    ("overrun", "Frames that came while there was no room for them to wait.", |it| it.overrun),
    ("unsent", "Frames that could not leave.", |it| it.unsent),
    ("too_long", "Frames longer than the MTU allows.", |it| it.too_long),
    ("checksums_completed", "Frames whose checksums were filled in.", |it| it.completed),
    ("flaps", "How often it was lost and found again.", |it| it.flaps),
    ("present", "Whether it is there.", |it| it.is_there.into()),
];

type OfWhole = (&'static str, &'static str, &'static str, fn(&Snapshot) -> u64);

const WHOLE: &[OfWhole] = &[
    ("not_ip", "counter", "Frames without an IP packet.", |it| it.engine.not_ip),
    ("opaque", "counter", "Packets that the agent cannot take in, and that passed untouched.", |it| {
        it.engine.opaque
    }),
    ("unknown", "counter", "Segments of connections that the agent is not shown.", |it| it.engine.unknown),
    ("shown", "counter", "Segments that the agent was shown.", |it| it.engine.shown),
    ("changed", "counter", "Frames that left otherwise than they came.", |it| it.engine.changed),
    ("made", "counter", "Frames that the agent made or sent again.", |it| it.engine.made),
    (
        "too_long",
        "counter",
        "Frames that what the agent wrote would have made too long, and that left as they came.",
        |it| it.engine.too_long,
    ),
    ("unsendable", "counter", "Packets of the agent that could not be made into frames.", |it| {
        it.engine.unsendable
    }),
    ("failures", "counter", "How often the agent failed and was begun anew.", |it| it.engine.failures),
    ("flows", "gauge", "Connections that the agent is shown now.", |it| it.known_flows),
    ("flows_known", "counter", "Connections that the agent was shown.", |it| it.flows.known),
    ("flows_expired", "counter", "Connections forgotten after silence.", |it| it.flows.expired),
    ("flows_displaced", "counter", "Unanswered handshakes whose place another took.", |it| {
        it.flows.displaced
    }),
    ("flows_no_room", "counter", "Segments of connections for which there was no room.", |it| {
        it.flows.no_room
    }),
    ("cached", "counter", "Data packets that were kept.", |it| it.agent.cached),
    ("not_cached", "counter", "Data packets for which there was no room.", |it| it.agent.not_cached),
    ("local_retransmissions", "counter", "Data packets sent again.", |it| it.agent.local_retransmissions),
    ("suppressed_acknowledgments", "counter", "Acknowledgments not passed on.", |it| {
        it.agent.suppressed_acknowledgments
    }),
    ("marked_acknowledgments", "counter", "Acknowledgments in which something was written.", |it| {
        it.agent.marked_acknowledgments
    }),
    ("messages", "counter", "Messages to another agent.", |it| it.agent.messages),
    ("overload", "counter", "Frames that passed the agent by because they had waited too long.", |it| {
        it.overload
    }),
    ("bypasses", "counter", "How often the guard has taken over.", |it| it.bypasses),
    ("bypassed", "counter", "Frames that the guard has forwarded.", |it| it.bypassed),
    ("bypass", "gauge", "Whether the guard forwards now.", |it| it.is_bypassed.into()),
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Every sample has a type, names are those that Prometheus allows, and none comes twice.
    #[test]
    fn the_text_is_what_prometheus_reads() {
        let snapshot = Snapshot { bypassed: 7, ..Snapshot::default() };
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
        assert!(text.contains(r#"seamline_agent_interface_present{interface="a\"b"} 0"#));
        assert_eq!(samples.len(), 2 * PORTS.len() + WHOLE.len());
    }
}
