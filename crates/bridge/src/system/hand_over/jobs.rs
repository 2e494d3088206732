//! Jobs for the agent's thread from threads that may wait. The agent's thread never waits for them.

use crate::handed::{Handed, TakenIn};
use nix::sys::eventfd::{EfdFlags, EventFd};
use seamline_host::clock;
use seamline_wire::Instant;
use std::io;
use std::net::IpAddr;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryIter, sync_channel};

/// A job, its deadline, and where its outcome goes.
#[derive(Debug)]
pub(in crate::system) struct Job {
    pub(in crate::system) until: Instant,
    pub(in crate::system) what: What,
}

#[derive(Debug)]
pub(in crate::system) enum What {
    HandOut(Vec<IpAddr>, SyncSender<Vec<Handed>>),
    TakeIn(Handed, SyncSender<TakenIn>),
    /// Switch help off, or on again; whether that changed anything.
    Pause(bool, SyncSender<bool>),
}

/// Each asking thread has one job at a time.
const MOST_WAITING: usize = 2;

/// The waiting jobs, and what wakes the agent's thread for a new one.
#[derive(Debug)]
pub(in crate::system) struct Jobs {
    waiting: Receiver<Job>,
    bell: Arc<EventFd>,
}

impl Jobs {
    /// With the handle that submits jobs.
    pub(in crate::system) fn new() -> io::Result<(Asker, Self)> {
        let (jobs, waiting) = sync_channel(MOST_WAITING);
        let bell = Arc::new(EventFd::from_flags(EfdFlags::EFD_NONBLOCK | EfdFlags::EFD_CLOEXEC)?);
        Ok((Asker { jobs, bell: Arc::clone(&bell) }, Jobs { waiting, bell }))
    }
    /// Those that wait now.
    pub(in crate::system) fn take(&self) -> TryIter<'_, Job> {
        // Nothing to read means that no job was submitted.
        let _ = self.bell.read();
        self.waiting.try_iter()
    }
    /// Drop all waiting jobs.
    pub(in crate::system) fn drop_all(&self) {
        self.take().for_each(drop);
    }
}

impl AsFd for Jobs {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.bell.as_fd()
    }
}

/// Submits jobs to the agent's thread, and waits for their outcome.
#[derive(Clone, Debug)]
pub(in crate::system) struct Asker {
    jobs: SyncSender<Job>,
    bell: Arc<EventFd>,
}

impl Asker {
    pub(super) fn hand_out(&self, hosts: Vec<IpAddr>, until: Instant) -> io::Result<Vec<Handed>> {
        self.ask(until, |answer| What::HandOut(hosts, answer))
    }
    pub(super) fn take_in(&self, handed: Handed, until: Instant) -> io::Result<TakenIn> {
        self.ask(until, |answer| What::TakeIn(handed, answer))
    }

    pub(super) fn pause(&self, is_paused: bool, until: Instant) -> io::Result<bool> {
        self.ask(until, |answer| What::Pause(is_paused, answer))
    }

    fn ask<T>(&self, until: Instant, what: impl FnOnce(SyncSender<T>) -> What) -> io::Result<T> {
        let (answer, answered) = sync_channel(1);
        let job = Job { until, what: what(answer) };
        // The queue is full only if the agent hangs, with jobs whose askers have given up.
        self.jobs.try_send(job).map_err(|_| not_at_work())?;
        self.bell.write(1)?;
        let left = until.saturating_since(clock::monotonic());
        match answered.recv_timeout(std::time::Duration::from_nanos(left.as_nanos())) {
            Ok(done) => Ok(done),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => Err(not_at_work()),
        }
    }
}

fn not_at_work() -> io::Error {
    io::Error::other("the agent is not working now: packets are forwarded without it")
}
