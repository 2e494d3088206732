//! What interfaces do to packets before anybody sees them.
#![expect(unsafe_code, reason = "no safe wrapper covers SIOCETHTOOL")]

use super::{Namespace, explained};
use nix::sys::socket::{AddressFamily, SockFlag, SockType, socket};
use std::io;
use std::os::fd::AsRawFd;

const SIOCETHTOOL: u64 = 0x8946;
/// `ETHTOOL_SGRO` (linux/ethtool.h).
const SET_GRO: u32 = 0x2c;

/// `struct ifreq` with a pointer behind the name.
#[repr(C)]
struct Request {
    name: [u8; libc::IFNAMSIZ],
    value: *mut Value,
    rest: [u64; 2],
}

/// `struct ethtool_value`.
#[repr(C)]
struct Value {
    command: u32,
    data: u32,
}

/// Have an interface of a namespace not join packets that it receives (GRO), as `ethtool -K NAME gro off` does.
///
/// # Errors
/// When there is none of that name, or it may not be changed.
pub(crate) fn turn_off_receive_offload(namespace: &Namespace, name: &str) -> io::Result<()> {
    let changed = namespace.within(|| {
        let mut value = Value { command: SET_GRO, data: 0 };
        let mut request = Request { name: [0; libc::IFNAMSIZ], value: &raw mut value, rest: [0; 2] };
        let Some(place) = request.name.get_mut(..name.len()) else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        place.copy_from_slice(name.as_bytes());
        let socket = socket(AddressFamily::Inet, SockType::Datagram, SockFlag::SOCK_CLOEXEC, None)?;
        // SAFETY: the request is a `struct ifreq` with room for any of its kinds, and what it points to lives during the call, too.
        let result = unsafe { libc::ioctl(socket.as_raw_fd(), SIOCETHTOOL as _, &raw mut request) };
        if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    });
    changed.map_err(|error| explained(error, format_args!("turning off GRO of interface {name}")))
}
