//! Whether this process may use eBPF at all.
#![expect(unsafe_code, reason = "no safe wrapper for the system call bpf")]

use std::io;
use std::os::fd::{FromRawFd, OwnedFd, RawFd};

/// bpf(2): `BPF_MAP_CREATE`, and the type `BPF_MAP_TYPE_ARRAY`.
const MAP_CREATE: libc::c_long = 0;
const ARRAY: u32 = 2;

/// Make an array of one number in the kernel, and remove it.
///
/// # Errors
/// When the process may not (`EPERM`), or the kernel has no eBPF (`ENOSYS`).
pub fn try_map() -> io::Result<()> {
    // The first fields of `union bpf_attr`: type, bytes of a key, bytes of a value, entries; then flags.
    let attributes: [u32; 5] = [ARRAY, 4, 4, 1, 0];
    // SAFETY: the kernel reads `size_of_val(&attributes)` bytes, which live during the call, takes all further fields for
    // zero, and writes nothing.
    let map =
        unsafe { libc::syscall(libc::SYS_bpf, MAP_CREATE, attributes.as_ptr(), size_of_val(&attributes)) };
    if map < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: a descriptor that the kernel has just made, and that nobody else has.
    drop(unsafe { OwnedFd::from_raw_fd(map as RawFd) });
    Ok(())
}
