//! Which connections end where memory is short, and smaller buffers are not enough.
//!
//! The kernel has the only copy of what it has acknowledged to one end and not delivered to the other. It gives none of it back: a smaller
//! buffer only takes in less from then on. So memory that is full comes back as the other end reads, or with the connection.

use seamline_agent::End;
use seamline_wire::{Duration, Instant};
use std::collections::BTreeMap;
use std::net::IpAddr;

/// A connection that has moved nothing for so long may end: its host has left, does not read, or is in an outage after which both ends begin
/// again with small windows.
const STUCK: Duration = Duration::from_secs(60);
/// One with less memory is not worth it.
const WORTH: u64 = 16 << 10;

/// A connection, and the memory that it has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Holder {
    pub(super) place: usize,
    pub(super) host: IpAddr,
    /// When data was relayed last, or acknowledged.
    pub(super) moved_at: Instant,
    /// In bytes.
    pub(super) kept: u64,
}

/// Of these, the places of those that end so that `short` bytes come back: of who has most, the longest silent first. All that move stay,
/// even if it is not enough.
pub(super) fn to_end(now: Instant, holders: &[Holder], short: u64) -> Vec<usize> {
    let mut has = BTreeMap::<IpAddr, u64>::new();
    let mut stuck = BTreeMap::<IpAddr, Vec<Holder>>::new();
    for it in holders {
        let network = it.host.network();
        *has.entry(network).or_default() += it.kept;
        if it.kept >= WORTH && it.moved_at + STUCK <= now {
            stuck.entry(network).or_default().push(*it);
        }
    }
    stuck.values_mut().for_each(|of_one| of_one.sort_by_key(|it| std::cmp::Reverse((it.moved_at, it.place))));
    let (mut places, mut found) = (Vec::new(), 0);
    while found < short {
        let heaviest =
            stuck.iter_mut().filter(|(_, of_one)| !of_one.is_empty()).max_by_key(|(who, _)| has[*who]);
        let Some((who, of_one)) = heaviest else { break };
        let Some(Holder { place, kept, .. }) = of_one.pop() else { break };
        *has.entry(*who).or_default() -= kept;
        found += kept;
        places.push(place);
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEPT: u64 = 100_000;

    /// So many seconds ago something moved for the last time.
    fn holder(place: usize, host: u8, silent: u64) -> Holder {
        Holder {
            place,
            host: [10, 0, 0, host].into(),
            moved_at: Instant::from_secs(1000 - silent),
            kept: KEPT,
        }
    }

    fn ended(holders: &[Holder], short: u64) -> Vec<usize> {
        to_end(Instant::from_secs(1000), holders, short)
    }

    #[test]
    fn who_has_most_gives_first_and_the_longest_silent_of_that() {
        let all = [holder(0, 1, 900), holder(1, 2, 70), holder(2, 2, 80), holder(3, 2, 61), holder(4, 2, 1)];
        assert_eq!(ended(&all, 1), [2]);
        assert_eq!(ended(&all, KEPT + 1), [2, 1]);
        // Then both have as much, and the one that moves stays.
        assert_eq!(ended(&all, u64::MAX), [2, 1, 3, 0]);
    }

    #[test]
    fn nothing_ends_that_moves_or_has_little_or_is_not_needed() {
        let little = Holder { kept: WORTH - 1, ..holder(1, 1, 500) };
        assert_eq!(ended(&[holder(0, 1, 59), little], u64::MAX), [] as [usize; 0]);
        assert_eq!(ended(&[holder(0, 1, 500)], 0), [] as [usize; 0]);
    }

    /// All addresses of a prefix of 64 bits are one host's.
    #[test]
    fn a_prefix_counts_as_a_host() {
        let in_prefix = |place, host: u128| {
            let host = IpAddr::V6(((0xfd77 << 112) | host).into());
            Holder { host, ..holder(place, 0, 100) }
        };
        let all = [holder(0, 1, 500), in_prefix(1, 1), in_prefix(2, 2)];
        assert_eq!(ended(&all, 1), [1]);
    }
}
