//! Socket options.
#![expect(unsafe_code, reason = "options that no library has")]

use nix::errno::Errno;
use nix::sys::socket::{setsockopt, sockopt};
use std::io;
use std::os::fd::{AsFd, AsRawFd};

/// Set an option to a plain value, as the kernel reads it.
pub(super) fn set<T>(socket: &impl AsFd, level: libc::c_int, name: libc::c_int, value: &T) -> io::Result<()> {
    let length = size_of::<T>() as libc::socklen_t;
    let socket = socket.as_fd().as_raw_fd();
    // SAFETY: the value lives during the call, and the kernel only reads its bytes.
    let result = unsafe { libc::setsockopt(socket, level, name, (&raw const *value).cast(), length) };
    Ok(Errno::result(result).map(drop)?)
}

/// Set the sizes of both buffers, beyond the system's limit if the process may.
pub(super) fn set_buffers(socket: &impl AsFd, bytes: usize) -> io::Result<()> {
    if setsockopt(socket, sockopt::RcvBufForce, &bytes).is_err() {
        setsockopt(socket, sockopt::RcvBuf, &bytes)?;
    }
    if setsockopt(socket, sockopt::SndBufForce, &bytes).is_err() {
        setsockopt(socket, sockopt::SndBuf, &bytes)?;
    }
    Ok(())
}
