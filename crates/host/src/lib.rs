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
pub mod ebpf;
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
