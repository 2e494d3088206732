//! Counters and status.

use super::Agent;
use seamline_host::Line;

/// Define the counters, which have the same names in the status.
macro_rules! counters {
    ($(#[$doc:meta] $counter:ident,)*) => {
        /// Counters since the start.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct Counters { $(#[$doc] pub $counter: u64,)* }

        impl Counters {
            fn add_to(&self, line: Line) -> Line {
                line$(.with(stringify!($counter), self.$counter))*
            }
        }
    };
}

counters! {
/// Accepted commands, other than requests for the status.
commands,
/// Refused commands.
refused,
/// Connections whose acknowledgment was repeated, once for each time their link came up.
repeated,
/// Acknowledgments sent for them.
acknowledgments,
/// ICMP messages to peers.
disruptions,
/// Connections whose own data was retransmitted at once.
kicked,
/// ICMP messages that this host has sent to itself for that.
messages,
/// Connections frozen, once for each freeze.
frozen,
/// Frozen connections that were thawed.
thawed,
/// Freezes that were refused because they would do harm: the lead was too short, unknown, or wrong.
freezes_refused,
/// Acknowledgments sent early for data that arrived at a frozen connection; the kernel would have delayed them.
caught_up,
/// Failed attempts, mostly for lack of a route.
failures,
/// Connections without address or route until the timeout.
given_up,
/// Connections that had ended when their link came up.
ended,
/// Connections that were skipped because they use options that only the kernel can compute.
skipped,
/// Pauses because the host's queues were full.
pauses,
/// Packets that were not observed for lack of buffer space.
missed,
/// Packets whose headers could not be read.
unreadable,
}

impl Agent {
    /// The status, in one line.
    pub fn status(&self) -> Line {
        let state = |is_up| if is_up { "up" } else { "down" };
        let links = self.links.iter().map(|(_, name, is_up)| format!("{name}:{}", state(is_up)));
        let owed = self.connections.iter().filter(|(_, connection)| connection.owed.is_some());
        let line = Line::new("status")
            .with("dry_run", self.is_dry)
            .with("links", links.collect::<Vec<_>>().join(","))
            .with("connections", self.connections.len())
            .with("waiting", owed.count())
            .with("freezing", self.frozen_now());
        self.counters.add_to(line)
    }

    /// Count a refused command.
    pub fn refused(&mut self) {
        self.counters.refused += 1;
    }
}
