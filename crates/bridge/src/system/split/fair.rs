//! Who may have more of what is short: places for connections, and memory of the kernel.
//!
//! A network may have as much as is free, and an IPv6 host as much as is left for its network (dynamic thresholds: Choudhury and Hahne,
//! "Dynamic queue length thresholds for shared-memory packet switches", 1998). So one alone has half of it, and the next one finds something. Nothing is
//! taken from a host that has it: a split connection that ends early is reset.

use seamline_agent::{Amounts, End, Numbers, Owner, Shares};
use std::collections::BTreeSet;
use std::net::IpAddr;

/// A host is limited no more once it has a tenth less than it may have.
const SLACK: u64 = 10;

/// A host on the wireless side, or a network of them.
pub(super) type Who = Owner<IpAddr>;

/// What the hosts on the wireless side have.
#[derive(Debug, Default)]
pub(super) struct Fair {
    shares: Shares<IpAddr>,
    /// Bytes of memory that are not set aside, negative where more is than there should be; `None` if that is not known.
    pub(super) left: Option<i64>,
    /// New connections of these pass unsplit.
    limited: BTreeSet<Who>,
    news: Vec<(Who, bool)>,
}

impl Fair {
    /// A connection of a host begins, while so many places are free.
    pub(super) fn enter(&mut self, host: IpAddr, free: u64) -> Numbers {
        let numbers = self.shares.enter(host);
        self.limit_places(host, free);
        numbers
    }
    /// A connection ends, for which so many bytes were set aside.
    pub(super) fn leave(&mut self, numbers: Numbers, bytes: u64) {
        self.shares.leave(numbers, bytes);
        self.left = self.left.map(|left| left.saturating_add_unsigned(bytes));
    }
    /// For a connection so many bytes were set aside before, and are now.
    pub(super) fn change(&mut self, numbers: Numbers, before: u64, after: u64) {
        self.shares.change(numbers, before, after);
        self.left = self.left.map(|left| left.saturating_add_unsigned(before).saturating_sub_unsigned(after));
    }

    /// Who has as many places as are free is limited.
    fn limit_places(&mut self, host: IpAddr, free: u64) {
        let places = self.shares.of(host).map(|it| it.connections);
        let which = Owner::both(host).into_iter().zip(left_for(host, places[0], free)).zip(places);
        // Where the network is limited, its hosts are.
        let mut over = which.filter(|((_, left), has)| has >= left).map(|((owner, _), _)| owner);
        if let Some(owner) = over.next()
            && self.limited.insert(owner)
        {
            self.news.push((owner, true));
        }
    }

    /// Who has less than may be had is limited no more.
    pub(super) fn review(&mut self, free: u64) {
        let is_over = |owner: &Who| {
            let (Owner::Network(host) | Owner::Host(host)) = *owner;
            let places = self.shares.of(host).map(|it| it.connections);
            let level = usize::from(matches!(owner, Owner::Host(_)));
            let left = left_for(host, places[0], free)[level];
            places[level] > 0 && places[level] >= left - left / SLACK
        };
        let (limited, free_again): (BTreeSet<_>, BTreeSet<_>) =
            std::mem::take(&mut self.limited).into_iter().partition(is_over);
        self.limited = limited;
        self.news.extend(free_again.into_iter().map(|owner| (owner, false)));
    }

    /// Since the last call: whose new connections pass from now on, and whose are split again.
    pub(super) fn take_news(&mut self) -> Vec<(Who, bool)> {
        std::mem::take(&mut self.news)
    }

    /// How many are limited.
    pub(super) fn limited(&self) -> usize {
        self.limited.len()
    }

    /// The memory that each connection of a host may have; `None` if its host and its network have no more than may be had.
    pub(super) fn memory_of_each(&self, host: IpAddr) -> Option<u64> {
        let (amounts, left) = (self.shares.of(host), self.left?);
        let lefts = match host.network() == host {
            true => [left; 2],
            false => [left, left.saturating_sub_unsigned(amounts[0].bytes)],
        };
        let has = amounts.map(|it| i64::try_from(it.bytes).unwrap_or(i64::MAX));
        let over = has.into_iter().zip(lefts).zip(amounts).filter(|((has, left), _)| has > left);
        // Both would have the mean of what it has and what is left.
        let mean = |((has, left), amounts): ((i64, i64), Amounts)| {
            has.saturating_add(left).max(0).unsigned_abs() / 2 / amounts.connections.max(1)
        };
        over.map(mean).min()
    }
}

/// How much a host's network may have, and the host, where so much is free. An IPv4 host is a network.
fn left_for(host: IpAddr, network_has: u64, free: u64) -> [u64; 2] {
    let is_network = host.network() == host;
    [free, if is_network { free } else { free.saturating_sub(network_has) }]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(number: u32) -> IpAddr {
        IpAddr::V4((0x0a00_0000 + number).into())
    }

    /// A split agent with so many places, to which hosts come one after the other until they are limited.
    fn places_of(hosts: &[IpAddr], most: u64) -> Vec<u64> {
        let (mut fair, mut open) = (Fair::default(), 0);
        let come = hosts.iter().map(|host| {
            let before = open;
            loop {
                fair.enter(*host, most - open - 1);
                open += 1;
                let is_limited = fair.take_news().iter().any(|(owner, limited)| *limited && owner.has(*host));
                if is_limited || fair.limited.iter().any(|owner| owner.has(*host)) || open == most {
                    return open - before;
                }
            }
        });
        come.collect()
    }

    #[test]
    fn one_alone_has_half_and_each_who_comes_half_of_what_is_left() {
        let hosts: Vec<IpAddr> = (0..4).map(host).collect();
        assert_eq!(places_of(&hosts, 1024), [512, 256, 128, 64]);
    }

    /// All addresses of a prefix of 64 bits have together what one IPv4 host has.
    #[test]
    fn a_prefix_has_no_more_than_a_host() {
        let in_one_prefix = |number: u128| IpAddr::V6(((0xfd77 << 112) | number).into());
        let hosts: Vec<IpAddr> = (1..600).map(in_one_prefix).collect();
        let (mut fair, mut open) = (Fair::default(), 0_u64);
        for host in hosts {
            fair.enter(host, 1024 - open - 1);
            open += 1;
            if fair.limited.contains(&Owner::Network(host.network())) {
                break;
            }
        }
        assert_eq!(open, 512);
    }

    /// One of them leaves room for others in its prefix.
    #[test]
    fn a_host_in_a_prefix_has_a_third() {
        let in_one_prefix = |number: u128| IpAddr::V6(((0xfd77 << 112) | number).into());
        assert_eq!(places_of(&[1, 2, 3].map(in_one_prefix), 1024), [342, 114, 38]);
    }

    #[test]
    fn who_has_less_again_is_split_again() {
        let mut fair = Fair::default();
        let all: Vec<Numbers> = (0..5).map(|taken| fair.enter(host(1), 10 - taken - 1)).collect();
        let owner = Owner::Network(host(1));
        assert_eq!(fair.take_news(), [(owner, true)]);
        fair.review(5);
        assert_eq!(fair.take_news(), []);
        fair.leave(all[0], 0);
        fair.review(6);
        assert_eq!((fair.take_news(), fair.limited()), (vec![(owner, false)], 0));
    }

    #[test]
    fn memory_is_limited_where_one_has_more_than_is_left() {
        let mut fair = Fair::default();
        let [one, two, other] = [host(1), host(1), host(2)].map(|host| fair.enter(host, 100));
        fair.change(one, 0, 600);
        assert_eq!(fair.memory_of_each(host(1)), None, "nothing is known");
        fair.left = Some(900);
        fair.change(two, 0, 200);
        fair.change(other, 0, 100);
        assert_eq!([1, 2].map(|it| fair.memory_of_each(host(it))), [Some(350), None]);
        fair.leave(two, 200);
        assert_eq!((fair.left, fair.memory_of_each(host(1))), (Some(800), None));
        fair.left = Some(-400);
        assert_eq!(fair.memory_of_each(host(1)), Some(100), "more is set aside than there is");
    }
}
