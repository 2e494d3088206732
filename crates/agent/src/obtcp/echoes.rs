//! Duplicate acknowledgments that going back itself causes.

use seamline_wire::Instant;

/// How many duplicates may still come that say nothing. The way to the host keeps packets in order, so they can be counted, which a round-trip
/// time that grows with what was sent again would not do: where the rate is low, each copy would look like another loss.
#[derive(Debug, Default)]
pub(super) struct Echoes {
    /// Duplicates since progress, or since going back.
    heard: u32,
    /// What was under way before is still to come.
    to_come: u32,
    /// Packets sent again behind the missing one; the host may have had them.
    copies: u32,
    /// Later than this none are to come, unless what was sent again waits for itself.
    until: Instant,
}

impl Echoes {
    /// So many packets, the missing one among them, were sent again. Those behind it have caused duplicates already, or will, before the copy of
    /// the missing one arrives.
    pub(super) fn went_back(&mut self, packets: u32, until: Instant) {
        let behind = packets.saturating_sub(1);
        *self = Echoes { heard: 0, to_come: behind.saturating_sub(self.heard), copies: behind, until };
    }
    /// The missing packet is there: from now on the copies behind it may cause duplicates. Older ones that have not come were lost.
    pub(super) fn on_progress(&mut self, now: Instant) {
        self.heard = 0;
        if now >= self.until {
            self.to_come = 0;
        }
        self.to_come = std::mem::take(&mut self.copies).max(self.to_come);
    }
    /// Whether a duplicate says nothing; it is counted.
    pub(super) fn explain_one(&mut self) -> bool {
        let explains = self.to_come > 0;
        self.to_come = self.to_come.saturating_sub(1);
        self.heard += u32::from(!explains);
        explains
    }
    /// Whether one of the copies caused an acknowledgment that says that something has come once more; it is counted. Where the copy of the missing
    /// packet was lost, those behind it come before there is progress.
    pub(super) fn explain_copy(&mut self) -> bool {
        let left = if self.copies > 0 { &mut self.copies } else { &mut self.to_come };
        let explains = *left > 0;
        *left = left.saturating_sub(1);
        explains
    }
    /// Whether copies may still cause duplicates.
    pub(super) fn may_come(&self, now: Instant) -> bool {
        now < self.until
    }
}
