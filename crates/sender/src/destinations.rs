//! The peers that are helped, as `struct destination` in `bpf/destination.h` has them.

use crate::prefix::Prefix;
use libbpf_rs::{MapCore, MapFlags, Object, OpenMapMut};
use std::collections::BTreeSet;
use std::net::IpAddr;

/// The map of them.
pub(crate) const MAP: &str = "destinations";

/// The bits of the version, with which what is looked up begins.
const VERSION_BITS: u32 = 32;

/// Prefixes, each once; without any, all addresses there are.
#[derive(Clone, Debug)]
pub(crate) struct Destinations(BTreeSet<Prefix>);

impl Destinations {
    pub(crate) fn new(prefixes: &[Prefix]) -> Self {
        let prefixes = if prefixes.is_empty() { &Prefix::EVERYWHERE } else { prefixes };
        Destinations(prefixes.iter().copied().collect())
    }

    /// Before loading: make room for all of them.
    pub(crate) fn size(&self, map: &mut OpenMapMut<'_>) -> libbpf_rs::Result<()> {
        map.set_max_entries(u32::try_from(self.0.len()).unwrap_or(u32::MAX))
    }

    /// After loading, before anything is attached.
    pub(crate) fn fill(&self, object: &Object) -> libbpf_rs::Result<()> {
        let missing = || std::io::Error::other("the programs have no destinations");
        let map = object.maps().find(|map| map.name() == MAP).ok_or_else(missing)?;
        self.0.iter().try_for_each(|prefix| map.update(&key(*prefix), &[1], MapFlags::ANY))
    }
}

/// How many bits count, the version, the address, which ends with zeros where it is of IPv4.
fn key(prefix: Prefix) -> [u8; 24] {
    let mut key = [0; 24];
    key[..4].copy_from_slice(&(VERSION_BITS + u32::from(prefix.length)).to_ne_bytes());
    match prefix.address {
        IpAddr::V4(address) => {
            key[4] = 4;
            key[8..12].copy_from_slice(&address.octets());
        }
        IpAddr::V6(address) => {
            key[4] = 6;
            key[8..].copy_from_slice(&address.octets());
        }
    }
    key
}
