//! Converts wrapping sequence numbers to positions that do not wrap.

use seamline_wire::SequenceNumber;

/// The positions of one connection: bytes since its first sequence number.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Positions {
    /// The end of the sent data: as a sequence number, and as a position.
    end: Option<(SequenceNumber, u64)>,
}

impl Positions {
    /// The position of a segment that is being sent.
    pub(crate) fn sent(&mut self, sequence: SequenceNumber, length: u32) -> u64 {
        let start = self.of(sequence).unwrap_or(0);
        let end = start + u64::from(length);
        if self.end.is_none_or(|(_, known)| end > known) {
            self.end = Some((sequence + length, end));
        }
        start
    }

    /// The position of a sequence number less than 2^31 from the end of the sent data; `None` before anything was
    /// sent.
    pub(crate) fn of(&self, sequence: SequenceNumber) -> Option<u64> {
        let (end, position) = self.end?;
        let distance = sequence.0.wrapping_sub(end.0) as i32;
        Some(position.saturating_add_signed(i64::from(distance)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_survive_two_wraps() {
        let mut positions = Positions::default();
        let first = SequenceNumber(u32::MAX - 700);
        assert_eq!(positions.of(first), None);
        let step = 1 << 20;
        for n in 0..10_000_u64 {
            let sequence = first + (n * u64::from(step)) as u32;
            assert_eq!(positions.sent(sequence, step), n * u64::from(step));
        }
        let end = 10_000 * u64::from(step);
        assert!(end > 2 << 32, "the sequence numbers wrapped twice");
        assert_eq!(positions.of(first + end as u32), Some(end));
        let earlier = first + (9_000 * u64::from(step)) as u32;
        assert_eq!(
            positions.sent(earlier, step),
            9_000 * u64::from(step),
            "a retransmission keeps its position"
        );
        assert_eq!(positions.of(first + end as u32), Some(end), "and does not move the end");
    }
}
