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
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Barrier, Mutex, MutexGuard, OnceLock, PoisonError};

/// The other end of a link that belongs to another part.
#[derive(Debug)]
pub(crate) struct Inlet {
    pub(crate) packets: FarEnd,
    /// When it last delivered.
    pub(crate) delivered: Instant,
}

/// Wake-ups before a world is cut, so that it is known where most of the work is.
pub(crate) const BEFORE_CUTTING: u64 = 1 << 16;
/// Wake-ups on one thread between two questions whether to go on.
const WAKES: u32 = 1 << 14;

type Part<M, O> = World<M, Log<O>>;

impl<M: Machine, O: Observer> World<M, O> {
    /// Run until `end` like [`World::run_until`], on up to `threads` threads. It uses fewer if the world cannot be cut into that many
    /// parts with about equal work, and one if the observer wants packets ([`Observer::sees_packets`]). `goes_on` is called every few
    /// milliseconds of CPU time and may read only the time and the observer. If it returns `false`, the run stops. Returns `true` if the
    /// clock has reached `end`.
    ///
    /// # Panics
    /// As [`World::run_until`]. A world that has panicked cannot be used any more.
    pub fn run_on(&mut self, threads: usize, end: Instant, goes_on: &mut dyn FnMut(&Self) -> bool) -> bool {
        let is_for_one = threads < 2 || (O::LISTENS && self.observer.sees_packets());
        loop {
            if !goes_on(self) {
                return false;
            }
            if !is_for_one && self.steps >= self.cuts_after {
                if let Some(cut) = Cut::new(self, threads, end) {
                    return self.run_parts(&cut, end, goes_on);
                }
                self.cuts_after = 2 * self.steps;
            }
            if self.run_some(end, WAKES) {
                return true;
            }
        }
    }

    fn run_parts(&mut self, cut: &Cut, end: Instant, goes_on: &mut dyn FnMut(&Self) -> bool) -> bool {
        self.check_routes();
        let parts: Vec<Shared<M, O>> =
            self.split(cut).into_iter().map(|part| Shared(Mutex::new(part))).collect();
        let crew = Crew::default();
        let is_complete = std::thread::scope(|scope| {
            let mut own = vec![&parts[0]];
            for part in &parts[1..] {
                let work = || while crew.work(part) {};
                if std::thread::Builder::new().spawn_scoped(scope, work).is_err() {
                    // There are no threads left: this one does it.
                    own.push(part);
                }
            }
            crew.begin(parts.len() - own.len() + 1);
            // However this thread ends, the others do.
            let _dismissal = Dismissal(&crew);
            self.lead(&parts, &own, cut.window, end, &crew, goes_on)
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
        own: &[&Shared<M, O>],
        window: Duration,
        end: Instant,
        crew: &Crew,
        goes_on: &mut dyn FnMut(&Self) -> bool,
    ) -> bool {
        let mut asked_at = 0;
        while self.now < end {
            let next = parts.iter().filter_map(|part| lock(&part.0).wake_at()).min();
            // What enters a link at the first event arrives after this.
            let last = |next: Instant| next.max(self.now) + window - Duration::from_nanos(1);
            let until = next.filter(|next| *next < end).map_or(end, |next| last(next).min(end));
            crew.window.store(until.as_nanos(), Ordering::Relaxed);
            crew.wait();
            own.iter().for_each(|part| crew.run(part, until));
            crew.wait();
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
#[derive(Default)]
struct Crew {
    /// Once it is known how many they are.
    barrier: OnceLock<Barrier>,
    /// The end of the window, in nanoseconds.
    window: AtomicU64,
    is_over: AtomicBool,
    /// The first panic of a part.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

impl Crew {
    /// There are so many threads.
    fn begin(&self, threads: usize) {
        self.barrier.get_or_init(|| Barrier::new(threads));
    }

    /// Until all threads are here.
    fn wait(&self) {
        self.barrier.wait().wait();
    }

    /// Run a part for one window; `false` when there is none any more.
    fn work<M: Machine, O: Observer>(&self, part: &Shared<M, O>) -> bool {
        self.wait();
        if self.is_over.load(Ordering::Relaxed) {
            return false;
        }
        self.run(part, Instant::from_nanos(self.window.load(Ordering::Relaxed)));
        self.wait();
        true
    }

    fn run<M: Machine, O: Observer>(&self, part: &Shared<M, O>, until: Instant) {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| lock(&part.0).run_until(until))) {
            lock(&self.panic).get_or_insert(panic);
        }
    }
}

/// Ends the threads that wait for the next window.
struct Dismissal<'a>(&'a Crew);

impl Drop for Dismissal<'_> {
    fn drop(&mut self) {
        self.0.is_over.store(true, Ordering::Relaxed);
        self.0.wait();
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
