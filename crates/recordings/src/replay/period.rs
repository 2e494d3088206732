//! Changes of delay at even distances, such as those of Starlink every 15 s.
//!
//! [`of_delays`]: at the edge between two slots the delay jumps; in the middle of a slot it does not. For each period and phase, the jumps at
//! the edges are compared with those in the middle by a sign test, which needs no assumption about how delays are distributed. A
//! period counts when the test is significant although so many were tried.
//!
//! [`of_events`]: times of outages and handovers are wound around a circle of the period's length. If they gather in one place, the
//! period is theirs (Rayleigh's test).

use crate::measured::Probe;
use seamline_wire::{Duration, Instant};

/// Periods that are tried: the published one of Starlink first (Tanveer et al., CoNEXT Companion 2023).
const KNOWN: Duration = Duration::from_secs(15);
/// Others, in half seconds.
const TRIED: std::ops::RangeInclusive<u64> = 10..=120;
/// Delays are looked at in bins of this length, which is also the step of the phase.
const BIN: Duration = Duration::from_millis(500);
/// Rarer probes than one in a third of the longest period leave no two medians to compare at its edges.
const MOST_BINS_PER_PROBE: usize = 40;
/// How probable it may be that chance made one of all tests significant.
const SIGNIFICANCE: f64 = 0.01;
/// Fewest slots, whatever the test says.
const FEWEST_SLOTS: usize = 8;
/// Fewest events.
const FEWEST_EVENTS: usize = 5;

/// What shows a period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Evidence {
    /// Jumps of the delay.
    Delays,
    /// Times of outages and handovers.
    Events,
}

/// Reconfigurations at even distances.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Period {
    /// What shows it.
    pub evidence: Evidence,
    /// Their distance.
    pub length: Duration,
    /// The time of the first, less than the length.
    pub phase: Duration,
    /// At how many edges the delay jumped further than in the middle of the slot before; or how many events are within a tenth
    /// of the period from the edges.
    pub agreeing: usize,
    /// Of how many edges or events.
    pub of: usize,
    /// The probability that chance alone made one of all tests as clear as this.
    pub probability: f64,
}

/// The period of the changes of delay, if there is one.
pub fn of_delays(probes: &[Probe]) -> Option<Period> {
    let bins = medians(probes);
    first_of(|periods| best(&bins, periods))
}

/// The period of events, if there is one.
pub fn of_events(events: &[Instant]) -> Option<Period> {
    first_of(|periods| gathered(events, periods))
}

/// Look among the published periods first, then among the others. Periods are in bins.
fn first_of(find: impl Fn(&[usize]) -> Option<Period>) -> Option<Period> {
    let known = (KNOWN.as_nanos() / BIN.as_nanos()) as usize;
    let others: Vec<usize> = TRIED.map(|half| half as usize).filter(|it| *it != known).collect();
    find(&[known]).or_else(|| find(&others))
}

/// The longest period on whose circle events gather as well as on that of the best.
fn gathered(events: &[Instant], periods: &[usize]) -> Option<Period> {
    let all: Vec<Period> = periods.iter().filter_map(|bins| gather(events, *bins, periods.len())).collect();
    let best = all.iter().map(|period| period.probability).fold(SIGNIFICANCE, f64::min);
    // A part of a period gathers its events, too.
    all.into_iter().rfind(|period| period.probability <= best * 10.0 && period.probability < SIGNIFICANCE)
}

/// Rayleigh's test of one period.
fn gather(events: &[Instant], bins: usize, tests: usize) -> Option<Period> {
    let length = BIN * bins as u64;
    let turn = |at: &Instant| {
        let part = (at.as_nanos() % length.as_nanos()) as f64 / length.as_nanos() as f64;
        part * std::f64::consts::TAU
    };
    let sum = |part: fn(f64) -> f64| events.iter().map(|at| part(turn(at))).sum::<f64>();
    let (x, y) = (sum(libm::cos), sum(libm::sin));
    let probability = (libm::exp(-(x * x + y * y) / events.len() as f64) * tests as f64).min(1.0);
    let middle = libm::atan2(y, x).rem_euclid(std::f64::consts::TAU);
    let apart = |at: &Instant| {
        let apart = (turn(at) - middle).rem_euclid(std::f64::consts::TAU);
        apart.min(std::f64::consts::TAU - apart)
    };
    let agreeing = events.iter().filter(|at| apart(at) <= std::f64::consts::TAU / 10.0).count();
    let phase = Duration::from_secs_f64(length.as_secs_f64() * middle / std::f64::consts::TAU);
    let evidence = Evidence::Events;
    (events.len() >= FEWEST_EVENTS).then_some(Period {
        evidence,
        length,
        phase,
        agreeing,
        of: events.len(),
        probability,
    })
}

/// The median round trip in ms of each bin; `None` for a bin without answers. No bins where probes are so rare that no period
/// could show.
fn medians(probes: &[Probe]) -> Vec<Option<f64>> {
    let bin = |at: Instant| (at.as_nanos() / BIN.as_nanos()) as usize;
    let Some(last) = probes.last().filter(|last| bin(last.sent) / MOST_BINS_PER_PROBE < probes.len()) else {
        return Vec::new();
    };
    let mut bins = vec![None; bin(last.sent) + 1];
    for group in probes.chunk_by(|one, other| bin(one.sent) == bin(other.sent)) {
        let mut all: Vec<f64> =
            group.iter().filter_map(|it| Some(it.round_trip()?.as_millis_f64())).collect();
        all.sort_by(f64::total_cmp);
        bins[bin(group[0].sent)] = all.get(all.len() / 2).copied();
    }
    bins
}

/// The most significant of some periods, in bins.
fn best(bins: &[Option<f64>], periods: &[usize]) -> Option<Period> {
    let tests: usize = periods.iter().sum();
    let mut found: Option<(f64, Period)> = None;
    for length in periods.iter().copied() {
        for phase in 0..length {
            let Some((agreeing, slots, contrast)) = compare(bins, length, phase) else { continue };
            let probability = (sign_test(agreeing, slots) * tests as f64).min(1.0);
            let is_better = found.as_ref().is_none_or(|(best, _)| contrast > *best);
            if probability < SIGNIFICANCE && slots >= FEWEST_SLOTS && is_better {
                let length = BIN * length as u64;
                let (evidence, phase) = (Evidence::Delays, BIN * phase as u64);
                let period = Period { evidence, length, phase, agreeing, of: slots, probability };
                found = Some((contrast, period));
            }
        }
    }
    found.map(|(_, period)| period)
}

/// At how many edges the delay jumps further than in the middle of the slot before, of how many, and by how much more on average, in
/// standard errors.
fn compare(bins: &[Option<f64>], length: usize, phase: usize) -> Option<(usize, usize, f64)> {
    let reach = (length / 3).max(1);
    let jump = |at: usize| -> Option<f64> {
        let before = median(bins.get(at.checked_sub(reach)?..at)?)?;
        let after = median(bins.get(at..at + reach)?)?;
        Some((after - before).abs())
    };
    let edges = (phase..bins.len()).step_by(length);
    let pairs = edges.filter_map(|edge| Some(jump(edge)? - jump(edge.checked_sub(length / 2)?)?));
    let differences: Vec<f64> = pairs.filter(|it| *it != 0.0).collect();
    let slots = differences.len();
    if slots < 2 {
        return None;
    }
    let mean = differences.iter().sum::<f64>() / slots as f64;
    let variance = differences.iter().map(|it| (it - mean) * (it - mean)).sum::<f64>() / (slots - 1) as f64;
    let agreeing = differences.iter().filter(|it| **it > 0.0).count();
    Some((agreeing, slots, mean / libm::sqrt(variance / slots as f64).max(1e-9)))
}

fn median(bins: &[Option<f64>]) -> Option<f64> {
    let mut known: Vec<f64> = bins.iter().copied().flatten().collect();
    known.sort_by(f64::total_cmp);
    known.get(known.len() / 2).copied()
}

/// The probability of at least `hits` heads in `all` throws of a fair coin.
fn sign_test(hits: usize, all: usize) -> f64 {
    let term = |k: usize| {
        let log = libm::lgamma(all as f64 + 1.0)
            - libm::lgamma(k as f64 + 1.0)
            - libm::lgamma((all - k) as f64 + 1.0);
        libm::exp(log - all as f64 * std::f64::consts::LN_2)
    };
    (hits..=all).map(term).sum::<f64>().min(1.0)
}
