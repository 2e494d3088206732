//! What each host on the wireless side has of the room, and each network: of places, and of memory.

use crate::key::End;
use std::collections::BTreeMap;

/// Who can have too much.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Owner<A> {
    /// All hosts of a network.
    Network(A),
    /// One host.
    Host(A),
}

impl<A: End> Owner<A> {
    /// The network of a host, and the host.
    pub fn both(host: A) -> [Self; 2] {
        [Owner::Network(host.network()), Owner::Host(host)]
    }
    /// Whether it is the owner of what this host has.
    pub fn has(self, host: A) -> bool {
        Owner::both(host).contains(&self)
    }
    fn level(self) -> usize {
        match self {
            Owner::Network(_) => 0,
            Owner::Host(_) => 1,
        }
    }
}

/// What an owner has.
#[derive(Clone, Copy, Debug, Default)]
pub struct Amounts {
    /// Of its hosts.
    pub connections: u64,
    /// Of kept packets.
    pub bytes: u64,
}

/// The numbers of a connection's owners, by which their amounts are found fast.
pub type Numbers = [u32; 2];

/// By owner.
#[derive(Debug)]
pub struct Shares<A> {
    numbers: BTreeMap<Owner<A>, u32>,
    /// By number; `None` if free.
    amounts: Vec<Option<(Owner<A>, Amounts)>>,
    free: Vec<u32>,
}

impl<A: End> Default for Shares<A> {
    fn default() -> Self {
        Self::new()
    }
}

impl<A: End> Shares<A> {
    /// Nobody has anything.
    pub fn new() -> Self {
        Shares { numbers: BTreeMap::new(), amounts: Vec::new(), free: Vec::new() }
    }
    /// A connection of this host begins.
    pub fn enter(&mut self, host: A) -> Numbers {
        Owner::both(host).map(|owner| {
            let number = match self.numbers.get(&owner) {
                Some(number) => *number,
                None => self.begin(owner),
            };
            if let Some((_, amounts)) = &mut self.amounts[number as usize] {
                amounts.connections += 1;
            }
            number
        })
    }
    fn begin(&mut self, owner: Owner<A>) -> u32 {
        let number = self.free.pop().unwrap_or_else(|| {
            self.amounts.push(None);
            self.amounts.len() as u32 - 1
        });
        self.amounts[number as usize] = Some((owner, Amounts::default()));
        self.numbers.insert(owner, number);
        number
    }
    /// One for which so much was kept ends.
    pub fn leave(&mut self, numbers: Numbers, bytes: u64) {
        self.change(numbers, bytes, 0);
        for number in numbers {
            let Some((owner, amounts)) = &mut self.amounts[number as usize] else { continue };
            amounts.connections -= 1;
            if amounts.connections == 0 {
                self.numbers.remove(owner);
                self.amounts[number as usize] = None;
                self.free.push(number);
            }
        }
    }
    /// Of one so much was kept before, and is now.
    pub fn change(&mut self, numbers: Numbers, before: u64, after: u64) {
        for number in numbers {
            if let Some((_, amounts)) = &mut self.amounts[number as usize] {
                amounts.bytes = amounts.bytes + after - before;
            }
        }
    }
    /// What the network of a host has, and the host.
    pub fn of(&self, host: A) -> [Amounts; 2] {
        Owner::both(host).map(|owner| {
            let held = self.numbers.get(&owner).and_then(|number| self.amounts[*number as usize]);
            held.map_or(Amounts::default(), |(_, amounts)| amounts)
        })
    }
    /// The network that has most, and the host.
    pub fn heaviest(&self, of: impl Fn(&Amounts) -> u64) -> [Option<(Owner<A>, u64)>; 2] {
        let mut heaviest: [Option<(Owner<A>, u64)>; 2] = [None; 2];
        for (owner, amounts) in self.amounts.iter().flatten() {
            let (most, amount) = (&mut heaviest[owner.level()], of(amounts));
            if most.is_none_or(|(_, most)| amount > most) {
                *most = Some((*owner, amount));
            }
        }
        heaviest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A network has sixteen hosts.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    struct Address(u32);

    impl End for Address {
        fn network(self) -> Self {
            Address(self.0 / 16 * 16)
        }
    }

    #[test]
    fn addresses_of_one_network_count_together() {
        let mut shares = Shares::new();
        let connections = [1, 2, 2, 17].map(|host| shares.enter(Address(host)));
        shares.change(connections[0], 0, 10);
        shares.change(connections[3], 0, 15);
        shares.change(connections[1], 0, 7);
        shares.change(connections[1], 7, 6);
        let by_bytes = shares.heaviest(|amounts| amounts.bytes);
        assert_eq!(by_bytes, [Some((Owner::Network(Address(0)), 16)), Some((Owner::Host(Address(17)), 15))]);
        let by_connections = shares.heaviest(|amounts| amounts.connections);
        assert_eq!(
            by_connections,
            [Some((Owner::Network(Address(0)), 3)), Some((Owner::Host(Address(2)), 2))]
        );
        assert_eq!(shares.of(Address(1)).map(|amounts| amounts.bytes), [16, 10]);
        assert_eq!(shares.of(Address(3)).map(|amounts| amounts.connections), [3, 0]);
    }

    #[test]
    fn what_has_ended_leaves_nothing() {
        let mut shares = Shares::new();
        for round in 0..3 {
            let first = shares.enter(Address(1));
            let second = shares.enter(Address(2));
            shares.change(second, 0, 5);
            shares.leave(first, 0);
            assert_eq!(shares.of(Address(1)).map(|amounts| amounts.bytes), [5, 0], "round {round}");
            shares.leave(second, 5);
            assert!(shares.numbers.is_empty() && shares.heaviest(|it| it.connections) == [None; 2]);
        }
        assert_eq!(shares.amounts.len(), 3, "places are used again");
    }
}
