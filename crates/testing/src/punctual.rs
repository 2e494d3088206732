//! Tests in real time, on hosts that now and then have no processor for them.

use crate::this_test;
#[cfg(target_os = "linux")]
use nix::{
    sched::{CpuSet, sched_getaffinity, sched_setaffinity},
    unistd::Pid,
};
use std::cell::RefCell;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, LockResult, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How often a test is tried at most.
const ATTEMPTS: usize = 3;
const NAP: Duration = Duration::from_millis(1);

/// What a thread knows of the attempt that it makes.
#[derive(Clone, Debug, Default)]
struct Attempt {
    number: usize,
    /// By how many nanoseconds the host was late so far.
    late: Arc<AtomicU64>,
}

thread_local! {
    static NOW: RefCell<Option<Attempt>> = const { RefCell::new(None) };
}

/// Run a test. If it panics while the host is late, it is run again. The host is late if a thread that only sleeps, of which each processor
/// has one, wakes up more than `most_ms` milliseconds after its time. The first attempt decides that passes, or that fails while the host is on time, or the third.
/// Standard error names what is run again, also where it passes in the end.
///
/// # Panics
/// As the attempt that decides.
pub fn punctual(most_ms: u64, test: impl Fn()) {
    let attempt = |number| {
        let made = Attempt { number, ..Attempt::default() };
        NOW.set(Some(made.clone()));
        let outcome = while_napping(&made.late, || catch_unwind(AssertUnwindSafe(&test)));
        NOW.set(None);
        (outcome, Duration::from_nanos(made.late.load(Ordering::Relaxed)))
    };
    // Unlike what is printed, what is written there is not captured.
    let mut errors = std::io::stderr();
    let again = |late: Duration| {
        let late = late.as_millis();
        let _ = writeln!(errors, "{} is run again: the host was late by {late} ms", this_test());
    };
    decide(Duration::from_millis(most_ms), attempt, again).unwrap_or_else(|panic| resume_unwind(panic));
}

/// The lock that a test has waited for, whatever became of those who held it before. How late the host was while it waited does not count.
pub fn turn<Guard>(acquired: LockResult<Guard>) -> Guard {
    NOW.with_borrow(|attempt| attempt.iter().for_each(|it| it.late.store(0, Ordering::Relaxed)));
    acquired.unwrap_or_else(PoisonError::into_inner)
}

/// Whether a test is run again that has run before, so that nothing can be missing for it.
pub(crate) fn has_run_before() -> bool {
    NOW.with_borrow(|attempt| attempt.as_ref().is_some_and(|it| it.number > 1))
}

/// The outcome of the attempt that decides. Each says by how much the host was late, and so does what is called before the next.
fn decide(
    most: Duration,
    mut attempt: impl FnMut(usize) -> (thread::Result<()>, Duration),
    mut again: impl FnMut(Duration),
) -> thread::Result<()> {
    for number in 1..ATTEMPTS {
        let (outcome, late) = attempt(number);
        if outcome.is_ok() || late <= most {
            return outcome;
        }
        again(late);
    }
    attempt(ATTEMPTS).0
}

/// What the work returns. Meanwhile a thread on each processor takes naps, and notes by how much it has woken up too late at most.
#[expect(clippy::disallowed_methods, reason = "how late the host is can only be seen in real time")]
fn while_napping<T>(late: &AtomicU64, work: impl FnOnce() -> T) -> T {
    let is_over = AtomicBool::new(false);
    let nap = |stay: &dyn Fn()| {
        stay();
        while !is_over.load(Ordering::Relaxed) {
            let begun = Instant::now();
            thread::sleep(NAP);
            late.fetch_max(begun.elapsed().saturating_sub(NAP).as_nanos() as u64, Ordering::Relaxed);
        }
    };
    thread::scope(|scope| {
        for stay in processors() {
            scope.spawn(move || nap(&stay));
        }
        let done = work();
        is_over.store(true, Ordering::Relaxed);
        done
    })
}

/// What makes a thread stay on a processor, for each that this one may use.
#[cfg(target_os = "linux")]
fn processors() -> Vec<impl Fn() + Send> {
    let this = Pid::from_raw(0);
    let allowed = sched_getaffinity(this).unwrap_or_default();
    let only = |processor| {
        let mut only = CpuSet::new();
        only.set(processor).map(|()| only)
    };
    let allowed = (0..CpuSet::count()).filter(|processor| allowed.is_set(*processor).unwrap_or(false));
    let stay = |only: CpuSet| {
        move || {
            let _ = sched_setaffinity(this, &only);
        }
    };
    allowed.filter_map(|processor| only(processor).ok()).map(stay).collect()
}

/// One thread, wherever it is.
#[cfg(not(target_os = "linux"))]
fn processors() -> Vec<impl Fn() + Send> {
    vec![|| ()]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many attempts there are if these fail, late by so many milliseconds, and further ones pass; and whether the one that decides passes.
    fn attempts(failing: &[u64]) -> (usize, bool) {
        let (mut made, mut announced) = (0, 0);
        let failed = || -> thread::Result<()> { Err(Box::new("it fails")) };
        let attempt = |number| {
            made += 1;
            assert_eq!(number, made);
            let late = failing.get(number - 1).copied();
            (late.map_or(Ok(()), |_| failed()), Duration::from_millis(late.unwrap_or(1000)))
        };
        let outcome = decide(Duration::from_millis(30), attempt, |_| announced += 1);
        assert_eq!(announced + 1, made);
        (made, outcome.is_ok())
    }

    #[test]
    fn only_what_fails_while_the_host_is_late_is_repeated() {
        assert_eq!(attempts(&[]), (1, true));
        assert_eq!(attempts(&[30]), (1, false));
        assert_eq!(attempts(&[31, 31]), (3, true));
        assert_eq!(attempts(&[31, 5, 31]), (2, false));
        assert_eq!(attempts(&[31; 9]), (3, false));
    }

    #[test]
    fn a_failure_is_passed_on_and_the_naps_end() {
        let failed = catch_unwind(|| punctual(3_600_000, || panic!("it fails"))).unwrap_err();
        assert_eq!(failed.downcast_ref(), Some(&"it fails"));
        assert!(!has_run_before());
    }

    /// Naps of a millisecond are late by some microseconds at least.
    #[test]
    #[expect(clippy::disallowed_methods, reason = "the naps are real")]
    fn naps_note_how_late_they_are_since_the_turn_began() {
        punctual(0, || {
            let late = || NOW.with_borrow(|it| it.as_ref().unwrap().late.load(Ordering::Relaxed));
            while late() == 0 {
                thread::sleep(NAP);
            }
            NOW.with_borrow(|it| it.as_ref().unwrap().late.store(u64::MAX, Ordering::Relaxed));
            turn(Ok(()));
            assert!(late() < u64::MAX);
        });
    }
}
