//! Counters, metrics and status.

use super::Agent;
use seamline_host::metrics::{Metric, Process, Text, gauge, labels, with_all};
use seamline_host::{Line, counters};

counters! {
/// Counters since the start.
Counters {
    /// Accepted commands, other than requests for the status.
    counter "commands" commands: u64,
    /// Refused commands.
    counter "refused" refused: u64,
    /// Connections whose acknowledgment was repeated, once for each time their link came up.
    counter "repeated" repeated: u64,
    /// Acknowledgments sent for them.
    counter "acknowledgments" acknowledgments: u64,
    /// ICMP messages to peers.
    counter "disruptions" disruptions: u64,
    /// Connections whose own data was retransmitted at once.
    counter "kicked" kicked: u64,
    /// ICMP messages that this host has sent to itself for that.
    counter "messages" messages: u64,
    /// Connections frozen, once for each freeze.
    counter "frozen" frozen: u64,
    /// Frozen connections that were thawed.
    counter "thawed" thawed: u64,
    /// Freezes that were refused because they would do harm: the lead was too short, unknown, or wrong.
    counter "freezes_refused" freezes_refused: u64,
    /// Acknowledgments sent early for data that arrived at a frozen connection; the kernel would have delayed them.
    counter "caught_up" caught_up: u64,
    /// Failed attempts, mostly for lack of a route.
    counter "failures" failures: u64,
    /// Connections without address or route until the timeout.
    counter "given_up" given_up: u64,
    /// Connections that had ended when their link came up.
    counter "ended" ended: u64,
    /// Connections that were skipped because they use options that only the kernel can compute.
    counter "skipped" skipped: u64,
    /// Pauses because the host's queues were full.
    counter "pauses" pauses: u64,
    /// Packets that were not observed for lack of buffer space.
    counter "missed" missed: u64,
    /// Packets whose headers could not be read.
    counter "unreadable" unreadable: u64,
}
}

/// What is the case now.
const NOW: &[Metric<Agent>] = &[
    gauge("connections", "Connections of this host that are known.", |it| it.connections.all.len() as u64),
    gauge("waiting", "Connections that are owed help, and cannot send yet.", |it| it.waiting() as u64),
    gauge("freezing", "Connections whose other ends are frozen.", |it| it.frozen_now() as u64),
];

impl Agent {
    /// The status, in one line.
    pub fn status(&self) -> Line {
        let state = |is_up| if is_up { "up" } else { "down" };
        let links = self.links.iter().map(|(_, name, is_up)| format!("{name}:{}", state(is_up)));
        let line = Line::new("status")
            .with("dry_run", self.is_dry)
            .with("links", links.collect::<Vec<_>>().join(","))
            .with("connections", self.connections.all.len())
            .with("waiting", self.waiting())
            .with("freezing", self.frozen_now());
        with_all(line, Counters::METRICS, &self.counters)
    }

    /// Counters, states of links and lengths of outages as Prometheus text.
    pub fn metrics(&self, process: &Process) -> String {
        let mut text = Text::new("seamline_mobile_", process);
        let links: Vec<(String, bool)> =
            self.links.iter().map(|(_, name, is_up)| (labels(&[("interface", name)]), is_up)).collect();
        let links: Vec<(&str, &bool)> =
            links.iter().map(|(labels, is_up)| (labels.as_str(), is_up)).collect();
        let is_up = gauge("link_up", "1 if the link carries packets.", |is_up: &bool| u64::from(*is_up));
        text.add(&[is_up], &links);
        text.histogram(
            "outage_seconds",
            "Times for which a link carried no packets.",
            &[(&[], &self.outages.lengths)],
        );
        text.add(NOW, &[("", self)]);
        text.add(Counters::METRICS, &[("", &self.counters)]);
        text.into_string()
    }

    fn waiting(&self) -> usize {
        self.connections.all.iter().filter(|(_, connection)| connection.owed.is_some()).count()
    }

    /// Count a refused command.
    pub fn refused(&mut self) {
        self.counters.refused += 1;
    }
}
