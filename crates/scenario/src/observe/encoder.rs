//! Packets on their way into a capture: one thread meets them, another makes bytes of them.

use crate::atomic::WriteError;
use crate::background::BackgroundFile;
use seamline_wire::capture::{Capture, Interface};
use seamline_wire::{Instant, Packet};
use std::io;
use std::mem;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{Builder, JoinHandle};

/// Packets that are handed over together.
const BATCH: usize = 1024;
/// Batches that wait to be encoded, at most: who meets packets faster than that, waits.
const WAITING: usize = 8;

/// A packet as it is captured.
#[derive(Debug)]
pub(super) struct Captured {
    pub(super) at: Instant,
    pub(super) interface: Interface,
    pub(super) packet: Packet,
    pub(super) remark: Option<String>,
}

/// A capture whose packets another thread encodes. Dropping it unfinished leaves nothing behind.
#[derive(Debug)]
pub(super) struct Encoder {
    batch: Vec<Captured>,
    full: Option<SyncSender<Vec<Captured>>>,
    encoded: Receiver<Vec<Captured>>,
    thread: Option<JoinHandle<io::Result<Capture<BackgroundFile>>>>,
}

impl Encoder {
    /// Go on with a capture in the background.
    ///
    /// # Errors
    /// When there can be no more threads.
    pub(super) fn start(capture: Capture<BackgroundFile>) -> io::Result<Self> {
        let (full, batches) = sync_channel(WAITING);
        let (recycle, encoded) = channel();
        let thread =
            Builder::new().name("capture".to_owned()).spawn(move || encode(capture, &batches, &recycle))?;
        let batch = Vec::with_capacity(BATCH);
        Ok(Encoder { batch, full: Some(full), encoded, thread: Some(thread) })
    }

    /// Take a packet in. [`Encoder::finish`] tells whether it could be encoded.
    pub(super) fn push(&mut self, captured: Captured) {
        self.batch.push(captured);
        if self.batch.len() >= BATCH {
            self.hand_over();
        }
    }

    fn hand_over(&mut self) {
        let next = self.encoded.try_recv().unwrap_or_else(|_| Vec::with_capacity(BATCH));
        let batch = mem::replace(&mut self.batch, next);
        if let Some(full) = &self.full {
            // A thread that has ended keeps why, and `finish` tells.
            drop(full.send(batch));
        }
    }

    /// Put the file in its place.
    ///
    /// # Errors
    /// When a packet could not be encoded or written, or the file not renamed.
    pub(super) fn finish(mut self, path: &Path) -> Result<PathBuf, WriteError> {
        self.hand_over();
        let capture = self.join().unwrap_or_else(|| Err(io::Error::other("the capture is closed")));
        let capture = capture.map_err(|cause| WriteError { path: path.to_owned(), cause })?;
        capture.finish().finish()
    }

    fn join(&mut self) -> Option<io::Result<Capture<BackgroundFile>>> {
        self.full = None;
        let thread = self.thread.take()?;
        Some(thread.join().unwrap_or_else(|panic| resume_unwind(panic)))
    }
}

impl Drop for Encoder {
    fn drop(&mut self) {
        self.full = None;
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

fn encode(
    mut capture: Capture<BackgroundFile>,
    batches: &Receiver<Vec<Captured>>,
    recycle: &Sender<Vec<Captured>>,
) -> io::Result<Capture<BackgroundFile>> {
    for mut batch in batches {
        for Captured { at, interface, packet, remark } in batch.drain(..) {
            capture.packet(interface, at, &packet, remark.as_deref())?;
        }
        // Nobody waits for it at the end.
        drop(recycle.send(batch));
    }
    Ok(capture)
}
