//! Header prediction (Jacobson, "4BSD header prediction", Computer Communication Review 20, 1990; Linux: tcp_rcv_established). Most segments
//! are of one of two kinds. They carry the next data in sequence while this end has nothing to send, or they acknowledge new data and carry
//! none. These take a fast path, which has the same effect as the slow path.
//!
//! Some connections never use the fast path: those with adaptive acknowledgments or windows (the Linux profiles), with per-segment records,
//! ECN, loss notification or a handover scheme.

use super::timestamps::TimestampCheck;
use super::*;

impl Endpoint {
    /// Whether segments of this connection may take the fast path while it is open.
    pub(super) fn is_predictable(&self) -> bool {
        self.mover.is_none()
            && !self.orphaned
            && !self.header.ecn.is_used()
            && self.sender.is_predictable()
            && self.receiver.is_predictable()
    }

    /// Take a segment in, if it is as expected. Returns whether it was; if not, nothing has happened.
    #[inline]
    pub(super) fn takes_as_predicted(&mut self, now: Instant, segment: &Segment, out: &mut Outbox) -> bool {
        debug_assert!(!self.predicts || self.is_predictable(), "what was found when it opened has changed");
        let is_expected = self.predicts
            && segment.is_plain()
            && segment.sequence == self.receiver.acknowledgment()
            && self.receiver.is_simple(now);
        if !is_expected || self.check_timestamps(now, segment) != TimestampCheck::Passed {
            return false;
        }
        let Some(acknowledged) = self.sender.offset(segment.acknowledgment) else { return false };
        let window = u64::from(segment.window) << self.peer_window_shift;
        if !self.sender.says_nothing_else(acknowledged, window) {
            return false;
        }
        let acknowledges = acknowledged > self.sender.view.unacknowledged;
        let is_next = match segment.length {
            0 => acknowledges,
            length => !acknowledges && self.receiver.has_room(length) && !self.sender.has_unsent(),
        };
        if !is_next {
            return false;
        }
        let start = self.receiver.next();
        self.note_acceptable(now, segment, start);
        self.note_window_update(start, acknowledged);
        if segment.length > 0 {
            self.take_predicted_data(now, segment.length, out);
        } else {
            let timestamp_sample = self.timestamp_sample(now, segment);
            let Endpoint { sender, receiver, header, .. } = self;
            let exit = &mut Exit { header, receiver, out };
            sender.on_predicted_ack(now, acknowledged, timestamp_sample, segment, exit);
        }
        true
    }

    fn take_predicted_data(&mut self, now: Instant, length: u32, out: &mut Outbox) {
        self.sender.view.now = now;
        self.receiver.take_next(now, length);
        if self.reads_at_once {
            self.receiver.consume_all();
        }
        self.deliver(u64::from(length), out);
        if self.receiver.is_due(now) {
            self.acknowledge(now, out);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use seamline_wire::{NodeId, TransportPort};

    /// An open connection between nodes 0 and 1, seen from node 0, which has sent what it may.
    fn open(scheme: Option<&'static Scheme>) -> (Endpoint, Outbox) {
        let parameters = Arc::new((crate::profile::RFC.parameters)());
        let address = |node| Address { node: NodeId(node), port: TransportPort(1) };
        let mut endpoint = Endpoint::new(EndpointConfig {
            local: address(0),
            remote: address(1),
            variant: crate::variant::find("newreno", &parameters).expect("the variant exists"),
            parameters: parameters.clone(),
            handover: scheme,
            initial_sequence: SequenceNumber(0),
        });
        let mut out = Outbox::new();
        let peer_initial_sequence = SequenceNumber(0);
        endpoint.open(
            Instant::ZERO,
            Opening::Established { peer: parameters, peer_initial_sequence },
            &mut out,
        );
        (endpoint, out)
    }

    fn segment(sequence: u32, length: u32, acknowledgment: u32) -> Segment {
        Segment {
            sequence: SequenceNumber(sequence),
            length,
            acknowledgment: SequenceNumber(acknowledgment),
            flags: Flags::ACK,
            window: 1000,
            timestamps: Some(Default::default()),
            ..Segment::default()
        }
    }

    /// The first segment updates the window, and takes the slow path.
    fn take_first(endpoint: &mut Endpoint, out: &mut Outbox, first: &Segment) {
        let now = Instant::from_millis(1);
        assert!(!endpoint.takes_as_predicted(now, first, out));
        endpoint.on_packet(now, &Packet { segment: *first, ..Packet::default() }, out);
    }

    #[test]
    fn the_next_data_takes_the_fast_path() {
        let (mut endpoint, mut out) = open(None);
        take_first(&mut endpoint, &mut out, &segment(1, 1000, 1));
        let now = Instant::from_millis(2);
        for unexpected in [
            segment(2001, 1000, 1),
            segment(1001, 1000, 2),
            Segment { flags: Flags::ACK | Flags::FIN, ..segment(1001, 1000, 1) },
            Segment { window: 999, ..segment(1001, 1000, 1) },
            Segment { mark: Some(Mark::Handover), ..segment(1001, 1000, 1) },
            Segment { timestamps: None, ..segment(1001, 1000, 1) },
        ] {
            assert!(!endpoint.takes_as_predicted(now, &unexpected, &mut out), "{unexpected:?}");
        }
        let before = endpoint.bytes_delivered;
        assert!(endpoint.takes_as_predicted(now, &segment(1001, 1000, 1), &mut out));
        assert_eq!(endpoint.bytes_delivered, before + 1000);
    }

    #[test]
    fn the_acknowledgment_of_new_data_takes_the_fast_path() {
        let (mut endpoint, mut out) = open(None);
        endpoint.supply(Instant::ZERO, u64::MAX, &mut out);
        let size = endpoint.segment_size();
        take_first(&mut endpoint, &mut out, &segment(1, 0, 1 + size));
        let now = Instant::from_millis(2);
        let repeated = segment(1, 0, 1 + size);
        assert!(!endpoint.takes_as_predicted(now, &repeated, &mut out));
        assert!(endpoint.takes_as_predicted(now, &segment(1, 0, 1 + 2 * size), &mut out));
        assert_eq!(endpoint.statistics().bytes_acknowledged, 2 * u64::from(size));
    }

    #[test]
    fn a_handover_scheme_sees_everything() {
        let (mut endpoint, mut out) = open(crate::handover::find("freeze"));
        take_first(&mut endpoint, &mut out, &segment(1, 1000, 1));
        assert!(!endpoint.takes_as_predicted(Instant::from_millis(2), &segment(1001, 1000, 1), &mut out));
    }
}
