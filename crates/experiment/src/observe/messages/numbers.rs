//! The numbers of segments, from 0.

use super::MessageRecorder;
use seamline_scenario::build::SENDER_PORTS;
use seamline_wire::{Packet, SequenceNumber};

impl MessageRecorder {
    /// The number of a packet's segment that is being sent, or of the segment that it expects.
    pub(super) fn number(&mut self, flow: usize, packet: &Packet) -> Option<u64> {
        let (positions, largest) = &mut self.positions[flow];
        let segment = &packet.segment;
        let is_of_sender = packet.source_port.0 >= SENDER_PORTS;
        if is_of_sender && segment.length > 0 {
            *largest = (*largest).max(segment.length);
            return Some(positions.sent(segment.sequence, segment.length) / u64::from(*largest));
        }
        self.number_of(flow, segment.acknowledgment).filter(|_| !is_of_sender)
    }

    /// The number of the segment of a flow with this sequence number, as far as it has been sent.
    pub(super) fn number_of(&self, flow: usize, sequence: SequenceNumber) -> Option<u64> {
        let (positions, largest) = &self.positions[flow];
        Some(positions.of(sequence)? / u64::from(*largest))
    }
}
