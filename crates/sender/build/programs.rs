//! The eBPF programs, compiled with the numbers of the mark's option.

use seamline_host::ebpf::build;
use seamline_wire::codec::{Headers, IpHeader, encode_to_vec};
use seamline_wire::{Flags, Mark, Segment, TransportPort};

/// Compile them into cargo's output folder.
pub(crate) fn compile() {
    build::compile("src/bpf/sender.bpf.c", "sender.bpf.o", &definitions());
}

/// The option of a handover mark, as the codec encodes it.
fn definitions() -> Vec<String> {
    let headers = Headers {
        ip: IpHeader::v4([192, 0, 2, 1].into(), [192, 0, 2, 2].into()),
        source_port: TransportPort(1),
        destination_port: TransportPort(2),
        segment: Segment { flags: Flags::ACK, mark: Some(Mark::Handover), ..Segment::default() },
    };
    let packet = encode_to_vec(&headers, &[]).unwrap_or_else(|error| panic!("encoding a mark: {error}"));
    let (without_options, with_options) = (40, 48);
    let [kind, length, high, low, subtype, 0, 0, 0] = packet[without_options..with_options] else {
        panic!(
            "the programs expect a mark of five bytes, and the codec writes {:?}",
            &packet[without_options..]
        );
    };
    vec![
        format!("-DMARK_KIND={kind}"),
        format!("-DMARK_LENGTH={length}"),
        format!("-DMARK_EXPERIMENT={}", u16::from_be_bytes([high, low])),
        format!("-DMARK_HANDOVER={subtype}"),
    ]
}
