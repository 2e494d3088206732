//! Many runs, several at a time.

use crate::case::Job;
use crate::run::{RunError, RunOptions, run};
use crate::store::Run;
use std::collections::VecDeque;
use std::io;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// So many runs with a `seamline-host sender` go on at a time: a host takes nine of them, and one is left to others.
const MOST_SENDERS: usize = 8;

/// What is left to do, and how many runs with a `seamline-host sender` are going on.
#[derive(Debug)]
struct Left {
    jobs: VecDeque<Job>,
    senders: usize,
}

impl Left {
    fn next(&mut self) -> Option<Job> {
        let may_begin = |job: &Job| self.senders < MOST_SENDERS || !job.case.remedy.has_sender;
        let place = self.jobs.iter().position(may_begin)?;
        let job = self.jobs.remove(place)?;
        self.senders += usize::from(job.case.remedy.has_sender);
        Some(job)
    }
}

/// Run all jobs, so many at a time; `keep` gets each as it ends, or why it failed, after which the others go on.
///
/// # Errors
/// When some failed: how many, and why the first did. When one could not be kept, or `stop` was set: no further ones begin then, and
/// nothing more is kept after what could not be.
pub fn run_all(
    jobs: Vec<Job>,
    options: &RunOptions,
    at_a_time: NonZeroUsize,
    stop: &AtomicBool,
    keep: &mut dyn FnMut(Result<Run, &str>) -> io::Result<()>,
) -> Result<(), RunError> {
    let left = Mutex::new(Left { jobs: jobs.into(), senders: 0 });
    let is_over = AtomicBool::new(false);
    let (results, ended) = channel();
    thread::scope(|scope| {
        for _ in 0..at_a_time.get() {
            let (results, left, is_over) = (results.clone(), &left, &is_over);
            scope.spawn(move || work(left, options, [stop, is_over], &results));
        }
        drop(results);
        keep_all(ended, &is_over, keep)
    })
}

/// Have everything kept that comes. Sets `is_over` when no further run shall begin.
fn keep_all(
    ended: Receiver<Result<Run, RunError>>,
    is_over: &AtomicBool,
    keep: &mut dyn FnMut(Result<Run, &str>) -> io::Result<()>,
) -> Result<(), RunError> {
    let (mut failures, mut is_stopped) = (Vec::new(), false);
    for result in ended {
        let kept = match result {
            Ok(run) => keep(Ok(run)),
            Err(RunError::Failed(why)) => {
                let kept = keep(Err(&why));
                failures.push(why);
                kept
            }
            Err(RunError::Stopped) => {
                is_stopped = true;
                is_over.store(true, Ordering::Relaxed);
                Ok(())
            }
        };
        if kept.is_err() {
            is_over.store(true, Ordering::Relaxed);
            return Ok(kept?);
        }
    }
    match failures.first() {
        _ if is_stopped => Err(RunError::Stopped),
        Some(first) => {
            Err(RunError::Failed(format!("runs that failed: {}; the first: {first}", failures.len())))
        }
        None => Ok(()),
    }
}

fn work(
    left: &Mutex<Left>,
    options: &RunOptions,
    [stop, is_over]: [&AtomicBool; 2],
    results: &Sender<Result<Run, RunError>>,
) {
    let left = || left.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        // Not in the condition of `while let`: it would be held during the run.
        let next = left().next();
        let Some(job) = next.filter(|_| !is_over.load(Ordering::Relaxed)) else { return };
        let result =
            if stop.load(Ordering::Relaxed) { Err(RunError::Stopped) } else { run(&job, options, stop) };
        if job.case.remedy.has_sender {
            left().senders -= 1;
        }
        if results.send(result).is_err() {
            return;
        }
    }
}
