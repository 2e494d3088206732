//! Options of a live connection. What a connection begins with are its [`Parameters`].

use super::*;

impl Endpoint {
    /// Nagle's algorithm (RFC 9293 section 3.7.4), from now on or no longer (TCP_NODELAY). Without it, what it holds leaves.
    pub fn set_nagle(&mut self, now: Instant, nagle: bool, out: &mut Outbox) {
        if !self.state.transmits() {
            self.sender.view.nagle = nagle;
            return;
        }
        let Endpoint { sender, receiver, header, .. } = self;
        sender.set_nagle(now, nagle, &mut Exit { header, receiver, out });
    }
    /// Keep parts of segments back until there is more, from now on or no longer (TCP_CORK). Only a sender with records of its segments
    /// (the recovery `rack`) does.
    pub fn set_cork(&mut self, now: Instant, corked: bool, out: &mut Outbox) {
        let Endpoint { sender, receiver, header, .. } = self;
        sender.cork(now, corked, &mut Exit { header, receiver, out });
    }
    /// Give up when data stays unacknowledged for so long; `None` for never (TCP_USER_TIMEOUT, RFC 5482).
    pub fn set_user_timeout(&mut self, timeout: Option<Duration>) {
        self.user_timeout = timeout;
    }
    /// Retransmissions of a SYN, or of the answer to one, before giving up, from now on (TCP_SYNCNT).
    pub fn set_most_syn_retransmissions(&mut self, most: u32) {
        self.most_syn_retransmissions = Some(most);
    }
    /// Send keep-alive probes from now on, or none (SO_KEEPALIVE, RFC 9293 section 3.8.4).
    pub fn set_keepalive(&mut self, now: Instant, keepalive: Option<KeepAlive>) {
        self.keepalive = keepalive;
        match self.state.is_synchronized() {
            true => self.restart_keepalive(now),
            false => self.keepalive_at = None,
        }
    }
    /// Another congestion control from now on (TCP_CONGESTION). Window and threshold stay as they are.
    pub fn set_congestion_control(&mut self, variant: &Variant) {
        self.sender.replace_control(variant.congestion_control);
    }
    /// The memory of the send buffer in bytes, which no longer grows with the window (SO_SNDBUF). An endpoint without a send buffer
    /// ([`SegmentParameters::send_buffer`]) ignores it.
    pub fn set_send_buffer(&mut self, bytes: u64) {
        self.sender.set_send_buffer(bytes);
    }
    /// The memory of the send buffer in bytes; `None` without one.
    pub fn send_buffer(&self) -> Option<u64> {
        self.sender.send_buffer()
    }
    /// Take nothing more in while so many bytes wait to be sent for the first time (TCP_NOTSENT_LOWAT).
    pub fn set_most_unsent(&mut self, bytes: u64) {
        self.sender.set_most_unsent(bytes);
    }
}
