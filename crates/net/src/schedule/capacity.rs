//! What a transmitter can send, over time.

use super::{ScheduleError, Steps};
use seamline_wire::{Duration, Instant, Rate};
use std::sync::Arc;

/// What a transmitter can send, over time.
#[derive(Clone, Debug, PartialEq)]
pub enum Capacity {
    /// A rate that changes in steps. A packet in transmission during a change continues at the new rate.
    Rate(RateSteps),
    /// Chances to send, as mahimahi records them.
    Opportunities(DeliveryOpportunities),
}

impl Capacity {
    /// The same capacity seen from a later start: what came at `by` comes at zero.
    #[must_use]
    pub fn skip(self, by: Duration) -> Self {
        match self {
            Capacity::Rate(rate) => Capacity::Rate(RateSteps::from(rate.steps.skip(by))),
            Capacity::Opportunities(chances) => Capacity::Opportunities(chances.skip(by)),
        }
    }
}

impl From<Steps<Rate>> for Capacity {
    fn from(steps: Steps<Rate>) -> Self {
        Capacity::Rate(steps.into())
    }
}

impl From<DeliveryOpportunities> for Capacity {
    fn from(chances: DeliveryOpportunities) -> Self {
        Capacity::Opportunities(chances)
    }
}

/// A bit is this many units of work; a rate of one bit per second does one unit per nanosecond.
const WORK_PER_BIT: u128 = 1_000_000_000;

/// A rate over time that knows when a transmission would end.
#[derive(Clone, Debug, PartialEq)]
pub struct RateSteps {
    steps: Steps<Rate>,
    /// What one period of repeating steps can do.
    work_per_period: u128,
}

impl From<Steps<Rate>> for RateSteps {
    fn from(steps: Steps<Rate>) -> Self {
        let period = steps.period().unwrap_or(Duration::ZERO);
        let ends = steps.points().iter().skip(1).map(|(since, _)| *since).chain([period]);
        let work = |((since, rate), end): (&(Duration, Rate), Duration)| work_in(*rate, end - *since);
        let work_per_period = steps.points().iter().zip(ends).map(work).sum();
        RateSteps { steps, work_per_period }
    }
}

impl RateSteps {
    /// The rate over time.
    pub fn steps(&self) -> &Steps<Rate> {
        &self.steps
    }

    /// When a transmission of `bytes` that starts at `start` ends: the integral of the rate from then on
    /// reaches the size. [`Instant::MAX`] when it never does.
    pub fn end_of_transmission(&self, start: Instant, bytes: u32) -> Instant {
        let first = self.steps.segment(start);
        let end = start + first.value.time_for(u64::from(bytes));
        if end <= first.until {
            return end;
        }
        self.integrate(start, u128::from(bytes) * 8 * WORK_PER_BIT)
    }

    fn integrate(&self, start: Instant, mut work: u128) -> Instant {
        let mut at = start;
        if let Some(period) = self.steps.period() {
            let Some(periods) = work.checked_div(self.work_per_period) else { return Instant::MAX };
            // One period is left to the loop below, so that a transmission ends inside a step.
            let whole = u64::try_from(periods.saturating_sub(1)).unwrap_or(u64::MAX);
            at += period * whole;
            work -= self.work_per_period * u128::from(whole);
        }
        while at < Instant::MAX {
            let segment = self.steps.segment(at);
            let possible = work_in(segment.value, segment.until.saturating_since(at));
            if work <= possible {
                let rate = u128::from(segment.value.bits_per_second().max(1));
                let span = u64::try_from((work + rate / 2) / rate).unwrap_or(u64::MAX);
                return at + Duration::from_nanos(span);
            }
            work -= possible;
            at = segment.until;
        }
        Instant::MAX
    }
}

fn work_in(rate: Rate, span: Duration) -> u128 {
    u128::from(rate.bits_per_second()) * u128::from(span.as_nanos())
}

/// One chance to send, or several at one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opportunity {
    /// When.
    pub at: Instant,
    /// How many bytes may be sent.
    pub bytes: u64,
}

/// Chances to send up to 1500 bytes each at recorded times, over and over, as in mahimahi
/// (Netravali et al., USENIX ATC 2015; recorded with Saturator, Winstein et al., NSDI 2013).
///
/// As in mahimahi's `LinkQueue`: packets share a chance, and a packet that does not fit into the rest of
/// one continues with the next; what is left of a chance when the queue is empty is lost; a packet that
/// arrives at the very time of a chance has missed it; the recording starts again at the time of its last
/// chance. (mahimahi's chances are of 1504 bytes and count the 4 bytes of its TUN header with each
/// packet, so it fits slightly fewer small packets into a chance.)
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryOpportunities {
    /// Times within a period and the number of chances at each; a time at the end of a period is
    /// at the start of the next.
    groups: Arc<[(Duration, u32)]>,
    period: Duration,
    offset: Duration,
}

/// What one chance carries.
const BYTES_PER_OPPORTUNITY: u64 = 1500;

impl DeliveryOpportunities {
    /// One chance at each of `times`, which must not decrease but may repeat; they start again at the
    /// last one.
    ///
    /// # Errors
    /// When there are none, a time decreases, or the last one is zero.
    pub fn new(times: &[Duration]) -> Result<Self, ScheduleError> {
        let period = *times.last().ok_or(ScheduleError::Empty)?;
        if let Some(index) = times.windows(2).position(|pair| pair[1] < pair[0]) {
            return Err(ScheduleError::TimesNotIncreasing { at: Instant::ZERO + times[index + 1] });
        }
        if period.is_zero() {
            return Err(ScheduleError::PeriodTooShort { period, last: Instant::ZERO });
        }
        // No packet is there before time zero, so the first period cannot miss what is moved to its start.
        let at_end = times.len() - times.partition_point(|at| *at < period);
        let mut groups: Vec<(Duration, u32)> = Vec::new();
        let moved = std::iter::repeat_n(Duration::ZERO, at_end);
        for at in moved.chain(times[..times.len() - at_end].iter().copied()) {
            match groups.last_mut() {
                Some((last, count)) if *last == at => *count += 1,
                _ => groups.push((at, 1)),
            }
        }
        Ok(DeliveryOpportunities { groups: groups.into(), period, offset: Duration::ZERO })
    }

    /// The first chance after a time, and not at it.
    pub fn next_after(&self, at: Instant) -> Opportunity {
        let at = (at + self.offset).as_nanos();
        let phase = at % self.period.as_nanos();
        let next = self.groups.partition_point(|(since, _)| since.as_nanos() <= phase);
        let (since, count) = match self.groups.get(next) {
            Some((since, count)) => (*since, *count),
            None => (self.period + self.groups[0].0, self.groups[0].1),
        };
        let at = Instant::from_nanos(at - phase) + since - self.offset;
        Opportunity { at, bytes: u64::from(count) * BYTES_PER_OPPORTUNITY }
    }

    /// After how long the chances begin again.
    pub fn period(&self) -> Duration {
        self.period
    }

    /// The mean rate over a period.
    pub fn mean_rate(&self) -> Rate {
        let chances: u128 = self.groups.iter().map(|(_, count)| u128::from(*count)).sum();
        let bits = chances * u128::from(BYTES_PER_OPPORTUNITY) * 8 * 1_000_000_000;
        Rate::from_bits_per_second(
            u64::try_from(bits / u128::from(self.period.as_nanos())).unwrap_or(u64::MAX),
        )
    }

    /// The same chances seen from a later start: what came at `by` comes at zero.
    #[must_use]
    pub fn skip(self, by: Duration) -> Self {
        let offset = Duration::from_nanos((self.offset + by).as_nanos() % self.period.as_nanos());
        DeliveryOpportunities { offset, ..self }
    }
}
