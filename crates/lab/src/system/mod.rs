//! What the lab asks of Linux: TUN devices, processes, settings, priorities. The only place with unsafe code. What it shares with other
//! programs on real hosts is in `seamline_host`.

pub mod command;
pub mod leftovers;
pub mod operations;
pub mod packet_ring;
pub mod priority;
pub mod processes;
pub mod settings;
pub mod tcp_info;
pub mod tun;

pub use command::{Command, Running};
pub use leftovers::{Leftover, StateDirectory, StateFile};
pub use operations::{Done, Operations};
pub use packet_ring::PacketRing;
pub use priority::Priority;
pub use seamline_host::cgroup::{self, MOUNT_UNIFIED_HIERARCHY, unified_hierarchy};
pub use seamline_host::explained;
pub use seamline_host::namespace::{self, Identity, Namespace};
pub use seamline_host::netlink::interfaces::{self as netlink, Interface};
pub use seamline_host::privileges::{self, Privileges};
pub use tcp_info::TcpInfo;
pub use tun::Tun;

use std::io;

/// The release of the kernel.
///
/// # Errors
/// When the kernel does not report it.
pub fn kernel_release() -> io::Result<String> {
    Ok(nix::sys::utsname::uname()?.release().to_string_lossy().into_owned())
}
