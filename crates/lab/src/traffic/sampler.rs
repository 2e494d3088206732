//! What is seen of connections while they run.

use crate::clock;
use crate::system::TcpInfo;
use seamline_wire::{Duration, Instant};
use std::collections::BTreeMap;
use std::os::fd::AsFd;
use std::sync::mpsc::Sender;

/// Something seen of one connection. Times are of `CLOCK_MONOTONIC`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Observation {
    /// The kernel's state of a source's connection.
    State {
        /// Which connection.
        connection: u32,
        /// When the kernel was asked.
        at: Instant,
        /// What it said.
        info: TcpInfo,
    },
    /// What a sink's application has read so far. The first read after a pause is always told.
    Read {
        /// Which connection.
        connection: u32,
        /// When it was read.
        at: Instant,
        /// All bytes up to then.
        bytes: u64,
    },
}

/// How often, and whom to tell.
#[derive(Clone, Debug)]
pub struct Sampling {
    /// Between two samples of the kernel's state.
    pub state_every: Duration,
    /// At least this long between two tellings of what a sink has read.
    pub reads_every: Duration,
    /// Where observations go. Nobody minds when the receiver is gone.
    pub observations: Sender<Observation>,
}

impl Sampling {
    /// Every 5 ms, and what was read at most every millisecond.
    pub fn new(observations: Sender<Observation>) -> Self {
        Sampling {
            state_every: Duration::from_millis(5),
            reads_every: Duration::from_millis(1),
            observations,
        }
    }
}

/// Takes the kernel's state of many connections at an interval.
#[derive(Debug)]
pub(super) struct Sampler {
    sampling: Sampling,
    due: Instant,
    last: BTreeMap<u32, TcpInfo>,
}

impl Sampler {
    pub(super) fn new(sampling: Sampling) -> Self {
        Sampler { sampling, due: clock::monotonic(), last: BTreeMap::new() }
    }

    pub(super) fn due(&self) -> Instant {
        self.due
    }

    /// Sample all, when it is time. Samples that were missed are not made up for.
    pub(super) fn sample_all<S: AsFd>(&mut self, now: Instant, sockets: impl Iterator<Item = (u32, S)>) {
        if now < self.due {
            return;
        }
        sockets.for_each(|(connection, socket)| self.sample(connection, socket));
        let every = self.sampling.state_every.max(Duration::from_micros(100));
        self.due = (self.due + every).max(clock::monotonic());
    }

    /// Sample one now, unless nothing has changed.
    pub(super) fn sample(&mut self, connection: u32, socket: impl AsFd) {
        let at = clock::monotonic();
        let Ok(info) = TcpInfo::of(socket) else { return };
        if self.last.get(&connection).is_some_and(|last| last.same_but_for_times(&info)) {
            return;
        }
        self.last.insert(connection, info);
        let _ = self.sampling.observations.send(Observation::State { connection, at, info });
    }

    /// A connection is over.
    pub(super) fn forget(&mut self, connection: u32) {
        self.last.remove(&connection);
    }
}

/// Tells of one sink's progress, not too often.
#[derive(Debug)]
pub(super) struct Progress {
    sampling: Option<Sampling>,
    told: Option<(Instant, u64)>,
}

impl Progress {
    pub(super) fn new(sampling: Option<Sampling>) -> Self {
        Progress { sampling, told: None }
    }

    /// `bytes` were read by now; `last` of the connection.
    pub(super) fn read(&mut self, connection: u32, at: Instant, bytes: u64, last: bool) {
        let Some(sampling) = &self.sampling else { return };
        let tell = match self.told {
            None => true,
            Some((_, told)) if last => bytes != told,
            Some((when, _)) => at.saturating_since(when) >= sampling.reads_every,
        };
        if tell {
            self.told = Some((at, bytes));
            let _ = sampling.observations.send(Observation::Read { connection, at, bytes });
        }
    }
}
