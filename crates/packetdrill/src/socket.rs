//! Sockets: options that apply to connections to come, and what a descriptor stands for.

use crate::cookies::Key;
use crate::epoll::Item;
use crate::settings::{default_congestion_control, default_most_unsent, default_send_buffer};
use seamline_tcp::Endpoint;
use seamline_wire::Duration;
use seamline_wire::codec::{IpHeader, Ipv4Header, TrafficClass};
use std::net::{Ipv4Addr, SocketAddrV4};

/// What a descriptor stands for.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    /// Neither connected nor listening.
    Fresh,
    /// Listening; the connections that it has not given out yet, by number.
    Listener(Vec<usize>),
    /// To be connected by the first write.
    Deferred(SocketAddrV4),
    /// A connection, by number.
    Connected(usize),
    /// One of epoll.
    Poller(Vec<Item>),
}

/// A socket.
#[derive(Clone, Debug)]
pub(crate) struct Socket {
    /// What it stands for.
    pub(crate) kind: Kind,
    /// Its port, zero before `bind`.
    pub(crate) port: u16,
    /// Whether calls return instead of waiting.
    pub(crate) nonblocking: bool,
    /// What was set.
    pub(crate) options: SocketOptions,
}

impl Socket {
    pub(crate) fn new(nonblocking: bool) -> Socket {
        Socket { kind: Kind::Fresh, port: 0, nonblocking, options: SocketOptions::default() }
    }
    /// The descriptor that `accept` makes for a connection of this listener.
    pub(crate) fn accepted(&self, connection: usize) -> Socket {
        Socket { kind: Kind::Connected(connection), nonblocking: false, ..self.clone() }
    }
    /// Whether its connection, if it has one, has got its parameters.
    pub(crate) fn is_connected(&self) -> bool {
        matches!(self.kind, Kind::Connected(_))
    }
}

/// Fields of the IP header; `None` is the system's default.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct IpOptions {
    /// Without ECN.
    pub(crate) type_of_service: Option<u8>,
    /// Time to live.
    pub(crate) time_to_live: Option<u8>,
}

impl IpOptions {
    /// The header of a packet between these ends.
    pub(crate) fn header(self, local: Ipv4Addr, remote: Ipv4Addr) -> IpHeader {
        let mut header = Ipv4Header::new(local, remote);
        header.traffic_class = self.type_of_service.map_or(header.traffic_class, TrafficClass);
        header.time_to_live = self.time_to_live.unwrap_or(header.time_to_live);
        IpHeader::V4(header)
    }
}

/// What was set by `setsockopt`; `None` is the system's default.
#[derive(Clone, Debug, Default)]
pub(crate) struct SocketOptions {
    /// TCP_MAXSEG.
    pub(crate) segment_size: Option<u16>,
    /// SO_SNDBUF, doubled as Linux does.
    pub(crate) send_buffer: Option<u64>,
    /// SO_RCVBUF.
    pub(crate) receive_buffer: Option<u32>,
    /// TCP_NODELAY.
    pub(crate) no_delay: bool,
    /// TCP_CORK.
    pub(crate) corked: bool,
    /// TCP_NOTSENT_LOWAT.
    pub(crate) most_unsent: Option<u32>,
    /// TCP_INQ: reads report how much is left.
    pub(crate) reports_left: bool,
    /// TCP_FASTOPEN: connections of a listener that wait to be accepted, at most.
    pub(crate) fast_open_queue: Option<u32>,
    /// TCP_FASTOPEN_CONNECT.
    pub(crate) connects_fast: bool,
    /// TCP_FASTOPEN_KEY.
    pub(crate) keys: Option<Vec<Key>>,
    /// SO_ZEROCOPY.
    pub(crate) zero_copy: bool,
    /// SO_TIMESTAMPING: flags, and the byte of the stream that numbers begin at.
    pub(crate) times: Option<(u32, u64)>,
    /// TCP_CONGESTION.
    pub(crate) congestion_control: Option<String>,
    /// TCP_USER_TIMEOUT.
    pub(crate) user_timeout: Option<Duration>,
    /// TCP_SYNCNT.
    pub(crate) syn_retries: Option<u32>,
    /// SO_LINGER with a time of zero: `close` resets.
    pub(crate) resets_at_close: bool,
    /// SO_KEEPALIVE.
    pub(crate) keep_alive: bool,
    /// IP_TOS and IP_TTL.
    pub(crate) ip: IpOptions,
    /// TCP_NOOPT of FreeBSD: our SYN has no options.
    pub(crate) no_options: bool,
    /// TCP_KEEPINIT of FreeBSD, in seconds.
    pub(crate) handshake_timeout: Option<u32>,
    /// TCP_KEEPIDLE, in seconds.
    pub(crate) keep_alive_idle: Option<u32>,
    /// TCP_KEEPINTVL, in seconds.
    pub(crate) keep_alive_interval: Option<u32>,
    /// TCP_KEEPCNT.
    pub(crate) keep_alive_probes: Option<u32>,
}

impl SocketOptions {
    /// What is set of the send buffer.
    pub(crate) fn apply_to_buffer(&self, endpoint: &mut Endpoint) {
        if let Some(bytes) = self.send_buffer {
            endpoint.set_send_buffer(bytes);
        }
        let most = self.most_unsent.filter(|&most| most > 0).map_or_else(default_most_unsent, u64::from);
        endpoint.set_most_unsent(most);
    }
    /// What is set of the retransmissions of a SYN.
    pub(crate) fn apply_to_syns(&self, endpoint: &mut Endpoint) {
        self.syn_retries.into_iter().for_each(|most| endpoint.set_most_syn_retransmissions(most));
    }
    /// Bytes that it takes in before it blocks.
    pub(crate) fn send_buffer(&self) -> u64 {
        self.send_buffer.unwrap_or_else(default_send_buffer)
    }
    /// Linux's name of its congestion control.
    pub(crate) fn congestion_control(&self) -> String {
        self.congestion_control.clone().unwrap_or_else(default_congestion_control)
    }
}
