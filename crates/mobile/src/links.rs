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
    /// The interface of this host that it sends by (`IFLA_LINK`): what a VLAN is on.
    pub below: Option<u32>,
    /// The interface that sends by it (`IFLA_MASTER`): the bond or bridge that it is a port of.
    pub above: Option<u32>,
}

/// What is known of one interface.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Link {
    name: String,
    below: Option<u32>,
    above: Option<u32>,
    is_running: bool,
    /// A command has reported its link lost and not back: a modem that keeps its interface up.
    is_reported_down: bool,
}

/// How a link has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// It no longer carries packets.
    Down,
    /// It carries packets again, or for the first time.
    Up,
}

/// Devices on devices: Linux's `MAX_NEST_DEV`. The two ends of a veth are each below the other.
const NESTED: usize = 8;

/// The links and addresses of the host.
#[derive(Clone, Debug, Default)]
pub struct Links {
    links: BTreeMap<u32, Link>,
    /// The names that interfaces had which are gone.
    former: BTreeMap<u32, String>,
    addresses: BTreeSet<(u32, IpAddr)>,
}

impl Links {
    /// The kernel has described an interface. How that changes whether it carries packets, by the kernel's word alone; the first
    /// description changes nothing.
    pub fn described(&mut self, described: Described) -> Option<Change> {
        let Described { index, name, is_running, is_loopback, below, above } = described;
        if is_loopback {
            return None;
        }
        let is_new = !self.links.contains_key(&index);
        let new = Link { name: String::new(), below, above, is_running, is_reported_down: false };
        let link = self.links.entry(index).or_insert(new);
        (link.name, link.below, link.above) = (name, below, above);
        let was_running = std::mem::replace(&mut link.is_running, is_running);
        if is_new || was_running == is_running {
            return None;
        }
        // An interface that comes up is better evidence than an earlier command.
        link.is_reported_down &= !is_running;
        Some(if is_running { Change::Up } else { Change::Down })
    }

    /// An interface is gone, with its addresses. Its name is kept where it `is_used`, for what may take its place.
    pub fn gone(&mut self, index: u32, is_used: bool) {
        if let Some(link) = self.links.remove(&index)
            && is_used
        {
            self.former.insert(index, link.name);
        }
        self.addresses.retain(|(of, _)| *of != index);
    }

    /// Forget all addresses.
    pub fn forget_addresses(&mut self) {
        self.addresses.clear();
    }

    /// Whether there was an interface that is gone, and that is used.
    pub fn misses_any(&self) -> bool {
        !self.former.is_empty()
    }

    /// Of the interfaces that are gone keep only those that are used.
    pub fn forget_former(&mut self, used: &BTreeSet<u32>) {
        self.former.retain(|index, _| used.contains(index));
    }

    /// What has taken the place of an interface that is gone: what has its name, or else what has this address.
    pub fn successor(&self, index: u32, address: IpAddr) -> Option<u32> {
        let name = self.former.get(&index)?;
        let owner = || self.addresses.iter().find(|(of, own)| *own == address && self.links.contains_key(of));
        self.index(name).or_else(|| owner().map(|(of, _)| *of))
    }

    /// The interfaces right below one: what it sends by, or its ports.
    pub fn below(&self, index: u32) -> impl Iterator<Item = u32> {
        let own = self.links.get(&index).and_then(|link| link.below);
        let ports = self.links.iter().filter(move |(_, link)| link.above == Some(index));
        own.filter(|lower| self.links.contains_key(lower)).into_iter().chain(ports.map(|(port, _)| *port))
    }

    /// Whether what leaves by `upper` may then leave by `lower`, and is seen at both.
    pub fn lies_below(&self, lower: u32, upper: u32) -> bool {
        self.lies_below_within(lower, upper, NESTED)
    }

    fn lies_below_within(&self, lower: u32, upper: u32, levels: usize) -> bool {
        let Some(levels) = levels.checked_sub(1) else { return false };
        lower != upper && self.below(upper).any(|it| it == lower || self.lies_below_within(lower, it, levels))
    }

    /// A command reports that a link is lost, or is back.
    pub fn commanded(&mut self, index: u32, change: Change) {
        if let Some(link) = self.links.get_mut(&index) {
            link.is_reported_down = change == Change::Down;
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

    /// Whether packets can leave by this interface: so can they by one of those below, if there are any.
    pub fn is_up(&self, index: u32) -> bool {
        self.is_up_within(index, NESTED)
    }

    fn is_up_within(&self, index: u32, levels: usize) -> bool {
        let is_up = self.links.get(&index).is_some_and(|link| link.is_running && !link.is_reported_down);
        let Some(levels) = levels.checked_sub(1) else { return is_up };
        is_up
            && (self.below(index).next().is_none()
                || self.below(index).any(|it| self.is_up_within(it, levels)))
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
        named(3, "wwan0", is_running)
    }

    fn named(index: u32, name: &str, is_running: bool) -> Described {
        Described { index, name: name.to_owned(), is_running, is_loopback: false, below: None, above: None }
    }

    #[test]
    fn a_stacked_device_is_up_when_one_of_those_below_is() {
        let mut links = Links::default();
        links.described(described(true));
        links.described(Described { below: Some(3), ..named(5, "wwan0.7", true) });
        assert!(links.is_up(5));
        links.commanded(3, Change::Down);
        assert!(!links.is_up(5));
        links.described(named(9, "br0", true));
        assert!(links.is_up(9), "without ports it is for the kernel to say");
        links.described(Described { above: Some(9), ..named(5, "wwan0.7", true) });
        assert!(links.is_up(9), "no longer stacked on wwan0");
        links.described(Described { above: Some(9), ..named(6, "eth0", true) });
        links.commanded(5, Change::Down);
        assert!(links.is_up(9));
        links.commanded(6, Change::Down);
        assert!(!links.is_up(9));
    }

    #[test]
    fn two_devices_of_which_each_is_below_the_other_are_up_or_not() {
        let mut links = Links::default();
        for (index, below) in [(3, 4), (4, 3)] {
            links.described(Described { below: Some(below), ..named(index, "veth", true) });
        }
        assert!(links.is_up(3));
        links.commanded(4, Change::Down);
        assert!(!links.is_up(3));
    }

    #[test]
    fn an_interface_that_is_gone_is_followed_by_its_name_or_else_its_address() {
        let mut links = Links::default();
        let address = IpAddr::from([192, 0, 2, 1]);
        links.described(described(true));
        links.described(named(8, "wlan0", true));
        links.gone(3, true);
        assert_eq!(links.successor(3, address), None);
        links.address(1, address, true);
        assert_eq!(links.successor(3, address), None, "loopback is none");
        links.address(8, address, true);
        assert_eq!(links.successor(3, address), Some(8));
        links.described(named(9, "wwan0", true));
        assert_eq!((links.successor(3, address), links.successor(8, address)), (Some(9), None));
        links.forget_former(&BTreeSet::new());
        assert!(!links.misses_any());
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
        links.commanded(3, Change::Down);
        assert_eq!(links.described(described(true)), None);
        assert!(!links.is_up(3));
        links.commanded(3, Change::Up);
        assert!(links.is_up(3));
        links.commanded(3, Change::Down);
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
        links.gone(3, false);
        assert!(links.has(address));
        links.address(4, address, false);
        assert!(!links.has(address));
    }
}
