//! Attaching to an interface by a link that ends with its descriptor (TCX, Linux 6.6 or newer).
#![expect(unsafe_code, reason = "libbpf-rs has no function for it")]

use libbpf_rs::{AsRawLibbpf, Link, ProgramMut, libbpf_sys};
use std::io;
use std::ptr::{self, NonNull};

/// Run a program for every packet of an interface, in the direction that its ELF section names.
///
/// # Errors
/// When the kernel has no TCX, or there is no such interface.
pub fn attach_tcx(program: &ProgramMut<'_>, interface: u32) -> libbpf_rs::Result<Link> {
    let interface = i32::try_from(interface).map_err(|error| io::Error::other(error.to_string()))?;
    // SAFETY: the program is loaded and outlives the call; a null pointer means no options (libbpf.h).
    let link = unsafe {
        libbpf_sys::bpf_program__attach_tcx(program.as_libbpf_object().as_ptr(), interface, ptr::null())
    };
    let link = NonNull::new(link).ok_or_else(io::Error::last_os_error)?;
    // SAFETY: libbpf has just made it, and this is the only reference.
    Ok(unsafe { Link::from_ptr(link) })
}
