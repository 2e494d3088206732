//! What the standard library has no calls for.

use nix::sys::socket::{setsockopt, sockopt};
use rustix::io::Errno;
use rustix::net::{connect, connect_unspec};
use std::net::{SocketAddr, TcpStream};

/// End the connection; the socket may have another one (connect(2): AF_UNSPEC dissolves the association).
pub(crate) fn disconnect(stream: &TcpStream) {
    connect_unspec(stream).unwrap();
}

/// Begin to connect, and do not wait.
pub(crate) fn connect_again(stream: &TcpStream, to: SocketAddr) {
    stream.set_nonblocking(true).unwrap();
    assert_eq!(connect(stream, &to), Err(Errno::INPROGRESS));
}

/// Have errors of the network reported to the application.
pub(crate) fn read_errors(stream: &TcpStream) {
    setsockopt(stream, sockopt::Ipv4RecvErr, &true).unwrap();
}
