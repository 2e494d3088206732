//! Numbers that this process and eBPF programs read and write.

use super::{ARRAY, MAP_CREATE, MAPPABLE, make};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::ptr::{NonNull, null_mut};
use std::sync::atomic::AtomicU64;

/// An array map of one entry of 64-bit numbers, in the memory of this process. Programs that use it keep it when this process ends.
#[derive(Debug)]
pub struct SharedWords {
    map: OwnedFd,
    words: NonNull<AtomicU64>,
    count: usize,
}

// SAFETY: the memory belongs to this value, and is only used by atomic operations.
unsafe impl Send for SharedWords {}
// SAFETY: as above.
unsafe impl Sync for SharedWords {}

impl SharedWords {
    /// So many numbers, all zero.
    ///
    /// # Errors
    /// When the process may not use eBPF (`EPERM`), or the kernel is older than Linux 5.5 (`EINVAL`).
    pub fn new(count: usize) -> io::Result<Self> {
        let map = make(MAP_CREATE, &[ARRAY, 4, (count * size_of::<u64>()) as u32, 1, MAPPABLE])?;
        let (access, length) = (libc::PROT_READ | libc::PROT_WRITE, count * size_of::<u64>());
        // SAFETY: a new mapping of the map's own memory, which is at least as long.
        let mapped = unsafe { libc::mmap(null_mut(), length, access, libc::MAP_SHARED, map.as_raw_fd(), 0) };
        match NonNull::new(mapped) {
            Some(words) if mapped != libc::MAP_FAILED => Ok(SharedWords { map, words: words.cast(), count }),
            _ => Err(io::Error::last_os_error()),
        }
    }
    /// One of the numbers.
    ///
    /// # Panics
    /// When there are not so many.
    pub fn word(&self, number: usize) -> &AtomicU64 {
        assert!(number < self.count, "there are {} numbers", self.count);
        // SAFETY: it is one of the numbers, which are aligned and live as long as this value.
        unsafe { self.words.add(number).as_ref() }
    }
}

impl AsFd for SharedWords {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.map.as_fd()
    }
}

impl Drop for SharedWords {
    fn drop(&mut self) {
        // SAFETY: the mapping is this value's own, and nothing refers to it any more.
        unsafe { libc::munmap(self.words.as_ptr().cast(), self.count * size_of::<u64>()) };
    }
}
