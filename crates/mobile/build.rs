//! Compiles the eBPF program, with the feature `ebpf`.

fn main() {
    println!("cargo::rerun-if-changed=src/bpf");
    #[cfg(feature = "ebpf")]
    seamline_ebpf::build::compile("src/bpf/freeze.bpf.c", "freeze.bpf.o", &[]);
}
