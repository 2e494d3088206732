//! System calls on sockets. Those that would have to wait return [`Errno::AGAIN`], and are called again.

use crate::errno::{Answer, Errno};
use crate::settings::{fast_open, fast_open_has};
use crate::socket::{Kind, Socket};
use crate::world::World;
use libc::c_int;
use seamline_tcp::{Opening, State};
use std::net::{Ipv4Addr, SocketAddrV4};

/// Flags of `recv` that change nothing here.
const HARMLESS_FLAGS: c_int =
    libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL | libc::MSG_PEEK | libc::MSG_TRUNC | libc::MSG_WAITALL;
/// The address of this end that packetdrill is started with.
pub(crate) const LOCAL_ADDRESS: Ipv4Addr = Ipv4Addr::new(192, 168, 0, 1);

/// Refuse what the endpoint does not have: MSG_OOB, ...
fn check_flags(flags: c_int) -> Result<(), Errno> {
    if flags & !HARMLESS_FLAGS == 0 { Ok(()) } else { Err(Errno::UNSUPPORTED) }
}

impl World {
    /// Whether a call on this socket returns instead of waiting.
    pub(crate) fn is_nonblocking(&self, descriptor: c_int, flags: c_int) -> bool {
        let by_itself = self.sockets.get(&descriptor).is_none_or(|socket| socket.nonblocking);
        by_itself || flags & libc::MSG_DONTWAIT != 0
    }

    pub(crate) fn make_socket(&mut self, domain: c_int, kind: c_int) -> Answer {
        if domain != libc::AF_INET || kind & 0xf != libc::SOCK_STREAM {
            return Err(Errno(libc::EAFNOSUPPORT));
        }
        Ok(i64::from(self.add_socket(Socket::new(kind & libc::SOCK_NONBLOCK != 0))))
    }

    pub(crate) fn bind(&mut self, descriptor: c_int, address: SocketAddrV4) -> Answer {
        self.socket(descriptor)?.port = address.port();
        Ok(0)
    }

    pub(crate) fn listen(&mut self, descriptor: c_int) -> Answer {
        self.socket(descriptor)?.kind = Kind::Listener(Vec::new());
        Ok(0)
    }

    /// The descriptor of a connection that a peer has opened, and the peer's address.
    pub(crate) fn accept(&mut self, descriptor: c_int, peer: &mut Option<SocketAddrV4>) -> Answer {
        let socket = self.socket(descriptor)?.clone();
        let Kind::Listener(queue) = &socket.kind else { return Err(Errno::INVALID) };
        let waits = |id: &&usize| self.connections[**id].waits_to_be_accepted();
        let id = *queue.iter().find(waits).ok_or(Errno::AGAIN)?;
        self.connections[id].accepted = true;
        *peer = Some(self.connections[id].remote);
        Ok(i64::from(self.add_socket(socket.accepted(id))))
    }

    /// Begin to connect, or see how far it is; `started` says whether this call has begun it.
    pub(crate) fn connect(&mut self, descriptor: c_int, to: SocketAddrV4, started: &mut bool) -> Answer {
        let socket = self.socket(descriptor)?.clone();
        match socket.kind {
            Kind::Listener(_) => Err(Errno(libc::EISCONN)),
            Kind::Deferred(_) => Err(Errno(libc::EISCONN)),
            Kind::Poller(_) => Err(Errno(libc::ENOTSOCK)),
            Kind::Connected(id) => self.continue_connecting(id, *started),
            Kind::Fresh if socket.options.connects_fast && fast_open_has(fast_open::CLIENT) => {
                self.connect_deferred(descriptor, to, started)
            }
            Kind::Fresh => {
                let port = if socket.port == 0 { self.ephemeral_port() } else { socket.port };
                let local = SocketAddrV4::new(LOCAL_ADDRESS, port);
                let id = self.add_connection(&socket, false, local, to);
                self.socket(descriptor)?.kind = Kind::Connected(id);
                *started = true;
                self.with(id, |endpoint, now, out| endpoint.open(now, Opening::Active, out));
                Err(Errno::AGAIN)
            }
        }
    }

    /// With TCP_FASTOPEN_CONNECT the first write connects, if data may go with the SYN.
    fn connect_deferred(&mut self, descriptor: c_int, to: SocketAddrV4, started: &mut bool) -> Answer {
        if self.may_send_fast(to) {
            self.socket(descriptor)?.kind = Kind::Deferred(to);
            return Ok(0);
        }
        self.connect_fast(descriptor, to, 0)?;
        *started = true;
        Err(Errno::AGAIN)
    }

    fn continue_connecting(&mut self, id: usize, started: bool) -> Answer {
        let connection = &mut self.connections[id];
        if connection.is_opening() {
            return Err(if started { Errno::AGAIN } else { Errno(libc::EALREADY) });
        }
        match connection.take_error() {
            Some(error) => Err(error),
            None if connection.endpoint.state() == State::Closed => Err(Errno(libc::ECONNABORTED)),
            None if started => Ok(0),
            None => Err(Errno(libc::EISCONN)),
        }
    }

    /// What MSG_ERRQUEUE reads: flags and control messages.
    pub(crate) fn read_errors(&mut self, descriptor: c_int) -> Result<(c_int, Vec<u8>), Errno> {
        let id = self.connection_of(descriptor).map_err(|_| Errno::AGAIN)?;
        self.connections[id].errors.read().ok_or(Errno::AGAIN)
    }
    /// What TCP_INQ reports after a read, if it is set: bytes that are left, or one for the end of the stream.
    pub(crate) fn bytes_left(&mut self, descriptor: c_int) -> Option<c_int> {
        self.socket(descriptor).ok().filter(|socket| socket.options.reports_left)?;
        let connection = &self.connections[self.connection_of(descriptor).ok()?];
        let left = connection.endpoint.readable() as c_int;
        Some(if left == 0 { c_int::from(connection.is_at_end()) } else { left })
    }

    pub(crate) fn read(&mut self, descriptor: c_int, count: usize, flags: c_int) -> Answer {
        check_flags(flags)?;
        if matches!(self.socket(descriptor)?.kind, Kind::Deferred(_)) {
            return Err(Errno::AGAIN);
        }
        let id = self.connection_of(descriptor)?;
        let bytes = self.connections[id].endpoint.readable().min(count as u64);
        if bytes > 0 {
            if flags & libc::MSG_PEEK == 0 {
                self.with(id, |endpoint, now, out| endpoint.consume(now, bytes, out));
            }
            return Ok(bytes as i64);
        }
        let connection = &mut self.connections[id];
        match connection.take_error() {
            Some(error) => Err(error),
            None if connection.is_at_end() => Ok(0),
            None => Err(Errno::AGAIN),
        }
    }

    pub(crate) fn fcntl(&mut self, descriptor: c_int, command: c_int, argument: c_int) -> Answer {
        let socket = self.socket(descriptor)?;
        match command {
            libc::F_GETFL => {
                let nonblocking = if socket.nonblocking { libc::O_NONBLOCK } else { 0 };
                Ok(i64::from(libc::O_RDWR | nonblocking))
            }
            libc::F_SETFL => {
                socket.nonblocking = argument & libc::O_NONBLOCK != 0;
                Ok(0)
            }
            _ => Err(Errno::INVALID),
        }
    }

    /// FIONREAD and TIOCOUTQ.
    pub(crate) fn ioctl(&mut self, descriptor: c_int, request: libc::c_ulong) -> Answer {
        let id = self.connection_of(descriptor)?;
        let endpoint = &self.connections[id].endpoint;
        match request {
            libc::FIONREAD => Ok(endpoint.readable() as i64),
            libc::TIOCOUTQ => Ok(endpoint.buffered() as i64),
            _ => Err(Errno(libc::ENOTTY)),
        }
    }

    /// Linux resets a connection that is closed with data unread (RFC 2525 section 2.17), or with a linger time of zero.
    pub(crate) fn close(&mut self, descriptor: c_int) -> Answer {
        let socket = self.sockets.remove(&descriptor).ok_or(Errno::BAD_DESCRIPTOR)?;
        match socket.kind {
            Kind::Fresh | Kind::Deferred(_) | Kind::Poller(_) => {}
            Kind::Listener(queue) => {
                for id in queue.into_iter().filter(|&id| !self.connections[id].accepted).collect::<Vec<_>>() {
                    self.with(id, |endpoint, now, out| endpoint.abort(now, out));
                }
            }
            Kind::Connected(id) => {
                let resets = socket.options.resets_at_close;
                self.with(id, |endpoint, now, out| match resets {
                    true => endpoint.abort(now, out),
                    false => endpoint.close_both_ways(now, out),
                });
            }
        }
        Ok(0)
    }

    pub(crate) fn shutdown(&mut self, descriptor: c_int, how: c_int) -> Answer {
        let id = self.connection_of(descriptor)?;
        let connection = &mut self.connections[id];
        if connection.endpoint.state() == State::Closed {
            return Err(Errno::NOT_CONNECTED);
        }
        connection.shut_read |= how != libc::SHUT_WR;
        if how != libc::SHUT_RD {
            connection.shut_write = true;
            self.with(id, |endpoint, now, out| endpoint.close(now, out));
        }
        Ok(0)
    }
}
