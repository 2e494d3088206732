#![expect(clippy::disallowed_methods, reason = "the worker must fall behind")]

use super::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::sleep;
use std::time::Duration;

/// Keeps every item, and runs a side effect.
struct Keep<F> {
    kept: Vec<usize>,
    side_effect: F,
}

impl<F: FnMut(usize) -> io::Result<()> + Send + 'static> Work for Keep<F> {
    type Item = usize;
    const NAME: &'static str = "test";

    fn process(&mut self, item: &usize) -> io::Result<()> {
        self.kept.push(*item);
        (self.side_effect)(*item)
    }
}

fn start<F: FnMut(usize) -> io::Result<()> + Send + 'static>(side_effect: F) -> Background<Keep<F>> {
    Background::new(Keep { kept: Vec::new(), side_effect })
}

#[test]
fn every_item_is_processed_once_and_in_order() {
    for count in [0, 1, BATCH - 1, BATCH, BATCH + 1, 20 * BATCH + 7] {
        let mut work = start(|_| Ok(()));
        (0..count).for_each(|item| work.push(item));
        let done = work.finish().expect("nothing fails");
        assert!(done.kept.into_iter().eq(0..count), "{count} items");
    }
}

#[test]
fn a_thread_starts_with_the_first_full_batch() {
    let mut work = start(|_| Ok(()));
    (0..BATCH - 1).for_each(|item| work.push(item));
    assert!(work.ready().is_some());
    work.push(BATCH);
    assert!(work.ready().is_none());
}

/// The failure is in the first batch, in a later one, and in the last one, which the thread does not get.
#[test]
fn a_failure_ends_the_work_and_is_reported() {
    for last in [0, 3 * BATCH + 5, 9 * BATCH + 1] {
        let mut work = start(move |item| match item {
            _ if item < last => Ok(()),
            _ if item == last => Err(io::Error::other(format!("no room for {item}"))),
            _ => panic!("{item} comes after the failure"),
        });
        (0..9 * BATCH + 2).for_each(|item| work.push(item));
        let error = work.finish().map(|_| ()).expect_err("it failed");
        assert_eq!(error.to_string(), format!("no room for {last}"));
    }
}

#[test]
fn a_panic_is_passed_on() {
    let mut work = start(|item| if item == BATCH { panic!("no such item") } else { Ok(()) });
    (0..9 * BATCH).for_each(|item| work.push(item));
    let panic = catch_unwind(AssertUnwindSafe(|| work.finish().map(|_| ()))).expect_err("it panicked");
    assert_eq!(panic.downcast_ref::<&str>(), Some(&"no such item"));
}

/// While the first item is processed for a long time, the producer gets no further than the bound.
#[test]
fn a_faster_producer_waits() {
    let pushed = Arc::new(AtomicUsize::new(0));
    let most = Arc::new(AtomicUsize::new(0));
    let (seen, ahead) = (Arc::clone(&pushed), Arc::clone(&most));
    let mut work = start(move |item| {
        if item == 0 {
            sleep(Duration::from_millis(100));
        }
        ahead.fetch_max(seen.load(Ordering::SeqCst) - item, Ordering::SeqCst);
        Ok(())
    });
    for item in 0..50 * BATCH {
        work.push(item);
        pushed.store(item + 1, Ordering::SeqCst);
    }
    drop(work.finish().expect("nothing fails"));
    let most = most.load(Ordering::SeqCst);
    assert!((BATCH - 1..=(WAITING + 2) * BATCH).contains(&most), "{most} items ahead");
}

/// As after a panic of the run: the resources of the work, above all its files, are released when the drop returns.
#[test]
fn dropping_the_job_waits_until_the_work_is_dropped() {
    struct SetOnDrop(Arc<AtomicBool>);
    impl Drop for SetOnDrop {
        fn drop(&mut self) {
            sleep(Duration::from_millis(20));
            self.0.store(true, Ordering::SeqCst);
        }
    }
    let dropped = Arc::new(AtomicBool::new(false));
    let guard = SetOnDrop(Arc::clone(&dropped));
    let mut work = start(move |_| {
        let _held = &guard;
        Ok(())
    });
    (0..3 * BATCH).for_each(|item| work.push(item));
    assert!(!dropped.load(Ordering::SeqCst));
    drop(work);
    assert!(dropped.load(Ordering::SeqCst));
}
