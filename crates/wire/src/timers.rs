//! The timers of many connections in one machine, of which one is the earliest.

use crate::time::Instant;

/// No timer runs.
pub const NEVER: Instant = Instant::MAX;

/// One timer for each connection, in a tournament (Knuth, The Art of Computer Programming, volume 3,
/// section 5.4.1): timers are the leaves of a binary tree whose other nodes hold the earlier of their two
/// children, ties by number. The earliest is known at once, a change costs one path to the root, and unlike
/// a heap it gathers no stale entries.
#[derive(Debug, Default)]
pub struct Timers {
    /// The root at 1, the children of `n` at `2n` and `2n + 1`; the second half are the leaves.
    nodes: Vec<(Instant, u32)>,
    count: usize,
}

impl Timers {
    /// One more timer; its number is how many there were.
    pub fn add(&mut self, at: Instant) {
        if self.count == self.nodes.len() / 2 {
            self.double();
        }
        self.count += 1;
        self.set(self.count - 1, at);
    }
    fn double(&mut self) {
        let leaves = self.nodes.split_off(self.nodes.len() / 2);
        let room = (self.count + 1).next_power_of_two();
        let mut nodes = Vec::with_capacity(2 * room);
        nodes.resize(room, (NEVER, 0));
        nodes.extend(leaves);
        nodes.extend((self.count..room).map(|number| (NEVER, number as u32)));
        for node in (1..room).rev() {
            nodes[node] = nodes[2 * node].min(nodes[2 * node + 1]);
        }
        self.nodes = nodes;
    }
    fn leaf(&self, number: usize) -> usize {
        self.nodes.len() / 2 + number
    }
    /// The earliest timer that runs.
    #[inline]
    pub fn first(&self) -> Option<(Instant, usize)> {
        let &(at, number) = self.nodes.get(1)?;
        (at != NEVER).then_some((at, number as usize))
    }
    /// The timer is to fire at `at`, unless it fires earlier anyway: a machine that is woken too early sets it again.
    /// So a timer that moves later with each acknowledgment costs nothing.
    #[inline]
    pub fn bring_forward(&mut self, number: usize, at: Instant) {
        if at < self.nodes[self.leaf(number)].0 {
            self.set(number, at);
        }
    }
    /// The timer is to fire at `at`.
    ///
    /// # Panics
    /// When there is no timer of this number; so does [`Timers::bring_forward`].
    pub fn set(&mut self, number: usize, at: Instant) {
        let mut node = self.leaf(number);
        self.nodes[node].0 = at;
        while node > 1 {
            let earlier = self.nodes[node].min(self.nodes[node ^ 1]);
            node /= 2;
            self.nodes[node] = earlier;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    proptest! {
        #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]

        #[test]
        fn first_is_the_least(changes in prop::collection::vec((0usize..40, 0u64..50, any::<bool>()), 1..200)) {
            let mut timers = Timers::default();
            let mut plain: Vec<Instant> = Vec::new();
            prop_assert_eq!(timers.first(), None);
            for (number, nanos, forward_only) in changes {
                let at = if nanos == 49 { NEVER } else { Instant::from_nanos(nanos) };
                if number >= plain.len() {
                    timers.add(at);
                    plain.push(at);
                } else if forward_only {
                    timers.bring_forward(number, at);
                    plain[number] = plain[number].min(at);
                } else {
                    timers.set(number, at);
                    plain[number] = at;
                }
                let least = (0..plain.len()).map(|n| (plain[n], n)).min().filter(|(at, _)| *at != NEVER);
                prop_assert_eq!(timers.first(), least);
            }
        }
    }
}
