//! What the crates with eBPF programs share. [`build`] compiles a program in a build script. With the feature `ebpf`, the rest collects
//! libbpf's messages while it loads a program, and attaches the program to an interface.
//!
//! Nothing else depends on this crate, so that the feature changes no other.

pub mod build;
#[cfg(all(target_os = "linux", feature = "ebpf"))]
mod messages;
#[cfg(all(target_os = "linux", feature = "ebpf"))]
mod tcx;

#[cfg(all(target_os = "linux", feature = "ebpf"))]
pub use messages::{listen, reason};
#[cfg(all(target_os = "linux", feature = "ebpf"))]
pub use tcx::attach_tcx;

/// Bytes aligned as an ELF file has to be.
#[repr(align(8))]
#[derive(Debug)]
pub struct Aligned<T: ?Sized>(pub T);

/// How to build `seamline-host` with its eBPF programs.
pub const HOW_TO_BUILD: &str =
    "sudo apt install clang libelf-dev zlib1g-dev; cargo build --release -p seamline-host --features ebpf";
