//! Handovers: a link goes away for a while, and what becomes of the packets that are somewhere on it.

use super::ScheduleError;
use seamline_wire::{Duration, Instant};
use std::sync::Arc;

/// A link is down in `[at, at + interruption)`.
///
/// A transmission that ends exactly at `at` is complete, a packet that would arrive exactly at `at` counts
/// as in flight, and at `at + interruption` the link works again. An interruption of zero is allowed: what
/// is to be dropped is dropped, and nothing pauses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handover {
    /// When the link goes down.
    pub at: Instant,
    /// For how long.
    pub interruption: Duration,
    /// What becomes of the packets.
    pub fates: Fates,
}

impl Handover {
    /// When the link works again.
    pub fn end(&self) -> Instant {
        self.at + self.interruption
    }
}

/// What becomes of the packets somewhere on a link when it goes down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fates {
    /// Those waiting at that time.
    pub queued: Queued,
    /// The one in transmission at that time.
    pub in_service: InService,
    /// Those that have left the transmitter and not arrived at that time.
    pub in_flight: InFlight,
    /// Those that come to the link while it is down.
    pub arriving: Arriving,
}

impl Fates {
    /// As little is lost as the radio allows: the old link's buffer is forwarded, the packet in
    /// transmission is sent again, what is in flight arrives, newcomers wait.
    pub const SEAMLESS: Fates = Fates {
        queued: Queued::Keep,
        in_service: InService::Restart,
        in_flight: InFlight::Deliver,
        arriving: Arriving::Wait,
    };
    /// All is lost that can be: everything on the link, and what comes during the interruption.
    pub const HARD: Fates = Fates {
        queued: Queued::Drop,
        in_service: InService::Drop,
        in_flight: InFlight::Drop,
        arriving: Arriving::Drop,
    };
}

/// What becomes of packets waiting when a link goes down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Queued {
    /// They wait on, and are sent when the link is back.
    Keep,
    /// They are lost.
    Drop,
}

/// What becomes of the packet in transmission when a link goes down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InService {
    /// It goes back to the head of the queue (whatever becomes of the others there, and even when the
    /// queue is full) and is sent again as a whole when the link is back.
    Restart,
    /// Its transmission runs to its end all the same; then it is in flight, and shares the fate of those.
    Finish,
    /// It is lost.
    Drop,
}

/// What becomes of packets in flight when a link goes down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InFlight {
    /// They arrive when they would have arrived anyway.
    Deliver,
    /// They are lost.
    Drop,
}

/// What becomes of packets that come to a link while it is down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arriving {
    /// They wait in the queue, if it has room.
    Wait,
    /// They are lost.
    Drop,
}

/// Handovers in order of time, none beginning before the one before it is over. Cheap to clone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Handovers(Arc<[Handover]>);

impl Handovers {
    /// A list of handovers.
    ///
    /// # Errors
    /// When they overlap or are not in order.
    pub fn new(list: Vec<Handover>) -> Result<Self, ScheduleError> {
        match list.windows(2).find(|pair| pair[1].at < pair[0].end() || pair[1].at == pair[0].at) {
            Some(pair) => Err(ScheduleError::HandoversOverlap { at: pair[1].at }),
            None => Ok(Handovers(list.into())),
        }
    }

    /// All with the same interruption and fates, at the given times.
    ///
    /// # Errors
    /// When they overlap or are not in order.
    pub fn at(
        times: impl IntoIterator<Item = Instant>,
        interruption: Duration,
        fates: Fates,
    ) -> Result<Self, ScheduleError> {
        Handovers::new(times.into_iter().map(|at| Handover { at, interruption, fates }).collect())
    }

    /// The handovers.
    pub fn as_slice(&self) -> &[Handover] {
        &self.0
    }

    /// The handovers that begin at `by` or later, `by` earlier.
    #[must_use]
    pub fn skip(self, by: Duration) -> Self {
        if by.is_zero() {
            return self;
        }
        let later = self.0.iter().filter(|handover| handover.at >= Instant::ZERO + by);
        Handovers(later.map(|handover| Handover { at: handover.at - by, ..*handover }).collect())
    }
}

impl Default for Handovers {
    /// None.
    fn default() -> Self {
        Handovers(Arc::new([]))
    }
}
