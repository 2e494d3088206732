//! TUN devices: interfaces whose other end is this process. What a namespace sends there is read here as IP packets, and
//! what is written here arrives there.
#![expect(unsafe_code, reason = "making the interface is an ioctl that no safe wrapper covers")]

use super::{Namespace, explained};
use seamline_host::uninterrupted;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};
use std::os::unix::fs::OpenOptionsExt;

const DEVICE: &str = "/dev/net/tun";

/// An interface of a namespace, seen from its other end. It ends with this value.
#[derive(Debug)]
pub struct Tun {
    device: File,
    /// The interface's name inside its namespace.
    pub name: String,
}

impl Tun {
    /// A new interface inside the namespace, still down and without addresses: see [`super::Interface::bring_up`].
    /// Packets have no header before that of IP, are whole (no offload of segments or checksums), and no call waits.
    ///
    /// # Errors
    /// When the name is taken or no interface can have it (at most 15 bytes, no `/` or white space), when the device is
    /// missing, or when the process may not make interfaces in the namespace.
    pub fn open(namespace: &Namespace, name: &str) -> io::Result<Self> {
        let kernel_name = interface_name(name)?;
        // The device belongs to the namespace in which it is opened, whichever thread uses it later.
        let device = namespace.within(|| {
            let device = open_device()?;
            make_interface(&device, name, kernel_name)?;
            Ok(device)
        })?;
        Ok(Tun { device, name: name.to_owned() })
    }

    /// Take the next packet that the namespace sent. Returns its length in bytes; `None` when there is none. What does not
    /// fit in `packet` is cut off, so it must be as large as the interface's MTU.
    ///
    /// # Errors
    /// When the interface no longer exists.
    pub fn read(&self, packet: &mut [u8]) -> io::Result<Option<usize>> {
        match uninterrupted(|| (&self.device).read(packet)) {
            Ok(length) => Ok(Some(length)),
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(None),
            Err(error) => Err(explained(error, format_args!("reading from interface {}", self.name))),
        }
    }

    /// Let a whole IP packet arrive in the namespace. False when the kernel has no room for it now; then it is not there.
    ///
    /// # Errors
    /// When it is no IP packet, or the interface is down.
    pub fn write(&self, packet: &[u8]) -> io::Result<bool> {
        loop {
            let error = match (&self.device).write(packet) {
                Ok(_) => return Ok(true),
                Err(error) => error,
            };
            match error.raw_os_error() {
                Some(libc::EAGAIN | libc::ENOBUFS | libc::ENOMEM) => return Ok(false),
                Some(libc::EINTR) => {}
                Some(libc::EIO) => {
                    let tried = format_args!("writing to interface {}, which is down", self.name);
                    return Err(explained(error, tried));
                }
                _ => return Err(explained(error, format_args!("writing to interface {}", self.name))),
            }
        }
    }
}

impl AsFd for Tun {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.device.as_fd()
    }
}

fn open_device() -> io::Result<File> {
    OpenOptions::new().read(true).write(true).custom_flags(libc::O_NONBLOCK).open(DEVICE).map_err(|error| {
        let remedy = match error.raw_os_error() {
            Some(libc::ENOENT) => {
                "the kernel's TUN driver is not there; `modprobe tun` as root loads it (in a container, start it with --device /dev/net/tun)"
            }
            Some(libc::ENODEV | libc::ENXIO) => {
                "the kernel's TUN driver is not loaded; `modprobe tun` as root loads it"
            }
            Some(libc::EACCES | libc::EPERM) => {
                "`chmod 0666 /dev/net/tun` as root lets users open it (in a container, start it with --device /dev/net/tun)"
            }
            _ => "it cannot be opened",
        };
        explained(error, format_args!("opening {DEVICE}: {remedy}"))
    })
}

/// The name as the kernel takes it. It would take an empty name, or one with `%d`, for a pattern, and cut one that is too
/// long.
fn interface_name(name: &str) -> io::Result<[libc::c_char; libc::IFNAMSIZ]> {
    let odd = |byte: u8| byte.is_ascii_whitespace() || matches!(byte, b'/' | b':' | b'%' | 0);
    if name.is_empty() || name.len() >= libc::IFNAMSIZ || name.bytes().any(odd) || [".", ".."].contains(&name)
    {
        return Err(io::Error::new(
            ErrorKind::InvalidInput,
            format!("{name:?} cannot name an interface: 1 to 15 bytes, no white space and none of / : %"),
        ));
    }
    let mut bytes = [0; libc::IFNAMSIZ];
    for (to, from) in bytes.iter_mut().zip(name.bytes()) {
        *to = from.cast_signed();
    }
    Ok(bytes)
}

fn make_interface(device: &File, name: &str, ifr_name: [libc::c_char; libc::IFNAMSIZ]) -> io::Result<()> {
    let flags = (libc::IFF_TUN | libc::IFF_NO_PI) as libc::c_short;
    let mut request = libc::ifreq { ifr_name, ifr_ifru: libc::__c_anonymous_ifr_ifru { ifru_flags: flags } };
    // SAFETY: the descriptor is open, and the kernel reads and writes no more than the `ifreq` it is given, which
    // lives until the call returns.
    let result = unsafe { libc::ioctl(device.as_raw_fd(), libc::TUNSETIFF, &raw mut request) };
    if result == 0 {
        return Ok(());
    }
    let error = io::Error::last_os_error();
    let why = match error.raw_os_error() {
        Some(libc::EBUSY) => "another one has the name",
        Some(libc::EPERM) => "that needs root, or a user namespace in which unprivileged users may be root",
        _ => "the kernel refuses",
    };
    Err(explained(error, format_args!("making interface {name}: {why}")))
}
