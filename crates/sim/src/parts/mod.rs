//! One world on several threads, with the same result as on one (conservative synchronization: Chandy and Misra, 1979).
//!
//! The world is cut at links whose delay is fixed. What enters such a link now reaches the other side no sooner than that delay later, so
//! the parts run apart from each other for as long (a window), exchange what has entered the links between them, and go on. A link
//! stays with the part that sends into it; the other part has a copy of what is under way ([`seamline_net::link::FarEnd`]). What
//! the parts report is put in the order in which one thread would have reported it.

mod cut;
mod log;
mod split;

use crate::world::{Observer, World};
use cut::Cut;
use log::{Crossing, Log, replay};
use seamline_net::link::FarEnd;
use seamline_wire::{Duration, Instant, Machine};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Barrier, Mutex, MutexGuard, PoisonError};

/// The other end of a link that belongs to another part.
#[derive(Debug)]
pub(crate) struct Inlet {
    pub(crate) packets: FarEnd,
    /// When it last delivered.
    pub(crate) delivered: Instant,
}

/// Wake-ups before a world is cut, so that it is known where most of the work is.
const BEFORE_CUTTING: u64 = 1 << 16;
/// Wake-ups on one thread between two questions whether to go on.
const WAKES: u32 = 1 << 14;
/// Ends the threads.
const NEVER_MORE: u64 = u64::MAX;

type Part<M, O> = World<M, Log<O>>;

impl<M: Machine, O: Observer> World<M, O> {
    /// Run until `end` like [`World::run_until`], on up to so many threads. It takes fewer where the world cannot be cut into as many
    /// parts of about the same work, and one where the observer wants to see packets. `goes_on` is asked every few milliseconds of
    /// processor time; it may look at the time and at the observer. Returns whether the clock stands at `end`.
    ///
    /// # Panics
    /// As [`World::run_until`].
    pub fn run_on(&mut self, threads: usize, end: Instant, goes_on: &mut dyn FnMut(&Self) -> bool) -> bool {
        let is_for_one = threads < 2 || (O::LISTENS && self.observer.sees_packets());
        loop {
            if !goes_on(self) {
                return false;
            }
            if !is_for_one && self.steps >= BEFORE_CUTTING {
                return match Cut::new(self, threads, end) {
                    Some(cut) => self.run_parts(&cut, end, goes_on),
                    None => self.run_on(1, end, goes_on),
                };
            }
            if self.run_some(end, WAKES) {
                return true;
            }
        }
    }

    fn run_parts(&mut self, cut: &Cut, end: Instant, goes_on: &mut dyn FnMut(&Self) -> bool) -> bool {
        if std::mem::take(&mut self.unchecked) {
            self.refuse_circles();
        }
        let parts: Vec<Shared<M, O>> =
            self.split(cut).into_iter().map(|part| Shared(Mutex::new(part))).collect();
        let crew =
            Crew { window: AtomicU64::new(0), barrier: Barrier::new(parts.len()), panic: Mutex::new(None) };
        let is_complete = std::thread::scope(|scope| {
            for part in &parts[1..] {
                scope.spawn(|| while crew.work(part) {});
            }
            let is_complete = self.lead(&parts, cut, end, &crew, goes_on);
            crew.window.store(NEVER_MORE, Ordering::Relaxed);
            crew.barrier.wait();
            is_complete
        });
        if let Some(panic) = crew.panic.into_inner().unwrap_or_else(PoisonError::into_inner) {
            resume_unwind(panic);
        }
        let parts = parts.into_iter().map(|part| part.0.into_inner().unwrap_or_else(PoisonError::into_inner));
        self.join(cut, parts.collect());
        is_complete
    }

    /// One window after another. Meanwhile this world has the time and the observer, and nothing else.
    fn lead(
        &mut self,
        parts: &[Shared<M, O>],
        cut: &Cut,
        end: Instant,
        crew: &Crew,
        goes_on: &mut dyn FnMut(&Self) -> bool,
    ) -> bool {
        let mut asked_at = 0;
        while self.now < end {
            let next = parts.iter().filter_map(|part| lock(&part.0).wake_at()).min().unwrap_or(end);
            // What enters a link at the first event arrives after this.
            let until = end.min(next.max(self.now) + cut.least_delay - Duration::from_nanos(1));
            crew.window.store(until.as_nanos(), Ordering::Relaxed);
            crew.barrier.wait();
            crew.run(&parts[0], until);
            crew.barrier.wait();
            if lock(&crew.panic).is_some() {
                return false;
            }
            let mut parts: Vec<MutexGuard<'_, Part<M, O>>> = parts.iter().map(|part| lock(&part.0)).collect();
            exchange(&mut parts);
            self.now = until;
            self.windows += 1;
            if O::LISTENS {
                replay(parts.iter_mut().map(|part| &mut part.observer), &mut self.observer);
            }
            let steps: u64 = parts.iter().map(|part| part.steps).sum();
            if steps >= asked_at + u64::from(WAKES) {
                asked_at = steps;
                if !goes_on(self) {
                    return false;
                }
            }
        }
        true
    }
}

/// Parts have no cache line in common, which two processors would take from each other all the time.
#[repr(align(128))]
struct Shared<M, O>(Mutex<Part<M, O>>);

/// What the threads share.
struct Crew {
    /// The end of the window, in nanoseconds.
    window: AtomicU64,
    barrier: Barrier,
    /// The first panic of a part.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

impl Crew {
    /// Run a part for one window; `false` when there is none any more.
    fn work<M: Machine, O: Observer>(&self, part: &Shared<M, O>) -> bool {
        self.barrier.wait();
        let until = self.window.load(Ordering::Relaxed);
        if until == NEVER_MORE {
            return false;
        }
        self.run(part, Instant::from_nanos(until));
        self.barrier.wait();
        true
    }

    fn run<M: Machine, O: Observer>(&self, part: &Shared<M, O>, until: Instant) {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| lock(&part.0).run_until(until))) {
            lock(&self.panic).get_or_insert(panic);
        }
    }
}

fn lock<T>(it: &Mutex<T>) -> MutexGuard<'_, T> {
    it.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What has entered links between parts becomes known to those at the other end.
fn exchange<M: Machine, O: Observer>(parts: &mut [MutexGuard<'_, Part<M, O>>]) {
    for from in 0..parts.len() {
        for to in 0..parts.len() {
            let mut crossings = std::mem::take(&mut parts[from].observer.crossings[to]);
            for Crossing { place, entered, arrival, packet } in crossings.drain(..) {
                parts[to].expect(place, entered, arrival, packet);
                // As many boxes come back.
                let spare = parts[to].outbox.spare();
                parts[from].observer.boxes.extend(spare);
            }
            parts[from].observer.crossings[to] = crossings;
        }
    }
}
