//! Loss outside of outages.

use crate::measured::{Direction, Outcome, Probe};

/// The share of probes that did not come back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LossShare {
    /// The share, 0 to 1.
    pub share: f64,
    /// Its 95 % interval (Wilson, 1927).
    pub interval: (f64, f64),
    /// Of how many probes.
    pub probes: usize,
    /// Losses known to be on the way down and on the way up.
    pub known: [usize; 2],
}

/// The quantile of the normal distribution for 95 %.
const Z: f64 = 1.959_963_984_540_054;

impl LossShare {
    /// That of some probes; `None` when there are none.
    pub fn of(probes: &[Probe]) -> Option<Self> {
        let count =
            |fate: Option<Direction>| probes.iter().filter(|it| it.outcome == Outcome::Lost(fate)).count();
        let known = [Direction::Down, Direction::Up].map(|direction| count(Some(direction)));
        let lost = known[0] + known[1] + count(None);
        (!probes.is_empty()).then(|| LossShare {
            share: lost as f64 / probes.len() as f64,
            interval: wilson(lost, probes.len()),
            probes: probes.len(),
            known,
        })
    }

    /// The shares down and up that together lose this share of round trips: as the known losses say, else the same in both.
    pub fn by_direction(&self) -> [f64; 2] {
        let known = self.known[0] + self.known[1];
        let part = |place: usize| if known == 0 { 0.5 } else { self.known[place] as f64 / known as f64 };
        [0, 1].map(|place| 1.0 - libm::pow(1.0 - self.share, part(place)))
    }
}

/// The Wilson interval of a share.
pub fn wilson(hits: usize, all: usize) -> (f64, f64) {
    let (n, share) = (all as f64, hits as f64 / all as f64);
    let middle = share + Z * Z / (2.0 * n);
    let half = Z * libm::sqrt(share * (1.0 - share) / n + Z * Z / (4.0 * n * n));
    let scale = 1.0 + Z * Z / n;
    (((middle - half) / scale).max(0.0), ((middle + half) / scale).min(1.0))
}
