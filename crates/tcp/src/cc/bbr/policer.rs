//! Token buckets: where losses show that a policer limits the rate, the flow keeps to that rate and does not probe ("lt_bw").

use super::*;

const LEAST_ROUNDS: u32 = 4;
/// A fifth lost means a policer; in 1/256.
const LOSS_THRESHOLD: u64 = 50;
/// Two intervals agree within an eighth, ...
const SAME_RATIO: u64 = UNIT / 8;
/// ... or within 4 kbit/s, in bytes per second.
const SAME_DIFFERENCE: u64 = 4000 / 8;
/// Probe again after so many round trips.
const MOST_ROUNDS: u32 = 48;

/// What is known of a policer.
#[derive(Debug, Default)]
pub(super) struct Policer {
    is_sampling: bool,
    rounds: u32,
    is_found: bool,
    rate: Bandwidth,
    since: u64,
    delivered: u64,
    lost: u64,
}

/// The flow, as the policer's detector needs it.
#[derive(Debug)]
pub(super) struct Seen {
    pub(super) delivered_at: Instant,
    pub(super) round_started: bool,
    /// Whether the flow is in its cycle of probing.
    pub(super) probes: bool,
}

/// What follows for the flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Nothing,
    /// It probes for bandwidth again.
    ProbesAgain,
}

impl Policer {
    /// The policer's rate, where there is one.
    pub(super) fn bandwidth(&self) -> Option<Bandwidth> {
        self.is_found.then_some(self.rate)
    }
    fn begin_interval(&mut self, delivered_at: Instant, view: &View) {
        self.since = delivered_at.as_millis();
        self.delivered = view.tracked.delivered;
        self.lost = view.tracked.lost;
        self.rounds = 0;
    }
    pub(super) fn restart(&mut self, delivered_at: Instant, view: &View) {
        *self = Policer::default();
        self.begin_interval(delivered_at, view);
    }

    pub(super) fn sample(&mut self, sample: &RateSample, seen: &Seen, view: &View) -> Outcome {
        if self.is_found {
            if seen.probes && seen.round_started {
                self.rounds += 1;
                if self.rounds >= MOST_ROUNDS {
                    self.restart(seen.delivered_at, view);
                    return Outcome::ProbesAgain;
                }
            }
            return Outcome::Nothing;
        }
        if !self.is_sampling {
            if sample.lost == 0 {
                return Outcome::Nothing;
            }
            self.begin_interval(seen.delivered_at, view);
            self.is_sampling = true;
        }
        if sample.application_limited {
            self.restart(seen.delivered_at, view);
            return Outcome::Nothing;
        }
        self.rounds += u32::from(seen.round_started);
        if self.rounds > 4 * LEAST_ROUNDS {
            self.restart(seen.delivered_at, view);
        } else if self.rounds >= LEAST_ROUNDS && sample.lost > 0 {
            self.judge_interval(seen, view);
        }
        Outcome::Nothing
    }
    fn judge_interval(&mut self, seen: &Seen, view: &View) {
        let lost = view.tracked.lost - self.lost;
        let delivered = view.tracked.delivered - self.delivered;
        let milliseconds = seen.delivered_at.as_millis().saturating_sub(self.since);
        if delivered == 0 || (lost << 8) < LOSS_THRESHOLD * delivered || milliseconds == 0 {
            return;
        }
        let rate = Bandwidth::of(delivered, Duration::from_millis(milliseconds));
        if self.rate != Bandwidth::default() {
            let difference = Bandwidth(rate.0.abs_diff(self.rate.0));
            let same = difference.0 * UNIT <= SAME_RATIO * self.rate.0
                || difference.rate(view.segment_size, UNIT) <= SAME_DIFFERENCE;
            if same {
                self.rate = Bandwidth((rate.0 + self.rate.0) >> 1);
                self.is_found = true;
                self.rounds = 0;
                return;
            }
        }
        self.rate = rate;
        self.begin_interval(seen.delivered_at, view);
    }
}
