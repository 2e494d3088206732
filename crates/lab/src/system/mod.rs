//! What the lab asks of Linux: namespaces, interfaces, sockets, priorities. The only place with unsafe code.

pub mod bpf;
pub mod cgroup;
pub mod command;
pub mod leftovers;
pub mod namespace;
pub mod netlink;
pub(crate) mod offloads;
pub mod priority;
pub mod privileges;
pub mod processes;
pub mod settings;
pub mod tcp_info;
pub mod tun;

pub use cgroup::{MOUNT_UNIFIED_HIERARCHY, unified_hierarchy};
pub use command::{Command, Running};
pub use leftovers::{Leftover, StateDirectory, StateFile};
pub use namespace::{Identity, Namespace};
pub use netlink::Interface;
pub use priority::Priority;
pub use privileges::Privileges;
pub use tcp_info::TcpInfo;
pub use tun::Tun;

use std::fmt::Display;
use std::io;

/// The release of the kernel.
///
/// # Errors
/// When the kernel does not say it.
pub fn kernel_release() -> io::Result<String> {
    Ok(nix::sys::utsname::uname()?.release().to_string_lossy().into_owned())
}

/// The same kind of error, which also says what was tried.
pub(crate) fn explained(error: io::Error, tried: impl Display) -> io::Error {
    io::Error::new(error.kind(), format!("{tried}: {error}"))
}
