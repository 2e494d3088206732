//! Many runs, several at a time.

use crate::case::Job;
use crate::run::{Manner, RunError, run};
use crate::store::Run;
use std::collections::VecDeque;
use std::io;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// What is left to do. Of the runs with a `seamline sender`, of which one runs on a host, one goes on at a time, beside others.
#[derive(Debug)]
struct Left {
    jobs: VecDeque<Job>,
    has_sender: bool,
}

impl Left {
    fn next(&mut self) -> Option<Job> {
        let may_begin = |job: &Job| !(self.has_sender && job.case.remedy.has_sender);
        let place = self.jobs.iter().position(may_begin)?;
        let job = self.jobs.remove(place)?;
        self.has_sender |= job.case.remedy.has_sender;
        Some(job)
    }
}

/// Run all jobs, so many at a time; `keep` gets each as it ends.
///
/// # Errors
/// The first that failed, or that a run could not be kept; or `stop` was set. No further ones begin then.
pub fn conduct(
    jobs: Vec<Job>,
    manner: &Manner,
    at_a_time: NonZeroUsize,
    stop: &AtomicBool,
    keep: &mut dyn FnMut(Run) -> io::Result<()>,
) -> Result<(), RunError> {
    let left = Mutex::new(Left { jobs: jobs.into(), has_sender: false });
    let failed = AtomicBool::new(false);
    let (results, ended) = channel();
    thread::scope(|scope| {
        for _ in 0..at_a_time.get() {
            let (results, left, failed) = (results.clone(), &left, &failed);
            scope.spawn(move || work(left, manner, [stop, failed], &results));
        }
        drop(results);
        let mut outcome = Ok(());
        let mut can_keep = true;
        for result in ended {
            let kept = result.and_then(|run| match can_keep {
                true => Ok(keep(run).inspect_err(|_| can_keep = false)?),
                false => Ok(()),
            });
            if kept.is_err() {
                failed.store(true, Ordering::Relaxed);
            }
            outcome = outcome.and(kept);
        }
        outcome
    })
}

fn work(
    left: &Mutex<Left>,
    manner: &Manner,
    [stop, failed]: [&AtomicBool; 2],
    results: &Sender<Result<Run, RunError>>,
) {
    let left = || left.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        // Not in the condition of `while let`: it would be held during the run.
        let next = left().next();
        let Some(job) = next.filter(|_| !failed.load(Ordering::Relaxed)) else { return };
        let result =
            if stop.load(Ordering::Relaxed) { Err(RunError::Stopped) } else { run(&job, manner, stop) };
        if job.case.remedy.has_sender {
            left().has_sender = false;
        }
        let is_over = result.is_err();
        if results.send(result).is_err() || is_over {
            return;
        }
    }
}
