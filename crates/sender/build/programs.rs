//! The eBPF programs, compiled with the numbers of the mark's option.

use seamline_ebpf::build;
use seamline_wire::codec::{Headers, IpHeader, encode_to_vec};
use seamline_wire::{Flags, Loss, LossCause, Mark, Segment, TransportPort};

/// Compile them into cargo's output folder.
pub(crate) fn compile() {
    build::compile("src/bpf/sender.bpf.c", "sender.bpf.o", &definitions());
}

/// The options of the marks, as the codec encodes them.
fn definitions() -> Vec<String> {
    let loss = Loss { offset: 0x01_0203, cause: LossCause::Congestion };
    let handover = option(Mark::Handover);
    let losses = option(Mark::Losses([loss].into_iter().collect()));
    let [kind, length, high, low, subtype, 0, 0, 0] = handover[..] else {
        panic!("the programs expect a mark of five bytes, and the codec writes {handover:?}");
    };
    let [.., listing, 0x81, 2, 3] = losses[..] else {
        panic!("the programs expect three bytes for each loss, and the codec writes {losses:?}");
    };
    vec![
        format!("-DMARK_KIND={kind}"),
        format!("-DMARK_LENGTH={length}"),
        format!("-DMARK_EXPERIMENT={}", u16::from_be_bytes([high, low])),
        format!("-DMARK_HANDOVER={subtype}"),
        format!("-DMARK_LOSSES={listing}"),
    ]
}

/// A mark's option, padded to words.
fn option(mark: Mark) -> Vec<u8> {
    let headers = Headers {
        ip: IpHeader::v4([192, 0, 2, 1].into(), [192, 0, 2, 2].into()),
        source_port: TransportPort(1),
        destination_port: TransportPort(2),
        segment: Segment { flags: Flags::ACK, mark: Some(mark), ..Segment::default() },
    };
    let without_options = 40;
    let packet = encode_to_vec(&headers, &[]).unwrap_or_else(|error| panic!("encoding a mark: {error}"));
    packet[without_options..].to_vec()
}
