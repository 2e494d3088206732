//! Work that another thread does, so that a run does not wait for it. A bounded number of batches is under way:
//! who makes items faster than they are worked on, waits.

use std::fmt;
use std::io;
use std::mem;
use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, SendError, Sender, SyncSender, channel, sync_channel};
use std::thread::{Builder, JoinHandle};

#[cfg(test)]
mod tests;

/// Items that are handed over together. The thread is woken for most batches: measured on two processors, a
/// quarter of this made a run with everything recorded a tenth longer.
const BATCH: usize = 4096;
/// Batches that wait, at most. One more is being filled and one worked on.
const WAITING: usize = 2;

/// What is done to items, one after the other.
pub(crate) trait Work: Send + 'static {
    /// What it is done to.
    type Item: fmt::Debug + Send;
    /// What the thread is called.
    const NAME: &'static str;

    /// Do it to one item.
    ///
    /// # Errors
    /// When it cannot be done. That item was the last one then.
    fn take(&mut self, item: &Self::Item) -> io::Result<()>;
}

/// Work in the background. Dropping it unfinished drops the work too, and waits for that.
#[derive(Debug)]
pub(crate) struct Background<W: Work> {
    batch: Vec<W::Item>,
    stage: Stage<W>,
}

/// How far the work is.
#[derive(Debug)]
enum Stage<W: Work> {
    /// No batch is full yet.
    Ready(Box<W>),
    /// A thread does it.
    Started(Worker<W>),
    /// There can be no more threads.
    Failed(io::Error),
}

impl<W: Work> Background<W> {
    /// Work of which nothing is done yet.
    pub(crate) fn new(work: W) -> Self {
        Background { batch: Vec::with_capacity(BATCH), stage: Stage::Ready(Box::new(work)) }
    }

    /// The work itself, for what comes before the first item; nothing once a thread has it.
    pub(crate) fn ready(&mut self) -> Option<&mut W> {
        match &mut self.stage {
            Stage::Ready(work) => Some(work),
            _ => None,
        }
    }

    /// Hand an item over. [`Background::finish`] tells whether the work could be done.
    #[inline]
    pub(crate) fn push(&mut self, item: W::Item) {
        self.batch.push(item);
        if self.batch.len() >= BATCH {
            self.hand_over();
        }
    }

    #[inline(never)]
    fn hand_over(&mut self) {
        self.start();
        match &self.stage {
            Stage::Started(worker) => self.batch = worker.exchange(mem::take(&mut self.batch)),
            _ => self.batch.clear(),
        }
    }

    fn start(&mut self) {
        if let Stage::Ready(_) = self.stage {
            let none = Stage::Failed(io::Error::other("the work is over"));
            if let Stage::Ready(work) = mem::replace(&mut self.stage, none) {
                self.stage = Worker::start(*work).map_or_else(Stage::Failed, Stage::Started);
            }
        }
    }

    /// Wait until all of the work is done. A panic there is passed on.
    ///
    /// # Errors
    /// When an item could not be worked on, or there can be no more threads.
    pub(crate) fn finish(self) -> io::Result<W> {
        let mut work = match self.stage {
            Stage::Ready(work) => *work,
            Stage::Started(worker) => worker.finish()?,
            Stage::Failed(cause) => return Err(cause),
        };
        self.batch.iter().try_for_each(|item| work.take(item))?;
        Ok(work)
    }
}

/// A thread, and the ways to it and back.
#[derive(Debug)]
struct Worker<W: Work> {
    full: Option<SyncSender<Vec<W::Item>>>,
    empty: Receiver<Vec<W::Item>>,
    thread: Option<JoinHandle<io::Result<W>>>,
}

impl<W: Work> Worker<W> {
    fn start(work: W) -> io::Result<Self> {
        let (full, batches) = sync_channel(WAITING);
        let (recycle, empty) = channel();
        let thread =
            Builder::new().name(W::NAME.to_owned()).spawn(move || take_all(work, &batches, &recycle))?;
        Ok(Worker { full: Some(full), empty, thread: Some(thread) })
    }

    /// Give a full batch for an empty one. A thread that has ended keeps why, and takes no more.
    fn exchange(&self, mut batch: Vec<W::Item>) -> Vec<W::Item> {
        if let Some(full) = &self.full {
            match full.send(batch) {
                Ok(()) => return self.empty.try_recv().unwrap_or_else(|_| Vec::with_capacity(BATCH)),
                Err(SendError(refused)) => batch = refused,
            }
        }
        batch.clear();
        batch
    }

    fn finish(mut self) -> io::Result<W> {
        let ended = self.join().unwrap_or_else(|| Ok(Err(io::Error::other("the work is over"))));
        ended.unwrap_or_else(|panic| resume_unwind(panic))
    }

    fn join(&mut self) -> Option<std::thread::Result<io::Result<W>>> {
        self.full = None;
        self.thread.take().map(JoinHandle::join)
    }
}

impl<W: Work> Drop for Worker<W> {
    fn drop(&mut self) {
        drop(self.join());
    }
}

/// What the thread does, until there will be no more batches.
fn take_all<W: Work>(
    mut work: W,
    batches: &Receiver<Vec<W::Item>>,
    recycle: &Sender<Vec<W::Item>>,
) -> io::Result<W> {
    for mut batch in batches {
        batch.iter().try_for_each(|item| work.take(item))?;
        batch.clear();
        // Nobody takes it back once the last batch is handed over.
        drop(recycle.send(batch));
    }
    Ok(work)
}
