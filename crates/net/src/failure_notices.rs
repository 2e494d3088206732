//! Tells senders of a failed link: explicit link failure notification (Holland and Vaidya, ACM MobiCom 1999, section 6).

use crate::schedule::Handovers;
use seamline_wire::{Control, Extra, Input, Instant, Machine, NodeId, Outbox, Packet, Port};

/// The end of a link at a node: while the link is down, the source of each segment that arrives for it receives an ICMP Destination
/// Unreachable message from the node (RFC 792). The segment goes on to the link all the same, which decides what becomes of it. No error
/// is sent about packets in tunnels, whose source is another node, about control messages (RFC 1122 section 3.2.2), or about segments
/// that occupy no sequence space, for which nothing waits.
#[derive(Debug)]
pub struct FailureNotices {
    node: NodeId,
    handovers: Handovers,
}

impl FailureNotices {
    /// Where packets for the link come in, and where errors leave.
    pub const NODE: Port = Port(0);
    /// Where packets leave for the link.
    pub const LINK: Port = Port(1);

    /// That of `node`, for a link that is down during these handovers.
    pub fn new(node: NodeId, handovers: Handovers) -> Self {
        FailureNotices { node, handovers }
    }

    fn is_down(&self, now: Instant) -> bool {
        let handovers = self.handovers.as_slice();
        let begun = handovers.partition_point(|handover| handover.at <= now);
        begun.checked_sub(1).is_some_and(|last| now < handovers[last].end())
    }

    fn report(&self, packet: &Packet, out: &mut Outbox) {
        let control = Control::HostUnreachable(packet.into());
        let mut error = out.packet();
        *error = Packet {
            source: self.node,
            destination: packet.source,
            wire_bytes: control.wire_bytes(),
            extra: Extra::control(control),
            ..Packet::default()
        };
        out.send(Self::NODE, error);
    }
}

impl Machine for FailureNotices {
    fn step(&mut self, now: Instant, input: Input, out: &mut Outbox) {
        if let Input::Packet(_, packet) = input {
            let is_awaited = packet.is_bare_segment() && packet.segment.sequence_length() > 0;
            if is_awaited && self.is_down(now) {
                self.report(&packet, out);
            }
            out.send(Self::LINK, packet);
        }
    }
    fn wake_at(&self) -> Option<Instant> {
        None
    }
}
