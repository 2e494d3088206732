//! A sender that has nothing to do.

use super::moving::Hold;
use super::{NEVER, Sender, SenderStatistics, Strategies, WindowUse};
use crate::cc::CongestionControl;
use crate::offset::Offset;
use crate::parameters::Parameters;
use crate::recovery::{Recovery, Spurious};
use crate::rtt::{RestingEstimate, RoundTripEstimator};
use seamline_wire::{Instant, SequenceNumber};
use std::sync::Arc;

#[derive(Debug)]
pub(crate) struct RestingSender {
    control: Box<dyn CongestionControl>,
    recovery: Box<dyn Recovery>,
    rest: Rest,
}

/// What is kept beside the strategies.
#[derive(Debug)]
struct Rest {
    /// Up to here everything was supplied, sent and acknowledged.
    reached: Offset,
    estimate: RestingEstimate,
    initial_window: f64,
    apart: Option<Box<Apart>>,
    progress_at: Instant,
    last_sent: Instant,
    initial: SequenceNumber,
    segment_size: u32,
    peer_window: u32,
    largest_peer_window: u32,
    /// From `reached` on.
    furthest_edge: u32,
    statistics: RestingStatistics,
    congestion_limited: bool,
    needs_sack: bool,
    window_is_from_syn: bool,
}

/// What few profiles have, and no room is kept for in the others.
#[derive(Debug)]
struct Apart {
    window_use: Option<WindowUse>,
    /// A cut that may still be taken back.
    spurious: Option<Spurious>,
    undone_cuts: u64,
}

impl Sender {
    fn kept_apart(&self) -> Option<Apart> {
        let apart = Apart {
            window_use: self.window_use.clone(),
            spurious: self.spurious.clone().filter(Spurious::is_open),
            undone_cuts: self.statistics.undone_cuts,
        };
        let is_needed = apart.window_use.is_some() || apart.spurious.is_some() || apart.undone_cuts > 0;
        is_needed.then_some(apart)
    }

    /// Whether everything supplied is acknowledged, no timer runs, and nothing is remembered of what was missing.
    fn has_nothing_to_do(&self) -> bool {
        let view = &self.view;
        let all_acknowledged = view.outstanding() == 0
            && view.available == view.unacknowledged
            && view.next == view.unacknowledged
            && !view.finishing;
        let no_timer = self.timer == NEVER && self.timing.is_none() && !self.probing;
        let no_loss = view.scoreboard.sacked().is_empty()
            && view.inflation == 0
            && !self.recovery.in_recovery()
            && self.notified.is_empty();
        let no_move = self.hold == Hold::Nothing && self.samples_from <= Offset::FIRST_BYTE;
        all_acknowledged && no_timer && no_loss && no_move && view.sent.is_none()
    }

    fn kept(&self) -> Option<Rest> {
        if !self.has_nothing_to_do() {
            return None;
        }
        let reached = self.view.unacknowledged;
        Some(Rest {
            reached,
            estimate: self.estimator.rest()?,
            initial_window: self.initial_window,
            apart: self.kept_apart().map(Box::new),
            progress_at: self.progress_at,
            last_sent: self.last_sent,
            initial: self.initial,
            segment_size: self.view.segment_size,
            peer_window: u32::try_from(self.view.peer_window).ok()?,
            largest_peer_window: u32::try_from(self.view.largest_peer_window).ok()?,
            furthest_edge: u32::try_from(self.furthest_edge.0.checked_sub(reached.0)?).ok()?,
            statistics: RestingStatistics::of(&self.statistics)?,
            congestion_limited: self.view.congestion_limited,
            needs_sack: self.needs_sack,
            window_is_from_syn: self.window_is_from_syn,
        })
    }

    /// The sender itself when it has something to do.
    #[expect(clippy::result_large_err, reason = "it is the same sender, moved back")]
    pub(crate) fn rest(self) -> Result<RestingSender, Sender> {
        match self.kept() {
            Some(rest) => Ok(RestingSender { control: self.control, recovery: self.recovery, rest }),
            None => Err(self),
        }
    }

    pub(crate) fn wake(resting: RestingSender, parameters: &Arc<Parameters>) -> Self {
        let RestingSender { control, recovery, rest } = resting;
        let window = control.window();
        let strategies = Strategies { control, recovery, needs_sack: rest.needs_sack, log: None };
        let mut sender = Sender::with(parameters, strategies, rest.initial, Offset::SYN, rest.segment_size);
        let view = &mut sender.view;
        view.unacknowledged = rest.reached;
        view.next = rest.reached;
        view.highest_sent = rest.reached;
        view.available = rest.reached;
        view.window = window;
        view.peer_window = rest.peer_window.into();
        view.largest_peer_window = rest.largest_peer_window.into();
        view.congestion_limited = rest.congestion_limited;
        sender.estimator = RoundTripEstimator::wake(rest.estimate, parameters.round_trip.clone());
        view.round_trip = sender.estimator.round_trip();
        sender.statistics = rest.statistics.whole();
        sender.initial_window = rest.initial_window;
        sender.window_is_from_syn = rest.window_is_from_syn;
        sender.data_end = rest.reached;
        sender.progress_at = rest.progress_at;
        sender.last_sent = rest.last_sent;
        sender.furthest_edge = rest.reached + u64::from(rest.furthest_edge);
        if let Some(apart) = rest.apart {
            sender.statistics.undone_cuts = apart.undone_cuts;
            sender.window_use = apart.window_use;
            sender.spurious = apart.spurious.or(sender.spurious);
        }
        sender
    }
}

/// Counters of what has not happened more than 2^32 times.
#[derive(Debug)]
struct RestingStatistics {
    segments_sent: u32,
    retransmissions: u32,
    timeouts: u32,
    recoveries: u32,
    window_cuts: u32,
    window_probes: u32,
}

impl RestingStatistics {
    fn of(statistics: &SenderStatistics) -> Option<Self> {
        let &SenderStatistics {
            segments_sent,
            retransmissions,
            timeouts,
            recoveries,
            window_cuts,
            // Kept apart.
            undone_cuts: _,
            window_probes,
        } = statistics;
        let small = |count: u64| u32::try_from(count).ok();
        Some(RestingStatistics {
            segments_sent: small(segments_sent)?,
            retransmissions: small(retransmissions)?,
            timeouts: small(timeouts)?,
            recoveries: small(recoveries)?,
            window_cuts: small(window_cuts)?,
            window_probes: small(window_probes)?,
        })
    }
    fn whole(&self) -> SenderStatistics {
        SenderStatistics {
            segments_sent: self.segments_sent.into(),
            retransmissions: self.retransmissions.into(),
            timeouts: self.timeouts.into(),
            recoveries: self.recoveries.into(),
            window_cuts: self.window_cuts.into(),
            undone_cuts: 0,
            window_probes: self.window_probes.into(),
        }
    }
}
