//! Explicit loss notification for data from the mobile node (Balakrishnan and Katz, "Explicit loss notification and wireless
//! web performance", IEEE GLOBECOM 1998): what the air has lost leaves a gap in what comes from there, and acknowledgments
//! that ask for it are marked, so that its sender sends it again without a cut.
//!
//! What the mobile node's own queue drops leaves the same gap, and is reported as a loss over the air: a window larger than that queue
//! then overflows it again and again. In ns-2, too; there the sender repairs no two losses in a row, and the timeouts that follow cut such windows.

use super::SnoopParameters;
use crate::ranges::Ranges;
use seamline_wire::{Flags, Loss, LossCause, Losses, Mark, Segment, SequenceNumber};

/// What came over the air.
#[derive(Debug, Default)]
pub(super) struct Uplink {
    /// As it came first: a retransmission fills no gap, because duplicates for it are under way until the far end has it, unless that is asked for.
    came: Ranges,
    /// What lies before was never looked at.
    from: Option<SequenceNumber>,
    end: Option<SequenceNumber>,
}

impl Uplink {
    /// Data, or a SYN, from the mobile node.
    pub(super) fn on_data(&mut self, segment: &Segment, as_ns2: bool) {
        let end = *self.end.get_or_insert(segment.sequence);
        self.from.get_or_insert(segment.sequence);
        if segment.end().is_after(end) {
            self.end = Some(segment.end());
            if !self.came.insert(segment.sequence.max(end), segment.end()) {
                // What is not remembered must not look like a gap.
                *self = Uplink { from: self.end, end: self.end, ..Uplink::default() };
            }
        } else if as_ns2 && self.came.first().or(self.from) == Some(segment.end()) {
            self.came.insert(segment.sequence, segment.end());
        }
    }

    /// The mark that an acknowledgment from the wired side is to carry, if it asks for what the air has lost: that, and where further
    /// losses begin.
    pub(super) fn mark(&mut self, segment: &Segment, parameters: &SnoopParameters) -> Option<Mark> {
        let missing = segment.acknowledgment;
        let from =
            self.from.filter(|from| segment.flags.contains(Flags::ACK) && from.is_at_or_before(missing))?;
        let is_duplicate = from == missing;
        if !is_duplicate {
            self.came.forget_before(missing);
            self.from = Some(missing);
        }
        let is_presumed = parameters.remembers_uplink_as_ns2 && is_duplicate;
        let is_lost = self.came.first().map_or(is_presumed, |next| next.is_after(missing));
        let is_bare = segment.sequence_length() == 0 && segment.mark.is_none();
        if !is_bare || !is_lost {
            return None;
        }
        let most = if parameters.lists_further_losses { Losses::MAX - 1 } else { 0 };
        let lost = std::iter::once(missing).chain(self.came.gaps().take(most));
        let losses = lost.map(|at| Loss { offset: at.saturating_since(missing), cause: LossCause::Air });
        Some(Mark::Losses(losses.collect()))
    }
}
