//! Compiles the eBPF programs, when they are wanted.

use seamline_ebpf::build;
use seamline_wire::codec::{Headers, IpHeader, encode_to_vec};
use seamline_wire::{Flags, Mark, Segment, TransportPort};

fn main() {
    println!("cargo::rerun-if-changed=src/bpf");
    if build::is_wanted() {
        build::compile("src/bpf/sender.bpf.c", "sender.bpf.o", &definitions());
    }
}

/// The option of a handover mark, as the codec writes it.
fn definitions() -> Vec<String> {
    let headers = Headers {
        ip: IpHeader::v4([192, 0, 2, 1].into(), [192, 0, 2, 2].into()),
        source_port: TransportPort(1),
        destination_port: TransportPort(2),
        segment: Segment { flags: Flags::ACK, mark: Some(Mark::Handover), ..Segment::default() },
    };
    let packet =
        encode_to_vec(&headers, &[]).unwrap_or_else(|error| panic!("a mark can be written: {error}"));
    let (without_options, with_options) = (40, 48);
    let [kind, length, high, low, subtype, 0, 0, 0] = packet[without_options..with_options] else {
        panic!(
            "the programs know a mark of five bytes, and the codec writes {:?}",
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
