//! Compiles the eBPF program, when it is wanted.

use seamline_ebpf::build;

fn main() {
    println!("cargo::rerun-if-changed=src/bpf");
    if build::is_wanted() {
        build::compile("src/bpf/freeze.bpf.c", "freeze.bpf.o", &[]);
    }
}
