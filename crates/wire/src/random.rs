//! Independent random streams, each named after the component that draws from it, so that all
//! schemes of a comparison meet the same losses and adding a component does not change what others draw.

use rand_core::{RngCore, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// One component's random stream. The same seed and name give the same numbers on every machine.
#[derive(Clone, Debug)]
pub struct Stream(Xoshiro256PlusPlus);

impl Stream {
    /// The stream of the component `name` under the master seed `seed`: xoshiro256++ keyed with
    /// BLAKE3 of both.
    pub fn new(seed: u64, name: &str) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&seed.to_le_bytes());
        hasher.update(name.as_bytes());
        Stream(Xoshiro256PlusPlus::from_seed(*hasher.finalize().as_bytes()))
    }
    /// A uniform number in [0, 1), with 53 random bits.
    pub fn uniform(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }
    /// `true` with the given probability (0 to 1). Always draws exactly one number, so streams stay
    /// aligned between runs with different probabilities.
    pub fn chance(&mut self, probability: f64) -> bool {
        self.uniform() < probability
    }
    /// A uniform integer in `0..bound`; zero when `bound` is zero.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.0.next_u64()) * u128::from(bound)) >> 64) as u64
    }
    /// An exponentially distributed number with the given mean.
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * libm::log(1.0 - self.uniform())
    }
    /// A normally distributed number (Box and Muller 1958).
    pub fn normal(&mut self, mean: f64, standard_deviation: f64) -> f64 {
        let radius = libm::sqrt(-2.0 * libm::log(1.0 - self.uniform()));
        mean + standard_deviation * radius * libm::cos(std::f64::consts::TAU * self.uniform())
    }
    /// 64 random bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_stable_across_machines_and_versions() {
        let mut stream = Stream::new(1, "air/down/loss");
        let drawn: Vec<u64> = (0..2).map(|_| stream.bits()).collect();
        let again: Vec<u64> = {
            let mut stream = Stream::new(1, "air/down/loss");
            (0..2).map(|_| stream.bits()).collect()
        };
        assert_eq!(drawn, again);
        assert_ne!(Stream::new(1, "air/up/loss").bits(), drawn[0]);
        assert_ne!(Stream::new(2, "air/down/loss").bits(), drawn[0]);
    }

    #[test]
    fn means_and_bounds_are_those_of_the_distributions() {
        let mut stream = Stream::new(7, "test");
        let n = 100_000;
        let mean = |f: &mut dyn FnMut() -> f64| (0..n).map(|_| f()).sum::<f64>() / f64::from(n);
        let uniform = mean(&mut || stream.uniform());
        assert!((0.495..0.505).contains(&uniform), "{uniform}");
        let exponential = mean(&mut || stream.exponential(2.0));
        assert!((1.96..2.04).contains(&exponential), "{exponential}");
        let normal = mean(&mut || stream.normal(3.0, 1.0));
        assert!((2.98..3.02).contains(&normal), "{normal}");
        assert!((0..n).all(|_| stream.below(3) < 3));
    }
}
