//! The facts about a sender that strategies may look at.

use crate::cc::RecoveryState;
use crate::offset::Offset;
use crate::parameters::Parameters;
use crate::rtt::RoundTrip;
use crate::scoreboard::RangeSet;
use crate::send_log::SendLog;
use seamline_wire::{Duration, Instant};
use std::sync::Arc;

/// Congestion window and slow start threshold, in segments (the unit of the papers, of ns-2 and of
/// Linux; RFC 5681 counts the same in bytes). Fractions are kept.
#[must_use = "a window takes effect only in the view"]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Window {
    /// cwnd, at least one segment except where a scheme says otherwise.
    pub congestion: f64,
    /// ssthresh; infinite while it is "arbitrarily high" (RFC 5681 section 3.1).
    pub threshold: f64,
}

impl Window {
    /// The larger of both, each part for itself.
    pub fn at_least(self, other: Window) -> Window {
        Window {
            congestion: self.congestion.max(other.congestion),
            threshold: self.threshold.max(other.threshold),
        }
    }
}

/// What a sender knows that keeps a record of each segment; all zero in others.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tracked {
    /// Segments in the network: neither arrived nor lost, as far as is known.
    pub in_flight: u32,
    /// Segments not acknowledged cumulatively.
    pub outstanding_segments: u32,
    /// Segments delivered since the connection began.
    pub delivered: u64,
    /// Of those, segments of acknowledgments that report marks, or marks that are counted.
    pub marked: u64,
    /// Segments lost since the connection began.
    pub lost: u64,
    /// The smallest round-trip time of the last minutes.
    pub minimum_round_trip: Option<Duration>,
    /// Where loss recovery stands.
    pub state: RecoveryState,
    /// The rate that bounds bursts, and at which paced segments leave, in bytes per second.
    pub pacing_rate: u64,
    /// Whether segments wait for their time.
    pub is_paced: bool,
    /// How long it is until the next segment may leave, to the nanosecond.
    pub until_departure: Duration,
    /// Whether the application has supplied too little for what is outstanding to say anything about the network.
    pub is_application_limited: bool,
}

/// A sender's state, read-only to strategies: a strategy gets a view and returns commands, and one
/// function of the endpoint applies them.
#[derive(Debug)]
pub struct View {
    /// The parameters of the endpoint.
    pub parameters: Arc<Parameters>,
    /// The time of the input being handled.
    pub now: Instant,
    /// Payload of a full segment in bytes.
    pub segment_size: u32,
    /// SND.UNA: the first byte not yet acknowledged.
    pub unacknowledged: Offset,
    /// SND.NXT: the next byte to send in order; falls back to SND.UNA on a timeout.
    pub next: Offset,
    /// The end of what has ever been sent.
    pub highest_sent: Offset,
    /// The end of what the application has supplied, its FIN included.
    pub available: Offset,
    /// Congestion window and threshold.
    pub window: Window,
    /// Segments known to have left the network during fast recovery, which inflate the window.
    pub inflation: u32,
    /// SND.WND: bytes the peer accepts from SND.UNA on.
    pub peer_window: u64,
    /// The largest window the peer has offered.
    pub largest_peer_window: u64,
    /// A local limit of the window in segments; `u32::MAX` is none.
    pub window_limit: u32,
    /// Whether the last opportunity to send ended because the congestion window was full.
    pub congestion_limited: bool,
    /// Whether the application has closed, so that what is available ends in a FIN, for which Nagle does
    /// not wait.
    pub finishing: bool,
    /// Whether small segments wait for acknowledgments (Nagle, RFC 9293 section 3.7.4).
    pub nagle: bool,
    /// What is known of the round-trip time.
    pub round_trip: RoundTrip,
    /// What SACK has reported.
    pub scoreboard: RangeSet,
    /// When each segment was sent; kept only for strategies that ask for it.
    pub sent: Option<Box<SendLog>>,
    /// What only a sender knows that keeps a record of each segment.
    pub tracked: Tracked,
}

impl View {
    /// Bytes sent, from SND.UNA to the end of what has ever been sent.
    pub fn outstanding(&self) -> u64 {
        self.highest_sent - self.unacknowledged
    }
    /// FlightSize in segments (RFC 5681 section 2): what is outstanding, counting part segments in full.
    pub fn flight_segments(&self) -> f64 {
        self.outstanding().div_ceil(u64::from(self.segment_size)) as f64
    }
    /// `bytes` in full segments, a part counted as one.
    pub fn segments(&self, bytes: u64) -> u64 {
        bytes.div_ceil(u64::from(self.segment_size))
    }
    /// The smaller of the peer's window and the local limit, in whole segments.
    pub fn limit_segments(&self) -> u64 {
        (self.peer_window / u64::from(self.segment_size)).min(u64::from(self.window_limit))
    }
    /// Congestion window with inflation, bounded by the local limit and the peer's window: fractions kept.
    pub fn effective_window(&self) -> f64 {
        (self.window.congestion + f64::from(self.inflation)).min(self.limit_segments() as f64)
    }
    /// Bytes the congestion window (inflated) and the local limit allow from SND.UNA on: whole segments.
    pub fn usable_bytes(&self) -> u64 {
        let segments = (self.window.congestion as u64).saturating_add(u64::from(self.inflation));
        segments.min(u64::from(self.window_limit)).saturating_mul(u64::from(self.segment_size))
    }
    /// The initial window in segments, whether or not a SYN was lost: what Linux leaves of a window that is not used (`tcp_init_cwnd`).
    pub(crate) fn window_of_route(&self) -> f64 {
        let parameters = &self.parameters.window;
        parameters.initial.min((parameters.initial_bytes / f64::from(self.segment_size)).max(2.0))
    }
    /// The fine clock of the send log, in seconds since the first segment was sent; zero when no log is kept.
    pub fn fine_seconds(&self) -> f64 {
        self.sent.as_ref().map_or(0.0, |log| log.seconds(self.now))
    }
    /// Whether a segment at SND.NXT may be sent within `window` bytes of SND.UNA, the peer's window
    /// and the sender's side of silly window avoidance (RFC 9293 section 3.8.6.2.1).
    #[inline]
    pub fn permits(&self, window: u64) -> bool {
        self.permits_at(self.next, window)
    }
    /// The same for a segment at `at`.
    #[inline]
    pub fn permits_at(&self, at: Offset, window: u64) -> bool {
        let size = u64::from(self.segment_size);
        let remaining = self.available.saturating_since(at);
        let edge = self.unacknowledged + window.min(self.peer_window);
        let room = edge.saturating_since(at);
        (room >= size && remaining >= size) || self.permits_less(at, remaining, room)
    }
    /// The same where there is less than a full segment, or room for less than one.
    fn permits_less(&self, at: Offset, remaining: u64, room: u64) -> bool {
        let size = u64::from(self.segment_size);
        if at < self.highest_sent {
            return self.permits_again(at, room);
        }
        if remaining == 0 || room == 0 {
            return false;
        }
        if remaining <= room.min(size) {
            return !self.nagle || self.finishing || at == self.unacknowledged;
        }
        room < size && room * 2 >= self.largest_peer_window
    }
    /// Whether what was sent before may be sent again within `room` bytes: neither Nagle nor silly window
    /// avoidance hold it, only the congestion window does and what is left of the peer's.
    fn permits_again(&self, at: Offset, room: u64) -> bool {
        let length = u64::from(self.length_at(at));
        length > 0 && length <= room
    }
    /// Length of the segment at `at`: a full one, or what is left of data, of the peer's window and
    /// of the gap before what SACK has reported.
    pub fn length_at(&self, at: Offset) -> u32 {
        let edge = self.unacknowledged + self.peer_window;
        let end = self.scoreboard.next_present(at).unwrap_or(edge).min(edge).min(self.available);
        end.saturating_since(at).min(u64::from(self.segment_size)) as u32
    }
}

/// A sender with endless data and an initial window of 10, for unit tests.
#[cfg(test)]
pub(crate) fn sample(parameters: Parameters, round_trip: Duration) -> View {
    View {
        parameters: Arc::new(parameters),
        now: Instant::from_secs(1),
        segment_size: 1000,
        unacknowledged: Offset(0),
        next: Offset(0),
        highest_sent: Offset(0),
        available: Offset(u64::MAX >> 2),
        window: Window { congestion: 10.0, threshold: f64::INFINITY },
        inflation: 0,
        peer_window: 1 << 40,
        largest_peer_window: 1 << 40,
        window_limit: u32::MAX,
        congestion_limited: true,
        finishing: false,
        nagle: false,
        round_trip: RoundTrip {
            smoothed: round_trip,
            latest: round_trip,
            minimum: round_trip,
            ..RoundTrip::default()
        },
        scoreboard: RangeSet::default(),
        sent: None,
        tracked: Tracked::default(),
    }
}
