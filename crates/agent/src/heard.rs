//! What the mobile host has acknowledged, and what another acknowledgment of its adds to that.

use seamline_wire::{Segment, SequenceNumber};

/// What an acknowledgment says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum News {
    /// Less than is known: it was overtaken.
    Old,
    /// The same, and something else: data, another window, or that the window is closed still.
    More,
    /// The same, and nothing else: something behind what it asks for has come.
    Duplicate,
    /// More bytes have come.
    Progress,
}

/// What was heard of the mobile host.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    /// The next byte that it misses.
    pub(crate) acknowledged: Option<SequenceNumber>,
    window: u16,
}

impl Heard {
    /// Take in an acknowledgment.
    pub(crate) fn hear(&mut self, segment: &Segment) -> News {
        let acknowledgment = segment.acknowledgment;
        if self.acknowledged.is_some_and(|acknowledged| acknowledgment.is_before(acknowledged)) {
            return News::Old;
        }
        // The answers to probes of a closed window keep the sender from giving up (RFC 9293, section 3.8.6.1).
        let says_more = segment.sequence_length() > 0 || segment.window != self.window || segment.window == 0;
        self.window = segment.window;
        if self.acknowledged.replace(acknowledgment) != Some(acknowledgment) {
            return News::Progress;
        }
        if says_more { News::More } else { News::Duplicate }
    }
}
