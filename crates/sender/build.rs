//! Compiles the eBPF programs, when they are wanted.

use seamline_wire::codec::{Headers, IpHeader, encode_to_vec};
use seamline_wire::{Flags, Mark, Segment, TransportPort};
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

const SOURCE: &str = "src/bpf/sender.bpf.c";

fn main() {
    println!("cargo::rerun-if-changed=src/bpf");
    let on_linux = env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux");
    if on_linux && env::var_os("CARGO_FEATURE_EBPF").is_some() {
        compile();
    }
}

fn compile() {
    let object = PathBuf::from(variable("OUT_DIR")).join("sender.bpf.o");
    let mut clang = Command::new("clang");
    clang.args(["-g", "-O2", "-target", "bpf", "-Wall", "-Werror"]);
    clang.args(definitions());
    // The headers that come with libbpf, which libbpf-sys builds; and where Debian has those of the processor.
    clang.arg(format!("-I{}", variable("DEP_BPF_INCLUDE")));
    let processor = format!("/usr/include/{}-linux-gnu", variable("CARGO_CFG_TARGET_ARCH"));
    if Path::new(&processor).exists() {
        clang.arg(format!("-idirafter{processor}"));
    }
    clang.args(["-c", SOURCE, "-o"]).arg(&object);
    match clang.status() {
        Ok(status) if status.success() => {}
        Ok(status) => panic!("clang could not compile {SOURCE} ({status}); it has said why above"),
        Err(error) => {
            panic!("clang cannot be run: {error}\ntip: sudo apt install clang libelf-dev zlib1g-dev")
        }
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

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|error| panic!("cargo sets {name}: {error}"))
}
