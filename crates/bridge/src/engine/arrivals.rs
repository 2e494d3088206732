//! What has come from the agent at another base station and waits for the mobile host to acknowledge what went before it.
//!
//! All that is kept of a connection is a whole window of its sender: as much as the old base station's queue could hold, and what was under way
//! over the wires besides. Sent at once it overflows a queue of the same size here. So it goes as TCP itself would begin: ten packets
//! (RFC 6928), and for each that is acknowledged two more (RFC 5681 section 3.1).

use seamline_agent::Place;
use seamline_wire::{Packet, SequenceNumber};
use std::collections::{BTreeMap, VecDeque};

/// How many packets go at once.
pub(super) const FIRST: usize = 10;

/// Of one connection.
#[derive(Debug)]
struct Arrival {
    /// They came in this order.
    number: u64,
    /// The ends of packets that have gone and are not acknowledged.
    under_way: VecDeque<SequenceNumber>,
    waiting: VecDeque<Packet>,
    /// How many may be under way.
    window: usize,
}

/// Of all connections.
#[derive(Debug)]
pub(super) struct Arrivals {
    by_place: BTreeMap<Place, Arrival>,
    bytes: u64,
    most_bytes: u64,
    count: u64,
}

impl Arrivals {
    /// Room for so many bytes of packets.
    pub(super) fn new(most_bytes: u64) -> Self {
        Arrivals { by_place: BTreeMap::new(), bytes: 0, most_bytes, count: 0 }
    }

    /// The packets of a connection behind those that have gone. Where there is no room, others wait in vain that came before; returns how many of
    /// these it takes.
    pub(super) fn add(
        &mut self,
        place: Place,
        under_way: VecDeque<SequenceNumber>,
        packets: Vec<Packet>,
    ) -> u32 {
        self.remove(place);
        let mut arrival = Arrival { number: self.count, under_way, waiting: VecDeque::new(), window: FIRST };
        self.count += 1;
        for packet in packets {
            let bytes = u64::from(packet.wire_bytes);
            while self.bytes + bytes > self.most_bytes && self.remove_oldest() {}
            if self.bytes + bytes > self.most_bytes {
                break;
            }
            self.bytes += bytes;
            arrival.waiting.push_back(packet);
        }
        let taken = arrival.waiting.len() as u32;
        if taken > 0 {
            self.by_place.insert(place, arrival);
        }
        taken
    }

    /// Whether packets of this connection wait.
    pub(super) fn has(&self, place: Place) -> bool {
        !self.by_place.is_empty() && self.by_place.contains_key(&place)
    }

    /// The mobile host has all before this: what may go now.
    pub(super) fn acknowledge(&mut self, place: Place, acknowledged: SequenceNumber) -> Vec<Packet> {
        let Some(arrival) = self.by_place.get_mut(&place) else { return Vec::new() };
        while arrival.under_way.pop_front_if(|end| end.is_at_or_before(acknowledged)).is_some() {
            arrival.window += 1;
        }
        let mut gone = Vec::new();
        while let Some(packet) = arrival.waiting.front() {
            let end = packet.segment.end();
            let is_needed = end.is_after(acknowledged);
            if is_needed && arrival.under_way.len() >= arrival.window {
                break;
            }
            self.bytes -= u64::from(packet.wire_bytes);
            let packet = arrival.waiting.pop_front();
            if is_needed {
                arrival.under_way.push_back(end);
                gone.extend(packet);
            }
        }
        if arrival.waiting.is_empty() {
            self.by_place.remove(&place);
        }
        gone
    }

    /// The connection is forgotten.
    pub(super) fn remove(&mut self, place: Place) {
        let Some(arrival) = self.by_place.remove(&place) else { return };
        self.bytes -= arrival.waiting.iter().map(|packet| u64::from(packet.wire_bytes)).sum::<u64>();
    }

    /// All are forgotten.
    pub(super) fn clear(&mut self) {
        self.by_place.clear();
        self.bytes = 0;
    }

    fn remove_oldest(&mut self) -> bool {
        let oldest = self.by_place.iter().min_by_key(|(_, arrival)| arrival.number);
        let Some((&place, _)) = oldest else { return false };
        self.remove(place);
        true
    }
}
