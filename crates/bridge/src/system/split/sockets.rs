//! Sockets with the addresses of others.

use super::rules::{BACKLOG, UNTRACKED};
use nix::errno::Errno;
use nix::sys::socket::{
    AddressFamily, Backlog, SockFlag, SockType, SockaddrStorage, bind, connect, listen, setsockopt, socket,
    sockopt,
};
use seamline_host::explained;
use seamline_host::socket::{set_buffers, set_number};
use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

/// How often the kernel repeats its answer to a SYN that is not completed: once, so that it is forgotten after about three seconds.
const ANSWERS: libc::c_int = 1;

/// What waits is dropped at the end.
const RESET: libc::linger = libc::linger { l_onoff: 1, l_linger: 0 };

/// A listener at each of these loopback addresses, to which only rules lead. There is none for IPv6 if this host has no IPv6 address, and
/// forwards IPv4 too.
pub(super) fn listeners(buffer: u32, addresses: &[IpAddr]) -> io::Result<Vec<TcpListener>> {
    let mut made = Vec::new();
    for address in addresses {
        match listener((*address, 0).into(), buffer) {
            Ok(listener) => made.push(listener),
            Err(error) if !made.is_empty() && is_without_ipv6(&error) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(made)
}

fn is_without_ipv6(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::AddrNotAvailable | io::ErrorKind::Unsupported)
        || error.raw_os_error() == Some(Errno::EAFNOSUPPORT as i32)
}

fn listener(address: SocketAddr, buffer: u32) -> io::Result<TcpListener> {
    let socket = transparent(address, buffer)?;
    set_number(&socket, libc::IPPROTO_TCP, libc::TCP_SYNCNT, ANSWERS)?;
    setsockopt(&socket, sockopt::Mark, &UNTRACKED)?;
    bind(socket.as_raw_fd(), &SockaddrStorage::from(address))?;
    listen(&socket, Backlog::new(BACKLOG)?)?;
    Ok(TcpListener::from(socket))
}

/// A connection to `server` from `client`'s address and port, under way.
pub(super) fn begin(client: SocketAddr, server: SocketAddr, buffer: u32) -> io::Result<TcpStream> {
    let socket = transparent(client, buffer)?;
    bind(socket.as_raw_fd(), &SockaddrStorage::from(client)).map_err(|error| unbound(error, client))?;
    match connect(socket.as_raw_fd(), &SockaddrStorage::from(server)) {
        Ok(()) | Err(Errno::EINPROGRESS) => Ok(TcpStream::from(socket)),
        Err(error) => Err(error.into()),
    }
}

/// It cannot have the client's address and port.
fn unbound(error: Errno, client: SocketAddr) -> io::Error {
    let why = match error {
        Errno::EACCES => ": ports below 1024 take CAP_NET_BIND_SERVICE",
        Errno::EADDRINUSE => ": a socket of this host has that port at all addresses",
        _ => "",
    };
    explained(error, format_args!("binding to a client's address, {client}{why}"))
}

fn transparent(address: SocketAddr, buffer: u32) -> io::Result<OwnedFd> {
    let family = if address.is_ipv4() { AddressFamily::Inet } else { AddressFamily::Inet6 };
    let flags = SockFlag::SOCK_NONBLOCK | SockFlag::SOCK_CLOEXEC;
    let socket = socket(family, SockType::Stream, flags, None)?;
    let (level, name) = match address.is_ipv4() {
        true => (libc::IPPROTO_IP, libc::IP_TRANSPARENT),
        false => (libc::IPPROTO_IPV6, libc::IPV6_TRANSPARENT),
    };
    set_number(&socket, level, name, 1)
        .map_err(|error| explained(error, "accepting connections to other hosts' addresses"))?;
    setsockopt(&socket, sockopt::ReuseAddr, &true)?;
    // Both sizes bound the windows of the handshake, so they are set before it.
    set_buffers(&socket, buffer as usize)?;
    Ok(socket)
}

/// What is handed on shall leave at once, and a dead other end be noticed. However it is closed, also with this process, the end is reset: an
/// end in order would tell it that it has all there is.
pub(super) fn prepare(stream: &TcpStream) -> io::Result<()> {
    stream.set_nonblocking(true)?;
    stream.set_nodelay(true)?;
    setsockopt(stream, sockopt::KeepAlive, &true)?;
    Ok(setsockopt(stream, sockopt::Linger, &RESET)?)
}

/// Whether this host has it, by a socket that nothing comes of.
pub(super) fn try_congestion_control(name: &str) -> io::Result<()> {
    control_congestion(&socket(AddressFamily::Inet, SockType::Stream, SockFlag::SOCK_CLOEXEC, None)?, name)
}

/// This half faces the wireless side.
pub(super) fn control_congestion(stream: &impl AsFd, name: &str) -> io::Result<()> {
    setsockopt(stream, sockopt::TcpCongestion, &name.into()).map_err(|error| {
        explained(error, format_args!("the congestion control {name}: modprobe tcp_{name} may bring it"))
    })
}

/// Closing ends the connection once what waits has been acknowledged.
pub(super) fn end_in_order(stream: &TcpStream) {
    let _ = setsockopt(stream, sockopt::Linger, &libc::linger { l_onoff: 0, l_linger: 0 });
}

/// Closing resets the connection, whatever waits.
pub(super) fn reset_at_the_end(stream: &TcpStream) {
    let _ = setsockopt(stream, sockopt::Linger, &RESET);
}

/// Whether something is wrong with it, and not only over.
pub(super) fn failed(stream: &TcpStream) -> bool {
    stream.take_error().is_ok_and(|error| error.is_some())
}

/// Whether this process, or this host, can have no more of them for now.
pub(super) fn is_exhausted(error: &io::Error) -> bool {
    const SHORT: [Errno; 5] = [Errno::EMFILE, Errno::ENFILE, Errno::ENOBUFS, Errno::ENOMEM, Errno::ENOSPC];
    error.raw_os_error().is_some_and(|number| SHORT.contains(&Errno::from_raw(number)))
}

/// Whether it is over for the kernel, too: both ends have sent all, and its own has acknowledged it, or it has failed. Until
/// then the kernel reports the address of its peer (`inet_getname`, `inet6_getname`).
pub(super) fn is_closed(stream: &TcpStream) -> bool {
    stream.peer_addr().is_err()
}
