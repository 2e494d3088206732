//! HyStart++ (RFC 9406): when the round-trip time grows, slow start goes on at a quarter of its pace, and ends unless the round-trip time
//! falls again. Section numbers are those of the RFC.

use super::*;

/// Samples of the round-trip time before a round is judged (N_RTT_SAMPLE).
const SAMPLES: u32 = 8;
/// The round-trip time may grow by an eighth (MIN_RTT_DIVISOR), within these bounds (MIN_RTT_THRESH, MAX_RTT_THRESH).
const DIVISOR: u64 = 8;
const LEAST_GROWTH: Duration = Duration::from_millis(4);
const MOST_GROWTH: Duration = Duration::from_millis(16);
/// Conservative slow start grows by so much less (CSS_GROWTH_DIVISOR), ...
const CONSERVATIVE_DIVISOR: u32 = 4;
/// ... and ends slow start after so many rounds (CSS_ROUNDS).
const CONSERVATIVE_ROUNDS: u32 = 5;
/// An acknowledgment of a flow that is not paced is worth no more segments than this (L).
const MOST_UNPACED: u32 = 8;

/// Conservative slow start.
#[derive(Clone, Copy, Debug)]
struct Conservative {
    /// The smallest round-trip time of the round that began it: below it, the delay was a false alarm.
    baseline: Duration,
    /// Rounds that have ended, the one in which it began included.
    rounds: u32,
}

/// One round of the first slow start. Later ones have a threshold, and are the standard's (section 4.3).
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct HyStartPlusPlus {
    ends: Option<Offset>,
    least: Option<Duration>,
    least_before: Option<Duration>,
    samples: u32,
    conservative: Option<Conservative>,
    /// Segments acknowledged towards the next one of growth.
    credit: u32,
}

impl HyStartPlusPlus {
    /// Segments by which the window grows for so many acknowledged ones (section 4.2).
    pub(super) fn growth(&mut self, segments: u32, view: &View) -> u32 {
        let counted = if view.tracked.is_paced { segments } else { segments.min(MOST_UNPACED) };
        if self.conservative.is_none() {
            return counted;
        }
        self.credit += counted;
        let growth = self.credit / CONSERVATIVE_DIVISOR;
        self.credit %= CONSERVATIVE_DIVISOR;
        growth
    }
    /// Take a sample in slow start. Returns whether slow start is to end.
    pub(super) fn ends_slow_start(&mut self, sample: Duration, view: &View) -> bool {
        if view.window.threshold.is_finite() {
            return false;
        }
        let ends = *self.ends.get_or_insert(view.highest_sent);
        self.least = Some(self.least.map_or(sample, |least| least.min(sample)));
        self.samples += 1;
        self.judge();
        view.unacknowledged >= ends && self.end_round(view)
    }
    fn judge(&mut self) {
        let (Some(least), true) = (self.least, self.samples >= SAMPLES) else { return };
        match (self.conservative, self.least_before) {
            (Some(Conservative { baseline, .. }), _) if least < baseline => {
                self.conservative = None;
                self.credit = 0;
            }
            (None, Some(before)) if least >= before + allowed_growth(before) => {
                self.conservative = Some(Conservative { baseline: least, rounds: 0 });
            }
            _ => {}
        }
    }
    fn end_round(&mut self, view: &View) -> bool {
        self.ends = Some(view.highest_sent);
        self.least_before = self.least.take();
        self.samples = 0;
        let Some(conservative) = &mut self.conservative else { return false };
        conservative.rounds += 1;
        conservative.rounds >= CONSERVATIVE_ROUNDS
    }
}

fn allowed_growth(before: Duration) -> Duration {
    (before / DIVISOR).clamp(LEAST_GROWTH, MOST_GROWTH)
}
