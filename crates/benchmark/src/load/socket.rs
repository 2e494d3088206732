//! Sockets of the load, with what only this benchmark sets.
#![expect(unsafe_code, reason = "no library makes MPTCP sockets")]

use super::Serve;
use nix::errno::Errno;
use nix::poll::PollFlags;
use nix::sys::socket::{
    AddressFamily, Backlog, SockFlag, SockType, SockaddrStorage, bind, connect, getsockopt, listen,
    setsockopt, socket, sockopt,
};
use seamline_host::socket::{set_number, wait};
use seamline_lab::system::explained;
use seamline_lab::traffic::choose_congestion_control;
use seamline_wire::Duration;
use std::io::{self, ErrorKind};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};

/// How often the client looks at what the kernel has received.
pub(super) const LOOK_EVERY: Duration = Duration::from_millis(1);
/// `TCP_RTO_MAX_MS` (`include/uapi/linux/tcp.h`, Linux 6.15).
const RTO_MAX_MS: libc::c_int = 44;
/// `IPPROTO_MPTCP` (RFC 8684; Linux 5.6).
const MPTCP: libc::c_int = 262;

/// A socket that listens at all addresses of the host. Connections inherit its options.
pub(super) fn listening(serve: &Serve) -> io::Result<TcpListener> {
    let any = if has_ipv6() { Ipv6Addr::UNSPECIFIED.into() } else { IpAddr::from(Ipv4Addr::UNSPECIFIED) };
    let at = SocketAddr::new(any, serve.port);
    let socket = stream_socket(at, serve.is_mptcp)?;
    if at.is_ipv6() {
        // Some hosts have it otherwise (net.ipv6.bindv6only).
        setsockopt(&socket, sockopt::Ipv6V6Only, &false)?;
    }
    setsockopt(&socket, sockopt::ReuseAddr, &true)?;
    if let Some(name) = &serve.congestion_control {
        choose_congestion_control(&socket, name)?;
    }
    if let Some(longest) = serve.longest_retransmission_timeout {
        limit_timeout(&socket, longest)?;
    }
    bind(socket.as_raw_fd(), &SockaddrStorage::from(at))
        .map_err(|errno| explained(errno, format_args!("cannot listen at {at}")))?;
    listen(&socket, Backlog::new(128)?)?;
    Ok(TcpListener::from(socket))
}

/// Whether the kernel has IPv6 at all.
fn has_ipv6() -> bool {
    let tried = socket(AddressFamily::Inet6, SockType::Stream, SockFlag::SOCK_CLOEXEC, None);
    !tried.is_err_and(|errno| errno == Errno::EAFNOSUPPORT)
}

/// A connection, which does not block. The kernel tries for minutes when there is no answer; here it ends when `is_over` returns true.
pub(super) fn connected(to: SocketAddr, is_mptcp: bool, is_over: impl Fn() -> bool) -> io::Result<TcpStream> {
    let failed = |errno| explained(errno, format_args!("cannot connect to {to}"));
    let stream = TcpStream::from(stream_socket(to, is_mptcp)?);
    stream.set_nonblocking(true)?;
    match connect(stream.as_raw_fd(), &SockaddrStorage::from(to)) {
        Ok(()) | Err(Errno::EINPROGRESS) => {}
        Err(errno) => return Err(failed(errno)),
    }
    while !wait(&stream, PollFlags::POLLOUT, LOOK_EVERY) {
        if is_over() {
            let why = format!("cannot connect to {to}: there is no answer");
            return Err(io::Error::new(ErrorKind::TimedOut, why));
        }
    }
    match getsockopt(&stream, sockopt::SocketError)? {
        0 => {}
        errno => return Err(failed(Errno::from_raw(errno))),
    }
    stream.set_nodelay(true)?;
    Ok(stream)
}

fn stream_socket(address: SocketAddr, is_mptcp: bool) -> io::Result<OwnedFd> {
    let family = if address.is_ipv4() { AddressFamily::Inet } else { AddressFamily::Inet6 };
    if !is_mptcp {
        return Ok(socket(family, SockType::Stream, SockFlag::SOCK_CLOEXEC, None)?);
    }
    // SAFETY: no memory is passed. The descriptor, if there is one, is new and has no other owner.
    let descriptor = unsafe { libc::socket(family as i32, libc::SOCK_STREAM | libc::SOCK_CLOEXEC, MPTCP) };
    match Errno::result(descriptor) {
        // SAFETY: as above.
        Ok(descriptor) => Ok(unsafe { OwnedFd::from_raw_fd(descriptor) }),
        Err(errno) => Err(explained(errno, "the kernel has no MPTCP, or net.mptcp.enabled is 0")),
    }
}

fn limit_timeout(socket: &OwnedFd, longest: Duration) -> io::Result<()> {
    let milliseconds = libc::c_int::try_from(longest.as_millis()).unwrap_or(libc::c_int::MAX);
    set_number(socket, libc::IPPROTO_TCP, RTO_MAX_MS, milliseconds).map_err(|errno| {
        explained(errno, "TCP_RTO_MAX_MS cannot be set (it takes Linux 6.15, and 1 s to 120 s)")
    })
}
