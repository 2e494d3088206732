//! Counters and status.

use super::Agent;
use seamline_host::Line;

/// Counters since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Accepted commands, other than requests for the status.
    pub commands: u64,
    /// Refused commands.
    pub refused: u64,
    /// Connections whose acknowledgment was repeated, once for each time their link came up.
    pub repeated: u64,
    /// Acknowledgments sent for them.
    pub acknowledgments: u64,
    /// ICMP messages to peers.
    pub disruptions: u64,
    /// Connections whose own data was retransmitted at once.
    pub kicked: u64,
    /// ICMP messages that this host has sent to itself for that.
    pub messages: u64,
    /// Connections frozen, once for each freeze.
    pub frozen: u64,
    /// Frozen connections that were thawed.
    pub thawed: u64,
    /// Acknowledgments sent early for data that arrived at a frozen connection; the kernel would have delayed them.
    pub caught_up: u64,
    /// Freezes that were refused because they would do harm: the lead was too short, unknown, or wrong.
    pub freezes_refused: u64,
    /// Failed attempts, mostly for lack of a route.
    pub failures: u64,
    /// Connections without address or route until the timeout.
    pub given_up: u64,
    /// Connections that had ended when their link came up.
    pub ended: u64,
    /// Connections that were skipped because they use options that only the kernel can compute.
    pub skipped: u64,
    /// Pauses because the host's queues were full.
    pub pauses: u64,
    /// Packets that were not observed for lack of buffer space.
    pub missed: u64,
    /// Packets whose headers could not be read.
    pub unreadable: u64,
}

impl Agent {
    /// The status, in one line.
    pub fn status(&self) -> Line {
        let links: Vec<String> = self
            .links
            .iter()
            .map(|(_, name, is_up)| format!("{name}:{}", if is_up { "up" } else { "down" }))
            .collect();
        let owed = self.connections.iter().filter(|(_, connection)| connection.owed.is_some()).count();
        let Counters { commands, refused, repeated, acknowledgments, kicked, messages, .. } = self.counters;
        let Counters { failures, given_up, ended, skipped, pauses, missed, unreadable, .. } = self.counters;
        Line::new("status")
            .with("dry_run", self.is_dry)
            .with("links", links.join(","))
            .with("connections", self.connections.len())
            .with("waiting", owed)
            .with("commands", commands)
            .with("refused", refused)
            .with("repeated", repeated)
            .with("acknowledgments", acknowledgments)
            .with("disruptions", self.counters.disruptions)
            .with("kicked", kicked)
            .with("messages", messages)
            .with("freezing", self.frozen_now())
            .with("frozen", self.counters.frozen)
            .with("thawed", self.counters.thawed)
            .with("freezes_refused", self.counters.freezes_refused)
            .with("caught_up", self.counters.caught_up)
            .with("failures", failures)
            .with("given_up", given_up)
            .with("ended", ended)
            .with("skipped", skipped)
            .with("pauses", pauses)
            .with("missed", missed)
            .with("unreadable", unreadable)
    }

    /// Count a refused command.
    pub fn refused(&mut self) {
        self.counters.refused += 1;
    }
}
