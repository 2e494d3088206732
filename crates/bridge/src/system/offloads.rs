//! What interfaces do to packets before anybody sees them (ethtool ioctls of linux/ethtool.h).
#![expect(unsafe_code, reason = "no safe wrapper covers SIOCETHTOOL")]

use nix::sys::socket::{AddressFamily, SockFlag, SockType, socket};
use seamline_daemon::explained;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

/// Something that joins packets into larger ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Offload {
    /// Its name, as `ethtool -K` has it.
    pub(super) name: &'static str,
    command: u32,
    bit: u32,
}

/// `ETHTOOL_GGRO`, `ETHTOOL_GFLAGS` and `ETH_FLAG_LRO`.
const JOINING: [Offload; 2] =
    [Offload { name: "gro", command: 0x2b, bit: 1 }, Offload { name: "lro", command: 0x25, bit: 1 << 15 }];

const NAME_LENGTH: usize = libc::IFNAMSIZ;

#[repr(C)]
struct Value {
    command: u32,
    data: u32,
}

/// `struct ifreq` with a pointer, or a number, behind the name.
#[repr(C)]
union Behind {
    pointer: *mut Value,
    number: libc::c_int,
    whole: [u64; 3],
}

#[repr(C)]
struct Request {
    name: [u8; NAME_LENGTH],
    behind: Behind,
}

const SIOCETHTOOL: u64 = 0x8946;
const SIOCGIFMTU: u64 = 0x8921;

fn any_socket() -> io::Result<OwnedFd> {
    Ok(socket(AddressFamily::Inet, SockType::Datagram, SockFlag::SOCK_CLOEXEC, None)?)
}

fn request(interface: &str, behind: Behind) -> io::Result<Request> {
    let mut name = [0; NAME_LENGTH];
    let place = name.get_mut(..interface.len()).filter(|place| place.len() < NAME_LENGTH);
    let place = place
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "no interface has so long a name"))?;
    place.copy_from_slice(interface.as_bytes());
    Ok(Request { name, behind })
}

fn ask(number: u64, request: &mut Request) -> io::Result<()> {
    let socket = any_socket()?;
    // SAFETY: the request is a `struct ifreq` that lives during the call, and what it points to does, too; the kernel writes at most that.
    let result = unsafe { libc::ioctl(socket.as_raw_fd(), number as _, std::ptr::from_mut(request)) };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Those that are on at an interface and make packets of the wire into larger ones, which could not leave again. An interface whose driver
/// has none is told nothing of.
///
/// # Errors
/// When there is no such interface.
pub(super) fn offloads(interface: &str) -> io::Result<Vec<Offload>> {
    let mut found = Vec::new();
    for offload in JOINING {
        let mut value = Value { command: offload.command, data: 0 };
        let mut request = request(interface, Behind { pointer: &raw mut value })?;
        match ask(SIOCETHTOOL, &mut request) {
            Ok(()) if value.data & offload.bit != 0 => found.push(offload),
            Ok(()) => {}
            Err(error) if error.raw_os_error() == Some(libc::EOPNOTSUPP) => {}
            Err(error) => {
                return Err(explained(error, format_args!("asking for the offloads of {interface}")));
            }
        }
    }
    Ok(found)
}

/// The longest IP packet that may leave by it.
pub(super) fn mtu(interface: &str) -> io::Result<usize> {
    let mut request = request(interface, Behind { whole: [0; 3] })?;
    ask(SIOCGIFMTU, &mut request)?;
    // SAFETY: the kernel has written a number there.
    let mtu = unsafe { request.behind.number };
    Ok(usize::try_from(mtu).unwrap_or(0))
}
