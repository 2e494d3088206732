//! Tasks that wait in virtual time. They take turns on one thread, first come, first served, so that a run is always the same.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Wake, Waker};
use std::time::Duration;

pub(crate) type Task = Pin<Box<dyn Future<Output = ()>>>;

/// The numbers of tasks whose turn it is. Wakers have to be usable from any thread, which no program here makes use of.
#[derive(Debug, Default)]
struct Queue(Mutex<VecDeque<usize>>);

impl Queue {
    fn get(&self) -> MutexGuard<'_, VecDeque<usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct TaskWaker {
    number: usize,
    queue: Arc<Queue>,
}

impl Wake for TaskWaker {
    fn wake(self: Arc<Self>) {
        let mut queue = self.queue.get();
        if !queue.contains(&self.number) {
            queue.push_back(self.number);
        }
    }
}

/// The tasks of a network, and who waits for which time.
#[derive(Default)]
pub(crate) struct Executor {
    tasks: Vec<Option<Task>>,
    unfinished: usize,
    queue: Arc<Queue>,
    sleepers: BTreeMap<(Duration, u64), Waker>,
    slept: u64,
}

impl fmt::Debug for Executor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Executor").field("unfinished", &self.unfinished).finish_non_exhaustive()
    }
}

impl Executor {
    pub(crate) fn add(&mut self, task: Task) {
        self.queue.get().push_back(self.tasks.len());
        self.tasks.push(Some(task));
        self.unfinished += 1;
    }
    pub(crate) fn unfinished(&self) -> usize {
        self.unfinished
    }

    /// The next task whose turn it is, to be polled and given back.
    pub(crate) fn take(&mut self) -> Option<(usize, Task, Waker)> {
        loop {
            let number = self.queue.get().pop_front()?;
            if let Some(task) = self.tasks.get_mut(number).and_then(Option::take) {
                let waker = Arc::new(TaskWaker { number, queue: self.queue.clone() });
                return Some((number, task, waker.into()));
            }
        }
    }
    /// A task goes on waiting.
    pub(crate) fn give_back(&mut self, number: usize, task: Task) {
        self.tasks[number] = Some(task);
    }
    /// A task is done.
    pub(crate) fn finish(&mut self) {
        self.unfinished -= 1;
    }

    /// Wake somebody at a time.
    pub(crate) fn sleep(&mut self, until: Duration, waker: Waker) {
        self.slept += 1;
        self.sleepers.insert((until, self.slept), waker);
    }
    /// When the next sleeper wakes.
    pub(crate) fn next_sleeper(&self) -> Option<Duration> {
        self.sleepers.keys().next().map(|(until, _)| *until)
    }
    /// Wake those whose time has come.
    pub(crate) fn wake_sleepers(&mut self, now: Duration) {
        while let Some(entry) = self.sleepers.first_entry().filter(|entry| entry.key().0 <= now) {
            entry.remove().wake();
        }
    }
}
