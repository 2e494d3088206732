//! What the application does with its data, and what the connection is ready for.

use super::*;

/// What a connection is ready for, as `poll` and `epoll` of a system report it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Readiness {
    /// Data can be read, or the end of the stream.
    pub readable: bool,
    /// There is room worth writing into (Linux: half of what is in use).
    pub writable: bool,
    /// The peer has closed its side.
    pub peer_closed: bool,
    /// The connection is closed.
    pub closed: bool,
}

impl Endpoint {
    /// The application supplies `bytes` more to send; nothing is taken after [`Endpoint::close`].
    pub fn supply(&mut self, now: Instant, bytes: u64, out: &mut Outbox) {
        if self.takes_data() {
            self.sender.supply(bytes);
            self.pump(now, out);
        }
    }
    fn takes_data(&self) -> bool {
        (self.state.may_send() || self.state.is_opening()) && !self.sender.view.finishing
    }
    /// The application supplies nothing more than what has been sent, but does not close.
    pub fn cut_supply(&mut self) {
        self.sender.cut_supply();
    }
    /// The application reads everything as it arrives; otherwise it calls [`Endpoint::consume`].
    pub fn read_at_once(&mut self) {
        self.reads_at_once = true;
    }
    /// The application reads `bytes`, opening the window.
    pub fn consume(&mut self, now: Instant, bytes: u64, out: &mut Outbox) {
        if self.receiver.consume(now, bytes) && self.state.is_synchronized() {
            self.receiver.acknowledge_soon();
            self.acknowledge_if_due(now, out);
        }
    }

    /// The application writes `bytes`, of which as much is taken as the send buffer has room for; how much is returned. An endpoint
    /// without a send buffer ([`SegmentParameters::send_buffer`]) takes everything, and so does one that is not open yet.
    pub fn write(&mut self, now: Instant, bytes: u64, write: Write, out: &mut Outbox) -> u64 {
        if !self.takes_data() {
            return 0;
        }
        if !self.transmits() {
            self.sender.supply(bytes);
            return bytes;
        }
        let Endpoint { sender, receiver, header, .. } = self;
        sender.write(now, bytes, write, &mut Exit { header, receiver, out })
    }
    /// Whether an application that found no room is still to wait for it.
    pub fn waits_for_room(&self) -> bool {
        self.sender.is_short_of_room()
    }
    /// Grows whenever something happens that wakes an application which waits for an edge: data or an end comes, room becomes free.
    pub fn edges(&self) -> u64 {
        let ends = u64::from(self.peer_has_closed()) + u64::from(self.state == State::Closed);
        self.bytes_delivered + self.sender.times_woken() + ends
    }
    /// What the connection is ready for. To ask for room where there is none is to wait for it.
    pub fn readiness(&mut self) -> Readiness {
        let ended = self.peer_has_closed();
        let closed = self.state == State::Closed;
        Readiness {
            readable: self.readable() > 0 || ended || closed,
            writable: (self.transmits() || closed || ended) && self.sender.poll_room(),
            peer_closed: ended,
            closed,
        }
    }
}
