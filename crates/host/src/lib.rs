//! What programs on real hosts share: `seamline-host` with its agents and daemons, and the lab.
//!
//! - For daemons: a [`log`] that never blocks, the kernel's clocks, a control socket, a lock, and what a service manager hears.
//! - For Linux: network namespaces, privileges and giving them up, cgroups, interfaces by netlink and ioctl, eBPF.
//! - For people: the `doctor`, which tries what a host offers and says how to get what is missing.
//!
//! Everything that asks the kernel is empty elsewhere than on Linux.

#[cfg(target_os = "linux")]
pub mod bpf;
#[cfg(target_os = "linux")]
pub mod cgroup;
#[cfg(target_os = "linux")]
pub mod clock;
#[cfg(target_os = "linux")]
pub mod confinement;
#[cfg(target_os = "linux")]
pub mod control;
#[cfg(target_os = "linux")]
pub mod doctor;
pub mod every;
pub mod executable;
#[cfg(target_os = "linux")]
pub mod interface;
pub mod journal;
#[cfg(target_os = "linux")]
pub mod lock;
pub mod log;
pub mod meminfo;
pub mod metrics;
#[cfg(target_os = "linux")]
pub mod namespace;
#[cfg(target_os = "linux")]
pub mod netlink;
#[cfg(target_os = "linux")]
pub mod privileges;
#[cfg(target_os = "linux")]
pub mod process;
#[cfg(target_os = "linux")]
pub mod scheduling;
pub mod service;
#[cfg(target_os = "linux")]
pub mod socket;

pub use every::Every;
pub use journal::Journal;
pub use log::Line;

use std::fmt::Display;
use std::io;
use std::path::Path;

/// The folder that a file is in; the current one for a bare name.
pub fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The same kind of error, with what was attempted in front.
pub fn explained(error: impl Into<io::Error>, attempt: impl Display) -> io::Error {
    let error = error.into();
    io::Error::new(error.kind(), format!("{attempt}: {error}"))
}

/// Make a call until no signal interrupts it.
///
/// A call that waits no longer than its socket's timeout is interrupted even by a stop of the process (Ctrl+Z) that continues later: only
/// calls without a timeout are made again by the kernel (signal(7)). The timeout begins again with each call.
///
/// # Errors
/// Those of the call, but for [`io::ErrorKind::Interrupted`].
pub fn uninterrupted<T>(mut call: impl FnMut() -> io::Result<T>) -> io::Result<T> {
    loop {
        match call() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_interrupted_is_done_again_and_other_errors_are_not() {
        let mut results =
            [io::ErrorKind::Interrupted, io::ErrorKind::Interrupted, io::ErrorKind::WouldBlock].into_iter();
        let refused = uninterrupted(|| Err::<(), _>(results.next().unwrap().into())).unwrap_err();
        assert_eq!((refused.kind(), results.len()), (io::ErrorKind::WouldBlock, 0));
        assert_eq!(uninterrupted(|| Ok(7)).unwrap(), 7);
    }
}
