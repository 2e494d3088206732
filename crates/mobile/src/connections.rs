//! What is known of the host's TCP connections, from the headers of the packets that it sends: no more than is needed to repeat the
//! last acknowledgment of each.

use crate::kick::Standing;
use crate::options::{self, Needed};
use seamline_wire::codec::{DecodeError, Headers, decode_beginning};
use seamline_wire::{Duration, Flags, Instant, SackBlocks, Segment, SequenceNumber};
use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};

/// Bytes of the front of a packet that hold all its headers: 60 of IPv4 or 40 of IPv6, and 60 of TCP.
pub const CAPTURED: usize = 128;

/// The four numbers that name a connection (RFC 9293 section 3.3.1), seen from this host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// This host's address and port.
    pub local: SocketAddr,
    /// The other end's.
    pub remote: SocketAddr,
}

/// One connection, as its last packets from this host tell it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Connection {
    /// The interface by which the last packet left, by the kernel's number.
    pub interface: u32,
    /// The headers that carried the newest acknowledgment.
    pub last: Headers,
    /// The number after the last byte (or FIN) ever sent: SND.NXT, as far as packets have left.
    pub next: SequenceNumber,
    /// Where the newest retransmission began: SND.UNA when it was sent.
    pub retransmitted: Option<SequenceNumber>,
    /// RCV.NXT when the kernel had received nothing, or before it: what has arrived is acknowledged only after a while.
    pub origin: Option<SequenceNumber>,
    /// Where SND.UNA was when its link was lost.
    pub standing: Option<Standing>,
    /// The bit next to CWR, where that is a part of the counter of Accurate ECN (RFC 9768 section 3.2); `None` where that is not used,
    /// as far as is known.
    pub accurate_ecn: Option<bool>,
    /// Why it is left alone, if it is.
    pub needed: Option<Needed>,
    /// When its last packet left.
    pub seen: Instant,
    /// When its acknowledgment last advanced: when data last came from the other end.
    pub heard: Instant,
    /// Since when its link has been gone, if that was reported.
    pub interrupted: Option<Instant>,
    /// Since when an interruption of its link has not been made up for; `None` when none has.
    pub owed: Option<Instant>,
    /// How many packets it has been given of the help that it is owed.
    pub given: u8,
    /// Whether its own data is to be sent again.
    pub is_kick_due: bool,
    /// The window in its newest packet, whether or not it was the true one.
    pub advertised_window: u16,
    /// Whether its packets say that the window is closed.
    pub frozen: Frozen,
    /// Whether packets have gone unseen since its last one, so that it may be another connection between the same ports.
    pub is_doubtful: bool,
    /// Whether helping it has failed and waits for another address, route or link.
    pub is_blocked: bool,
}

/// What packets say of the receive window in place of the truth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Frozen {
    /// Nothing: it stands in the last one.
    #[default]
    No,
    /// That it is closed. The true one is kept in the headers here.
    Yes,
    /// The truth again, but the last packets from before may be seen only now.
    Thawed,
}

/// The connections of a host, a bounded number of them.
#[derive(Clone, Debug)]
pub struct Connections {
    /// All, in the order of their addresses and ports.
    pub all: BTreeMap<Key, Connection>,
    most: usize,
    forget_after: Duration,
}

impl Connections {
    /// None yet. At most `most` are kept, each until nothing has been sent for `forget_after`.
    pub fn new(most: usize, forget_after: Duration) -> Self {
        Connections { all: BTreeMap::new(), most, forget_after }
    }

    /// A packet has left by an interface; `captured` is its beginning, [`CAPTURED`] bytes suffice. Returns its connection, if it
    /// is one that is kept. A packet is seen at each of the interfaces that it goes through, the uppermost first; `is_below` says of two
    /// whether the first is below the second. What this host only forwards takes no room: `is_own` says which addresses are its own.
    ///
    /// # Errors
    /// Why its headers cannot be read; then nothing changes.
    pub fn sent(
        &mut self,
        now: Instant,
        interface: u32,
        captured: &[u8],
        is_below: impl Fn(u32, u32) -> bool,
        is_own: impl Fn(IpAddr) -> bool,
    ) -> Result<Option<Key>, DecodeError> {
        let headers = decode_beginning(captured)?;
        let key = Key {
            local: SocketAddr::new(headers.ip.source(), headers.source_port.0),
            remote: SocketAddr::new(headers.ip.destination(), headers.destination_port.0),
        };
        let flags = headers.segment.flags;
        if flags.intersects(Flags::SYN) || flags.intersects(Flags::RST) {
            // The numbers of an earlier connection between the same ports mean nothing to this one.
            self.all.remove(&key);
            return Ok(None);
        }
        if !flags.intersects(Flags::ACK) {
            return Ok(None);
        }
        if !is_own(key.local.ip()) {
            self.all.remove(&key);
            return Ok(None);
        }
        let tcp = tcp(captured, &headers);
        match self.all.get_mut(&key) {
            Some(connection)
                if is_below(interface, connection.interface) && !connection.is_news(&headers.segment) => {}
            Some(connection) => connection.note(now, interface, headers, tcp),
            None => {
                self.make_room(now);
                let connection = Connection {
                    interface,
                    last: headers,
                    next: headers.segment.end(),
                    retransmitted: None,
                    origin: None,
                    standing: None,
                    accurate_ecn: accurate_ecn(&headers.segment, tcp),
                    needed: options::needed(tcp),
                    seen: now,
                    heard: now,
                    interrupted: None,
                    owed: None,
                    given: 0,
                    is_kick_due: false,
                    advertised_window: headers.segment.window,
                    frozen: Frozen::No,
                    is_doubtful: false,
                    is_blocked: false,
                };
                self.all.insert(key, connection);
            }
        }
        Ok(Some(key))
    }

    /// Room for one more: what has been silent for long goes, or else what has been so for longest.
    fn make_room(&mut self, now: Instant) {
        if self.all.len() < self.most {
            return;
        }
        self.forget(now);
        while self.all.len() >= self.most.max(1) {
            // One that is frozen waits for this host to say that it is thawed.
            let oldest = self
                .all
                .iter()
                .min_by_key(|(_, connection)| (connection.frozen == Frozen::Yes, connection.seen));
            let Some(key) = oldest.map(|(key, _)| *key) else { return };
            self.all.remove(&key);
        }
    }

    /// Forget the connections of which nothing has been sent for long.
    pub fn forget(&mut self, now: Instant) {
        let limit = self.forget_after;
        self.all.retain(|_, connection| {
            connection.frozen == Frozen::Yes || now.saturating_since(connection.seen) <= limit
        });
    }
}

impl Connection {
    fn note(&mut self, now: Instant, interface: u32, headers: Headers, tcp: &[u8]) {
        if std::mem::take(&mut self.is_doubtful) {
            self.restart(headers, tcp);
        }
        let Segment { sequence, acknowledgment, length, .. } = headers.segment;
        if length > 0 && sequence.is_before(self.next) && headers.segment.end().is_at_or_before(self.next) {
            self.retransmitted = Some(sequence);
        }
        self.next = self.next.max(headers.segment.end());
        self.interface = interface;
        self.seen = now;
        if acknowledgment.is_after(self.last.segment.acknowledgment) {
            self.heard = now;
        }
        // A queue of the host may have let a later packet overtake this one.
        if acknowledgment.is_at_or_after(self.last.segment.acknowledgment) {
            let window = self.true_window(headers.segment.window);
            self.last = headers;
            self.last.segment.window = window;
            self.accurate_ecn = accurate_ecn(&headers.segment, tcp).or(self.accurate_ecn.map(|_| false));
        }
        self.needed = self.needed.or_else(|| options::needed(tcp));
    }

    /// Whether a packet is ahead of all that were seen: one that is seen again never is.
    fn is_news(&self, segment: &Segment) -> bool {
        segment.end().is_after(self.next) || segment.acknowledgment.is_after(self.last.segment.acknowledgment)
    }

    /// Start again from this packet.
    fn restart(&mut self, headers: Headers, tcp: &[u8]) {
        // Where packets say that the window is closed, the true one is kept here.
        let window = self.last.segment.window;
        (self.last, self.next) = (headers, headers.segment.end());
        self.last.segment.window = window;
        (self.retransmitted, self.origin, self.standing) = (None, None, None);
        (self.accurate_ecn, self.needed) = (accurate_ecn(&headers.segment, tcp), options::needed(tcp));
    }

    /// The kernel has received so many bytes in order, and all packets have been taken in that left until it was asked.
    pub fn learn_origin(&mut self, received: u64) {
        if self.is_doubtful {
            return;
        }
        let origin = self.last.segment.acknowledgment - received as u32;
        self.origin = Some(self.origin.map_or(origin, |known| known.max(origin)));
    }

    /// The same. If it has received more than they acknowledge, the connection as it is once the last of them acknowledges that, too, with the
    /// window that it advertised.
    pub fn caught_up(&mut self, now: Instant, received: u64) -> Option<Connection> {
        self.learn_origin(received);
        let expected = self.origin.filter(|_| !self.is_doubtful).map(|origin| origin + received as u32);
        let acknowledgment = expected.filter(|it| it.is_after(self.last.segment.acknowledgment))?;
        let mut caught_up = Connection { heard: now, ..*self };
        caught_up.last.segment.acknowledgment = acknowledgment;
        Some(caught_up)
    }

    /// The same, whose last packet has echoed no timestamp: zero, which Linux takes for none. RFC 7323 (section 3.2) has it where ACK is not set.
    #[must_use]
    pub fn without_echo(mut self) -> Self {
        if let Some(timestamps) = &mut self.last.segment.timestamps {
            timestamps.echo = 0;
        }
        self
    }

    /// Its link is back.
    pub fn owe(&mut self, now: Instant) {
        (self.owed, self.is_blocked) = (Some(now), false);
        (self.given, self.is_kick_due) = (0, false);
    }

    /// It has what it was owed, but for its own data if that `is_kick_due`.
    pub fn settle(&mut self, is_kick_due: bool) {
        (self.owed, self.interrupted) = (None, None);
        (self.given, self.is_kick_due) = (0, is_kick_due);
        if !is_kick_due {
            self.standing = None;
        }
    }

    /// The window that a packet would have carried if it had not been closed.
    fn true_window(&mut self, advertised: u16) -> u16 {
        self.advertised_window = advertised;
        match (self.frozen, advertised) {
            (Frozen::Yes | Frozen::Thawed, 0) => self.last.segment.window,
            (Frozen::Thawed, _) => {
                self.frozen = Frozen::No;
                advertised
            }
            // A frozen one has sent by an interface without the program.
            (Frozen::No | Frozen::Yes, _) => advertised,
        }
    }

    /// The SACK blocks to be repeated. A block that reports a duplicate (RFC 2883 section 4) reports an event and not a state, and
    /// would count twice.
    pub fn sack_blocks(&self) -> SackBlocks {
        let Segment { sack, acknowledgment, .. } = &self.last.segment;
        sack.behind(*acknowledgment).iter().copied().collect()
    }
}

/// The TCP header of a packet, as far as it was captured.
fn tcp<'a>(captured: &'a [u8], headers: &Headers) -> &'a [u8] {
    // IPv6 packets with extension headers are not captured.
    let place = match captured.first() {
        Some(first) if first >> 4 == 4 => usize::from(first & 0x0f) * 4,
        _ => headers.ip.version().header_length(),
    };
    captured.get(place..).unwrap_or_default()
}

/// The last bit before the flags of the TCP header, where Accurate ECN is in use. Its counter begins with that bit, and only it sets CWR where
/// there is no data (RFC 3168 section 6.1.2).
fn accurate_ecn(segment: &Segment, tcp: &[u8]) -> Option<bool> {
    let bit = tcp.get(12).is_some_and(|byte| byte & 1 == 1);
    (bit || segment.length == 0 && segment.flags.intersects(Flags::CWR)).then_some(bit)
}
