//! Which congestion controls a connection can have.
//!
//! The kernel's list, `net.ipv4.tcp_available_congestion_control`, is the same in every namespace: what is built in or loaded.
//! Which of these a socket may choose by `setsockopt(TCP_CONGESTION)` is another matter. A process with `CAP_NET_ADMIN` in the user
//! namespace that owns the *socket's network namespace* may choose any of the list; others only what
//! `net.ipv4.tcp_allowed_congestion_control` of the host names. (Linux: `tcp_set_congestion_control` in
//! `net/ipv4/tcp_cong.c`, asked with `sockopt_ns_capable`.) In namespaces of the lab's own that capability is there, for root
//! as for other users, so no setting of the host has to change. A command in the lab that has dropped the capability meets the
//! host's list again. So does the *default* of a namespace (its
//! `net.ipv4.tcp_congestion_control`), which needs a name on that list: hence traffic sets sockets, not defaults. What is not on the list must be loaded by root on the host (`modprobe tcp_vegas`): a process in a
//! user namespace does not make the kernel load modules.

use crate::system::Namespace;
use crate::traffic::socket;
use std::fs;
use std::io;

/// One congestion control of the kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CongestionControl {
    /// The kernel's name.
    pub name: String,
    /// Why a socket of the namespace cannot choose it; `None` when it can.
    pub refused: Option<String>,
}

/// What the kernel has, each tried on a socket of this namespace. Nothing is changed.
///
/// # Errors
/// When the namespace cannot be entered, or `/proc` not be read there.
pub fn available_congestion_controls(namespace: &Namespace) -> io::Result<Vec<CongestionControl>> {
    namespace.within(|| {
        let names = fs::read_to_string("/proc/sys/net/ipv4/tcp_available_congestion_control")?;
        Ok(names.split_whitespace().map(try_one).collect())
    })
}

fn try_one(name: &str) -> CongestionControl {
    let refused = socket::try_congestion_control(name).err().map(|error| error.to_string());
    CongestionControl { name: name.to_owned(), refused }
}
