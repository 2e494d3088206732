//! Which of the host's links carry packets, and which addresses it has.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

/// An interface as the kernel describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Described {
    /// Its number.
    pub index: u32,
    /// Its name.
    pub name: String,
    /// Whether it is administratively up and its lower layer is ready (`IFF_UP` and `IFF_RUNNING`).
    pub is_running: bool,
    /// Whether it leads nowhere but to this host.
    pub is_loopback: bool,
}

/// What is known of one interface.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Link {
    name: String,
    is_running: bool,
    /// Whether somebody said that its link is lost, and nobody that it is back: a modem that keeps its interface up.
    is_told_down: bool,
}

/// How a link has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It no longer carries packets.
    Down,
    /// It carries packets again, or for the first time.
    Up,
}

/// The links and addresses of the host.
#[derive(Clone, Debug, Default)]
pub struct Links {
    links: BTreeMap<u32, Link>,
    addresses: BTreeSet<(u32, IpAddr)>,
}

impl Links {
    /// The kernel has described an interface. How that changes whether it carries packets, by the kernel's word alone; the first
    /// description changes nothing.
    pub fn described(&mut self, described: Described) -> Option<Change> {
        let Described { index, name, is_running, is_loopback } = described;
        if is_loopback {
            return None;
        }
        let is_new = !self.links.contains_key(&index);
        let link =
            self.links.entry(index).or_insert(Link { name: String::new(), is_running, is_told_down: false });
        link.name = name;
        let was_running = std::mem::replace(&mut link.is_running, is_running);
        if is_new || was_running == is_running {
            return None;
        }
        // An interface that comes up is better evidence than what somebody said before.
        link.is_told_down &= !is_running;
        Some(if is_running { Change::Up } else { Change::Down })
    }

    /// An interface is gone, with its addresses.
    pub fn gone(&mut self, index: u32) {
        self.links.remove(&index);
        self.addresses.retain(|(of, _)| *of != index);
    }

    /// Of the interfaces keep these, and of the addresses none.
    pub fn keep(&mut self, there: &BTreeSet<u32>) {
        self.links.retain(|index, _| there.contains(index));
        self.addresses.clear();
    }

    /// Somebody says that a link is lost, or is back.
    pub fn told(&mut self, index: u32, change: Change) {
        if let Some(link) = self.links.get_mut(&index) {
            link.is_told_down = change == Change::Down;
        }
    }

    /// An address can be used, or can no longer. Whether that is new.
    pub fn address(&mut self, index: u32, address: IpAddr, is_usable: bool) -> bool {
        match is_usable {
            true => self.addresses.insert((index, address)),
            false => self.addresses.remove(&(index, address)),
        }
    }

    /// Whether the host has this address, on whichever interface.
    pub fn has(&self, address: IpAddr) -> bool {
        self.addresses.iter().any(|(_, other)| *other == address)
    }

    /// Whether packets can leave by this interface.
    pub fn is_up(&self, index: u32) -> bool {
        self.links.get(&index).is_some_and(|link| link.is_running && !link.is_told_down)
    }

    /// The name of an interface.
    pub fn name(&self, index: u32) -> Option<&str> {
        self.links.get(&index).map(|link| link.name.as_str())
    }

    /// The number of an interface.
    pub fn index(&self, name: &str) -> Option<u32> {
        self.links.iter().find(|(_, link)| link.name == name).map(|(index, _)| *index)
    }

    /// All of them but loopback: number, name, whether packets can leave.
    pub fn iter(&self) -> impl Iterator<Item = (u32, &str, bool)> {
        self.links.iter().map(|(index, link)| (*index, link.name.as_str(), self.is_up(*index)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn described(is_running: bool) -> Described {
        Described { index: 3, name: "wwan0".to_owned(), is_running, is_loopback: false }
    }

    #[test]
    fn only_a_change_is_one() {
        let mut links = Links::default();
        assert_eq!(links.described(described(true)), None, "it was so before we looked");
        assert_eq!(links.described(described(true)), None);
        assert_eq!(links.described(described(false)), Some(Change::Down));
        assert!(!links.is_up(3));
        assert_eq!(links.described(described(true)), Some(Change::Up));
        assert!(links.is_up(3));
    }

    #[test]
    fn a_link_can_be_lost_though_its_interface_stays_up() {
        let mut links = Links::default();
        links.described(described(true));
        links.told(3, Change::Down);
        assert_eq!(links.described(described(true)), None);
        assert!(!links.is_up(3));
        links.told(3, Change::Up);
        assert!(links.is_up(3));
        links.told(3, Change::Down);
        links.described(described(false));
        links.described(described(true));
        assert!(links.is_up(3), "the interface came up after that");
    }

    #[test]
    fn an_address_on_two_interfaces_goes_with_the_second() {
        let mut links = Links::default();
        let address = IpAddr::from([192, 0, 2, 1]);
        assert!(links.address(3, address, true) && links.address(4, address, true));
        assert!(!links.address(3, address, true), "it is known");
        links.gone(3);
        assert!(links.has(address));
        links.address(4, address, false);
        assert!(!links.has(address));
    }
}
