//! Calls that wait, in virtual time.
//!
//! packetdrill makes calls that may block from a second thread, and lets time pass in its first. So after each step of time
//! the first thread lets the waiting calls look, and goes on only when each of them waits again or has returned to
//! packetdrill, which asks for the time then. Otherwise the result would depend on the scheduler.

use crate::errno::{Answer, Errno};
use crate::world::World;
use seamline_wire::Instant;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Duration;

/// packetdrill has ended, or waits for something else, when a call does not look for so long.
const PATIENCE: Duration = Duration::from_secs(1);

/// The calls that wait.
#[derive(Debug, Default)]
struct Waiting {
    /// How many.
    calls: usize,
    /// Of those, how many have yet to look, or to return.
    to_look: usize,
    /// Counts the times that they were asked to look.
    round: u64,
    /// The thread whose call has returned to packetdrill, which has yet to take that in.
    returned: Option<libc::pid_t>,
}

/// What the functions of the interface share.
#[derive(Debug)]
pub(crate) struct Shared {
    state: Mutex<(World, Waiting)>,
    round: Condvar,
    looked: Condvar,
    first_thread: ThreadId,
}

/// The world, locked.
type Guard<'a> = MutexGuard<'a, (World, Waiting)>;

impl Shared {
    pub(crate) fn new(world: World) -> Shared {
        Shared {
            state: Mutex::new((world, Waiting::default())),
            round: Condvar::new(),
            looked: Condvar::new(),
            first_thread: thread::current().id(),
        }
    }

    fn lock(&self) -> Guard<'_> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// See or change something without letting waiting calls look.
    pub(crate) fn look<R>(&self, look: impl FnOnce(&mut World) -> R) -> R {
        look(&mut self.lock().0)
    }

    /// How many calls wait.
    #[cfg(test)]
    pub(crate) fn waiting(&self) -> usize {
        self.lock().1.calls
    }

    /// A call that does not wait.
    pub(crate) fn call(&self, call: impl FnOnce(&mut World) -> Answer) -> Answer {
        let mut guard = self.lock();
        let answer = call(&mut guard.0);
        drop(self.settle(guard));
        answer
    }

    /// A call that waits for as long as it would have to, unless it must not.
    pub(crate) fn wait(&self, nonblocking: bool, mut attempt: impl FnMut(&mut World) -> Answer) -> Answer {
        let mut guard = self.lock();
        let is_first = thread::current().id() == self.first_thread;
        let mut has_waited = false;
        loop {
            let answer = attempt(&mut guard.0);
            if answer != Err(Errno::AGAIN) || nonblocking {
                // Who has waited is to look until packetdrill asks for the time.
                if !has_waited {
                    drop(self.settle(guard));
                }
                return answer;
            }
            if is_first {
                let Some(at) = guard.0.next_wake() else { return Err(Errno::WAITS_FOR_EVER) };
                guard = self.advance(guard, at);
            } else {
                guard = self.wait_for_a_round(guard, has_waited);
                has_waited = true;
            }
        }
    }

    fn wait_for_a_round<'a>(&'a self, mut guard: Guard<'a>, has_waited: bool) -> Guard<'a> {
        if has_waited {
            guard.1.to_look = guard.1.to_look.saturating_sub(1);
            self.looked.notify_all();
        } else {
            guard.1.calls += 1;
        }
        let round = guard.1.round;
        while guard.1.round == round {
            guard = self.round.wait(guard).unwrap_or_else(PoisonError::into_inner);
        }
        guard
    }

    /// Let the waiting calls look, and wait until they have.
    fn settle<'a>(&'a self, mut guard: Guard<'a>) -> Guard<'a> {
        if guard.1.calls == 0 || thread::current().id() != self.first_thread {
            return guard;
        }
        guard.1.round += 1;
        guard.1.to_look = guard.1.calls;
        self.round.notify_all();
        while guard.1.to_look > 0 {
            let (next, result) =
                self.looked.wait_timeout(guard, PATIENCE).unwrap_or_else(PoisonError::into_inner);
            guard = next;
            if result.timed_out() {
                break;
            }
        }
        guard
    }

    /// Let time pass until `to`, with all that happens until then.
    fn advance<'a>(&'a self, mut guard: Guard<'a>, to: Instant) -> Guard<'a> {
        while let Some(at) = guard.0.next_wake().filter(|&at| at <= to) {
            guard.0.reach(at);
            guard = self.settle(guard);
        }
        guard.0.now = guard.0.now.max(to);
        guard
    }

    /// Sleep for so many microseconds. packetdrill has released its lock: a thread whose call has returned takes in the result first.
    pub(crate) fn sleep(&self, micros: u64) {
        let is_first = thread::current().id() == self.first_thread;
        let returned = if is_first { self.lock().1.returned.take() } else { None };
        while returned.is_some_and(|id| !is_asleep(id)) {
            thread::yield_now();
        }
        let guard = self.lock();
        let to = guard.0.after_micros(micros);
        drop(self.advance(guard, to));
    }

    /// The time in microseconds. A call that has waited has returned when packetdrill asks from its thread.
    pub(crate) fn micros(&self) -> u64 {
        let mut guard = self.lock();
        if thread::current().id() != self.first_thread && guard.1.to_look > 0 {
            guard.1.to_look -= 1;
            guard.1.calls -= 1;
            // SAFETY: the call has no conditions.
            guard.1.returned = Some(unsafe { libc::gettid() });
            self.looked.notify_all();
        }
        guard.0.now.as_nanos() / 1000
    }

    /// Wait at most until `limit` (microseconds from now) for a packet; `take` gets it.
    pub(crate) fn receive(&self, limit: u64, take: impl FnOnce(crate::world::Sent)) -> Answer {
        let mut guard = self.lock();
        let end = guard.0.after_micros(limit);
        loop {
            if let Some(sent) = guard.0.sent.pop_front() {
                take(sent);
                return Ok(0);
            }
            match guard.0.next_wake().filter(|&at| at <= end) {
                Some(at) => guard = self.advance(guard, at),
                None => {
                    drop(self.advance(guard, end));
                    return Err(Errno::AGAIN);
                }
            }
        }
    }
}

/// Whether a thread of this process waits for something, or is gone.
fn is_asleep(thread: libc::pid_t) -> bool {
    let Ok(text) = std::fs::read_to_string(format!("/proc/self/task/{thread}/stat")) else { return true };
    text.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('S'))
}
