//! TCP Fast Open (RFC 7413) at both ends: which SYN has a cookie, and which data comes with it.

use crate::calls::LOCAL_ADDRESS;
use crate::cookies::{CookieOption, valid_cookies};
use crate::errno::{Answer, Errno};
use crate::settings::{SEGMENT_SIZE, fast_open, fast_open_has, metrics_flushed};
use crate::socket::{Kind, Socket};
use crate::world::World;
use crate::writes::{Call, Progress};
use libc::c_int;
use seamline_wire::{Flags, Packet};
use std::net::SocketAddrV4;

/// Room that data with a SYN leaves to options.
const OPTION_SPACE: u16 = 40;

impl World {
    /// `sendto` with MSG_FASTOPEN, or a write to a socket that TCP_FASTOPEN_CONNECT has deferred.
    pub(crate) fn write_fast(
        &mut self,
        descriptor: c_int,
        to: SocketAddrV4,
        call: &Call,
        progress: &mut Progress,
    ) -> Answer {
        let call = Call { flags: call.flags & !libc::MSG_FASTOPEN, ..call.clone() };
        self.socket(descriptor)?;
        match self.connection_of(descriptor) {
            Ok(id) if !self.connections[id].is_opening() => {
                let error = self.connections[id].error().filter(|_| progress.has_connected);
                if error.is_some() {
                    return Err(self.connections[id].take_error().unwrap_or(Errno(libc::EPIPE)));
                }
                return self.write(descriptor, &call, progress);
            }
            Ok(_) if progress.has_connected => return Err(Errno::AGAIN),
            Ok(_) => return Err(Errno(libc::EALREADY)),
            Err(_) => {}
        }
        if !matches!(self.socket(descriptor)?.kind, Kind::Fresh | Kind::Deferred(_)) {
            return Err(Errno(libc::EISCONN));
        }
        if !fast_open_has(fast_open::CLIENT) {
            return Err(Errno::UNSUPPORTED);
        }
        let taken = self.connect_fast(descriptor, to, call.length() as u64)?;
        progress.has_connected = true;
        let blocks = !self.is_nonblocking(descriptor, call.flags);
        progress.written = taken as usize;
        let id = self.connection_of(descriptor)?;
        self.connections[id].taken = taken;
        if blocks && taken < call.length() as u64 {
            self.connections[id].endpoint.write_when_open();
        }
        if taken > 0 {
            self.watch(descriptor, id, &call);
        }
        match self.is_nonblocking(descriptor, call.flags) {
            true if taken > 0 => Ok(taken as i64),
            true => Err(Errno(libc::EINPROGRESS)),
            false => Err(Errno::AGAIN),
        }
    }

    /// `ip tcp_metrics flush` has run since servers were learned of.
    fn forget_servers(&mut self) {
        let flushed = metrics_flushed();
        if self.metrics_flushed != flushed {
            self.metrics_flushed = flushed;
            self.servers.clear();
        }
    }

    /// Whether a SYN to there may carry data.
    pub(crate) fn may_send_fast(&mut self, to: SocketAddrV4) -> bool {
        self.forget_servers();
        let has_cookie = self.servers.get(to.ip()).is_some_and(|known| known.next_option().1);
        has_cookie || fast_open_has(fast_open::CLIENT_WITHOUT_COOKIE)
    }

    /// Connect with as much of `bytes` as may go with the SYN, and return how much that is.
    pub(crate) fn connect_fast(
        &mut self,
        descriptor: c_int,
        to: SocketAddrV4,
        bytes: u64,
    ) -> Result<u64, Errno> {
        self.forget_servers();
        let socket = self.socket(descriptor)?.clone();
        let known = self.servers.entry(*to.ip()).or_default();
        let (option, _) = known.next_option();
        let largest = known.segment_size.unwrap_or(SEGMENT_SIZE);
        let own = socket.options.segment_size.unwrap_or(SEGMENT_SIZE);
        let room = largest.min(own).min(SEGMENT_SIZE).saturating_sub(OPTION_SPACE);
        let taken = if self.may_send_fast(to) { bytes.min(u64::from(room)) } else { 0 };
        let port = if socket.port == 0 { self.ephemeral_port() } else { socket.port };
        let id = self.add_connection(&socket, false, SocketAddrV4::new(LOCAL_ADDRESS, port), to);
        self.socket(descriptor)?.kind = Kind::Connected(id);
        self.connections[id].sent_option = Some(option.clone());
        self.connections[id].next_option =
            Some(option).filter(|_| !fast_open_has(fast_open::CLIENT_WITHOUT_COOKIE));
        self.with(id, |endpoint, now, out| endpoint.open_fast(now, taken, out));
        Ok(taken)
    }

    /// The first SYN of a connection has its cookie option.
    pub(crate) fn add_option(&mut self, packet: &Packet, bytes: &mut Vec<u8>) {
        if !packet.segment.flags.contains(Flags::SYN) {
            return;
        }
        let Some(id) = self.find(packet.source_port.0, packet.destination_port.0) else { return };
        if let Some(option) = self.connections[id].next_option.take() {
            option.add_to(bytes);
        }
    }

    /// A SYN that answers ours may bring a cookie; who shows none asks for none.
    pub(crate) fn learn_cookie(&mut self, id: usize, packet: &Packet, option: Option<CookieOption>) {
        let segment = &packet.segment;
        let connection = &self.connections[id];
        let answers = !connection.is_opening() && segment.flags.contains(Flags::SYN | Flags::ACK);
        let was_resent = connection.endpoint.statistics().sender.retransmissions > 0;
        if let Some(sent) = connection.sent_option.clone().filter(|_| answers) {
            let known = self.servers.entry(*connection.remote.ip()).or_default();
            let option = option.filter(|_| !fast_open_has(fast_open::CLIENT_WITHOUT_COOKIE));
            known.learn(&sent, was_resent, option, segment.maximum_segment_size);
            self.connections[id].sent_option = None;
        }
    }

    /// A SYN arrives at a listener: does its data count, and is a cookie due?
    pub(crate) fn offer_fast_open(
        &mut self,
        id: usize,
        listener: &Socket,
        packet: &Packet,
        option: Option<CookieOption>,
    ) {
        let waits = |id: &&usize| self.connections[**id].waits_to_be_accepted();
        let queued = match &listener.kind {
            Kind::Listener(queue) => queue.iter().filter(waits).count() as u32,
            _ => 0,
        };
        let own = listener.options.fast_open_queue;
        let every = fast_open_has(fast_open::EVERY_LISTENER).then_some(u32::MAX);
        let has_room = own.or(every).is_some_and(|most| queued < most);
        let has_something = packet.segment.length > 0 || option.is_some();
        if !fast_open_has(fast_open::SERVER) || !has_room || !has_something {
            return;
        }
        let connection = &self.connections[id];
        let keys = listener.options.keys.as_deref();
        let valid = valid_cookies(keys, *connection.remote.ip(), *connection.local.ip());
        let shown = option.as_ref().and_then(|option| valid.iter().position(|it| *it == option.cookie));
        let accepts = shown.is_some() || fast_open_has(fast_open::SERVER_WITHOUT_COOKIE);
        let connection = &mut self.connections[id];
        if accepts {
            connection.endpoint.accept_fast_open();
        }
        // The present cookie for who asks, and for who shows another one.
        let is_present = shown == Some(0) || (accepts && shown.is_none());
        if let (Some(option), Some(cookie), false) = (option, valid.into_iter().next(), is_present) {
            connection.next_option = Some(CookieOption { cookie, ..option });
        }
    }
}
