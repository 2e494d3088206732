//! A sender that keeps a record of every segment: losses are found by time (RACK-TLP, RFC 8985), the window falls in proportion to
//! what arrives (RFC 9937), and what turns out to have been needless is taken back (RFC 5682, RFC 4015, D-SACK).
//!
//! The order of steps is that of Linux (`tcp_ack`), whose behaviour this sender is compared with segment by segment. Detection
//! ([`rack`], [`probe`]), reduction ([`reduction`]), undoing ([`undo`]) and the choice of what to send ([`resending`],
//! [`writing`]) are separate; [`alert`] holds the states that connect them.

mod acknowledging;
mod alert;
mod application;
mod buffer;
mod calls;
mod delivery;
mod host_queue;
mod limits;
mod moving;
mod notified;
mod pacing;
mod probe;
mod queue;
mod rack;
mod reduction;
mod resending;
mod round_trips;
mod rto;
mod selective;
mod timer;
mod timing;
mod undo;
mod use_of_window;
mod writing;

pub(crate) use round_trips::WindowedMinimum;

use super::{Exit, Sender, Write};
use crate::cc::RecoveryState;
use crate::offset::Offset;
use crate::parameters::Parameters;
use buffer::Buffer;
use delivery::Delivery;
use host_queue::HostQueue;
use limits::Limits;
use pacing::Pacing;
use probe::LossProbe;
use queue::Queue;
use rack::Rack;
use reduction::Reduction;
use rto::RetransmissionTimeout;
use seamline_wire::{Duration, Instant};
use timer::Timer;
use undo::Undo;
use use_of_window::UseOfWindow;

/// Segments that may overtake one another before that means a loss, at first (RFC 5681: 3).
const REORDERING: u32 = 3;
/// The smallest round-trip time is that of so long (Linux, `tcp_min_rtt_wlen`).
const MINIMUM_ROUND_TRIP_WINDOW: Duration = Duration::from_secs(300);

/// What a tracking sender knows besides the [`super::View`].
#[derive(Debug)]
pub(crate) struct Tracking {
    queue: Queue,
    state: RecoveryState,
    /// What had been sent when the state began; recovery ends when it is acknowledged (`high_seq`).
    high: Offset,
    /// Segments by which the path reorders, as far as is known.
    reordering: u32,
    rack: Rack,
    probe: LossProbe,
    reduction: Reduction,
    undo: Undo,
    delivery: Delivery,
    timeout: RetransmissionTimeout,
    timeouts_in_a_row: u32,
    /// The receiver has dropped what it had reported.
    reneged: bool,
    window_probes: u32,
    minimum_round_trip: WindowedMinimum,
    timer: Timer,
    pacing: Pacing,
    /// The time of the input being handled, to the nanosecond; the rest of the sender counts microseconds.
    exact_now: Instant,
    use_of_window: UseOfWindow,
    /// The end of the last segment that was not full (Minshall's variant of Nagle's algorithm).
    last_small: Offset,
    /// What the host takes in of the application's data; without it, all at once.
    buffer: Option<Buffer>,
    /// The end of what had been supplied when that was last looked at.
    supplied: Offset,
    /// Segments with data sent so far.
    segments_sent: u64,
    /// The end of what was offered with the SYN: what is sent of that again is no small segment of the application.
    sent_with_syn: Offset,
    /// Parts of segments wait for more (TCP_CORK).
    corked: bool,
    limits: Limits,
    host_queue: HostQueue,
}

impl Tracking {
    pub(super) fn new(parameters: &Parameters, first: Offset) -> Self {
        let tick = parameters.recovery.timer_tick;
        Tracking {
            queue: Queue::default(),
            state: RecoveryState::Open,
            high: first,
            reordering: REORDERING,
            rack: Rack::default(),
            probe: LossProbe::default(),
            reduction: Reduction::default(),
            undo: Undo::default(),
            delivery: Delivery::default(),
            timeout: RetransmissionTimeout::new(&parameters.round_trip, tick),
            timeouts_in_a_row: 0,
            reneged: false,
            window_probes: 0,
            minimum_round_trip: WindowedMinimum::new(MINIMUM_ROUND_TRIP_WINDOW),
            timer: Timer::new(tick),
            pacing: Pacing::default(),
            exact_now: Instant::ZERO,
            use_of_window: UseOfWindow::new(first),
            last_small: Offset::SYN,
            buffer: parameters.segments.send_buffer.as_ref().map(Buffer::new),
            supplied: first,
            segments_sent: 0,
            sent_with_syn: Offset::SYN,
            corked: false,
            limits: Limits::default(),
            host_queue: HostQueue::default(),
        }
    }
    /// When the next timer is due, [`Instant::MAX`] for never.
    pub(super) fn due(&self) -> Instant {
        self.timer.due().min(self.pacing.due())
    }
    pub(super) fn in_recovery(&self) -> bool {
        self.state >= RecoveryState::Recovery
    }
    /// Whether nothing limits it, and its application does not wait for room.
    fn waits_for_nothing(&self) -> bool {
        self.limits.are_none() && self.buffer.as_ref().is_none_or(|buffer| !buffer.is_short)
    }
    /// The retransmission timeout with its back-off, and how often it was doubled.
    pub(super) fn timeout(&self) -> (Duration, u32) {
        (self.timeout.current(), self.timeout.doublings())
    }
}

/// One call of a tracking sender: its own state, the sender's, and where segments go.
pub(super) struct Run<'a, 'b> {
    t: &'a mut Tracking,
    s: &'a mut Sender,
    exit: &'a mut Exit<'b>,
}

/// Kernels count microseconds.
fn to_microseconds(at: Instant) -> Instant {
    Instant::from_nanos(at.as_nanos() / 1000 * 1000)
}

impl Sender {
    /// Let the tracking sender run; nothing happens in a sender of another kind.
    pub(super) fn run_tracking(
        &mut self,
        now: Instant,
        exit: &mut Exit<'_>,
        act: impl FnOnce(&mut Run<'_, '_>),
    ) {
        let Some(mut tracking) = self.tracking.take() else { return };
        self.view.now = to_microseconds(now);
        tracking.exact_now = now;
        let mut run = Run { t: &mut tracking, s: self, exit };
        act(&mut run);
        run.end_input();
        run.show();
        self.view.now = now;
        self.tracking = Some(tracking);
    }
}

impl Run<'_, '_> {
    fn now(&self) -> Instant {
        self.s.view.now
    }
    fn unacknowledged(&self) -> Offset {
        self.s.view.unacknowledged
    }
    /// The window in whole segments.
    fn window(&self) -> u32 {
        self.s.view.window.congestion as u32
    }
    fn set_window(&mut self, segments: u32) {
        self.s.view.window.congestion = f64::from(segments.max(1));
    }
    /// The threshold in whole segments, `u32::MAX` while it is arbitrarily high.
    fn threshold(&self) -> u32 {
        self.s.view.window.threshold as u32
    }
    fn is_reducing(&self) -> bool {
        matches!(self.t.state, RecoveryState::Reducing | RecoveryState::Recovery)
    }
    fn enter(&mut self, state: RecoveryState) {
        self.t.state = state;
        self.s.control.on_state(state, &self.s.view);
    }
    /// Write what strategies and traces look at.
    fn show(&mut self) {
        let view = &mut self.s.view;
        view.round_trip = self.t.timeout.round_trip();
        view.tracked.in_flight = self.t.queue.in_flight();
        view.tracked.delivered = self.t.delivery.delivered;
        view.tracked.marked = self.t.delivery.marked;
        view.tracked.lost = self.t.delivery.lost;
        view.tracked.outstanding_segments = self.t.queue.len();
        view.tracked.minimum_round_trip = self.t.minimum_round_trip.get();
        view.tracked.state = self.t.state;
        view.tracked.pacing_rate = self.t.pacing.rate();
        view.tracked.until_departure = self.t.pacing.last_departure().saturating_since(self.t.exact_now);
        view.tracked.is_application_limited = self.t.delivery.is_application_limited();
        view.tracked.is_paced = self.t.pacing.waits;
        view.next = view.highest_sent;
    }
}
