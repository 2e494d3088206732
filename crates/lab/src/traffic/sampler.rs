//! Samples of the kernel's state of connections while they run.

use crate::clock;
use crate::system::TcpInfo;
use seamline_wire::{Duration, Instant};
use std::collections::BTreeMap;
use std::os::fd::AsFd;
use std::sync::mpsc::Sender;

/// The time between two samples of a connection.
pub(crate) const SAMPLE_EVERY: Duration = Duration::from_millis(5);

/// The kernel's state of a source's connection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Observation {
    /// The number of the connection.
    pub connection: u32,
    /// The state.
    pub info: TcpInfo,
}

/// Takes the kernel's state of many connections at an interval.
#[derive(Debug)]
pub(super) struct Sampler {
    observations: Sender<Observation>,
    pub(super) due: Instant,
    last: BTreeMap<u32, TcpInfo>,
}

impl Sampler {
    /// Samples go to `observations`, or nowhere when its receiver is gone.
    pub(super) fn new(observations: Sender<Observation>) -> Self {
        Sampler { observations, due: clock::monotonic(), last: BTreeMap::new() }
    }

    /// Sample all when the time has come. Missed samples are not made up for.
    pub(super) fn sample_all<S: AsFd>(&mut self, now: Instant, sockets: impl Iterator<Item = (u32, S)>) {
        if now < self.due {
            return;
        }
        sockets.for_each(|(connection, socket)| self.sample(connection, socket));
        self.due = (self.due + SAMPLE_EVERY).max(clock::monotonic());
    }

    /// Sample one connection now, unless nothing has changed.
    pub(super) fn sample(&mut self, connection: u32, socket: impl AsFd) {
        let Ok(info) = TcpInfo::of(socket) else { return };
        if self.last.insert(connection, info) != Some(info) {
            let _ = self.observations.send(Observation { connection, info });
        }
    }

    /// A connection is over.
    pub(super) fn forget(&mut self, connection: u32) {
        self.last.remove(&connection);
    }
}
