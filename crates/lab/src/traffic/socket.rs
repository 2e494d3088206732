//! Sockets as the traffic needs them: non-blocking, with the kernel's automatic tuning unchanged.

use crate::system::{Namespace, explained, namespace::on_a_thread};
use nix::errno::Errno;
use nix::sys::socket::{
    AddressFamily, Backlog, SockFlag, SockType, SockaddrStorage, bind, connect, listen, setsockopt, socket,
    sockopt,
};
use std::ffi::OsString;
use std::io;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::sync::Arc;

/// The namespace of a thread that moves between namespaces. Only for threads of the traffic's own.
#[derive(Debug, Default)]
pub(crate) struct Visitor {
    inside: Option<Arc<Namespace>>,
}

impl Visitor {
    /// Go there, unless the thread is there already.
    pub(crate) fn go_to(&mut self, namespace: &Arc<Namespace>) -> io::Result<()> {
        if !self.inside.as_ref().is_some_and(|inside| Arc::ptr_eq(inside, namespace)) {
            self.inside = None;
            namespace.enter()?;
            self.inside = Some(namespace.clone());
        }
        Ok(())
    }
}

/// Let a thread that ends afterwards make things inside of namespaces.
pub(crate) fn visiting<T: Send>(make: impl FnOnce(Visitor) -> io::Result<T> + Send) -> io::Result<T> {
    on_a_thread(|| make(Visitor::default()))
}

/// A socket that listens for one connection, in the namespace of the calling thread.
pub(crate) fn listening(local: SocketAddr) -> io::Result<TcpListener> {
    let socket = stream_socket(local, None)?;
    bind(socket.as_raw_fd(), &SockaddrStorage::from(local))?;
    listen(&socket, Backlog::new(8)?)?;
    Ok(TcpListener::from(socket))
}

/// A socket that has begun to connect, in the namespace of the calling thread.
pub(super) fn connecting(
    local: SocketAddr,
    remote: SocketAddr,
    congestion_control: Option<&str>,
) -> io::Result<TcpStream> {
    let socket = stream_socket(local, congestion_control)?;
    bind(socket.as_raw_fd(), &SockaddrStorage::from(local))
        .map_err(|error| explained(error, format_args!("cannot send from {local}")))?;
    match connect(socket.as_raw_fd(), &SockaddrStorage::from(remote)) {
        Ok(()) | Err(Errno::EINPROGRESS) => Ok(TcpStream::from(socket)),
        Err(error) => Err(explained(error, format_args!("cannot connect to {remote}"))),
    }
}

/// A socket for one connection that waits in its calls, in the namespace of the calling thread.
pub(crate) fn unconnected(local: SocketAddr, congestion_control: Option<&str>) -> io::Result<OwnedFd> {
    let socket = new_socket(local, congestion_control, SockFlag::empty())?;
    bind(socket.as_raw_fd(), &SockaddrStorage::from(local))
        .map_err(|error| explained(error, format_args!("cannot send from {local}")))?;
    Ok(socket)
}

/// Try whether a connection of the calling thread's namespace may have this congestion control.
pub(super) fn try_congestion_control(name: &str) -> io::Result<()> {
    let any = SocketAddr::from(([0, 0, 0, 0], 0));
    stream_socket(any, Some(name)).map(drop)
}

/// Close with a reset, so that nothing of a connection stays behind in the kernel.
pub(crate) fn reset(stream: TcpStream) {
    let at_once = libc::linger { l_onoff: 1, l_linger: 0 };
    // If it fails, the kernel ends the connection later.
    let _ = setsockopt(&stream, sockopt::Linger, &at_once);
}

fn stream_socket(local: SocketAddr, congestion_control: Option<&str>) -> io::Result<OwnedFd> {
    new_socket(local, congestion_control, SockFlag::SOCK_NONBLOCK)
}

fn new_socket(local: SocketAddr, congestion_control: Option<&str>, flags: SockFlag) -> io::Result<OwnedFd> {
    let family = if local.is_ipv4() { AddressFamily::Inet } else { AddressFamily::Inet6 };
    let socket = socket(family, SockType::Stream, flags | SockFlag::SOCK_CLOEXEC, None)?;
    setsockopt(&socket, sockopt::ReuseAddr, &true)?;
    if let Some(name) = congestion_control {
        choose_congestion_control(&socket, name)?;
    }
    Ok(socket)
}

/// Choose the kernel's congestion control of a socket.
///
/// # Errors
/// When the kernel does not have it, or the process may not choose it.
pub fn choose_congestion_control(socket: impl AsFd, name: &str) -> io::Result<()> {
    setsockopt(&socket, sockopt::TcpCongestion, &OsString::from(name)).map_err(|error| {
        let why = match error {
            Errno::ENOENT => format!(
                "the kernel has no congestion control {name}; as root on the host: modprobe tcp_{name} (or a kernel with it)"
            ),
            Errno::EPERM => format!(
                "congestion control {name} is not in the host's net.ipv4.tcp_allowed_congestion_control, and the process has no \
                 CAP_NET_ADMIN in this namespace, which would do as well"
            ),
            _ => format!("cannot choose congestion control {name}"),
        };
        explained(error, why)
    })
}
