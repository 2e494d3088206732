//! What the segments of a connection show of the paths on both sides of an agent. An agent does not act on it: it is for people, who want to know
//! whether the agent helps.
//!
//! Everything is seen in passing, so that it is the same for every kind of agent and for a dry run: data and its acknowledgments, gaps in
//! the data, and data that comes twice. Only segments that the guard believes may be shown to it.

mod direction;
mod gaps;

use crate::key::Side;
use direction::Direction;
use seamline_wire::{Duration, Flags, Histogram, Instant, Segment};

/// Who has sent something again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum By {
    Agent,
    Sender,
}

/// What all connections together have shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Measurements {
    /// By side: round-trip times between the agent and the hosts there. They include the delays of acknowledgments (RFC 9293, section 3.8.6.3).
    pub round_trips: [Histogram; 2],
    /// By the side that the data comes from: from the first sign of a loss to the acknowledgment of the bytes that were lost, where their sender was
    /// the first to send them again.
    pub repairs_by_sender: [Histogram; 2],
    /// The same for data from the wired side, where the agent was the first.
    pub repairs_by_agent: Histogram,
    /// By the side that the data comes from: times without any progress of a connection whose data was under way, if they were longer than a
    /// sender there would wait (RFC 6298, at least 200 ms). Each is counted at its end.
    pub stalls: [Histogram; 2],
    /// By the side that the data comes from.
    pub directions: [Losses; 2],
}

/// Data segments in one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Losses {
    /// All that have passed, those included that passed before.
    pub segments: u64,
    /// Those that filled a gap. They were lost between their sender and the agent before, or overtaken.
    pub missing: u64,
    /// Those that had passed before. They were lost behind the agent, or only their acknowledgment was.
    pub seen_twice: u64,
}

impl std::ops::Add for Losses {
    type Output = Losses;

    fn add(self, other: Losses) -> Losses {
        Losses {
            segments: self.segments + other.segments,
            missing: self.missing + other.missing,
            seen_twice: self.seen_twice + other.seen_twice,
        }
    }
}

impl std::ops::Add for Measurements {
    type Output = Measurements;

    fn add(self, other: Measurements) -> Measurements {
        fn both<T: Copy + std::ops::Add<Output = T>>(one: [T; 2], other: [T; 2]) -> [T; 2] {
            [one[0] + other[0], one[1] + other[1]]
        }
        Measurements {
            round_trips: both(self.round_trips, other.round_trips),
            repairs_by_sender: both(self.repairs_by_sender, other.repairs_by_sender),
            repairs_by_agent: self.repairs_by_agent + other.repairs_by_agent,
            stalls: both(self.stalls, other.stalls),
            directions: both(self.directions, other.directions),
        }
    }
}

/// What is known of one connection.
#[derive(Debug, Default)]
pub(crate) struct Flow {
    /// By the side that the data comes from.
    directions: [Direction; 2],
}

impl Flow {
    /// A segment of it passes.
    pub(crate) fn on_segment(&mut self, now: Instant, from: Side, segment: &Segment, all: &mut Measurements) {
        if segment.flags.contains(Flags::ACK) {
            self.directions[from.other().index()].on_acknowledgment(now, from.other(), segment, all);
        }
        if segment.sequence_length() > 0 {
            self.directions[from.index()].on_data(now, from, segment, all);
        }
    }
    /// The hosts on a side have answered after this time.
    pub(crate) fn on_round_trip(&mut self, of: Side, round_trip_time: Duration, all: &mut Measurements) {
        self.directions[of.other().index()].on_round_trip(of.other(), round_trip_time, all);
    }
    /// The agent has sent data for the wireless side again.
    pub(crate) fn on_local_retransmission(&mut self, now: Instant) {
        self.directions[Side::Wired.index()].on_local_retransmission(now);
    }
    /// Segments pass that are not shown: what comes next says nothing of what came before.
    pub(crate) fn lose_track(&mut self) {
        self.directions.iter_mut().for_each(Direction::lose_track);
    }
}

#[cfg(test)]
mod tests;
