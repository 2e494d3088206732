//! Unnamed network namespaces: one lives as long as something refers to it, so nothing has to be removed.

use nix::sched::{CloneFlags, setns, unshare};
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::MetadataExt;
use std::thread;

/// Distinguishes a network namespace from all others at the same time. A later one may reuse the identity of one that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Identity {
    /// The device number of the file system of namespaces.
    pub device: u64,
    /// The namespace's inode number.
    pub inode: u64,
}

impl Identity {
    /// The identity of the calling thread's namespace.
    ///
    /// # Errors
    /// When `/proc` is missing.
    pub fn of_thread() -> io::Result<Self> {
        fs::metadata("/proc/thread-self/ns/net").map(|file| Identity::of(&file))
    }

    /// The identity of the namespace of a process's first thread.
    ///
    /// # Errors
    /// When the process has ended or belongs to another user.
    pub fn of_process(process: u32) -> io::Result<Self> {
        fs::metadata(format!("/proc/{process}/ns/net")).map(|file| Identity::of(&file))
    }

    fn of(file: &fs::Metadata) -> Self {
        Identity { device: file.dev(), inode: file.ino() }
    }
}

/// A network namespace without a name. It ends when this value, every socket and interface in it, and every process
/// that runs in it have ended.
#[derive(Debug)]
pub struct Namespace {
    reference: File,
}

impl Namespace {
    /// A new, empty namespace, with only a loopback interface, which is down.
    ///
    /// # Errors
    /// When the process may not create one (`EPERM`: neither root nor in a user namespace of its own).
    pub fn new() -> io::Result<Self> {
        let made = on_a_thread(|| {
            unshare(CloneFlags::CLONE_NEWNET)?;
            File::open("/proc/thread-self/ns/net")
        });
        made.map(|reference| Namespace { reference })
    }

    /// Its identity.
    ///
    /// # Errors
    /// None expected.
    pub fn identity(&self) -> io::Result<Identity> {
        self.reference.metadata().map(|file| Identity::of(&file))
    }

    /// The same namespace, for another owner.
    ///
    /// # Errors
    /// When the process has no file descriptor left.
    pub fn try_clone(&self) -> io::Result<Self> {
        self.reference.try_clone().map(|reference| Namespace { reference })
    }

    /// Run a task inside, on a thread of its own so that no other thread moves. Sockets and devices created there stay there,
    /// whichever thread uses them later.
    ///
    /// # Errors
    /// When the namespace cannot be entered, or the task fails.
    pub fn within<T: Send>(&self, task: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
        on_a_thread(|| {
            self.enter()?;
            task()
        })
    }

    /// Move the calling thread into the namespace for good.
    ///
    /// # Errors
    /// When it may not be entered.
    pub fn enter(&self) -> io::Result<()> {
        setns(&self.reference, CloneFlags::CLONE_NEWNET).map_err(io::Error::from)
    }
}

/// Run a task that may move to other namespaces, on a thread of its own so that no other thread moves.
///
/// # Errors
/// When the task fails.
pub fn on_a_thread<T: Send>(task: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
    let done = thread::scope(|scope| scope.spawn(task).join());
    done.unwrap_or_else(|_| Err(io::Error::other("a thread inside a namespace panicked")))
}

impl AsFd for Namespace {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.reference.as_fd()
    }
}
