//! Files of which many bytes are made, a few at a time.

use crate::atomic::{AtomicFile, WriteError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

#[cfg(test)]
mod tests;

/// Bytes that the system gets at once: whole pages, and few enough to be in the processor's cache still. The
/// system keeps larger pieces in larger stretches of memory, which it has to look for: measured on ext4,
/// pieces of 256 KiB take twice the time in the system.
const BLOCK: usize = 32 * 1024;
/// Bytes that can follow a full block before its memory must grow.
const SLACK: usize = 4096;

/// A file that is written a block at a time. Dropping it unfinished leaves nothing behind.
#[derive(Debug)]
pub(crate) struct BlockFile {
    file: AtomicFile,
    /// The block being filled.
    block: Vec<u8>,
    filled: usize,
}

impl BlockFile {
    /// Begin a file, making its folder if need be.
    ///
    /// # Errors
    /// When the folder cannot be made or written to.
    pub(crate) fn create(path: &Path) -> Result<Self, WriteError> {
        Ok(BlockFile { file: AtomicFile::create(path)?, block: vec![0; BLOCK + SLACK], filled: 0 })
    }

    /// Room for at least `needed` bytes, to be filled from its start. What it holds is left over.
    #[inline]
    pub(crate) fn room(&mut self, needed: usize) -> &mut [u8] {
        let end = self.filled + needed;
        if self.block.len() < end {
            self.block.resize(end, 0);
        }
        &mut self.block[self.filled..]
    }

    /// Append the first `length` bytes of what [`BlockFile::room`] gave.
    ///
    /// # Errors
    /// When a full block cannot be written.
    #[inline]
    pub(crate) fn append(&mut self, length: usize) -> io::Result<()> {
        self.filled += length;
        if self.filled >= BLOCK { self.write_blocks() } else { Ok(()) }
    }

    #[inline(never)]
    fn write_blocks(&mut self) -> io::Result<()> {
        let blocks = self.block[..self.filled].chunks_exact(BLOCK);
        let rest = blocks.remainder().len();
        for block in blocks {
            self.file.write_all(block)?;
        }
        self.block.copy_within(self.filled - rest..self.filled, 0);
        self.filled = rest;
        Ok(())
    }

    /// Put the file in its place.
    ///
    /// # Errors
    /// When its last bytes cannot be written, or the file not renamed.
    pub(crate) fn finish(mut self) -> Result<PathBuf, WriteError> {
        match self.file.write_all(&self.block[..self.filled]) {
            Ok(()) => self.file.finish(),
            Err(cause) => Err(self.file.error(cause)),
        }
    }
}

impl Write for BlockFile {
    #[inline]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.room(bytes.len())[..bytes.len()].copy_from_slice(bytes);
        self.append(bytes.len())?;
        Ok(bytes.len())
    }
    #[inline]
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.write(bytes).map(drop)
    }
    /// A block is written when it is full, and the last one at the end.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
