#![expect(clippy::disallowed_methods, reason = "the thread shall fall behind")]

use super::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::sleep;
use std::time::Duration;

/// Keeps what it gets, and does something else besides.
struct Keep<F> {
    kept: Vec<usize>,
    besides: F,
}

impl<F: FnMut(usize) -> io::Result<()> + Send + 'static> Work for Keep<F> {
    type Item = usize;
    const NAME: &'static str = "test";

    fn take(&mut self, item: &usize) -> io::Result<()> {
        self.kept.push(*item);
        (self.besides)(*item)
    }
}

fn start<F: FnMut(usize) -> io::Result<()> + Send + 'static>(besides: F) -> Background<Keep<F>> {
    Background::new(Keep { kept: Vec::new(), besides })
}

#[test]
fn every_item_is_worked_on_once_and_in_order() {
    for count in [0, 1, BATCH - 1, BATCH, BATCH + 1, 20 * BATCH + 7] {
        let mut work = start(|_| Ok(()));
        (0..count).for_each(|item| work.push(item));
        let done = work.finish().expect("nothing fails");
        assert!(done.kept.into_iter().eq(0..count), "{count} items");
    }
}

#[test]
fn there_is_no_thread_for_a_few_items_and_one_for_many() {
    let mut work = start(|_| Ok(()));
    (0..BATCH - 1).for_each(|item| work.push(item));
    assert!(work.ready().is_some());
    work.push(BATCH);
    assert!(work.ready().is_none());
}

/// In the first batch, in a later one, and in the last one, which the thread does not get.
#[test]
fn a_failure_ends_the_work_and_is_told() {
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

/// While the first item is being worked on for long, another thread gets no further than the bound.
#[test]
fn who_is_faster_waits() {
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

/// As when a run ends in a panic: whatever the work holds, files above all, is gone afterwards.
#[test]
fn dropping_it_waits_until_the_work_is_dropped() {
    struct Tell(Arc<AtomicBool>);
    impl Drop for Tell {
        fn drop(&mut self) {
            sleep(Duration::from_millis(20));
            self.0.store(true, Ordering::SeqCst);
        }
    }
    let dropped = Arc::new(AtomicBool::new(false));
    let tell = Tell(Arc::clone(&dropped));
    let mut work = start(move |_| {
        let _held = &tell;
        Ok(())
    });
    (0..3 * BATCH).for_each(|item| work.push(item));
    assert!(!dropped.load(Ordering::SeqCst));
    drop(work);
    assert!(dropped.load(Ordering::SeqCst));
}
