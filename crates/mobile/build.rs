//! Compiles the eBPF program, when it is wanted.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

const SOURCE: &str = "src/bpf/freeze.bpf.c";

fn main() {
    println!("cargo::rerun-if-changed=src/bpf");
    let on_linux = env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux");
    if on_linux && env::var_os("CARGO_FEATURE_EBPF").is_some() {
        compile();
    }
}

fn compile() {
    let object = PathBuf::from(variable("OUT_DIR")).join("freeze.bpf.o");
    let mut clang = Command::new("clang");
    clang.args(["-g", "-O2", "-target", "bpf", "-Wall", "-Werror"]);
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

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_else(|error| panic!("cargo sets {name}: {error}"))
}
