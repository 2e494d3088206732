//! What a recording measured of a path.

use seamline_net::Schedule;
use seamline_wire::{Duration, Instant, Rate};

/// Which way packets go, seen from the host that moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Direction {
    /// To the host that moves.
    Down,
    /// From the host that moves. A tool that measures from one end is taken to run on that host.
    Up,
}

/// What a recording measured. Its clock begins at zero with the first record. What the file does not contain is empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measured {
    /// Time zero in seconds since 1970 (UTC); `None` when the file has no such times.
    pub began: Option<f64>,
    /// From time zero to the end of the last record.
    pub length: Duration,
    /// Probes in the order in which they were sent.
    pub probes: Vec<Probe>,
    /// Rates over time, at most one series for each direction and meaning.
    pub rates: Vec<Rates>,
    /// Delays over time that are not those of single probes.
    pub delays: Vec<Delays>,
    /// Shares of lost packets over time.
    pub losses: Vec<Losses>,
    /// Times at which the cell, the satellite or the path changed.
    pub handovers: Vec<Instant>,
    /// Conditions of a link, for formats that record these and not measurements of them.
    pub conditions: Option<Conditions>,
    /// What a reader should know: what the file does not contain, what was left out, what was assumed. One or two sentences each.
    pub notes: Vec<String>,
}

/// Conditions in each direction.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conditions {
    /// To the host that moves.
    pub down: Schedule,
    /// From the host that moves.
    pub up: Schedule,
}

impl Conditions {
    /// The same in both directions.
    pub fn both(schedule: Schedule) -> Self {
        Conditions { down: schedule.clone(), up: schedule }
    }

    /// The same conditions seen from a later start: what came at `by` comes at zero.
    #[must_use]
    pub fn skip(self, by: Duration) -> Self {
        Conditions { down: self.down.skip(by), up: self.up.skip(by) }
    }

    /// Whether something holds of one direction at least.
    pub fn any(&self, holds: impl Fn(&Schedule) -> bool) -> bool {
        holds(&self.down) || holds(&self.up)
    }

    /// Those of one direction.
    pub fn of(&self, direction: Direction) -> &Schedule {
        match direction {
            Direction::Down => &self.down,
            Direction::Up => &self.up,
        }
    }
}

/// One probe: an echo request, or a datagram that the other end returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Probe {
    /// When it was sent.
    pub sent: Instant,
    /// What became of it.
    pub outcome: Outcome,
}

/// What became of a probe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It came back.
    Answered {
        /// Round-trip time.
        round_trip: Duration,
        /// One-way delay up and down, when the clocks of both ends agree.
        one_way: Option<(Duration, Duration)>,
    },
    /// It did not come back; lost in this direction if that is known.
    Lost(Option<Direction>),
}

impl Probe {
    /// The round-trip time of a probe that came back.
    pub fn round_trip(&self) -> Option<Duration> {
        match self.outcome {
            Outcome::Answered { round_trip, .. } => Some(round_trip),
            Outcome::Lost(_) => None,
        }
    }
}

/// A value that holds over a span of time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample<T> {
    /// The begin of the span.
    pub from: Instant,
    /// Its end, after its begin.
    pub until: Instant,
    /// The value.
    pub value: T,
}

/// What a rate says about the link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RateMeaning {
    /// What the link could carry.
    Capacity,
    /// What a flow delivered that tried to fill the link: the link could carry at least that.
    Goodput,
    /// What happened to be sent: it says little about what the link could carry.
    Traffic,
}

/// Rates in one direction over time, in order; spans do not overlap.
#[derive(Clone, Debug, PartialEq)]
pub struct Rates {
    /// The direction.
    pub direction: Direction,
    /// What they say.
    pub meaning: RateMeaning,
    /// The rates: of packets for a capacity, of payload for goodput.
    pub samples: Vec<Sample<Rate>>,
}

/// What a delay is the delay of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DelayMeaning {
    /// There and back.
    RoundTrip,
    /// One way.
    OneWay(Direction),
}

/// Delays over time, in order; spans do not overlap.
#[derive(Clone, Debug, PartialEq)]
pub struct Delays {
    /// What they are the delays of.
    pub meaning: DelayMeaning,
    /// Whether the measured flow itself may have filled queues: these delays contain its queueing.
    pub loaded: bool,
    /// The delays.
    pub samples: Vec<Sample<Duration>>,
}

/// Shares of lost packets over time, 0 to 1, in order; spans do not overlap.
#[derive(Clone, Debug, PartialEq)]
pub struct Losses {
    /// The direction; `None` for both together (the probe or its answer).
    pub direction: Option<Direction>,
    /// The shares.
    pub samples: Vec<Sample<f64>>,
}
