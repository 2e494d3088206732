//! The delay of the path, and what exceeds it.

use super::one_way;
use super::period::Period;
use crate::measured::{Direction, Probe};
use seamline_wire::{Duration, Instant};

/// Without a period, windows are at least this long.
const SHORTEST_WINDOW: Duration = Duration::from_secs(2);
/// And have this many probes.
const PROBES_IN_WINDOW: u64 = 20;

/// So much of a slot at each of its edges does not count for its delay.
const GUARD: f64 = 0.02;

/// One window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Its begin.
    pub from: Instant,
    /// The least round trip in it.
    pub least: Duration,
    /// The second least: how far both are apart says how certain the least is.
    pub second: Duration,
    /// The least one-way delay down and up.
    pub one_way: [Duration; 2],
}

/// The path's delay in each window: the least that a probe took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseDelay {
    /// Windows in order, those without answers left out.
    pub windows: Vec<Window>,
    /// The median distance of the least and the second least round trip.
    pub uncertainty: Duration,
}

impl BaseDelay {
    /// That of probes outside of outages: in each slot of a period, else in windows of even length. `None` without answers.
    pub fn of(probes: &[Probe], period: Option<&Period>) -> Option<Self> {
        let distance = super::outages::distance(probes).unwrap_or(SHORTEST_WINDOW);
        let even = SHORTEST_WINDOW.max(distance * PROBES_IN_WINDOW);
        let (length, phase) = period.map_or((even, Duration::ZERO), |period| (period.length, period.phase));
        // The phase is not exact: what is near the edges may belong to the neighbor.
        let guard = period.map_or(Duration::ZERO, |period| period.length.mul_f64(GUARD));
        // A window begins at the phase of the period; the first may be cut.
        let number = |at: Instant| (at + length - phase).as_nanos() / length.as_nanos();
        let windows: Vec<Window> = probes
            .chunk_by(|one, other| number(one.sent) == number(other.sent))
            .filter_map(|slot| Window::of(slot, guard))
            .collect();
        let mut gaps: Vec<Duration> = windows.iter().map(|window| window.second - window.least).collect();
        gaps.sort_unstable();
        let uncertainty = *gaps.get(gaps.len() / 2)?;
        Some(BaseDelay { windows, uncertainty })
    }

    /// The one-way delays over time.
    pub fn one_way(&self, direction: Direction) -> Vec<(Instant, Duration)> {
        let place = usize::from(direction == Direction::Up);
        self.windows.iter().map(|window| (window.from, window.one_way[place])).collect()
    }

    /// The same windows seen from a later start: what came at `by` comes at zero.
    pub fn skip(&mut self, by: Duration) {
        let at = Instant::ZERO + by;
        let gone = self.windows.partition_point(|window| window.from <= at).saturating_sub(1);
        self.windows.drain(..gone);
        self.windows.iter_mut().for_each(|window| window.from = window.from - by);
    }

    /// The mean of the path's round trip over the windows.
    pub fn mean(&self) -> Duration {
        let sum: Duration = self.windows.iter().fold(Duration::ZERO, |sum, window| sum + window.least);
        sum.mul_f64(1.0 / self.windows.len() as f64)
    }

    /// The path's round trip at a time.
    pub fn round_trip(&self, at: Instant) -> Duration {
        let after = self.windows.partition_point(|window| window.from <= at);
        self.windows[after.saturating_sub(1)].least
    }
}

impl Window {
    fn of(probes: &[Probe], guard: Duration) -> Option<Window> {
        let (from, until) = (probes.first()?.sent, probes.last()?.sent);
        let inner = |it: &&Probe| it.sent >= from + guard && it.sent + guard <= until;
        let kept: Vec<Probe> = probes.iter().filter(inner).copied().collect();
        let probes = if kept.iter().any(|it| it.round_trip().is_some()) { &kept } else { probes };
        let mut round_trips: Vec<Duration> = probes.iter().filter_map(Probe::round_trip).collect();
        round_trips.sort_unstable();
        let least = *round_trips.first()?;
        let second = round_trips.get(1).copied().unwrap_or(least);
        let least_one_way = |direction| probes.iter().filter_map(|it| one_way(it, direction)).min();
        let one_way = [least_one_way(Direction::Down)?, least_one_way(Direction::Up)?];
        Some(Window { from, least, second, one_way })
    }
}

/// How much longer than the path's round trip probes took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Queueing {
    /// The median.
    pub median: Duration,
    /// The 95th percentile.
    pub p95: Duration,
    /// The most.
    pub most: Duration,
}

impl Queueing {
    /// That of probes outside of outages; `None` without answers.
    pub fn of(probes: &[Probe], base: &BaseDelay) -> Option<Self> {
        let excess = |probe: &Probe| {
            let round_trip = probe.round_trip()?;
            Some(round_trip - base.round_trip(probe.sent).min(round_trip))
        };
        let mut all: Vec<Duration> = probes.iter().filter_map(excess).collect();
        all.sort_unstable();
        let most = *all.last()?;
        let at = |share: f64| all[((all.len() - 1) as f64 * share) as usize];
        Some(Queueing { median: at(0.5), p95: at(0.95), most })
    }
}
