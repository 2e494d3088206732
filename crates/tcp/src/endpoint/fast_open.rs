//! Data before the handshake is over (TCP Fast Open, RFC 7413). Who drives the endpoint keeps the cookies and puts them on the wire; the
//! endpoint sends data with its SYN, or takes it in with the peer's.

use super::*;

/// What of the data that went with the SYN is settled.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct FastOpen {
    /// Bytes that our SYN carries, the first time that it is sent.
    pub(super) offered: u64,
    /// A cookie was asked for or shown, so that the answer may carry data.
    pub(super) asked: bool,
    /// Data that comes with the peer's SYN is for the application at once.
    accepts: bool,
    /// The application waits to write.
    pub(super) writes_soon: bool,
    /// The peer's SYN was accepted so: this end sends before the handshake is over.
    pub(super) is_early: bool,
    /// Data that went with a SYN was taken in by the other end.
    pub(super) succeeded: bool,
}

impl Endpoint {
    /// Begin the connection with a SYN that carries `bytes` of data, none for one that only asks for a cookie. They must fit into a
    /// segment next to a SYN's options. What the peer does not acknowledge with the SYN is sent after the handshake.
    pub fn open_fast(&mut self, now: Instant, bytes: u64, out: &mut Outbox) {
        self.fast_open = FastOpen { offered: bytes, asked: true, ..FastOpen::default() };
        self.sender.supply(bytes);
        self.open(now, Opening::Active, out);
    }
    /// The application waits until it may write: the acknowledgment of the peer's SYN waits for its data, so that one segment is saved.
    pub fn write_when_open(&mut self) {
        self.fast_open.writes_soon = true;
    }
    /// The data that comes with the next SYN is for the application at once, which may also answer at once: the peer has shown a valid
    /// cookie, or none is needed. To be called between [`Endpoint::open`] and the SYN.
    pub fn accept_fast_open(&mut self) {
        self.fast_open.accepts = true;
    }
    /// Whether the application may read and write although the handshake is not over.
    pub fn is_open_early(&self) -> bool {
        self.fast_open.is_early && self.state == State::SynReceived
    }
    /// Whether data leaves in this state.
    pub(super) fn transmits(&self) -> bool {
        self.state.transmits() || self.is_open_early()
    }

    /// Data goes with the first SYN alone: a path may lose SYNs with data (RFC 7413 section 4.1.3.1).
    pub(super) fn length_with_syn(&self, again: bool) -> u32 {
        let goes = self.state == State::SynSent && !again;
        if goes { self.fast_open.offered as u32 } else { 0 }
    }
    /// The peer's SYN may bring data for the application. Returns whether it was accepted.
    pub(super) fn take_data_early(&mut self, now: Instant, segment: &Segment, out: &mut Outbox) -> bool {
        if !self.fast_open.accepts {
            return false;
        }
        self.fast_open.is_early = true;
        self.fast_open.succeeded = segment.length > 0;
        let arrival = self.arrival(now, segment, Offset::FIRST_BYTE);
        self.receiver.open(now);
        let received = self.receiver.accept_with_syn(&arrival);
        self.deliver(received.delivered, out);
        self.begin_sending(u64::from(segment.window), Offset::SYN);
        self.sender.wait_for_handshake(true);
        true
    }
    /// The answer to our SYN acknowledges so much: what it leaves of the data that went along is sent again.
    pub(super) fn settle_data_with_syn(&mut self, acknowledged: Offset) {
        let bytes = acknowledged - Offset::FIRST_BYTE;
        self.fast_open.succeeded = bytes > 0 && bytes == self.fast_open.offered;
        self.sender.skip(self.fast_open.offered, bytes);
    }
    /// Whether an acknowledgment number answers our SYN, with some or all of the data that it carried.
    pub(super) fn acknowledges_syn(&self, segment: &Segment) -> Option<Offset> {
        let last = match self.fast_open.is_early {
            true => self.sender.view.highest_sent,
            false => Offset::FIRST_BYTE + self.fast_open.offered,
        };
        self.sender.offset(segment.acknowledgment).filter(|at| (Offset::FIRST_BYTE..=last).contains(at))
    }
}
