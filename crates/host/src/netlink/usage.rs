//! What else an interface is used for: the device that it is a port of, and its addresses (rtnetlink).

use super::interfaces::find;
use super::{DONE, DUMP, Requests, attribute, word};
use crate::explained;
use netlink_sys::protocols::NETLINK_ROUTE;
use nix::net::if_::if_indextoname;
use std::io;
use std::net::IpAddr;

/// Bytes of `struct ifaddrmsg`.
const ADDRESS_HEADER: usize = 8;

/// What an interface is used for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Usage {
    /// The device that it is a port of.
    pub master: Option<Master>,
    /// Its addresses.
    pub addresses: Vec<Address>,
}

/// A device with ports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Master {
    /// Its name.
    pub name: String,
    /// Its kind, such as `bridge`, `bond` or `vrf`.
    pub kind: String,
}

/// An address of an interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    /// The interface's number.
    pub index: u32,
    /// The address of this host.
    pub address: IpAddr,
    /// The length of its on-link prefix.
    pub prefix_length: u8,
    /// `IFA_F_PERMANENT` and the other flags.
    pub flags: u32,
}

impl Address {
    /// Whether somebody has configured it for good: neither a DHCP client nor a router's advertisement.
    pub fn is_permanent(&self) -> bool {
        self.flags & libc::IFA_F_PERMANENT != 0
    }
    /// Whether it is one that every IPv6 interface gives itself (RFC 4291 section 2.5.6).
    pub fn is_link_local(&self) -> bool {
        matches!(self.address, IpAddr::V6(address) if address.is_unicast_link_local())
    }
}

impl std::fmt::Display for Address {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.address, self.prefix_length)
    }
}

/// What an interface in the network namespace of the calling thread is used for. `name` is its primary one.
///
/// # Errors
/// When there is no such interface, or the kernel cannot be asked.
pub fn usage(name: &str) -> io::Result<Usage> {
    let found = || {
        let requests = Requests::open(NETLINK_ROUTE)?;
        let link = find(&requests, name)?;
        let master = link.master.map(|(index, kind)| {
            if_indextoname(index).map(|name| Master { name: name.to_string_lossy().into_owned(), kind })
        });
        let mut addresses = addresses(&requests)?;
        addresses.retain(|address| address.index == link.index);
        Ok(Usage { master: master.transpose()?, addresses })
    };
    found().map_err(|error: io::Error| {
        explained(error, format_args!("looking up what interface {name} is used for"))
    })
}

/// Those of all interfaces.
fn addresses(requests: &Requests) -> io::Result<Vec<Address>> {
    let mut addresses = Vec::new();
    requests.ask(libc::RTM_GETADDR, DUMP, &[0; ADDRESS_HEADER], |message| {
        match (message.kind, message.error()) {
            (_, Some(code)) => return Err(io::Error::from_raw_os_error(code)),
            (DONE, None) => return Ok(Some(())),
            _ => addresses.extend(address(message.body)),
        }
        Ok(None)
    })?;
    Ok(addresses)
}

/// Read a `struct ifaddrmsg` and its attributes; `None` if they are malformed. Where both are given, the address is the peer's and the
/// local one this host's.
pub fn address(body: &[u8]) -> Option<Address> {
    let (header, rest) = body.split_at_checked(ADDRESS_HEADER)?;
    let own = attribute(rest, libc::IFA_LOCAL).or_else(|| attribute(rest, libc::IFA_ADDRESS))?;
    let address = match i32::from(header[0]) {
        libc::AF_INET => IpAddr::from(<[u8; 4]>::try_from(own).ok()?),
        libc::AF_INET6 => IpAddr::from(<[u8; 16]>::try_from(own).ok()?),
        _ => return None,
    };
    let flags = attribute(rest, libc::IFA_FLAGS).and_then(|flags| word(flags, 0));
    Some(Address {
        index: word(header, 4)?,
        address,
        prefix_length: header[1],
        flags: flags.unwrap_or(u32::from(header[2])),
    })
}
