//! What the standard library has no calls for.
#![expect(unsafe_code, reason = "connect and setsockopt, with their own structures")]

use std::io;
use std::net::{SocketAddr, SocketAddrV4, TcpStream};
use std::os::fd::AsRawFd;

/// End the connection; the socket may have another one (connect(2): AF_UNSPEC dissolves the association).
pub(crate) fn disconnect(stream: &TcpStream) {
    // SAFETY: all zeros is a valid sockaddr; AF_UNSPEC is zero.
    let nowhere: libc::sockaddr_in = unsafe { std::mem::zeroed() };
    connect_to(stream, &nowhere).unwrap();
}

/// Begin to connect, and do not wait.
pub(crate) fn connect_again(stream: &TcpStream, to: SocketAddr) {
    let SocketAddr::V4(to): SocketAddr = to else { panic!("an IPv4 address: {to}") };
    stream.set_nonblocking(true).unwrap();
    let begun = connect_to(stream, &raw_address(to)).unwrap_err();
    assert_eq!(begun.raw_os_error(), Some(libc::EINPROGRESS), "{begun}");
}

fn raw_address(address: SocketAddrV4) -> libc::sockaddr_in {
    libc::sockaddr_in {
        sin_family: libc::AF_INET as libc::sa_family_t,
        sin_port: address.port().to_be(),
        sin_addr: libc::in_addr { s_addr: u32::from(*address.ip()).to_be() },
        sin_zero: [0; 8],
    }
}

fn connect_to(stream: &TcpStream, to: &libc::sockaddr_in) -> io::Result<()> {
    // SAFETY: `to` is live during the call, and its length is given.
    let outcome = unsafe {
        libc::connect(stream.as_raw_fd(), std::ptr::from_ref(to).cast(), size_of_val(to) as libc::socklen_t)
    };
    if outcome == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Have errors of the network told to the application (IP_RECVERR).
pub(crate) fn read_errors(stream: &TcpStream) {
    let yes: libc::c_int = 1;
    // SAFETY: `yes` is live during the call, and its length is given.
    let outcome = unsafe {
        libc::setsockopt(
            stream.as_raw_fd(),
            libc::IPPROTO_IP,
            libc::IP_RECVERR,
            std::ptr::from_ref(&yes).cast(),
            size_of_val(&yes) as libc::socklen_t,
        )
    };
    assert_eq!(outcome, 0, "{}", io::Error::last_os_error());
}
