//! Explicit loss notification: losses over the air are distinguished from congestion, and cost no window.
//!
//! The receiver lists what it believes lost in its acknowledgments ([`LossNotification::ListAndActOn`]), an agent at the
//! wireless link says of each loss whether it happened there (eln-ack: Ding and Jamalipour, "A new explicit loss notification
//! with acknowledgment for wireless TCP", 2001, section III), and the sender acts on it. Where the mobile node is the sender the
//! agent alone knows enough, and marks duplicate acknowledgments (Balakrishnan and Katz, "Explicit loss notification and
//! wireless web performance", IEEE GLOBECOM 1998; ns-2's `eln_`): [`LossNotification::ActOn`].
//!
//! It is no handover scheme, and works together with each of them. Without an agent, or where a mark is dropped on the way, every
//! loss is congestion: plain TCP.

use crate::offset::Offset;
use seamline_wire::{Instant, LossCause};

/// What an end does about explicit loss notification.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LossNotification {
    /// Nothing.
    #[default]
    None,
    /// As a sender it acts on the losses that acknowledgments list.
    ActOn,
    /// It does so, and as a receiver lists in its acknowledgments what it believes lost.
    ListAndActOn,
}

/// When what was sent again because of a notification, and is still missing, is sent once more; paper eln-ack is silent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repeat {
    /// When a notification lists it so much later: the smoothed round-trip time and some of its variations, on a clock of a
    /// nanosecond. Without a variation, what is merely late is sent again, too, such as all but the first of several that were
    /// sent again together; with four variations it is not.
    AfterRoundTrip {
        /// How many variations.
        variations: u32,
    },
    /// When the retransmission timer expires, and not before.
    Never,
}

parameters! {
    /// What can be set.
    pub struct LossNotificationParameters {
        /// What an end does.
        pub scheme: LossNotification = LossNotification::None,
        /// When it sends once more.
        pub repeat: Repeat = Repeat::AfterRoundTrip { variations: 0 },
        /// While a loss over the air is being repaired, each duplicate acknowledgment lets a new segment go, as in fast recovery
        /// (RFC 5681 section 3.2, step 4): the window stays as it is, and full. Otherwise what is in flight shrinks, as in ns-2. With
        /// SACK the recovery itself knows what has left the network.
        pub duplicates_let_segments_go: bool = true,
    }
}

/// A segment that is missing, or was sent again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Missing {
    pub(crate) at: Offset,
    /// By the latest word on it.
    pub(crate) cause: LossCause,
    pub(crate) sent_again: Option<Instant>,
    /// The acknowledgment at hand lists it.
    pub(crate) listed: bool,
}

/// What a sender remembers of segments that are missing, because an acknowledgment lists few.
#[derive(Debug, Default)]
pub(crate) struct Notified {
    /// In order of sequence.
    missing: Vec<Missing>,
    /// Segments that duplicate acknowledgments have let go beyond the window.
    pub(crate) lent: u32,
    /// Where the segment ends that ns-2's sender sent again last because of a notification.
    pub(crate) repaired_to: Option<Offset>,
}

/// More segments are not remembered; the oldest are forgotten first.
const MOST_MISSING: usize = 64;

impl Notified {
    /// Everything before this has arrived, and a new acknowledgment begins.
    pub(crate) fn begin(&mut self, unacknowledged: Offset) {
        self.missing.retain_mut(|missing| {
            missing.listed = false;
            missing.at >= unacknowledged
        });
    }
    pub(crate) fn list(&mut self, at: Offset, cause: LossCause) {
        let missing = self.entry(at);
        missing.cause = cause;
        missing.listed = true;
    }
    pub(crate) fn note_sent_again(&mut self, at: Offset, now: Instant) {
        self.entry(at).sent_again = Some(now);
    }
    fn entry(&mut self, at: Offset) -> &mut Missing {
        let mut place = self.missing.partition_point(|missing| missing.at < at);
        if self.missing.get(place).is_none_or(|missing| missing.at != at) {
            if self.missing.len() == MOST_MISSING {
                self.missing.remove(0);
                place = place.saturating_sub(1);
            }
            let unknown = Missing { at, cause: LossCause::Congestion, sent_again: None, listed: false };
            self.missing.insert(place, unknown);
        }
        &mut self.missing[place]
    }
    /// Whether the segment here was lost over the air, as far as is known.
    pub(crate) fn is_lost_over_the_air(&self, at: Offset) -> bool {
        let place = self.missing.partition_point(|missing| missing.at < at);
        self.missing.get(place).is_some_and(|missing| missing.at == at && missing.cause == LossCause::Air)
    }
    /// The first segment from `from` on that was lost over the air and `is_due`.
    pub(crate) fn next_over_the_air(
        &self,
        from: Offset,
        is_due: impl Fn(&Missing) -> bool,
    ) -> Option<Offset> {
        let place = self.missing.partition_point(|missing| missing.at < from);
        let due = |missing: &&Missing| missing.cause == LossCause::Air && is_due(missing);
        self.missing[place..].iter().find(due).map(|missing| missing.at)
    }
}
