//! Recognizes copies of packets that have come over another link.

use seamline_wire::{Duration, Instant, Packet, Port};
use std::collections::VecDeque;

/// Copies come at most this much later than the first: longer than paths of the same packet differ, shorter than a
/// retransmission takes.
const LONGEST_LAG: Duration = Duration::from_millis(200);

/// The packets that have come lately and of which no copy has come. A real node compares the Identification fields of IPv4
/// headers; here packets are compared as a whole, and each is matched by one copy over another link, so that a packet
/// that is sent twice is received twice.
#[derive(Debug, Default)]
pub(crate) struct Duplicates {
    seen: VecDeque<(Instant, Port, Packet)>,
}

impl Duplicates {
    /// Whether a packet from the air, out of its tunnels, has come over another link already.
    pub(crate) fn is_copy(&mut self, now: Instant, port: Port, packet: &Packet) -> bool {
        while self.seen.front().is_some_and(|(at, ..)| *at + LONGEST_LAG < now) {
            self.seen.pop_front();
        }
        let matches = |(_, over, other): &(Instant, Port, Packet)| *over != port && other == packet;
        match self.seen.iter().position(matches) {
            Some(place) => {
                self.seen.remove(place);
                true
            }
            None => {
                self.seen.push_back((now, port, packet.clone()));
                false
            }
        }
    }
}
