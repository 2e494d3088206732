//! What the crates with eBPF programs share: [`build`] compiles a program in a build script, and with the feature `load` the rest
//! has libbpf load it, listens to what libbpf says meanwhile, and attaches it to an interface.

pub mod build;
#[cfg(all(target_os = "linux", feature = "load"))]
mod said;
#[cfg(all(target_os = "linux", feature = "load"))]
mod tcx;

#[cfg(all(target_os = "linux", feature = "load"))]
pub use said::{listen, reason};
#[cfg(all(target_os = "linux", feature = "load"))]
pub use tcx::attach_tcx;

/// Bytes that are aligned as an ELF file has to be.
#[repr(align(8))]
#[derive(Debug)]
pub struct Aligned<T: ?Sized>(pub T);
