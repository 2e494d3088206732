//! Many runs, several at a time.

use crate::case::Job;
use crate::run::{RunError, RunOptions, run};
use crate::store::Run;
use seamline_lab::pool::{self, Limits};
use std::io;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};

/// Runs with a `seamline-host sender` at the same time: a host takes nine, and one is left to others.
const MOST_SENDERS: usize = 8;

/// Run all jobs, `at_a_time` together. `keep` gets each run as it ends, or why it failed, after which the others continue.
///
/// # Errors
/// When some failed: how many, and why the first did. When one could not be kept, or `stop` was set: then no further run begins, and
/// nothing more is kept after what could not be.
pub fn run_all(
    jobs: Vec<Job>,
    options: &RunOptions,
    at_a_time: NonZeroUsize,
    stop: &AtomicBool,
    keep: &mut dyn FnMut(Result<Run, &str>) -> io::Result<()>,
) -> Result<(), RunError> {
    let limits =
        Limits { at_a_time, most_scarce: MOST_SENDERS, is_scarce: |job: &Job| job.case.remedy.has_sender };
    let run = |job: Job| match stop.load(Ordering::Relaxed) {
        true => Err(RunError::Stopped),
        false => run(&job, options, stop),
    };
    let (mut failures, mut is_stopped) = (Vec::new(), false);
    pool::run_all(jobs, &limits, run, |ended| match ended {
        Ok(run) => keep(Ok(run)),
        Err(RunError::Failed(why)) => {
            let kept = keep(Err(&why));
            failures.push(why);
            kept
        }
        Err(RunError::Stopped) => {
            is_stopped = true;
            Ok(())
        }
    })?;
    match failures.first() {
        _ if is_stopped => Err(RunError::Stopped),
        Some(first) => {
            Err(RunError::Failed(format!("runs that failed: {}; the first: {first}", failures.len())))
        }
        None => Ok(()),
    }
}
