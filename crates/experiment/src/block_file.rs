//! Large files that are written in small pieces.

use crate::atomic::{AtomicFile, WriteError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

#[cfg(test)]
mod tests;

/// The size of one write: whole pages, and small enough for the processor's cache. Larger writes make the kernel
/// search for larger contiguous memory: measured on ext4, writes of 256 KiB take twice the system time.
const BLOCK: usize = 32 * 1024;
/// Spare bytes after a full block, before its memory must grow.
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
    /// Create a file; missing folders are created.
    ///
    /// # Errors
    /// When the folder cannot be created or is not writable.
    pub(crate) fn create(path: &Path) -> Result<Self, WriteError> {
        Ok(BlockFile { file: AtomicFile::create(path)?, block: vec![0; BLOCK + SLACK], filled: 0 })
    }

    /// A buffer of at least `needed` bytes, to be filled from its start. It contains stale data.
    #[inline]
    pub(crate) fn room(&mut self, needed: usize) -> &mut [u8] {
        let end = self.filled + needed;
        if self.block.len() < end {
            self.block.resize(end, 0);
        }
        &mut self.block[self.filled..]
    }

    /// Append the first `length` bytes of the buffer from [`BlockFile::room`].
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

    /// Write the rest and rename the file to its final path.
    ///
    /// # Errors
    /// When the last bytes cannot be written, or the file cannot be renamed.
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
        // What follows the block that is being filled need not be copied, but for the rest.
        let to_full = if bytes.len() < BLOCK { bytes.len() } else { BLOCK.saturating_sub(self.filled) };
        let (first, rest) = bytes.split_at(to_full);
        self.room(first.len())[..first.len()].copy_from_slice(first);
        self.append(first.len())?;
        let (blocks, rest) = rest.as_chunks::<BLOCK>();
        for block in blocks {
            self.file.write_all(block)?;
        }
        self.room(rest.len())[..rest.len()].copy_from_slice(rest);
        self.append(rest.len())?;
        Ok(bytes.len())
    }
    #[inline]
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.write(bytes).map(drop)
    }
    /// Blocks are written when they are full, and the last one at the end.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
