//! Segments that say nothing but how far the peer is: header prediction ([`crate::endpoint`]).

use super::*;

impl Sender {
    /// Whether acknowledgments may say nothing else than how far the peer is.
    pub(crate) fn is_predictable(&self) -> bool {
        self.tracking.is_none() && !self.acts_on_losses()
    }

    /// Whether a segment with this acknowledgment and window says nothing else to a sender that
    /// [is predictable](Sender::is_predictable): nothing about losses, nor about a window that is probed.
    #[inline]
    pub(crate) fn says_nothing_else(&self, acknowledged: Offset, window: u64) -> bool {
        let View { unacknowledged, highest_sent, peer_window, .. } = self.view;
        acknowledged >= unacknowledged
            && acknowledged <= highest_sent
            && window == peer_window
            && !(self.probing || self.window_is_from_syn)
            && self.view.scoreboard.is_empty()
            && self.spurious.as_ref().is_none_or(|spurious| !spurious.is_open())
    }

    /// An acknowledgment of new data that [`Sender::says_nothing_else`].
    pub(crate) fn on_predicted_ack(
        &mut self,
        now: Instant,
        acknowledged: Offset,
        timestamp_sample: Option<Duration>,
        segment: &Segment,
        exit: &mut Exit<'_>,
    ) {
        self.view.now = now;
        let previous = self.view.unacknowledged;
        self.advance(now, acknowledged);
        self.furthest_edge = self.furthest_edge.max(acknowledged + self.view.peer_window);
        let seen = AckSeen {
            previous,
            advanced: true,
            duplicate: false,
            sack: News::default(),
            delivered: acknowledged - previous,
            fine_round_trip: self.fine_round_trip(previous),
        };
        self.respond(&seen, timestamp_sample, exit);
        self.settle_timer(now);
        self.note_ack(segment, exit);
    }
}
