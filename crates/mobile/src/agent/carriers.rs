//! Which interfaces carry which connections: tunnels and stacked devices (VLAN, bond, bridge), and those that take the place of others.

use super::{Agent, By};
use crate::settings::Policy;
use seamline_host::Line;
use seamline_wire::Instant;
use std::collections::{BTreeMap, BTreeSet};

impl Agent {
    /// An interface, then those that carry it by what the file or the kernel says, then those that carry these.
    fn carriers(&self, index: u32) -> Vec<u32> {
        let mut all = vec![index];
        let mut place = 0;
        while let Some(&upper) = all.get(place) {
            place += 1;
            let tunnel = self.links.name(upper).and_then(|name| self.settings.tunnels.get(name));
            let tunnel = tunnel.and_then(|carrier| self.links.index(carrier));
            for lower in self.links.below(upper).chain(tunnel) {
                if !all.contains(&lower) {
                    all.push(lower);
                }
            }
        }
        all
    }

    /// The interfaces that an interface carries, itself among them: each with whether it is that, or a tunnel over it by the file. Of
    /// other stacked devices the kernel says itself what becomes of them, where their own carrier goes and comes.
    pub(super) fn carried(&self, link: u32) -> BTreeMap<u32, bool> {
        let name = self.links.name(link).unwrap_or_default();
        let all = self.links.iter().filter(|(index, ..)| self.carriers(*index).contains(&link));
        all.map(|(index, over, _)| (index, self.settings.depends(over, name))).collect()
    }

    /// Whether an interface is carried by others, and does not in its turn carry them, as the two ends of a veth do.
    pub(super) fn depends_on_others(&self, index: u32) -> bool {
        self.carriers(index).into_iter().any(|lower| !self.carriers(lower).contains(&index))
    }

    /// The policy for connections over an interface: its own, or else that of the nearest that carries it, or else the default.
    pub(super) fn policy(&self, interface: u32) -> Policy {
        let names = self.carriers(interface).into_iter().filter_map(|index| self.links.name(index));
        let own = names.filter_map(|name| self.settings.links.get(name)).next();
        own.copied().unwrap_or(self.settings.default)
    }

    /// Let connections follow whose interface is gone: to the one that has its name now, or else their address. That is a link that is back,
    /// once it is up.
    pub(super) fn follow(&mut self, now: Instant) {
        if !self.links.misses_any() {
            return;
        }
        let mut followed: BTreeMap<u32, u64> = BTreeMap::new();
        for (key, connection) in self.connections.all.iter_mut() {
            let Some(successor) = self.links.successor(connection.interface, key.local.ip()) else {
                continue;
            };
            connection.interface = successor;
            *followed.entry(successor).or_default() += 1;
        }
        for (index, connections) in followed {
            let name = self.links.name(index).unwrap_or_default().to_owned();
            let line = Line::new("link-remade").with("link", name).with("by", By::Kernel.name());
            self.log.push(line.with("connections", connections));
            if self.links.is_up(index) && self.policy(index).watch {
                let over =
                    self.connections.all.iter_mut().filter(|(_, connection)| connection.interface == index);
                over.filter(|(_, connection)| connection.interrupted.is_some())
                    .for_each(|(_, connection)| connection.owe(now));
            }
        }
    }

    /// An interface is gone.
    pub fn gone(&mut self, now: Instant, index: u32) {
        let mut is_used = false;
        for (_, connection) in self.connections.all.iter_mut().filter(|(_, it)| it.interface == index) {
            is_used = true;
            connection.interrupted = connection.interrupted.or(Some(now));
        }
        self.asks_standing |= is_used;
        self.links.gone(index, is_used);
        self.outages.gone(index);
    }

    /// Everything will be described again: addresses, and the interfaces with these numbers. Others are gone.
    pub fn look_again(&mut self, now: Instant, there: &BTreeSet<u32>) {
        let gone: Vec<u32> =
            self.links.iter().map(|(index, ..)| index).filter(|index| !there.contains(index)).collect();
        gone.into_iter().for_each(|index| self.gone(now, index));
        self.links.forget_addresses();
    }

    /// Forget names of interfaces that are gone, with all connections over them.
    pub(super) fn forget_former(&mut self) {
        let used: BTreeSet<u32> =
            self.connections.all.values().map(|connection| connection.interface).collect();
        self.links.forget_former(&used);
    }
}
