//! What a host with the kernel's TCP does, derived from the packets at its interface, as the same events that our
//! endpoints report.

use seamline_wire::{Event, Flags, Packet, Segment, SequenceNumber, TransportPort};
use std::collections::BTreeMap;

/// Watches one host's interface.
#[derive(Debug, Default)]
pub(crate) struct Tap {
    senders: BTreeMap<TransportPort, Option<SequenceNumber>>,
    receivers: BTreeMap<TransportPort, Option<Arrived>>,
}

impl Tap {
    /// A connection sends from this port.
    pub(crate) fn watch_sender(&mut self, port: TransportPort) {
        self.senders.insert(port, None);
    }
    /// A connection receives at this port.
    pub(crate) fn watch_receiver(&mut self, port: TransportPort) {
        self.receivers.insert(port, None);
    }

    /// The host has sent a packet.
    pub(crate) fn sent(&mut self, packet: &Packet) -> Option<Event> {
        if !packet.is_bare_segment() {
            return None;
        }
        let (port, segment) = (packet.source_port, &packet.segment);
        let highest = self.senders.get_mut(&port)?;
        if segment.sequence_length() == 0 {
            return None;
        }
        if segment.flags.contains(Flags::SYN) && highest.is_some_and(|highest| highest != segment.end()) {
            *highest = None;
        }
        let retransmission = highest.is_some_and(|highest| segment.sequence.is_before(highest));
        if highest.is_none_or(|highest| highest.is_before(segment.end())) {
            *highest = Some(segment.end());
        }
        let (sequence, length) = (segment.sequence, segment.sequence_length());
        Some(Event::SegmentSent { port, sequence, length, retransmission })
    }

    /// A packet has reached the host.
    pub(crate) fn arrived(&mut self, packet: &Packet) -> Option<Event> {
        if !packet.is_bare_segment() {
            return None;
        }
        let (port, segment) = (packet.destination_port, &packet.segment);
        if self.senders.contains_key(&port) && segment.flags.contains(Flags::ACK) {
            return Some(Event::AckReceived { port, acknowledgment: segment.acknowledgment });
        }
        let bytes =
            self.receivers.get_mut(&port)?.get_or_insert_with(|| Arrived::from(segment)).note(segment);
        (bytes > 0).then_some(Event::Delivered { port, bytes })
    }
}

/// Which bytes of a stream have arrived. Places count from the first byte that was seen.
#[derive(Debug)]
struct Arrived {
    start: SequenceNumber,
    /// Everything before it is there.
    in_order: u64,
    /// What is there beyond, from a place to a place, apart from each other.
    beyond: BTreeMap<u64, u64>,
}

impl Arrived {
    fn from(first: &Segment) -> Self {
        let syn = u32::from(first.flags.contains(Flags::SYN));
        Arrived { start: first.sequence + syn, in_order: 0, beyond: BTreeMap::new() }
    }

    /// A segment has arrived; how many bytes are there in order because of it.
    fn note(&mut self, segment: &Segment) -> u32 {
        if segment.flags.contains(Flags::SYN) {
            *self = Arrived::from(segment);
        }
        // The distance to what is there in order has a sign: the sequence number is near it, however often it wrapped.
        let expected = self.start + self.in_order as u32;
        let distance = i64::from((segment.sequence.0.wrapping_sub(expected.0)).cast_signed());
        let from = self.in_order.saturating_add_signed(distance);
        let known = if distance < 0 { distance.unsigned_abs() } else { 0 };
        let to = self.in_order.max(from) + u64::from(segment.length).saturating_sub(known);
        let before = self.in_order;
        if from > self.in_order {
            let end = self.beyond.entry(from).or_insert(to);
            *end = to.max(*end);
        } else {
            self.in_order = self.in_order.max(to);
        }
        while let Some((&from, &to)) =
            self.beyond.first_key_value().filter(|(from, _)| **from <= self.in_order)
        {
            self.in_order = self.in_order.max(to);
            self.beyond.remove(&from);
        }
        (self.in_order - before) as u32
    }
}
