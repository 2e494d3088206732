//! Packets that a guest's kernel was given before they arrive.

use seamline_wire::{Duration, Instant, Packet};
use std::collections::BTreeSet;
use std::io;

/// Those that are still on their way, each with the time of its arrival. A packet is known by its address, which it keeps on its way.
#[derive(Debug, Default)]
pub(super) struct Ahead {
    by_time: BTreeSet<(Instant, usize)>,
    addresses: BTreeSet<usize>,
    /// When the latest packet arrived.
    latest: Instant,
}

/// A kernel reads its clock with less error than this: it counts in fractions of cycles.
const CLOCK_ERROR: Duration = Duration::from_nanos(500);

fn address(packet: &Packet) -> usize {
    std::ptr::from_ref(packet).addr()
}

impl Ahead {
    pub(super) fn add(&mut self, at: Instant, packet: &Packet) {
        self.by_time.insert((at, address(packet)));
        self.addresses.insert(address(packet));
    }

    pub(super) fn knows(&self, packet: &Packet) -> bool {
        self.addresses.contains(&address(packet))
    }

    /// When the first arrives.
    pub(super) fn first(&self) -> Option<Instant> {
        self.by_time.first().map(|(at, _)| *at)
    }

    /// A packet has arrived: whether the kernel has it.
    pub(super) fn has_taken(&mut self, at: Instant, packet: &Packet) -> bool {
        self.latest = self.latest.max(at);
        self.addresses.remove(&address(packet)) && self.by_time.remove(&(at, address(packet)))
    }

    /// The time of a frame that a host has stamped: that of the arrival that it answers, where the stamp is that time but for the error
    /// of reading a clock. Otherwise such errors would decide what happens first when things happen at the same time.
    pub(super) fn answered(&self, stamp: Instant) -> Instant {
        let near = |at: &Instant| stamp.saturating_since(*at).max(at.saturating_since(stamp)) <= CLOCK_ERROR;
        Some(self.latest).into_iter().chain(self.first()).find(near).unwrap_or(stamp)
    }

    /// Nothing may be left that should have arrived by now.
    pub(super) fn check(&self, now: Instant) -> io::Result<()> {
        match self.first().filter(|at| *at <= now) {
            None => Ok(()),
            Some(at) => {
                Err(io::Error::other(format!("a fault of the engine: what was to arrive at {at} has not")))
            }
        }
    }
}
