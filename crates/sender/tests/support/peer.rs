//! A receiver by hand: it acknowledges, falls silent, and sends whatever a test wants.

use super::wire::Wire;
use seamline_lab::clock;
use seamline_wire::codec::{Headers, IpHeader, decode, encode_to_vec};
use seamline_wire::{Duration, Flags, Instant, Mark, Segment, SequenceNumber, TransportPort};
use std::fmt;
use std::net::{IpAddr, SocketAddr};

const SCALE: u8 = 8;

pub(crate) struct Peer {
    wire: Wire,
    kernel: SocketAddr,
    own: SocketAddr,
    /// What it sends next, and expects next.
    pub(crate) next: SequenceNumber,
    pub(crate) expected: SequenceNumber,
    /// The window that it offers, in units of 256 bytes.
    pub(crate) window: u16,
    /// Whether everything that it acknowledges is marked.
    pub(crate) marks_all: bool,
    /// How long it waits before it acknowledges what has come.
    pub(crate) round_trip: Duration,
    buffer: Vec<u8>,
    /// The longest time for which this thread was kept from looking at what comes.
    stalled: Duration,
}

impl fmt::Debug for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "peer: expects {:?}, stood still for {} at most", self.expected, self.stalled)
    }
}

/// A segment with data that has come.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Came {
    pub(crate) at: Instant,
    pub(crate) sequence: SequenceNumber,
    pub(crate) length: u32,
}

impl Peer {
    pub(crate) fn new(wire: Wire, kernel: SocketAddr, own: SocketAddr) -> Self {
        let number = SequenceNumber(1_000);
        Peer {
            wire,
            kernel,
            own,
            next: number,
            expected: number,
            window: 65_535,
            marks_all: false,
            round_trip: Duration::from_millis(10),
            buffer: vec![0; 65_536],
            stalled: Duration::ZERO,
        }
    }

    /// Three-way handshake, without timestamps.
    pub(crate) fn connect(&mut self) {
        let syn = Segment {
            sequence: self.next,
            flags: Flags::SYN,
            window: 65_535,
            maximum_segment_size: Some(1400),
            window_scale: Some(SCALE),
            sack_permitted: true,
            ..Segment::default()
        };
        self.send(syn);
        self.next += 1;
        let end = clock::monotonic() + Duration::from_secs(2);
        while clock::monotonic() < end {
            let Some(segment) = self.read() else { continue };
            if segment.flags.contains(Flags::SYN) {
                self.expected = segment.sequence + 1;
                // The kernel measures its shortest round trip here, too.
                self.watch(self.round_trip);
                self.send(self.acknowledgment());
                return;
            }
        }
        panic!("the kernel does not answer a SYN");
    }

    /// Where it is.
    pub(crate) fn address(&self) -> SocketAddr {
        self.own
    }

    /// Answer the kernel, which connects from any port.
    pub(crate) fn accept(&mut self) {
        let end = clock::monotonic() + Duration::from_secs(2);
        while clock::monotonic() < end {
            let Some(Headers { source_port, segment, .. }) = self.read_headers() else { continue };
            if segment.flags == Flags::SYN {
                self.kernel.set_port(source_port.0);
                self.expected = segment.sequence + 1;
                let answer = Segment {
                    flags: Flags::SYN | Flags::ACK,
                    maximum_segment_size: Some(1400),
                    window_scale: Some(SCALE),
                    ..self.acknowledgment()
                };
                self.send(answer);
                self.next += 1;
                return;
            }
        }
        panic!("the kernel does not connect");
    }

    /// The acknowledgment of everything that has come in order.
    pub(crate) fn acknowledgment(&self) -> Segment {
        Segment {
            sequence: self.next,
            acknowledgment: self.expected,
            flags: Flags::ACK,
            window: self.window,
            ..Segment::default()
        }
    }
    /// The same with the mark of a handover.
    pub(crate) fn marked(&self) -> Segment {
        Segment { mark: Some(Mark::Handover), ..self.acknowledgment() }
    }

    pub(crate) fn send(&mut self, segment: Segment) {
        let ip = match (self.own.ip(), self.kernel.ip()) {
            (IpAddr::V4(own), IpAddr::V4(kernel)) => IpHeader::v4(own, kernel),
            (IpAddr::V6(own), IpAddr::V6(kernel)) => IpHeader::v6(own, kernel),
            mixed => panic!("{mixed:?}"),
        };
        let headers = Headers {
            ip,
            source_port: TransportPort(self.own.port()),
            destination_port: TransportPort(self.kernel.port()),
            segment,
        };
        self.wire.write(&encode_to_vec(&headers, &[]).unwrap());
    }

    fn read(&mut self) -> Option<Segment> {
        self.read_headers().map(|headers| headers.segment)
    }

    fn read_headers(&mut self) -> Option<Headers> {
        let length = self.wire.read(&mut self.buffer)?;
        let headers = decode(&self.buffer[..length]).ok()?.headers;
        (headers.destination_port.0 == self.own.port()).then_some(headers)
    }

    /// Acknowledge, a round trip later each time, until so many bytes have come in order.
    pub(crate) fn acknowledge_until(&mut self, bytes: u32) {
        let goal = self.expected + bytes;
        let end = clock::monotonic() + Duration::from_secs(5);
        while self.expected.0.wrapping_sub(goal.0).cast_signed() < 0 {
            assert!(clock::monotonic() < end, "the kernel sends no more");
            for came in self.watch(self.round_trip) {
                self.acknowledge(came);
            }
        }
    }

    /// Acknowledge a segment, if it is the next one.
    pub(crate) fn acknowledge(&mut self, came: Came) {
        if came.sequence == self.expected {
            self.expected += came.length;
            self.send(if self.marks_all { self.marked() } else { self.acknowledgment() });
        }
    }

    /// What comes in the next time; none of it is acknowledged.
    pub(crate) fn watch(&mut self, time: Duration) -> Vec<Came> {
        let mut last = clock::monotonic();
        let end = last + time;
        let mut came = Vec::new();
        loop {
            let now = clock::monotonic();
            self.stalled = self.stalled.max(now - last);
            last = now;
            if now >= end {
                return came;
            }
            match self.read() {
                Some(Segment { sequence, length, .. }) if length > 0 => {
                    came.push(Came { at: now, sequence, length })
                }
                Some(_) => {}
                #[expect(clippy::disallowed_methods, reason = "waits for the kernel")]
                None => std::thread::sleep(std::time::Duration::from_micros(200)),
            }
        }
    }
}
