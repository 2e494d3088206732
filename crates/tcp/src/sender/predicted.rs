//! Acknowledgments that say nothing but how far the peer is: see [`crate::endpoint`], header prediction.

use super::*;

impl Sender {
    /// Whether an acknowledgment of this offset, which offers this window, has nothing else to say: neither about losses nor about what is
    /// thought to have been lost, nor about a window that is probed.
    #[inline]
    pub(crate) fn predicts(&self, acknowledged: Offset, window: u64) -> bool {
        let View { unacknowledged, highest_sent, peer_window, .. } = self.view;
        acknowledged >= unacknowledged
            && acknowledged <= highest_sent
            && window == peer_window
            && self.tracking.is_none()
            && !(self.probing || self.window_is_from_syn || self.acts_on_losses())
            && self.view.scoreboard.is_empty()
            && self.spurious.as_ref().is_none_or(|spurious| !spurious.is_open())
    }

    /// One that [`Sender::predicts`] and that acknowledges new data.
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
            fine_round_trip: None,
        };
        self.follow(seen, timestamp_sample, exit);
        self.settle_timer(now);
        self.note_ack(segment, exit);
    }
}
