//! Socket options. What is not in the tables is refused, and so is changing what a connection has taken over when it began.

use crate::cookies::Key;
use crate::errno::{Answer, Errno};
use crate::information::tcp_info;
use crate::settings::{SEGMENT_SIZE, fast_open, fast_open_has, has_congestion_control};
use crate::socket::{Socket, SocketOptions};
use crate::world::World;
use libc::c_int;
use seamline_wire::Duration;

/// Linux's least send buffer in bytes (SOCK_MIN_SNDBUF).
const LEAST_SEND_BUFFER: u64 = 4608;
/// MSS before the peer has said its own.
const DEFAULT_SEGMENT_SIZE: c_int = 536;
const TCP_CC_INFO: c_int = 26;
const SO_MEMINFO: c_int = 55;
const SO_TIMESTAMPING: c_int = 37;
const TCP_INQ: c_int = 36;
const TCP_FASTOPEN_KEY: c_int = 33;
/// Options of FreeBSD, by numbers that Linux has no use for; adapted scripts have them.
const TCP_NOOPT: c_int = 1008;
const TCP_KEEPINIT: c_int = 1128;

/// A value of an option, as the bytes that a script passes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Value<'a>(pub(crate) &'a [u8]);

impl Value<'_> {
    /// The integer at this place, counted in integers.
    fn integer(self, place: usize) -> Result<c_int, Errno> {
        let bytes = self.0.get(4 * place..4 * place + 4).ok_or(Errno::INVALID)?;
        Ok(c_int::from_ne_bytes(bytes.try_into().map_err(|_| Errno::INVALID)?))
    }
    fn positive(self) -> Result<u32, Errno> {
        u32::try_from(self.integer(0)?).map_err(|_| Errno::INVALID)
    }
    /// A small number, as a byte or as an integer.
    fn byte(self) -> Result<u8, Errno> {
        self.0.first().copied().ok_or(Errno::INVALID)
    }
    /// One or two keys of 16 bytes.
    fn keys(self) -> Result<Vec<Key>, Errno> {
        let (keys, rest) = self.0.as_chunks::<16>();
        if keys.is_empty() || keys.len() > 2 || !rest.is_empty() {
            Err(Errno::INVALID)
        } else {
            Ok(keys.to_vec())
        }
    }
    fn text(self) -> String {
        let bytes = self.0.iter().take_while(|&&byte| byte != 0).copied().collect();
        String::from_utf8(bytes).unwrap_or_default()
    }
}

impl World {
    pub(crate) fn set_option(
        &mut self,
        descriptor: c_int,
        (level, name): (c_int, c_int),
        value: Value<'_>,
    ) -> Answer {
        let socket = self.socket(descriptor)?;
        let mut options = socket.options.clone();
        if !set_any_time(&mut options, (level, name), value)? {
            let before = format!("{options:?}");
            set_before_connecting(&mut options, (level, name), value)?;
            if socket.is_connected() && format!("{options:?}") != before {
                return Err(Errno::NO_OPTION);
            }
        }
        socket.options = options.clone();
        if let Ok(id) = self.connection_of(descriptor) {
            self.apply(descriptor, id, (level, name), &options);
        }
        Ok(0)
    }

    /// An option of a connection has been set.
    fn apply(&mut self, descriptor: c_int, id: usize, option: (c_int, c_int), options: &SocketOptions) {
        let variant = self.subject.variant(options);
        let acknowledged = self.connections[id].endpoint.statistics().bytes_acknowledged;
        if let Some(socket) = self.sockets.get_mut(&descriptor).filter(|_| option.1 == SO_TIMESTAMPING) {
            socket.options.times = options.times.map(|(flags, _)| (flags, acknowledged));
        }
        self.connections[id].ip = options.ip;
        self.with(id, |endpoint, now, out| match option {
            (libc::SOL_TCP, libc::TCP_NODELAY) => endpoint.set_nagle(now, !options.no_delay, out),
            (libc::SOL_TCP, libc::TCP_CORK) => endpoint.set_cork(now, options.corked, out),
            (libc::SOL_TCP, libc::TCP_USER_TIMEOUT) => endpoint.set_user_timeout(options.user_timeout),
            (libc::SOL_TCP, libc::TCP_SYNCNT) => options.apply_to_syns(endpoint),
            (libc::SOL_TCP, libc::TCP_CONGESTION) => endpoint.set_congestion_control(&variant),
            (libc::SOL_SOCKET, libc::SO_SNDBUF) | (libc::SOL_TCP, libc::TCP_NOTSENT_LOWAT) => {
                options.apply_to_buffer(endpoint);
            }
            (libc::SOL_SOCKET, libc::SO_KEEPALIVE)
            | (libc::SOL_TCP, libc::TCP_KEEPIDLE | libc::TCP_KEEPINTVL | libc::TCP_KEEPCNT) => {
                endpoint.set_keepalive(now, options.keep_alive.then(|| options.keep_alive()));
            }
            _ => {}
        });
    }

    /// Write the value to the front of `place`; how many bytes it has.
    pub(crate) fn option(
        &mut self,
        descriptor: c_int,
        (level, name): (c_int, c_int),
        place: &mut [u8],
    ) -> Answer {
        let socket = self.socket(descriptor)?.clone();
        if (level, name) == (libc::SOL_TCP, libc::TCP_INFO) {
            let id = self.connection_of(descriptor).map_err(|_| Errno::INVALID)?;
            tcp_info(&self.connections[id], self.now, place);
            return Ok(place.len() as i64);
        }
        match (level, name) {
            // No congestion control here has any.
            (libc::SOL_TCP, TCP_CC_INFO) => return Ok(0),
            (libc::SOL_SOCKET, SO_MEMINFO) => {
                place.fill(0);
                return Ok(place.len() as i64);
            }
            (libc::SOL_TCP, libc::TCP_CONGESTION) => {
                return Ok(put(place, socket.options.congestion_control().as_bytes()));
            }
            _ => {}
        }
        let value = self.integer_option(descriptor, &socket, (level, name))?;
        Ok(put(place, &value.to_ne_bytes()))
    }

    fn integer_option(
        &mut self,
        descriptor: c_int,
        socket: &Socket,
        option: (c_int, c_int),
    ) -> Result<c_int, Errno> {
        let options = &socket.options;
        let connection = self.connection_of(descriptor).ok().map(|id| &mut self.connections[id]);
        Ok(match option {
            (libc::SOL_SOCKET, libc::SO_ERROR) => {
                connection.and_then(|connection| connection.take_error()).map_or(0, |error| error.0)
            }
            (libc::SOL_TCP, libc::TCP_MAXSEG) => match connection {
                Some(connection) => connection.endpoint.segment_size() as c_int,
                None => options.segment_size.map_or(DEFAULT_SEGMENT_SIZE, c_int::from),
            },
            (libc::SOL_TCP, libc::TCP_NODELAY) => c_int::from(options.no_delay),
            (libc::SOL_TCP, libc::TCP_CORK) => c_int::from(options.corked),
            (libc::SOL_TCP, libc::TCP_NOTSENT_LOWAT) => options.most_unsent.unwrap_or(0) as c_int,
            (libc::SOL_SOCKET, libc::SO_SNDBUF) => options.send_buffer() as c_int,
            (libc::SOL_SOCKET, libc::SO_KEEPALIVE) => c_int::from(options.keep_alive),
            (libc::SOL_TCP, libc::TCP_USER_TIMEOUT) => {
                options.user_timeout.map_or(0, |timeout| (timeout.as_nanos() / 1_000_000) as c_int)
            }
            (libc::SOL_TCP, TCP_KEEPINIT) => options.handshake_timeout() as c_int,
            (libc::SOL_TCP, libc::TCP_KEEPIDLE) => options.keep_alive().idle.as_millis() as c_int / 1000,
            (libc::SOL_TCP, libc::TCP_KEEPINTVL) => options.keep_alive().interval.as_millis() as c_int / 1000,
            (libc::SOL_TCP, libc::TCP_KEEPCNT) => options.keep_alive().probes as c_int,
            _ => return Err(Errno::NO_OPTION),
        })
    }
}

fn put(place: &mut [u8], bytes: &[u8]) -> i64 {
    let length = bytes.len().min(place.len());
    place[..length].copy_from_slice(&bytes[..length]);
    length as i64
}

/// Options of the socket alone; whether this was one.
fn set_any_time(
    options: &mut SocketOptions,
    option: (c_int, c_int),
    value: Value<'_>,
) -> Result<bool, Errno> {
    match option {
        (libc::SOL_SOCKET, libc::SO_REUSEADDR | libc::SO_REUSEPORT | libc::SO_MARK | libc::SO_PRIORITY)
        | (libc::SOL_IP, libc::IP_FREEBIND | libc::IP_MTU_DISCOVER) => {}
        (libc::SOL_IP, libc::IP_TOS) => options.ip.type_of_service = Some(value.byte()? & !0b11),
        (libc::SOL_IP, libc::IP_TTL) => options.ip.time_to_live = Some(value.byte()?),
        (libc::SOL_SOCKET, libc::SO_SNDBUF) => {
            options.send_buffer = Some((2 * u64::from(value.positive()?)).max(LEAST_SEND_BUFFER));
        }
        (libc::SOL_SOCKET, libc::SO_LINGER) => {
            options.resets_at_close = value.integer(0)? != 0 && value.integer(1)? == 0;
        }
        (libc::SOL_SOCKET, libc::SO_KEEPALIVE) => options.keep_alive = value.integer(0)? != 0,
        (libc::SOL_TCP, libc::TCP_NODELAY) => options.no_delay = value.integer(0)? != 0,
        (libc::SOL_TCP, libc::TCP_USER_TIMEOUT) => {
            let milliseconds = u64::from(value.positive()?);
            options.user_timeout = (milliseconds > 0).then(|| Duration::from_millis(milliseconds));
        }
        (libc::SOL_TCP, libc::TCP_CONGESTION) => {
            let name = value.text();
            if !has_congestion_control(&name) {
                return Err(Errno(libc::ENOENT));
            }
            options.congestion_control = Some(name);
        }
        (libc::SOL_TCP, libc::TCP_KEEPIDLE) => options.keep_alive_idle = Some(value.positive()?),
        (libc::SOL_TCP, libc::TCP_KEEPINTVL) => options.keep_alive_interval = Some(value.positive()?),
        (libc::SOL_TCP, libc::TCP_KEEPCNT) => options.keep_alive_probes = Some(value.positive()?),
        (libc::SOL_TCP, libc::TCP_CORK) => options.corked = value.integer(0)? != 0,
        (libc::SOL_TCP, libc::TCP_NOTSENT_LOWAT) => options.most_unsent = Some(value.positive()?),
        (libc::SOL_TCP, TCP_INQ) => options.reports_left = value.integer(0)? != 0,
        (libc::SOL_TCP, libc::TCP_FASTOPEN) => options.fast_open_queue = Some(value.positive()?),
        (libc::SOL_TCP, libc::TCP_FASTOPEN_CONNECT) if !fast_open_has(fast_open::CLIENT) => {
            return Err(Errno::UNSUPPORTED);
        }
        (libc::SOL_TCP, libc::TCP_FASTOPEN_CONNECT) => options.connects_fast = value.integer(0)? != 0,
        (libc::SOL_TCP, libc::TCP_SYNCNT) => options.syn_retries = Some(value.positive()?),
        (libc::SOL_TCP, TCP_FASTOPEN_KEY) => options.keys = Some(value.keys()?),
        (libc::SOL_SOCKET, libc::SO_ZEROCOPY) => options.zero_copy = value.integer(0)? != 0,
        (libc::SOL_SOCKET, SO_TIMESTAMPING) => {
            options.times = Some((value.positive()?, 0)).filter(|(flags, _)| *flags > 0);
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// Options that become parameters of a connection when it begins.
fn set_before_connecting(
    options: &mut SocketOptions,
    option: (c_int, c_int),
    value: Value<'_>,
) -> Result<(), Errno> {
    match option {
        (libc::SOL_TCP, TCP_NOOPT) => options.no_options = value.integer(0)? != 0,
        (libc::SOL_TCP, TCP_KEEPINIT) => options.handshake_timeout = Some(value.positive()?),
        (libc::SOL_SOCKET, libc::SO_RCVBUF) => options.receive_buffer = Some(value.positive()?),
        (libc::SOL_TCP, libc::TCP_MAXSEG) => {
            options.segment_size = Some(value.positive()?.min(u32::from(SEGMENT_SIZE)) as u16);
        }
        _ => return Err(Errno::NO_OPTION),
    }
    Ok(())
}
