//! How long it takes to repair losses.

use seamline_wire::{Instant, SequenceNumber};
use std::collections::VecDeque;

/// Times from the loss of data packets until the sender has the acknowledgment that covers them, repaired by the sender or by an agent
/// on the way.
#[derive(Debug, Default)]
pub(crate) struct LossRepairProbe {
    /// Where lost packets end that are not repaired yet, in the order of their sequence numbers, and when they were lost.
    lost: VecDeque<(SequenceNumber, Instant)>,
    /// What the sender knows to have arrived; `None` before the first acknowledgment.
    arrived: Option<SequenceNumber>,
    sum_nanos: u128,
    repaired: u64,
}

impl LossRepairProbe {
    /// A packet that ends before sequence number `end` is lost. It counts once, however often it is lost again, and not at all if the
    /// sender knows that it has arrived.
    pub(crate) fn lost(&mut self, now: Instant, end: SequenceNumber) {
        if self.arrived.is_some_and(|arrived| arrived.is_at_or_after(end)) {
            return;
        }
        let place = self.lost.partition_point(|(known, _)| known.is_before(end));
        if self.lost.get(place).is_none_or(|(known, _)| *known != end) {
            self.lost.insert(place, (end, now));
        }
    }
    /// Everything before `acknowledgment` is acknowledged. What that repairs counts only if `counts`, whenever it was lost.
    pub(crate) fn acknowledged(&mut self, now: Instant, acknowledgment: SequenceNumber, counts: bool) {
        self.arrived = Some(self.arrived.map_or(acknowledgment, |arrived| arrived.max(acknowledgment)));
        while let Some((_, lost)) = self.lost.pop_front_if(|(end, _)| acknowledgment.is_at_or_after(*end)) {
            if counts {
                self.sum_nanos += u128::from((now - lost).as_nanos());
                self.repaired += 1;
            }
        }
    }
    /// The sum of the times in nanoseconds, and their number.
    pub(crate) fn sum(&self) -> (u128, u64) {
        (self.sum_nanos, self.repaired)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use seamline_wire::Duration;

    fn at(millis: u64) -> Instant {
        Instant::ZERO + Duration::from_millis(millis)
    }

    /// Lost at 10, 20 and 30 ms, the second of them again at 40 ms; the first two are repaired at 50 ms, the last at 100 ms.
    #[test]
    fn a_loss_takes_until_its_acknowledgment() {
        let mut probe = LossRepairProbe::default();
        let end = |segments: u32| SequenceNumber(u32::MAX - 1500) + segments * 1000;
        probe.lost(at(10), end(2));
        probe.lost(at(20), end(1));
        probe.lost(at(30), end(4));
        probe.lost(at(40), end(1));
        probe.acknowledged(at(45), end(0), true);
        assert_eq!(probe.sum(), (0, 0));
        probe.acknowledged(at(50), end(3), true);
        assert_eq!(probe.sum(), (70_000_000, 2));
        probe.acknowledged(at(100), end(4), false);
        assert_eq!(probe.sum(), (70_000_000, 2), "during the warm-up");
        probe.lost(at(110), end(3));
        probe.acknowledged(at(120), end(5), true);
        assert_eq!(probe.sum(), (70_000_000, 2), "sent again needlessly, and lost");
    }
}
