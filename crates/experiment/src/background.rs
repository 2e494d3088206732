//! Work in a background thread, so that a run does not wait for it. The number of queued batches is bounded: a
//! producer that is faster than the worker waits.

use std::fmt;
use std::io;
use std::mem;
use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, SendError, Sender, SyncSender, channel, sync_channel};
use std::thread::{Builder, JoinHandle};

#[cfg(test)]
mod tests;

/// Items per batch. The worker is woken for most batches: measured on two processors, a quarter of this made a run
/// with full recording a tenth longer.
const BATCH: usize = 4096;
/// The maximum number of queued batches. One more is being filled and one processed.
const WAITING: usize = 2;

/// A job that processes items one after another.
pub(crate) trait Work: Send + 'static {
    /// The type of the items.
    type Item: fmt::Debug + Send;
    /// The name of the thread.
    const NAME: &'static str;

    /// Process one item.
    ///
    /// # Errors
    /// When the item cannot be processed. No further item follows.
    fn process(&mut self, item: &Self::Item) -> io::Result<()>;
}

/// A background job. Dropping it unfinished drops the work too, and waits for the thread.
#[derive(Debug)]
pub(crate) struct Background<W: Work> {
    batch: Vec<W::Item>,
    stage: Stage<W>,
}

/// The state of the job.
#[derive(Debug)]
enum Stage<W: Work> {
    /// No batch is full yet.
    Ready(Box<W>),
    /// A thread processes the batches.
    Started(Worker<W>),
    /// The thread could not be started.
    Failed(io::Error),
}

impl<W: Work> Background<W> {
    /// A job that has not started.
    pub(crate) fn new(work: W) -> Self {
        Background { batch: Vec::with_capacity(BATCH), stage: Stage::Ready(Box::new(work)) }
    }

    /// The work itself, for preparation before the first batch; `None` once a thread has it.
    pub(crate) fn ready(&mut self) -> Option<&mut W> {
        match &mut self.stage {
            Stage::Ready(work) => Some(work),
            _ => None,
        }
    }

    /// Queue an item. [`Background::finish`] returns whether the work succeeded.
    #[inline]
    pub(crate) fn push(&mut self, item: W::Item) {
        self.batch.push(item);
        if self.batch.len() >= BATCH {
            self.send_batch();
        }
    }

    #[inline(never)]
    fn send_batch(&mut self) {
        self.start();
        match &self.stage {
            Stage::Started(worker) => self.batch = worker.exchange(mem::take(&mut self.batch)),
            _ => self.batch.clear(),
        }
    }

    fn start(&mut self) {
        if let Stage::Ready(_) = self.stage {
            let none = Stage::Failed(io::Error::other("the work has ended"));
            if let Stage::Ready(work) = mem::replace(&mut self.stage, none) {
                self.stage = Worker::start(*work).map_or_else(Stage::Failed, Stage::Started);
            }
        }
    }

    /// Wait until all items are processed. A panic of the thread is passed on.
    ///
    /// # Errors
    /// When an item could not be processed, or the thread could not be started.
    pub(crate) fn finish(self) -> io::Result<W> {
        let mut work = match self.stage {
            Stage::Ready(work) => *work,
            Stage::Started(worker) => worker.finish()?,
            Stage::Failed(cause) => return Err(cause),
        };
        self.batch.iter().try_for_each(|item| work.process(item))?;
        Ok(work)
    }
}

/// A thread, with its channels in both directions.
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
            Builder::new().name(W::NAME.to_owned()).spawn(move || process_all(work, &batches, &recycle))?;
        Ok(Worker { full: Some(full), empty, thread: Some(thread) })
    }

    /// Exchange a full batch for an empty one. A thread that has ended keeps its error and takes no more batches.
    fn exchange(&self, mut batch: Vec<W::Item>) -> Vec<W::Item> {
        if let Some(full) = &self.full {
            match full.send(batch) {
                Ok(()) => return self.empty.try_recv().unwrap_or_else(|_| Vec::with_capacity(BATCH)),
                Err(SendError(returned)) => batch = returned,
            }
        }
        batch.clear();
        batch
    }

    fn finish(mut self) -> io::Result<W> {
        let ended = self.join().unwrap_or_else(|| Ok(Err(io::Error::other("the work has ended"))));
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

/// The body of the thread; it runs until the channel closes.
fn process_all<W: Work>(
    mut work: W,
    batches: &Receiver<Vec<W::Item>>,
    recycle: &Sender<Vec<W::Item>>,
) -> io::Result<W> {
    for mut batch in batches {
        batch.iter().try_for_each(|item| work.process(item))?;
        batch.clear();
        // The receiver is gone once the last batch has been sent.
        drop(recycle.send(batch));
    }
    Ok(work)
}
