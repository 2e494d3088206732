//! Compiles the eBPF programs, with the feature `ebpf`.

#[cfg(feature = "ebpf")]
mod programs;

fn main() {
    println!("cargo::rerun-if-changed=src/bpf");
    #[cfg(feature = "ebpf")]
    programs::compile();
}
