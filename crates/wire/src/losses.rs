//! The losses that an acknowledgment lists, each with its cause as far as it is known.

use crate::sequence::SequenceNumber;
use std::fmt;

/// Why a segment was lost, as explicit loss notification reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LossCause {
    /// In a queue, as TCP assumes by default: bit 1.
    Congestion,
    /// Over the air: bit 0.
    Air,
}

/// A loss that an acknowledgment lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loss {
    /// Where the lost segment begins, in bytes from the acknowledgment number on.
    pub offset: u32,
    /// Why it was lost.
    pub cause: LossCause,
}

impl Loss {
    /// The sequence number of the lost segment, listed with this acknowledgment number.
    pub fn sequence(self, acknowledgment: SequenceNumber) -> SequenceNumber {
        acknowledgment + self.offset
    }
}

/// Up to four losses, most recent first (eln-ack, section III), packed so that a packet stays small: one bit and 20 bits of
/// offset for each.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Losses {
    packed: [u8; 10],
    /// The count, and from [`FIRST_CAUSE`] on a bit for each that was lost over the air.
    count_and_causes: u8,
}

const COUNT: u8 = 0b111;
const FIRST_CAUSE: usize = 4;
const OFFSET_BITS: usize = 20;

impl Losses {
    /// The most losses in one acknowledgment.
    pub const MAX: usize = 4;
    /// A segment that begins further behind the acknowledgment number cannot be listed.
    pub const FURTHEST: u32 = (1 << OFFSET_BITS) - 1;

    /// No loss.
    pub const fn new() -> Self {
        Losses { packed: [0; 10], count_and_causes: 0 }
    }
    /// Append a loss; returns `false`, changing nothing, when all places are taken or it lies too far off.
    pub fn push(&mut self, loss: Loss) -> bool {
        let place = self.len();
        if place == Self::MAX || loss.offset > Self::FURTHEST {
            return false;
        }
        let mut bits = self.bits();
        bits |= u128::from(loss.offset) << (OFFSET_BITS * place);
        self.packed.copy_from_slice(&bits.to_le_bytes()[..10]);
        self.count_and_causes += 1;
        self.set_cause(place, loss.cause);
        true
    }
    fn bits(self) -> u128 {
        let mut bytes = [0; 16];
        bytes[..10].copy_from_slice(&self.packed);
        u128::from_le_bytes(bytes)
    }
    /// How many there are.
    pub const fn len(self) -> usize {
        (self.count_and_causes & COUNT) as usize
    }
    /// Whether there is none.
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }
    /// The loss at this place.
    pub fn get(self, place: usize) -> Option<Loss> {
        if place >= self.len() {
            return None;
        }
        let offset = (self.bits() >> (OFFSET_BITS * place)) as u32 & Self::FURTHEST;
        let cause = if self.count_and_causes >> (FIRST_CAUSE + place) & 1 == 1 {
            LossCause::Air
        } else {
            LossCause::Congestion
        };
        Some(Loss { offset, cause })
    }
    /// Say why the loss at this place happened.
    pub fn set_cause(&mut self, place: usize, cause: LossCause) {
        debug_assert!(place < self.len());
        let bit = 1 << (FIRST_CAUSE + place);
        match cause {
            LossCause::Air => self.count_and_causes |= bit,
            LossCause::Congestion => self.count_and_causes &= !bit,
        }
    }
    /// The losses, most recent first.
    pub fn iter(self) -> impl Iterator<Item = Loss> {
        (0..self.len()).filter_map(move |place| self.get(place))
    }
}

impl FromIterator<Loss> for Losses {
    /// Takes the first four that are near enough; the rest cannot be listed.
    fn from_iter<I: IntoIterator<Item = Loss>>(losses: I) -> Self {
        let mut taken = Losses::new();
        losses.into_iter().filter(|loss| loss.offset <= Losses::FURTHEST).take(Losses::MAX).for_each(
            |loss| {
                taken.push(loss);
            },
        );
        taken
    }
}

impl fmt::Debug for Losses {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter().map(|loss| (loss.offset, loss.cause))).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_losses_keep_their_offsets_and_causes() {
        let listed =
            [(Losses::FURTHEST, LossCause::Air), (70_001, LossCause::Congestion), (0, LossCause::Air)]
                .map(|(offset, cause)| Loss { offset, cause });
        let mut losses: Losses = listed.into_iter().collect();
        assert!(!losses.push(Loss { offset: Losses::FURTHEST + 1, cause: LossCause::Air }));
        assert!(losses.push(Loss { offset: 0xf_0f0f, cause: LossCause::Congestion }));
        assert!(!losses.push(listed[0]), "four at most");
        assert_eq!(losses.iter().take(3).collect::<Vec<_>>(), listed);
        losses.set_cause(3, LossCause::Air);
        losses.set_cause(0, LossCause::Congestion);
        let seen: Vec<_> = losses.iter().map(|loss| (loss.offset, loss.cause == LossCause::Air)).collect();
        assert_eq!(seen, [(Losses::FURTHEST, false), (70_001, false), (0, true), (0xf_0f0f, true)]);
        assert_eq!((losses.len(), losses.get(4)), (4, None));
    }
}
