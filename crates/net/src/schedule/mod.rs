//! How the conditions of a link change over time.

mod capacity;
mod handover;
mod steps;

pub use capacity::{Capacity, DeliveryOpportunities, Opportunity, RateSteps};
pub use handover::{Arriving, Fates, Handover, Handovers, InFlight, InService, Queued};
pub use steps::{Segment, Steps};

use seamline_wire::{Duration, Instant};
use std::fmt;

/// Why something is not a schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ScheduleError {
    /// There is nothing in it.
    Empty,
    /// A time is not later than the one before it.
    TimesNotIncreasing {
        /// That time.
        at: Instant,
    },
    /// It repeats before its own last step.
    PeriodTooShort {
        /// The period.
        period: Duration,
        /// The last step.
        last: Instant,
    },
    /// A handover begins before the one before it is over.
    HandoversOverlap {
        /// When it begins.
        at: Instant,
    },
    /// Points that are no quantile function.
    NotQuantiles,
}

impl fmt::Display for ScheduleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ScheduleError::Empty => write!(f, "the schedule is empty"),
            ScheduleError::TimesNotIncreasing { at } => {
                write!(f, "the time {at} s does not come after the one before it")
            }
            ScheduleError::PeriodTooShort { period, last } => {
                write!(f, "the schedule repeats after {period}, but has a step at {last} s")
            }
            ScheduleError::HandoversOverlap { at } => {
                write!(f, "the handover at {at} s begins before the one before it is over")
            }
            ScheduleError::NotQuantiles => {
                write!(
                    f,
                    "the quantiles do not rise from probability 0 to 1 over values that are not negative"
                )
            }
        }
    }
}

impl std::error::Error for ScheduleError {}

/// Whether a packet may overtake another when the one-way delay falls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Reordering {
    /// A packet arrives no earlier than the one sent before it.
    #[default]
    Prevented,
    /// Each packet takes the delay that holds when it leaves the transmitter.
    Allowed,
}

/// The changing conditions of a link. What is `None` stays as the link was configured. Cheap to clone, so
/// that both directions of a link can share one.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Schedule {
    /// What the transmitter can send.
    pub capacity: Option<Capacity>,
    /// Propagation delay; the one that holds when a packet leaves the transmitter is the packet's.
    pub one_way_delay: Option<Steps<Duration>>,
    /// Probability of loss after propagation, 0 to 1.
    pub loss: Option<Steps<f64>>,
    /// Interruptions.
    pub handovers: Handovers,
    /// What happens to the order of packets when the one-way delay falls.
    pub reordering: Reordering,
}

impl Schedule {
    /// The same conditions seen from a later start: what came at `by` comes at zero. A handover that was
    /// under way then is left out.
    #[must_use]
    pub fn skip(self, by: Duration) -> Self {
        Schedule {
            capacity: self.capacity.map(|capacity| capacity.skip(by)),
            one_way_delay: self.one_way_delay.map(|delay| delay.skip(by)),
            loss: self.loss.map(|loss| loss.skip(by)),
            handovers: self.handovers.skip(by),
            reordering: self.reordering,
        }
    }
}
