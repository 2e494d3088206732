//! What interfaces do to packets before anybody sees them (ethtool ioctls of linux/ethtool.h), and what they carry (netdevice(7)).
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
    /// Its name among the features of interfaces, as the kernel has it.
    feature: &'static str,
}

/// All of them. The one in hardware stays on when the others are turned off.
pub(super) const JOINING: [Offload; 3] = [
    Offload { name: "gro", feature: "rx-gro" },
    Offload { name: "lro", feature: "rx-lro" },
    Offload { name: "rx-gro-hw", feature: "rx-gro-hw" },
];

/// `ETHTOOL_GSSET_INFO`, `ETHTOOL_GSTRINGS` and `ETHTOOL_GFEATURES`; `ETH_SS_FEATURES` and `ETH_GSTRING_LEN`.
const GET_SET_INFO: u32 = 0x37;
const GET_STRINGS: u32 = 0x1b;
const GET_FEATURES: u32 = 0x3a;
const FEATURES: u32 = 4;
const WORDS_OF_A_STRING: usize = 32 / 4;

const NAME_LENGTH: usize = libc::IFNAMSIZ;

/// `struct ifreq` with a pointer, a number, or flags, behind the name.
#[repr(C)]
union Behind {
    pointer: *mut u32,
    number: libc::c_int,
    flags: libc::c_short,
    whole: [u64; 3],
}

#[repr(C)]
struct Request {
    name: [u8; NAME_LENGTH],
    behind: Behind,
}

const SIOCETHTOOL: u64 = 0x8946;
const SIOCGIFMTU: u64 = 0x8921;
const SIOCGIFFLAGS: u64 = 0x8913;

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
    match features(interface) {
        Ok(features) => Ok(joining(&features)),
        Err(error) if error.raw_os_error() == Some(libc::EOPNOTSUPP) => Ok(Vec::new()),
        Err(error) => Err(explained(error, format_args!("asking for the offloads of {interface}"))),
    }
}

fn joining(features: &[(String, bool)]) -> Vec<Offload> {
    let is_on = |it: &Offload| features.iter().any(|(name, is_on)| *is_on && name == it.feature);
    JOINING.into_iter().filter(is_on).collect()
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
    // Of 32 features together: which are available, requested, active, and never changed.
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

/// There must be room in `words` for what is asked: the kernel writes as much as it has.
fn ethtool(interface: &str, words: &mut [u32]) -> io::Result<()> {
    ask(SIOCETHTOOL, &mut request(interface, Behind { pointer: words.as_mut_ptr() })?)
}

/// The longest IP packet that may leave by it.
pub(super) fn mtu(interface: &str) -> io::Result<usize> {
    let mut request = request(interface, Behind { whole: [0; 3] })?;
    ask(SIOCGIFMTU, &mut request)?;
    // SAFETY: the kernel has written a number there.
    let mtu = unsafe { request.behind.number };
    Ok(usize::try_from(mtu).unwrap_or(0))
}

/// Whether packets can pass it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Condition {
    /// It is up, and has a carrier, as far as its driver can tell.
    Running,
    NoCarrier,
    SetDown,
}

/// # Errors
/// When there is no such interface.
pub(super) fn condition(interface: &str) -> io::Result<Condition> {
    let mut request = request(interface, Behind { whole: [0; 3] })?;
    ask(SIOCGIFFLAGS, &mut request)?;
    // SAFETY: the kernel has written flags there.
    let flags = libc::c_int::from(unsafe { request.behind.flags });
    Ok(match (flags & libc::IFF_UP != 0, flags & libc::IFF_RUNNING != 0) {
        (false, _) => Condition::SetDown,
        (true, false) => Condition::NoCarrier,
        (true, true) => Condition::Running,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On the kernel of this host: none is looked for under a name that it does not have.
    #[test]
    fn the_kernel_knows_all_that_is_looked_for() {
        let features = features("lo").unwrap();
        for Offload { feature, .. } in JOINING {
            assert!(features.iter().any(|(name, _)| name == feature), "{feature} is not among {features:?}");
        }
        assert!(features.contains(&("loopback".to_owned(), true)), "{features:?}");
    }

    #[test]
    fn each_is_found_where_it_is_on() {
        for on in JOINING {
            let features: Vec<(String, bool)> =
                JOINING.iter().map(|it| (it.feature.to_owned(), *it == on)).collect();
            assert_eq!(joining(&features), [on]);
        }
    }
}
