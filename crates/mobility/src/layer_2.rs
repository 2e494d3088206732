//! The duration of a layer 2 handover: the node scans for base stations, then associates with one.

use seamline_wire::Duration;
use seamline_wire::random::Stream;

/// The distribution of a time around its mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Spread {
    /// Constant.
    #[default]
    None,
    /// Uniform between this much less and this much more.
    Uniform(Duration),
    /// Normal with this standard deviation, cut off at zero.
    Normal(Duration),
}

/// A phase of a handover.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Phase {
    /// Its mean duration.
    pub mean: Duration,
    /// Its distribution.
    pub spread: Spread,
}

impl Phase {
    /// Draw a duration; a constant one uses no random number.
    fn draw(self, stream: &mut Stream) -> Duration {
        let off = match self.spread {
            Spread::None => return self.mean,
            Spread::Uniform(most) => most.as_secs_f64() * (2.0 * stream.uniform() - 1.0),
            Spread::Normal(deviation) => stream.normal(0.0, deviation.as_secs_f64()),
        };
        Duration::from_secs_f64(self.mean.as_secs_f64() + off)
    }
}

/// The phases of a handover, from Link_Down to Link_Up (IEEE 802.21).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Layer2Config {
    /// Finding a base station.
    pub scan: Phase,
    /// Authentication and association with it.
    pub associate: Phase,
}

impl Layer2Config {
    /// A handover with a constant duration.
    pub fn constant(duration: Duration) -> Self {
        let associate = Phase { mean: duration, spread: Spread::None };
        Layer2Config { scan: Phase::default(), associate }
    }
    /// The duration of all handovers, if it is constant.
    pub fn always(&self) -> Option<Duration> {
        let is_constant = [self.scan, self.associate].iter().all(|phase| phase.spread == Spread::None);
        is_constant.then(|| self.scan.mean + self.associate.mean)
    }
    /// The durations of a node's handovers, in order. The phases draw from separate streams below `name`.
    pub fn handovers(self, seed: u64, name: &str) -> impl FnMut() -> Duration + use<> {
        let [mut scan, mut associate] =
            ["scan", "associate"].map(|phase| Stream::new(seed, &format!("{name}/{phase}")));
        move || self.scan.draw(&mut scan) + self.associate.draw(&mut associate)
    }
}
