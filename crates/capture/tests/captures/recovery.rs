//! Captured messages between agents.

use seamline_capture::{Capture, CaptureOptions, SnapLength};
use seamline_wire::codec::IpVersion;
use seamline_wire::codec::recovery::decode;
use seamline_wire::control::{MissingBytes, RecoveryMessage, SequenceRange, SequenceRanges};
use seamline_wire::{Control, Extra, Instant, NodeId, Packet, SequenceNumber, TransportPort};

#[test]
fn captured_messages_have_the_ip_version_of_their_connection() {
    let control =
        Control::Recovery(RecoveryMessage {
            about: MissingBytes::Request,
            mobile_port: TransportPort(5001),
            fixed_port: TransportPort(80),
            ranges: SequenceRanges::of(&[1, 5001].map(|first| SequenceRange {
                first: SequenceNumber(first),
                end: SequenceNumber(first + 1000),
            })),
        });
    let packet = Packet {
        source: NodeId(2),
        destination: NodeId(1),
        wire_bytes: control.wire_bytes(),
        extra: Extra::control(control),
        ..Packet::default()
    };
    for (version, first) in [(IpVersion::V4, 0x45), (IpVersion::V6, 0x60)] {
        let options = CaptureOptions {
            ip_version: version,
            snap_length: SnapLength::Headers,
            ..CaptureOptions::default()
        };
        let mut capture = Capture::new(Vec::new(), &options).unwrap();
        let interface = capture.interface("air").unwrap();
        capture.packet(interface, Instant::ZERO, &packet, None).unwrap();
        let file = capture.finish();
        let found = file.windows(4).position(|bytes| bytes == [0x5e, 0xa1, 1, 2]).expect("the message");
        let start = found - version.header_length() - 8;
        assert_eq!(file[start], first);
        let (_, read) = decode(&file[start..]).unwrap();
        assert_eq!(Control::Recovery(read), *packet.control().unwrap());
    }
}
