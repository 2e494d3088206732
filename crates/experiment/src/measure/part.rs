//! The connections of a flow that meet the same handovers: those over the same links with handovers, to or from the same mobile nodes.

use super::handover::{HandoverMeter, Progress};
use super::{FlowSpan, add_to_bin};
use seamline_report::record::HandoverRecord;
use seamline_wire::{Duration, Instant};

/// What they deliver, and their handovers.
#[derive(Debug, Default)]
pub(crate) struct Part {
    /// Payload delivered in each [`super::BIN`] up to the last delivery.
    bins: Vec<u64>,
    pub(super) smoothed_round_trip: Duration,
    handovers: Vec<HandoverMeter>,
    /// Indices of the handovers that still wait for data, in order.
    waiting: Vec<usize>,
}

impl Part {
    /// Payload arrived in order.
    pub(super) fn delivered(&mut self, now: Instant, bytes: u64) {
        add_to_bin(&mut self.bins, now, bytes);
        self.record_first_data(now);
        for index in &self.waiting {
            self.handovers[*index].stalled_bytes += bytes;
        }
    }
    /// A data packet was lost.
    pub(crate) fn lost(&mut self) {
        for index in &self.waiting {
            self.handovers[*index].lost_packets += 1;
        }
    }
    /// Data has arrived. It is the first data after every handover that has completed by now; other handovers keep
    /// waiting.
    fn record_first_data(&mut self, now: Instant) {
        let handovers = &mut self.handovers;
        self.waiting.retain(|index| {
            let handover = &mut handovers[*index];
            let is_over = handover.end.is_some_and(|end| end <= now);
            if is_over {
                handover.first_data = Some(now);
            }
            !is_over
        });
    }
    /// A handover starts on a link on the way. Both directions of the link may report it.
    pub(crate) fn handover_started(&mut self, now: Instant, link: usize) {
        if self.handovers.iter().rev().take(4).any(|known| known.link == link && known.start == now) {
            return;
        }
        let round_trip = self.smoothed_round_trip;
        let before = self.waiting.iter().rposition(|index| self.handovers[*index].link == link);
        if let Some(before) = before.filter(|it| self.handovers[self.waiting[*it]].end.is_none()) {
            // The node moved again before it became reachable, so the earlier handover never completed.
            self.waiting.remove(before);
        }
        self.waiting.push(self.handovers.len());
        self.handovers.push(HandoverMeter { link, start: now, round_trip, ..HandoverMeter::default() });
    }
    /// The link is up again, or the mobile node is reachable.
    pub(crate) fn handover_completed(&mut self, now: Instant, link: usize) {
        if let Some(handover) = self.last_handover(link) {
            handover.end.get_or_insert(now);
        }
    }
    /// The mobile node detected its movement.
    pub(crate) fn movement_detected(&mut self, now: Instant, link: usize) {
        if let Some(handover) = self.last_handover(link) {
            handover.movement_detected.get_or_insert(now);
        }
    }
    /// The mobile node received the confirmation of its registration.
    pub(crate) fn registered(&mut self, now: Instant, link: usize) {
        if let Some(handover) = self.last_handover(link) {
            handover.registered.get_or_insert(now);
        }
    }
    fn last_handover(&mut self, link: usize) -> Option<&mut HandoverMeter> {
        self.handovers.iter_mut().rev().find(|handover| handover.link == link)
    }

    /// The records of its handovers. `links` are the names of links and mobile nodes, `span` is that of the flow.
    pub(super) fn records(&self, links: &[String], span: FlowSpan) -> Vec<HandoverRecord> {
        let progress = Progress::new(&self.bins);
        let mut earliest = span.from;
        let mut records = Vec::with_capacity(self.handovers.len());
        for (index, handover) in self.handovers.iter().enumerate() {
            let limit = self.handovers.get(index + 1).map_or(span.to, |next| next.start);
            records.push(handover.record(&links[handover.link], &progress, earliest, limit));
            let over = handover.end.unwrap_or(limit);
            earliest = earliest.max(over);
        }
        records
    }
}
