//! The combined multiple recursive generator MRG32k3a (L'Ecuyer 1999, "Good parameters and
//! implementations for combined multiple recursive random number generators", table 1), seeded the way
//! ns-2 seeds it: one integer fills all six places of the state. (A generator of ns-2 that is never
//! seeded continues 2^127 steps after the one made before it; no reference run has one.)

const FIRST: Component = Component { modulus: 4_294_967_087, newer: 1_403_580, oldest: 810_728, newest: 0 };
const SECOND: Component = Component { modulus: 4_294_944_443, newer: 0, oldest: 1_370_589, newest: 527_612 };

/// One linear recurrence of order three: next = newest·x(n-1) + newer·x(n-2) - oldest·x(n-3).
#[derive(Debug)]
struct Component {
    modulus: u64,
    newest: u64,
    newer: u64,
    oldest: u64,
}

type State = [u64; 3];

impl Component {
    fn advance(&self, state: &mut State) -> u64 {
        let positive = self.newest * state[2] + self.newer * state[1];
        let negative = self.oldest * state[0];
        let next = (positive % self.modulus + self.modulus - negative % self.modulus) % self.modulus;
        *state = [state[1], state[2], next];
        next
    }
}

/// One stream of ns-2's random number generator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mrg32k3a {
    first: State,
    second: State,
}

impl Mrg32k3a {
    /// The stream after `ns-random seed`, or after `$rng seed seed` for a generator of its own.
    /// `seed` is positive and below 2^31 in ns-2.
    pub(super) fn seeded(seed: u32) -> Self {
        Mrg32k3a { first: [u64::from(seed); 3], second: [u64::from(seed); 3] }
    }
    /// A uniform number in (0, 1), a multiple of 1/(2^32 - 208).
    pub(super) fn uniform(&mut self) -> f64 {
        let (a, b) = (FIRST.advance(&mut self.first), SECOND.advance(&mut self.second));
        let difference = if a > b { a - b } else { a + FIRST.modulus - b };
        difference as f64 * (1.0 / (FIRST.modulus as f64 + 1.0))
    }
}

/// The indices, in order of arrival, of the packets that a Bernoulli error model loses among
/// the first `count`, when it draws once per packet from the stream of `seed` in [`loss_stream`].
pub(super) fn loss_indices(seed: u32, probability: f64, count: u64) -> Vec<u64> {
    let mut stream = loss_stream(seed);
    (0..count).filter(|_| stream.uniform() < probability).collect()
}

/// The stream of the error models in family a.
fn loss_stream(seed: u32) -> Mrg32k3a {
    Mrg32k3a::seeded(7919 * seed + 13)
}

/// The phase of the sender's clock at time zero, as a fraction of a tick. ns-2 draws it whenever the
/// agent is reset: at creation (a Vegas agent twice) and when the simulation starts.
pub(super) fn clock_phase(seed: u32, is_vegas: bool) -> f64 {
    let mut stream = Mrg32k3a::seeded(seed);
    let draws_before = if is_vegas { 2 } else { 1 };
    (0..draws_before).for_each(|_| {
        stream.uniform();
    });
    stream.uniform()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first number of the authors' package with its default seed (L'Ecuyer, Simard, Chen and Kelton
    /// 2002, RngStreams).
    #[test]
    fn first_number_of_the_authors_package() {
        assert!((Mrg32k3a::seeded(12_345).uniform() - 0.127_011_122_046_577).abs() < 1e-14);
    }

    /// Printed by ns-2 2.35: `ns-random 1` and three draws of the default generator. Its Tcl command
    /// rounds a draw to a multiple of 1/(2^31 - 1); the agents do not.
    #[test]
    fn clock_phases_are_those_of_ns2() {
        let printed =
            [(1, 0.555_880_715_863_7, 0.014_204_660_437_2), (3, 0.667_636_875_839_7, 0.042_603_437_343_0)];
        for (seed, others, vegas) in printed {
            assert!((clock_phase(seed, false) - others).abs() < 1e-9);
            assert!((clock_phase(seed, true) - vegas).abs() < 1e-9);
        }
    }

    /// Printed by ns-2 2.35: tests/oracle/ns2/loss_indices.tcl seed=1.
    #[test]
    fn losses_are_those_of_ns2() {
        assert_eq!(loss_indices(1, 0.001, 3500), [14, 1962, 2271, 2324, 3165, 3243]);
    }
}
