//! Attaching to an interface by a link that ends with its descriptor (TCX, since Linux 6.6).
#![expect(unsafe_code, reason = "libbpf-rs has no call for it")]

use libbpf_rs::{AsRawLibbpf, Link, ProgramMut, libbpf_sys};
use std::io;
use std::ptr::{self, NonNull};

/// Run a program for every packet at an interface, at the side that its section names.
///
/// # Errors
/// When the kernel has no TCX, or there is no such interface.
pub fn attach_tcx(program: &ProgramMut<'_>, interface: u32) -> libbpf_rs::Result<Link> {
    let interface = i32::try_from(interface).map_err(|error| io::Error::other(error.to_string()))?;
    // SAFETY: the program is loaded and outlives the call; without options a null pointer is asked for (libbpf.h).
    let link = unsafe {
        libbpf_sys::bpf_program__attach_tcx(program.as_libbpf_object().as_ptr(), interface, ptr::null())
    };
    let link = NonNull::new(link).ok_or_else(io::Error::last_os_error)?;
    // SAFETY: libbpf has made it for us, and nobody else has it.
    Ok(unsafe { Link::from_ptr(link) })
}
