//! How it goes.

use super::Agent;
use seamline_daemon::Line;

/// What has been done since the beginning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Datagrams that were understood, but for those that ask for this.
    pub told: u64,
    /// Datagrams that were not.
    pub refused: u64,
    /// Connections whose acknowledgment was repeated, counted once for each time their link came back.
    pub repeated: u64,
    /// Acknowledgments sent for them.
    pub acknowledgments: u64,
    /// Messages of ICMP to other ends.
    pub disruptions: u64,
    /// Connections whose own data was sent again at once.
    pub kicked: u64,
    /// Messages of ICMP that this host has sent itself for that.
    pub messages: u64,
    /// Connections frozen, counted once for each time.
    pub frozen: u64,
    /// Of them, those thawed again.
    pub thawed: u64,
    /// Acknowledgments of what has arrived at a frozen connection, where the kernel would have waited for more.
    pub caught_up: u64,
    /// Freezes that would have done harm: the lead was too short, unknown, or wrong.
    pub freezes_refused: u64,
    /// Attempts that failed, for want of a route in most cases.
    pub failures: u64,
    /// Connections that had neither address nor route until patience ended.
    pub given_up: u64,
    /// Connections that the kernel no longer had when their link came back.
    pub over: u64,
    /// Connections that were left alone, for they have options that nobody but the kernel can make.
    pub left_alone: u64,
    /// Times that the host's queues were full, and the rest had to wait.
    pub pauses: u64,
    /// Packets that went unseen for want of room.
    pub missed: u64,
    /// Packets whose headers could not be read.
    pub unreadable: u64,
}

impl Agent {
    /// One line that says how it goes.
    pub fn status(&self) -> Line {
        let links: Vec<String> = self
            .links
            .iter()
            .map(|(_, name, is_up)| format!("{name}:{}", if is_up { "up" } else { "down" }))
            .collect();
        let owed = self.connections.iter().filter(|(_, connection)| connection.owed.is_some()).count();
        let Counters { told, refused, repeated, acknowledgments, kicked, messages, .. } = self.counters;
        let Counters { failures, given_up, over, left_alone, pauses, missed, unreadable, .. } = self.counters;
        Line::new("status")
            .with("dry_run", self.is_dry)
            .with("links", links.join(","))
            .with("connections", self.connections.len())
            .with("waiting", owed)
            .with("told", told)
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
            .with("over", over)
            .with("left_alone", left_alone)
            .with("pauses", pauses)
            .with("missed", missed)
            .with("unreadable", unreadable)
    }

    /// A datagram was not understood.
    pub fn refused(&mut self) {
        self.counters.refused += 1;
    }
}
