//! Acknowledgments that adapt to what arrives ([`AdaptiveAcknowledgment`]).

use crate::parameters::{AcknowledgmentCompression, AdaptiveAcknowledgment};
use crate::wheel::WheelTimer;
use seamline_wire::{Duration, Instant};

/// The size of segments is believed to be at most this before any has arrived (TCP_MSS_DEFAULT).
const FIRST_SEGMENT: u32 = 536;
/// A segment of at least this size that ends no write is a full one (TCP_MIN_MSS).
const LEAST_SEGMENT: u32 = 88;

/// What the sending side knows of time.
#[derive(Clone, Copy, Debug, Default)]
pub struct Timing {
    /// The smoothed round-trip time, once there is one.
    pub smoothed: Option<Duration>,
    /// The retransmission timeout.
    pub timeout: Duration,
}

/// What is to be done about an acknowledgment that is owed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decision {
    Now,
    /// When a timer that is set for this expires.
    In(Duration),
}

#[derive(Debug)]
pub(super) struct Adaptive {
    parameters: AdaptiveAcknowledgment,
    least: Duration,
    /// So many more are acknowledged one by one.
    quick: u32,
    /// This end answers what arrives with data, so that acknowledgments can ride along.
    interactive: bool,
    /// The wait by the interval between segments; zero before any.
    interval: Duration,
    last_data: Instant,
    /// The payload of the peer's full segments.
    full_segment: u32,
    last_size: u32,
    /// Something is to be acknowledged.
    owed: bool,
    /// Whether that has been looked at since something arrived.
    undecided: bool,
    /// At once, whatever else holds.
    urgent: bool,
    /// Ends of writes among what is not acknowledged.
    writes_ended: u32,
    compressed: u32,
    spared: u32,
    spared_at: u64,
    pub(super) compressed_until: Option<Instant>,
    /// The timer of delayed acknowledgments keeps running when something else has carried the acknowledgment; when it expires, what is
    /// held back leaves (tcp_delack_timer_handler).
    pub(super) timer: WheelTimer,
}

impl Adaptive {
    pub(super) fn new(
        parameters: AdaptiveAcknowledgment,
        least: Duration,
        segment: u32,
        window: u64,
    ) -> Self {
        let half = u32::try_from(window / 2).unwrap_or(u32::MAX);
        Adaptive {
            parameters,
            least,
            quick: 0,
            interactive: false,
            interval: Duration::ZERO,
            last_data: Instant::ZERO,
            full_segment: segment.min(half).clamp(LEAST_SEGMENT, FIRST_SEGMENT),
            last_size: 0,
            owed: false,
            undecided: false,
            urgent: false,
            writes_ended: 0,
            compressed: 0,
            spared: 0,
            spared_at: 0,
            compressed_until: None,
            timer: WheelTimer::new(parameters.tick),
        }
    }
    /// The payload of the peer's full segments, as far as known.
    pub(super) fn full_segment(&self) -> u32 {
        self.full_segment
    }
    pub(super) fn is_owed(&self) -> bool {
        self.owed
    }

    /// A segment has arrived that is to be acknowledged (inet_csk_schedule_ack).
    pub(super) fn owe(&mut self) {
        self.owed = true;
        self.undecided = true;
    }
    pub(super) fn owe_nothing(&mut self) {
        self.owed = false;
        self.undecided = false;
    }
    /// It must be acknowledged at once.
    pub(super) fn urge(&mut self) {
        self.owe();
        self.urgent = true;
    }

    /// Learn the size of the peer's full segments (tcp_measure_rcv_mss). Returns whether it is another than before.
    pub(super) fn measure(&mut self, length: u32, ends_write: bool, most: u32) -> bool {
        let last = std::mem::take(&mut self.last_size);
        if length >= self.full_segment {
            let before = std::mem::replace(&mut self.full_segment, length.min(most));
            self.writes_ended = self.writes_ended.max(u32::from(ends_write));
            return length != before;
        }
        if length >= FIRST_SEGMENT || (length >= LEAST_SEGMENT && !ends_write) {
            self.last_size = length;
            if length == last {
                self.full_segment = length;
                return false;
            }
        }
        self.writes_ended += 1;
        false
    }

    /// The connection is open: the first pause begins (tcp_finish_connect, tcp_create_openreq_child).
    pub(super) fn open(&mut self, now: Instant) {
        self.last_data = self.ticked(now);
    }
    /// Data has arrived in order (tcp_event_data_recv).
    pub(super) fn on_data(&mut self, now: Instant, window: u64, timing: &Timing) {
        self.owe();
        let now = self.ticked(now);
        let pause = now.saturating_since(self.last_data);
        if self.interval.is_zero() {
            self.acknowledge_quickly(window);
            self.interval = self.least;
        } else if pause <= self.least / 2 {
            self.interval = self.halved() + self.least / 2;
        } else if pause < self.interval {
            self.interval = (self.halved() + pause).min(timing.timeout).min(self.parameters.longest);
        } else if pause > timing.timeout {
            self.acknowledge_quickly(window);
        }
        self.last_data = now;
    }
    /// Half the interval, in whole ticks.
    fn halved(&self) -> Duration {
        self.ticked(Instant::ZERO + self.interval / 2) - Instant::ZERO
    }
    /// Acknowledge the next ones one by one, but not more than half of what fits into the window (tcp_incr_quickack).
    fn acknowledge_quickly(&mut self, window: u64) {
        let fits = window / (2 * u64::from(self.full_segment));
        let quick = if fits == 0 { 2 } else { u32::try_from(fits).unwrap_or(u32::MAX) };
        self.quick = self.quick.max(quick.min(self.parameters.quick));
    }
    /// The peer may be waiting: what arrived is a duplicate, or did not fit (tcp_enter_quickack_mode).
    pub(super) fn on_trouble(&mut self, window: u64) {
        self.acknowledge_quickly(window);
        self.interactive = false;
        self.interval = self.least;
    }
    /// The next two at once (__tcp_ecn_check_ce).
    pub(super) fn on_mark(&mut self, window: u64) {
        let quick = self.quick;
        self.on_trouble(window);
        self.quick = quick.max(self.quick.min(2));
    }
    /// Something is to be acknowledged, and data is about to leave; until when that may take.
    pub(super) fn begin_waiting(&mut self, now: Instant) -> Instant {
        self.owed = true;
        self.undecided = false;
        self.last_data = self.ticked(now);
        self.timer.set(now, self.parameters.longest)
    }
    /// The window grows: say so (tcp_grow_window).
    pub(super) fn on_growth(&mut self) {
        self.quick |= 1;
    }
    /// So little room is left that acknowledgments are no longer hurried (__tcp_select_window).
    pub(super) fn on_shortage(&mut self) {
        self.quick = 0;
    }
    /// The peer has closed: the application will answer (tcp_fin).
    pub(super) fn on_fin(&mut self) {
        self.owe();
        self.interactive = true;
    }
    /// Data leaves (tcp_event_data_sent).
    pub(super) fn on_data_sent(&mut self, now: Instant) {
        if self.ticked(now).saturating_since(self.last_data) < self.interval {
            self.interactive = true;
        }
    }

    /// What to do about what is owed, `None` when nothing new is (__tcp_ack_snd_check). `wide`: more than a full segment is not
    /// acknowledged, and the window is not smaller than when it was last offered.
    pub(super) fn decide(
        &mut self,
        now: Instant,
        wide: bool,
        gap: Option<Gap>,
        waits: bool,
        timing: &Timing,
    ) -> Option<Decision> {
        if !std::mem::take(&mut self.undecided) || !self.owed {
            return None;
        }
        let is_quick = self.quick > 0 && !self.interactive;
        if wide || is_quick || self.urgent {
            return Some(Decision::Now);
        }
        match gap {
            None => Some(self.delay(now, waits, timing)),
            Some(gap) => self.compress(now, gap, timing),
        }
    }

    /// How long to wait (tcp_send_delayed_ack).
    fn delay(&self, now: Instant, waits: bool, timing: &Timing) -> Decision {
        const LONGEST_WITHOUT_ANSWER: Duration = Duration::from_millis(500);
        let mut wait = self.interval;
        if wait > self.least {
            let answered = self.interactive || self.writes_ended > 0;
            let most = if answered { self.parameters.longest } else { LONGEST_WITHOUT_ANSWER };
            let in_ticks =
                |it: Duration| Duration::from_nanos(it.as_nanos().next_multiple_of(self.tick_nanos()));
            let round_trip = timing.smoothed.map_or(most, |smoothed| in_ticks(smoothed).max(self.least));
            wait = wait.min(most).min(round_trip);
        }
        let wait = wait.min(self.parameters.longest);
        let left =
            waits.then(|| self.timer.expires()).flatten().map(|at| at.saturating_since(self.ticked(now)));
        match left {
            Some(left) if left <= wait / 4 => Decision::Now,
            Some(left) => Decision::In(left.min(wait)),
            None => Decision::In(wait),
        }
    }
    fn tick_nanos(&self) -> u64 {
        self.parameters.tick.as_nanos().max(1)
    }
    /// The time of the clock that ticks.
    fn ticked(&self, now: Instant) -> Instant {
        let tick = self.tick_nanos();
        Instant::from_nanos(now.as_nanos() / tick * tick)
    }

    fn compress(&mut self, now: Instant, gap: Gap, timing: &Timing) -> Option<Decision> {
        let Some(limits) = self.parameters.compression.filter(|_| gap.selective) else {
            return Some(Decision::Now);
        };
        if self.compressed >= limits.most {
            return Some(Decision::Now);
        }
        if self.spared_at != gap.next {
            (self.spared_at, self.spared) = (gap.next, 0);
        }
        if self.spared < limits.spared {
            self.spared += 1;
            return Some(Decision::Now);
        }
        self.compressed += 1;
        if self.compressed_until.is_none() {
            self.compressed_until = Some(now + compression_delay(&limits, gap.round_trip, timing));
        }
        None
    }
    pub(super) fn keeps_clock(&self) -> bool {
        self.parameters.compression.is_some_and(|limits| limits.keeps_clock)
    }
    /// An acknowledgment is held back.
    pub(super) fn is_compressing(&self) -> bool {
        self.compressed > 0
    }

    /// Nothing carried the acknowledgment in time: wait longer next time (tcp_delack_timer_handler).
    pub(super) fn on_timeout(&mut self, timing: &Timing) {
        if self.interactive {
            self.interactive = false;
            self.interval = self.least;
        } else {
            self.interval = (self.interval * 2).min(timing.timeout).min(self.parameters.longest);
        }
    }
    /// Whether an application that has read everything acknowledges the end of a write (tcp_cleanup_rbuf).
    pub(super) fn ends_write(&self) -> bool {
        self.owed && (self.writes_ended > 1 || (self.writes_ended == 1 && !self.interactive))
    }

    /// A segment with an acknowledgment has left (tcp_event_ack_sent).
    pub(super) fn acknowledged(&mut self) {
        if self.quick > 0 && self.owed {
            self.quick -= 1;
            if self.quick == 0 {
                self.interval = self.least;
            }
        }
        self.owed = false;
        self.undecided = false;
        self.urgent = false;
        self.writes_ended = 0;
        self.compressed = 0;
        self.compressed_until = None;
    }
}

/// Data has arrived beyond a gap.
#[derive(Clone, Copy, Debug)]
pub(super) struct Gap {
    /// Where the gap begins.
    pub(super) next: u64,
    /// The peer has SACK.
    pub(super) selective: bool,
    /// The round-trip time as the receiver measures it.
    pub(super) round_trip: Option<Duration>,
}

fn compression_delay(
    limits: &AcknowledgmentCompression,
    measured: Option<Duration>,
    timing: &Timing,
) -> Duration {
    let round_trip = measured.into_iter().chain(timing.smoothed).min().unwrap_or(Duration::ZERO);
    (round_trip * limits.percent_of_round_trip / 100).min(limits.delay) + limits.slack
}
