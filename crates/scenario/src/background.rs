//! Files whose bytes are made by one thread and written by another, so that a run does not wait for the
//! system's copy of what it records. A bounded number of blocks is under way: who makes bytes faster than
//! they can be written, waits.

use crate::atomic::{AtomicFile, WriteError};
use std::io::{self, Write};
use std::mem;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::thread::{Builder, JoinHandle};

/// Bytes of a block. A whole number of pages: the system need not clear what a block leaves of one.
const BLOCK: usize = 256 * 1024;
/// Bytes that the system gets at once. It keeps larger pieces in larger stretches of memory, which it has to
/// look for: measured on ext4, pieces of 256 KiB take twice the time in the system.
const AT_ONCE: usize = 32 * 1024;
/// Blocks that wait to be written, at most.
const WAITING: usize = 8;
/// Bytes that can follow a full block before it must grow.
const SLACK: usize = 4096;

/// A file being written in the background. Dropping it unfinished leaves nothing behind.
#[derive(Debug)]
pub(crate) struct BackgroundFile {
    path: PathBuf,
    /// The block being filled.
    block: Vec<u8>,
    filled: usize,
    /// The first failure; nothing is written after it.
    failed: Option<io::Error>,
    writer: Option<Writer>,
}

/// The thread that writes, and how to reach it.
#[derive(Debug)]
struct Writer {
    full: SyncSender<Vec<u8>>,
    written: Receiver<Vec<u8>>,
    thread: JoinHandle<io::Result<AtomicFile>>,
}

impl BackgroundFile {
    /// Begin a file, making its folder if need be.
    ///
    /// # Errors
    /// When the folder cannot be made or written to, or there can be no more threads.
    pub(crate) fn create(path: &Path) -> Result<Self, WriteError> {
        let file = AtomicFile::create(path)?;
        let (full, blocks) = sync_channel(WAITING);
        let (recycle, written) = channel();
        let thread = Builder::new()
            .name("recording".to_owned())
            .spawn(move || write_blocks(file, &blocks, &recycle))
            .map_err(|cause| WriteError { path: path.to_owned(), cause })?;
        Ok(BackgroundFile {
            path: path.to_owned(),
            block: new_block(),
            filled: 0,
            failed: None,
            writer: Some(Writer { full, written, thread }),
        })
    }

    /// Room for at least `needed` bytes, to be filled from its start. What it holds is left over.
    pub(crate) fn room(&mut self, needed: usize) -> &mut [u8] {
        let end = self.filled + needed;
        if self.block.len() < end {
            self.block.resize(end, 0);
        }
        &mut self.block[self.filled..]
    }

    /// Append the first `length` bytes of what [`BackgroundFile::room`] gave. [`BackgroundFile::finish`] tells
    /// whether they could be written.
    pub(crate) fn append(&mut self, length: usize) {
        self.filled += length;
        while self.filled >= BLOCK {
            self.hand_over();
        }
    }

    /// Give a full block to the writer and go on with another, which begins with what is too much.
    fn hand_over(&mut self) {
        let rest = self.filled - BLOCK;
        let Some(writer) = &self.writer else {
            self.filled = 0;
            return;
        };
        let mut next = writer.written.try_recv().unwrap_or_else(|_| new_block());
        if next.len() < self.block.len() {
            next.resize(self.block.len(), 0);
        }
        next[..rest].copy_from_slice(&self.block[BLOCK..self.filled]);
        let mut full = mem::replace(&mut self.block, next);
        self.filled = rest;
        full.truncate(BLOCK);
        if writer.full.send(full).is_err() {
            self.failed = self.close().err();
        }
    }

    /// Wait until everything that was handed over is written.
    fn close(&mut self) -> io::Result<Option<AtomicFile>> {
        let Some(Writer { full, thread, .. }) = self.writer.take() else { return Ok(None) };
        drop(full);
        thread.join().unwrap_or_else(|panic| resume_unwind(panic)).map(Some)
    }

    /// Put the file in its place.
    ///
    /// # Errors
    /// When something of it could not be written, or the file not renamed.
    pub(crate) fn finish(mut self) -> Result<PathBuf, WriteError> {
        let path = self.path.clone();
        match self.write_rest() {
            Ok(file) => file.finish(),
            Err(cause) => Err(WriteError { path, cause }),
        }
    }

    fn write_rest(&mut self) -> io::Result<AtomicFile> {
        let closed = self.close();
        if let Some(cause) = self.failed.take() {
            return Err(cause);
        }
        let mut file = closed?.ok_or_else(|| io::Error::other("the file is closed"))?;
        file.write_all(&self.block[..self.filled])?;
        Ok(file)
    }
}

impl Drop for BackgroundFile {
    fn drop(&mut self) {
        if let Some(Writer { full, thread, .. }) = self.writer.take() {
            drop(full);
            drop(thread.join());
        }
    }
}

/// Never fails: what cannot be written is told by [`BackgroundFile::finish`].
impl Write for BackgroundFile {
    #[inline]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.room(bytes.len())[..bytes.len()].copy_from_slice(bytes);
        self.append(bytes.len());
        Ok(bytes.len())
    }
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn new_block() -> Vec<u8> {
    vec![0; BLOCK + SLACK]
}

/// What the thread does: write full blocks until there will be no more, and give them back.
fn write_blocks(
    mut file: AtomicFile,
    blocks: &Receiver<Vec<u8>>,
    recycle: &Sender<Vec<u8>>,
) -> io::Result<AtomicFile> {
    for mut block in blocks {
        for piece in block.chunks(AT_ONCE) {
            file.write_all(piece)?;
        }
        block.resize(BLOCK + SLACK, 0);
        // Nobody takes it back once the last block is handed over.
        drop(recycle.send(block));
    }
    Ok(file)
}
