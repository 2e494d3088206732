//! Packets that a guest's kernel was given before they arrive.

use seamline_wire::{Duration, Instant, Packet};
use std::collections::{BTreeMap, BTreeSet};
use std::io;

/// Those that are still on their way. A packet is known by its address, which it keeps on its way.
///
/// Of packets that arrive at a host at the same time, only one is here. A kernel would process all of them before an application runs, and
/// acknowledge them once; they are to be handed over one after the other.
#[derive(Debug, Default)]
pub(super) struct Ahead {
    /// The address of each, by the time of its arrival and the index of its host.
    by_time: BTreeMap<(Instant, usize), usize>,
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
    /// Whether none is here that arrives at this host at this time.
    pub(super) fn is_free(&self, at: Instant, host: usize) -> bool {
        !self.by_time.contains_key(&(at, host))
    }

    pub(super) fn add(&mut self, at: Instant, host: usize, packet: &Packet) {
        self.by_time.insert((at, host), address(packet));
        self.addresses.insert(address(packet));
    }

    pub(super) fn knows(&self, packet: &Packet) -> bool {
        self.addresses.contains(&address(packet))
    }

    /// When the first arrives.
    pub(super) fn first(&self) -> Option<Instant> {
        self.by_time.first_key_value().map(|((at, _), _)| *at)
    }

    /// A packet has arrived: whether the kernel has it.
    pub(super) fn has_taken(&mut self, at: Instant, host: usize, packet: &Packet) -> bool {
        self.latest = self.latest.max(at);
        self.addresses.remove(&address(packet)) && self.by_time.remove(&(at, host)).is_some()
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
