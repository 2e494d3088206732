//! Who is told of a failed link, and when.

use seamline_net::failure_notices::FailureNotices;
use seamline_net::schedule::{Fates, Handovers};
use seamline_wire::control::UndeliveredSegment;
use seamline_wire::{
    Control, Duration, Extra, Flags, Input, Instant, Machine, NodeId, Outbox, Packet, Segment,
    SequenceNumber, TransportPort, Tunnel,
};

fn data() -> Packet {
    Packet {
        source: NodeId(1),
        destination: NodeId(3),
        source_port: TransportPort(10),
        destination_port: TransportPort(20),
        wire_bytes: 1040,
        segment: Segment {
            sequence: SequenceNumber(7),
            length: 1000,
            flags: Flags::ACK,
            ..Segment::default()
        },
        ..Packet::default()
    }
}

/// What leaves to the node when this packet comes, the link being down from 100 ms to 150 ms; the packet itself goes on.
fn told(millis: u64, packet: Packet) -> Vec<Packet> {
    let handovers =
        Handovers::at([Instant::from_millis(100)], Duration::from_millis(50), Fates::SEAMLESS).unwrap();
    let mut notices = FailureNotices::new(NodeId(2), handovers);
    let mut out = Outbox::new();
    let input = Input::Packet(FailureNotices::NODE, Box::new(packet.clone()));
    notices.step(Instant::from_millis(millis), input, &mut out);
    let (on, back): (Vec<_>, Vec<_>) =
        out.packets.drain(..).partition(|(port, _)| *port == FailureNotices::LINK);
    assert_eq!(on.iter().map(|(_, packet)| &**packet).collect::<Vec<_>>(), [&packet]);
    back.into_iter().map(|(_, packet)| *packet).collect()
}

#[test]
fn the_source_of_a_segment_is_told_while_the_link_is_down() {
    assert_eq!((told(99, data()).len(), told(150, data()).len()), (0, 0));
    for millis in [100, 149] {
        let [error] = &told(millis, data())[..] else { panic!("one error") };
        assert_eq!((error.source, error.destination, error.wire_bytes), (NodeId(2), NodeId(1), 56));
        let quoted = UndeliveredSegment {
            source: NodeId(1),
            destination: NodeId(3),
            source_port: TransportPort(10),
            destination_port: TransportPort(20),
            sequence: SequenceNumber(7),
            wire_bytes: 1040,
        };
        assert_eq!(error.control(), Some(&Control::HostUnreachable(quoted)));
    }
}

/// No error about an error (RFC 1122 section 3.2.2), about what nothing waits for, or to the end of a tunnel.
#[test]
fn other_packets_go_on_in_silence() {
    let mut tunnelled = data();
    assert!(tunnelled.encapsulate(Tunnel { entry: NodeId(8), exit: NodeId(3) }));
    let bare = Packet { segment: Segment { flags: Flags::ACK, ..Segment::default() }, ..data() };
    let error =
        Packet { extra: Extra::control(Control::HostUnreachable(UndeliveredSegment::default())), ..data() };
    for packet in [tunnelled, bare, error] {
        assert_eq!(told(120, packet).len(), 0);
    }
}
