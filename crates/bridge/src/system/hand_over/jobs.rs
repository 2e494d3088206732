//! What the agent's thread is asked to do by threads that wait for others. It never waits for them.

use crate::handed::{Handed, TakenIn};
use nix::sys::eventfd::{EfdFlags, EventFd};
use seamline_daemon::clock;
use seamline_wire::Instant;
use std::io;
use std::net::IpAddr;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryIter, sync_channel};

/// Something to do, if it is not too late, and where the outcome goes.
#[derive(Debug)]
pub(in crate::system) struct Job {
    pub(in crate::system) until: Instant,
    pub(in crate::system) what: What,
}

#[derive(Debug)]
pub(in crate::system) enum What {
    HandOut(Vec<IpAddr>, SyncSender<Vec<Handed>>),
    TakeIn(Handed, SyncSender<TakenIn>),
}

/// Each thread that asks has one at a time.
const MOST_WAITING: usize = 2;

/// Those that wait, and what wakes the agent's thread when one comes.
#[derive(Debug)]
pub(in crate::system) struct Jobs {
    waiting: Receiver<Job>,
    bell: Arc<EventFd>,
}

impl Jobs {
    /// With the end at which they are given.
    pub(in crate::system) fn new() -> io::Result<(Asker, Self)> {
        let (jobs, waiting) = sync_channel(MOST_WAITING);
        let bell = Arc::new(EventFd::from_flags(EfdFlags::EFD_NONBLOCK | EfdFlags::EFD_CLOEXEC)?);
        Ok((Asker { jobs, bell: Arc::clone(&bell) }, Jobs { waiting, bell }))
    }
    /// Those that wait now.
    pub(in crate::system) fn take(&self) -> TryIter<'_, Job> {
        // Nothing to read: nobody has rung.
        let _ = self.bell.read();
        self.waiting.try_iter()
    }
    /// They are not done.
    pub(in crate::system) fn drop_all(&self) {
        self.take().for_each(drop);
    }
}

impl AsFd for Jobs {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.bell.as_fd()
    }
}

/// Asks the agent's thread.
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

    fn ask<T>(&self, until: Instant, what: impl FnOnce(SyncSender<T>) -> What) -> io::Result<T> {
        let (answer, answered) = sync_channel(1);
        let job = Job { until, what: what(answer) };
        // More than those of threads that wait for an answer: those for which they no longer wait, of an agent that hangs.
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
    io::Error::other("the agent is not at work just now: packets pass it by")
}
