//! The far end of a link apart from the link: for a driver that computes both ends of a network at the same time.

use super::constant::Carried;
use super::counters::survives;
use crate::error::ErrorStage;
use seamline_wire::{Instant, Packet};
use std::collections::VecDeque;

/// What is under way to the far end of a link with a fixed delay ([`Link::fixed_delay`](super::Link::fixed_delay)). It hands over the same
/// packets as the link, at the same times, if it gets a copy of each packet that the link accepts, and none is withdrawn.
#[derive(Debug)]
pub struct FarEnd {
    inside: VecDeque<Carried>,
    end: Vec<ErrorStage>,
}

impl FarEnd {
    pub(super) fn new<'a>(inside: impl Iterator<Item = &'a Carried>, end: &[ErrorStage]) -> Self {
        let copies = inside.map(|carried| Carried { parcel: carried.parcel.clone(), ..*carried });
        FarEnd { inside: copies.collect(), end: end.to_vec() }
    }

    /// When the next packet arrives.
    pub fn next_arrival(&self) -> Option<Instant> {
        self.inside.front().map(|carried| carried.arrival)
    }

    /// A packet has entered the link and arrives then, after all others.
    pub fn push(&mut self, arrival: Instant, packet: Box<Packet>) {
        self.inside.push_back(Carried { arrival, parcel: packet.into() });
    }

    /// The next packet that arrives by `now` and is not lost at the far end.
    pub fn take(&mut self, now: Instant) -> Option<Box<Packet>> {
        loop {
            self.inside.front().filter(|first| first.arrival <= now)?;
            let Carried { arrival, parcel } = self.inside.pop_front()?;
            let packet = parcel.into_packet();
            if survives(&mut self.end, arrival, &packet) {
                return Some(packet);
            }
        }
    }
}
