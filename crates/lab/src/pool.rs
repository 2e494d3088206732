//! Runs on several threads at a time.

use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, ScopedJoinHandle};

/// How many jobs run at the same time.
#[derive(Clone, Copy, Debug)]
pub struct Limits<Job> {
    /// Jobs in all.
    pub at_a_time: NonZeroUsize,
    /// Jobs for which [`is_scarce`](Self::is_scarce) holds.
    pub most_scarce: usize,
    /// Whether a job takes something of which the host has only so many.
    pub is_scarce: fn(&Job) -> bool,
}

#[derive(Debug)]
struct Waiting<Job> {
    jobs: VecDeque<Job>,
    scarce_running: usize,
}

impl<Job> Waiting<Job> {
    /// The next job that may begin, and whether it is scarce.
    fn next(&mut self, limits: &Limits<Job>) -> Option<(Job, bool)> {
        let may_begin = |job: &Job| self.scarce_running < limits.most_scarce || !(limits.is_scarce)(job);
        let place = self.jobs.iter().position(may_begin)?;
        let job = self.jobs.remove(place)?;
        let is_scarce = (limits.is_scarce)(&job);
        self.scarce_running += usize::from(is_scarce);
        Some((job, is_scarce))
    }
}

/// Run all jobs within the limits. `ended` gets each result on the calling thread, in the order in which the jobs end.
///
/// # Errors
/// The first of `ended`. No job begins after it, and no further result is taken.
pub fn run_all<Job: Send, Done: Send, Error>(
    jobs: Vec<Job>,
    limits: &Limits<Job>,
    run: impl Fn(Job) -> Done + Sync,
    mut ended: impl FnMut(Done) -> Result<(), Error>,
) -> Result<(), Error> {
    let waiting = Mutex::new(Waiting { jobs: jobs.into(), scarce_running: 0 });
    let lock = || waiting.lock().unwrap_or_else(PoisonError::into_inner);
    let is_over = AtomicBool::new(false);
    let work = |results: Sender<Done>| loop {
        // Not in the condition of `while let`: the lock would be held during the run.
        let next = lock().next(limits);
        let Some((job, is_scarce)) = next.filter(|_| !is_over.load(Ordering::Relaxed)) else { return };
        let done = run(job);
        lock().scarce_running -= usize::from(is_scarce);
        if results.send(done).is_err() {
            return;
        }
    };
    thread::scope(|scope| {
        let (sender, results) = channel();
        for _ in 0..limits.at_a_time.get() {
            let (sender, work) = (sender.clone(), &work);
            scope.spawn(move || work(sender));
        }
        drop(sender);
        let outcome = results.iter().try_for_each(&mut ended);
        is_over.store(outcome.is_err(), Ordering::Relaxed);
        outcome
    })
}

/// The result of a thread; its panic is passed on.
pub(crate) fn join<T>(thread: ScopedJoinHandle<'_, T>) -> T {
    thread.join().unwrap_or_else(|panic| resume_unwind(panic))
}
