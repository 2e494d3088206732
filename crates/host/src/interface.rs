//! Offloads, MTU and state of an interface, by ioctl (linux/ethtool.h, netdevice(7)).
#![expect(unsafe_code, reason = "no safe wrapper covers SIOCETHTOOL")]

use crate::explained;
use nix::net::if_::{if_indextoname, if_nametoindex};
use nix::sys::socket::{AddressFamily, SockFlag, SockType, socket};
use std::io;
use std::os::fd::{AsFd, AsRawFd};

/// The names of the interfaces in the network namespace of this process (proc_net(5)).
///
/// # Errors
/// When the kernel's list cannot be read.
pub fn names() -> io::Result<Vec<String>> {
    // Unlike /sys/class/net, this is never the list of another namespace.
    let list = std::fs::read_to_string("/proc/self/net/dev")?;
    Ok(list.lines().filter_map(|line| Some(line.rsplit_once(':')?.0.trim().to_owned())).collect())
}

/// The primary name of an interface that may be given by an alternative name.
///
/// # Errors
/// When there is none of either name.
pub fn primary_name(given: &str) -> io::Result<String> {
    let name = if_nametoindex(given).and_then(if_indextoname);
    let name = name.map_err(|error| explained(error, format_args!("the interface {given}")))?;
    Ok(name.to_string_lossy().into_owned())
}

/// An offload that joins received packets in a way that a reader of frames cannot undo exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offload {
    /// Its name for `ethtool -K`.
    pub name: &'static str,
    /// The kernel's name of the feature.
    feature: &'static str,
}

/// All of them. GRO, in software or hardware, is not one: what it joins is cut into the same packets again.
pub const COALESCING: [Offload; 2] =
    [Offload { name: "lro", feature: "rx-lro" }, Offload { name: "rx-gro-list", feature: "rx-gro-list" }];

/// `ETHTOOL_STXCSUM`, `ETHTOOL_SGRO`, `ETHTOOL_GSSET_INFO`, `ETHTOOL_GSTRINGS` and `ETHTOOL_GFEATURES`; `ETH_SS_FEATURES` and `ETH_GSTRING_LEN`.
const SET_SEND_CHECKSUMS: u32 = 0x17;
const SET_GRO: u32 = 0x2c;
const GET_SET_INFO: u32 = 0x37;
const GET_STRINGS: u32 = 0x1b;
const GET_FEATURES: u32 = 0x3a;
const FEATURES: u32 = 4;
const WORDS_OF_A_STRING: usize = 32 / 4;

const NAME_LENGTH: usize = libc::IFNAMSIZ;

/// What follows the name in `struct ifreq`.
#[repr(C)]
union Data {
    pointer: *mut u32,
    number: libc::c_int,
    flags: libc::c_short,
    whole: [u64; 3],
}

/// `struct ifreq`.
#[repr(C)]
struct Request {
    name: [u8; NAME_LENGTH],
    data: Data,
}

const SIOCETHTOOL: u64 = 0x8946;
const SIOCGIFMTU: u64 = 0x8921;
const SIOCGIFFLAGS: u64 = 0x8913;
const SIOCGIFINDEX: u64 = 0x8933;

fn request(interface: &str, data: Data) -> io::Result<Request> {
    let mut name = [0; NAME_LENGTH];
    let place = name.get_mut(..interface.len()).filter(|place| place.len() < NAME_LENGTH);
    let place = place.ok_or_else(|| {
        io::Error::new(io::ErrorKind::InvalidInput, "the name of the interface is too long")
    })?;
    place.copy_from_slice(interface.as_bytes());
    Ok(Request { name, data })
}

fn ask(socket: &impl AsFd, number: u64, request: &mut Request) -> io::Result<()> {
    let socket = socket.as_fd().as_raw_fd();
    // SAFETY: the request is a `struct ifreq` that outlives the call, as does what it points to; the kernel writes nothing else.
    let result = unsafe { libc::ioctl(socket, number as _, std::ptr::from_mut(request)) };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// The coalescing offloads that are on at an interface; none if its driver does not report features.
///
/// # Errors
/// When there is no such interface.
pub fn coalescing(interface: &str) -> io::Result<Vec<Offload>> {
    match features(interface) {
        Ok(features) => Ok(active(&features)),
        Err(error) if error.raw_os_error() == Some(libc::EOPNOTSUPP) => Ok(Vec::new()),
        Err(error) => Err(explained(error, format_args!("reading the offloads of {interface}"))),
    }
}

fn active(features: &[(String, bool)]) -> Vec<Offload> {
    let is_on = |it: &Offload| features.iter().any(|(name, is_on)| *is_on && name == it.feature);
    COALESCING.into_iter().filter(is_on).collect()
}

/// Turn off generic receive offload, as `ethtool -K NAME gro off` does.
///
/// # Errors
/// When there is no such interface in the thread's network namespace, or the process may not change it.
pub fn turn_off_receive_offload(interface: &str) -> io::Result<()> {
    ethtool(interface, &mut [SET_GRO, 0])
        .map_err(|error| explained(error, format_args!("turning off GRO of interface {interface}")))
}

/// Turn off checksums by the hardware, and with them segmentation there: packets leave the kernel complete, with at most the MTU.
///
/// # Errors
/// As for [`turn_off_receive_offload`].
pub fn turn_off_send_offload(interface: &str) -> io::Result<()> {
    ethtool(interface, &mut [SET_SEND_CHECKSUMS, 0])
        .map_err(|error| explained(error, format_args!("turning off checksums by interface {interface}")))
}

/// All features that the kernel knows, each with whether it is on at the interface.
fn features(interface: &str) -> io::Result<Vec<(String, bool)>> {
    let mask = (1_u64 << FEATURES).to_ne_bytes();
    let half = |at: usize| u32::from_ne_bytes([mask[at], mask[at + 1], mask[at + 2], mask[at + 3]]);
    let mut info = [GET_SET_INFO, 0, half(0), half(4), 0];
    ethtool(interface, &mut info)?;
    let count = info[4];
    let mut strings = vec![0; 3 + count as usize * WORDS_OF_A_STRING];
    strings[..3].copy_from_slice(&[GET_STRINGS, FEATURES, count]);
    ethtool(interface, &mut strings)?;
    // Four words for each 32 features: which are available, requested, active, and never changed.
    let blocks = count.div_ceil(32);
    let mut bits = vec![0; 2 + 4 * blocks as usize];
    bits[..2].copy_from_slice(&[GET_FEATURES, blocks]);
    ethtool(interface, &mut bits)?;
    let names = strings[3..].chunks_exact(WORDS_OF_A_STRING).map(text);
    let is_on = |number: usize| bits[2 + number / 32 * 4 + 2] >> (number % 32) & 1 == 1;
    Ok(names.enumerate().map(|(number, name)| (name, is_on(number))).collect())
}

fn text(words: &[u32]) -> String {
    let bytes = words.iter().flat_map(|word| word.to_ne_bytes()).take_while(|byte| *byte != 0);
    String::from_utf8_lossy(&bytes.collect::<Vec<u8>>()).into_owned()
}

/// `words` must have room for the whole answer: the kernel writes as much as it has.
fn ethtool(interface: &str, words: &mut [u32]) -> io::Result<()> {
    let socket = socket(AddressFamily::Inet, SockType::Datagram, SockFlag::SOCK_CLOEXEC, None)?;
    ask(&socket, SIOCETHTOOL, &mut request(interface, Data { pointer: words.as_mut_ptr() })?)
}

/// The number of an interface in the network namespace of any open socket. Unlike `if_nametoindex`, this opens none.
///
/// # Errors
/// When there is no such interface (`ENODEV`).
pub fn index(socket: &impl AsFd, interface: &str) -> io::Result<u32> {
    Ok(number(socket, SIOCGIFINDEX, interface)?.unsigned_abs())
}

fn number(socket: &impl AsFd, which: u64, interface: &str) -> io::Result<libc::c_int> {
    let mut request = request(interface, Data { whole: [0; 3] })?;
    ask(socket, which, &mut request)?;
    // SAFETY: the kernel has written a number there.
    Ok(unsafe { request.data.number })
}

/// The longest IP packet that an interface in the network namespace of any open socket sends, in bytes.
///
/// # Errors
/// When there is no such interface.
pub fn mtu(socket: &impl AsFd, interface: &str) -> io::Result<usize> {
    Ok(usize::try_from(number(socket, SIOCGIFMTU, interface)?).unwrap_or(0))
}

/// Whether packets can pass an interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// It is up and has a carrier, as far as its driver can tell.
    Running,
    /// It is up without a carrier.
    NoCarrier,
    /// It is set down.
    SetDown,
}

/// The current condition of an interface in the network namespace of any open socket.
///
/// # Errors
/// When there is no such interface.
pub fn condition(socket: &impl AsFd, interface: &str) -> io::Result<Condition> {
    let mut request = request(interface, Data { whole: [0; 3] })?;
    ask(socket, SIOCGIFFLAGS, &mut request)?;
    // SAFETY: the kernel has written flags there.
    let flags = libc::c_int::from(unsafe { request.data.flags });
    Ok(match (flags & libc::IFF_UP != 0, flags & libc::IFF_RUNNING != 0) {
        (false, _) => Condition::SetDown,
        (true, false) => Condition::NoCarrier,
        (true, true) => Condition::Running,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Asks the kernel of this host: a renamed feature would never be found.
    #[test]
    fn the_kernel_knows_every_coalescing_feature() {
        let features = features("lo").unwrap();
        for Offload { feature, .. } in COALESCING {
            assert!(features.iter().any(|(name, _)| name == feature), "{feature} is not among {features:?}");
        }
        assert!(features.contains(&("loopback".to_owned(), true)), "{features:?}");
    }

    #[test]
    fn each_active_offload_is_found() {
        for on in COALESCING {
            let features: Vec<(String, bool)> =
                COALESCING.iter().map(|it| (it.feature.to_owned(), *it == on)).collect();
            assert_eq!(active(&features), [on]);
        }
    }
}
