//! Addresses that begin alike: a network, or a single host.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// The bits before the IPv4 address in an IPv4-mapped IPv6 address (RFC 4291 section 2.5.5.2).
const MAPPED: u8 = 96;

/// All addresses whose first bits are the same (RFC 4632 section 3.1, RFC 4291 section 2.3). Written `192.0.2.0/24` or
/// `2001:db8::/32`; an address alone is itself. One of IPv4-mapped addresses is one of IPv4 addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Prefix {
    /// The first of its addresses.
    pub address: IpAddr,
    /// How many of the first bits are the same, at most 32 or 128.
    pub length: u8,
}

impl Prefix {
    /// All addresses there are.
    pub const EVERYWHERE: [Prefix; 2] = [
        Prefix { address: IpAddr::V4(Ipv4Addr::UNSPECIFIED), length: 0 },
        Prefix { address: IpAddr::V6(Ipv6Addr::UNSPECIFIED), length: 0 },
    ];

    fn new(address: IpAddr, length: u8) -> Prefix {
        match address.to_canonical() {
            canonical if canonical != address && length >= MAPPED => {
                Prefix { address: canonical, length: length - MAPPED }
            }
            _ => Prefix { address, length },
        }
    }

    /// The one of this length that has the address.
    fn around(address: IpAddr, length: u8) -> Prefix {
        let address = match address {
            IpAddr::V4(address) => {
                let rest = u32::MAX.checked_shr(length.into()).unwrap_or(0);
                IpAddr::V4((u32::from(address) & !rest).into())
            }
            IpAddr::V6(address) => {
                let rest = u128::MAX.checked_shr(length.into()).unwrap_or(0);
                IpAddr::V6((u128::from(address) & !rest).into())
            }
        };
        Prefix { address, length }
    }
}

impl FromStr for Prefix {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (address, length) = text.split_once('/').map_or((text, None), |(it, length)| (it, Some(length)));
        let address: IpAddr = address.parse().map_err(|_| {
            format!("{address:?} is no IPv4 or IPv6 address\ntip: 192.0.2.7, 192.0.2.0/24 or 2001:db8::/32")
        })?;
        let longest = if address.is_ipv4() { 32 } else { 128 };
        let Some(length) = length else { return Ok(Prefix::new(address, longest)) };
        let length = length.parse().ok().filter(|length| *length <= longest).ok_or_else(|| {
            format!("a prefix of {address} is 0 to {longest} bits long, not {length:?}\ntip: {address} alone is one host")
        })?;
        let around = Prefix::around(address, length);
        if around.address != address {
            return Err(format!(
                "{address} has bits beyond the first {length}\ntip: {around} for the network, {address} for the host"
            ));
        }
        Ok(Prefix::new(address, length))
    }
}

impl fmt::Display for Prefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.address, self.length)
    }
}

#[cfg(test)]
mod tests;
