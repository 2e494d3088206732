//! Careful Resume (RFC 9959): a flow over a path whose capacity is remembered jumps to half of it, paced over a round trip, and
//! takes the jump back if anything is lost. It works around a congestion control that does not control the rate itself; section
//! numbers are those of the RFC, windows and volumes are in segments.
//!
//! Left out: appendix C (BBR); that only one connection may use a set of parameters (section 3.2), because flows know nothing of one
//! another: each is given its own.

#[cfg(test)]
mod tests;

use super::*;

parameters! {
    /// What is remembered of a path at the beginning of a connection, and how it is used.
    pub struct CarefulResumeParameters {
        /// The capacity in segments (saved_cwnd), zero when nothing is remembered.
        pub saved_window: f64 = 0.0,
        /// The smallest round-trip time with it (saved_rtt).
        pub saved_round_trip_time: Duration = Duration::ZERO,
        /// The largest window to jump to, in segments (max_jump).
        pub largest_jump: f64 = f64::INFINITY,
        /// What of the measured capacity becomes the threshold when a jump was too much (Beta, from 0.5 to 1).
        pub decrease: f64 = 0.5,
        /// For how long what was observed may be used (Lifetime); RFC 9959 section 4.3.1 speaks of minutes for paths that vary. Read by
        /// the handover scheme.
        pub lifetime: Duration = Duration::from_secs(300),
    }
}

impl CarefulResumeParameters {
    /// What is remembered at the beginning, if anything is.
    pub(crate) fn saved(&self) -> Option<SavedPath> {
        let saved = SavedPath { window: self.saved_window, round_trip: self.saved_round_trip_time };
        (self.saved_window > 0.0).then_some(saved)
    }
}

/// What is remembered of a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SavedPath {
    /// Segments delivered in a round trip (saved_cwnd).
    pub window: f64,
    /// The smallest round-trip time (saved_rtt).
    pub round_trip: Duration,
}

/// A path is another one when its round-trip time is half of what is remembered, or more than ten times (section 4.2).
const SMALLEST_PART: u64 = 2;
const LARGEST_MULTIPLE: u64 = 10;
/// The least window in segments.
const LEAST_WINDOW: f64 = 2.0;

/// Section 3.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    /// Nothing has been sent.
    Connect,
    /// The congestion control inside does everything.
    Normal,
    /// The path is to be confirmed by what is sent first.
    Reconnaissance,
    /// The jump is being sent.
    Unvalidated,
    /// The jump is sent, and until so many segments are delivered it is not confirmed.
    Validating { until: u64 },
    /// The jump was too much: at this window until so many segments are delivered or lost; `None` before that is counted.
    Retreat { window: f64, until: Option<u64> },
}

/// Careful Resume around another congestion control.
#[derive(Debug)]
pub(crate) struct Careful {
    inner: Box<dyn CongestionControl>,
    parameters: CarefulResumeParameters,
    saved: SavedPath,
    phase: Phase,
    /// When the phase began, and what had been delivered by then.
    began: Instant,
    delivered: u64,
    /// The initial window.
    initial: f64,
    /// Not counting what is delivered after `delivered` (PipeSize).
    pipe: f64,
    smallest: Option<Duration>,
}

impl Careful {
    /// Put it around a congestion control whose flow begins.
    pub(crate) fn around(control: &mut Box<dyn CongestionControl>, saved: SavedPath, view: &View) {
        let inner = std::mem::replace(control, (reno::ALGORITHM.build)(&view.parameters));
        *control = Box::new(Careful {
            inner,
            parameters: view.parameters.careful_resume.clone(),
            saved,
            phase: Phase::Connect,
            began: view.now,
            delivered: 0,
            initial: 0.0,
            pipe: 0.0,
            smallest: None,
        });
    }
    fn enter(&mut self, phase: Phase, view: &View) {
        self.phase = phase;
        self.began = view.now;
    }
    /// PipeSize: what was in flight before the jump, and what has been delivered since.
    fn pipe(&self, delivered: u64) -> f64 {
        self.pipe + (delivered - self.delivered) as f64
    }
    /// min(max_jump, saved_cwnd / 2), section 3.3.
    fn jump(&self) -> f64 {
        (self.saved.window / 2.0).min(self.parameters.largest_jump).trunc()
    }

    /// Reconnaissance (section 3.2): the path is confirmed when all of the first window is acknowledged without a loss.
    fn reconnoitre(&mut self, view: &View, window: Window) {
        let acknowledged = (view.tracked.delivered - self.delivered) as f64;
        if acknowledged < self.initial {
            return;
        }
        let smallest = self.smallest.unwrap_or(Duration::MAX);
        let is_other = smallest <= self.saved.round_trip / SMALLEST_PART
            || smallest > self.saved.round_trip * LARGEST_MULTIPLE;
        if is_other || self.jump() <= window.congestion {
            return self.enter(Phase::Normal, view);
        }
        // Not before there is more to send than the window allows.
        if view.congestion_limited {
            self.pipe = f64::from(view.tracked.in_flight);
            self.delivered = view.tracked.delivered;
            self.enter(Phase::Unvalidated, view);
        }
    }
    /// Unvalidated (section 3.3): whether all of the jump has left, some of it has arrived, or a round trip has passed.
    fn is_sent(&self, sample: &RateSample, view: &View) -> bool {
        f64::from(sample.prior_in_flight) > view.window.congestion - 1.0
            || (sample.rate.is_some() && sample.prior_delivered >= self.delivered)
            || view.now > self.began + view.round_trip.latest
    }
    fn leave_unvalidated(&mut self, view: &View) -> Window {
        let (in_flight, pipe) = (f64::from(view.tracked.in_flight), self.pipe(view.tracked.delivered));
        self.inner.on_window_replaced();
        if in_flight < self.initial || in_flight <= pipe {
            self.enter(Phase::Normal, view);
            return Window { congestion: pipe.max(self.initial), ..view.window };
        }
        let until = view.tracked.delivered + u64::from(view.tracked.in_flight);
        self.enter(Phase::Validating { until }, view);
        Window { congestion: in_flight, ..view.window }
    }
    /// Safe Retreat (section 3.5), where losses say that the jump was too much or that the path is another one.
    fn retreat(&mut self, delivered: u64, view: &View) {
        let window = (self.pipe(delivered) / 2.0).trunc().max(LEAST_WINDOW);
        self.enter(Phase::Retreat { window, until: None }, view);
    }
    /// Until all that is in flight now is delivered or lost the window stays; then the threshold is what was measured.
    fn go_on_retreating(&mut self, window: f64, until: Option<u64>, view: &View) -> Window {
        let settled = view.tracked.delivered + view.tracked.lost;
        let until = until.unwrap_or_else(|| settled + u64::from(view.tracked.in_flight));
        self.phase = Phase::Retreat { window, until: Some(until) };
        let mut next = Window { congestion: window, threshold: window };
        if settled >= until {
            let pipe = self.pipe(view.tracked.delivered);
            next.threshold = (pipe * self.parameters.decrease).trunc().max(LEAST_WINDOW);
            self.inner.on_window_replaced();
            self.enter(Phase::Normal, view);
        }
        next
    }
    /// A loss or a mark, or news that the path is another one.
    fn note_congestion(&mut self, delivered: u64, view: &View) {
        match self.phase {
            Phase::Connect | Phase::Reconnaissance => self.enter(Phase::Normal, view),
            Phase::Unvalidated | Phase::Validating { .. } => self.retreat(delivered, view),
            Phase::Normal | Phase::Retreat { .. } => {}
        }
    }
}

impl CongestionControl for Careful {
    fn on_ack(&mut self, acked: &Acked, view: &View) -> Window {
        let window = self.inner.on_ack(acked, view);
        match self.phase {
            Phase::Reconnaissance => self.reconnoitre(view, window),
            Phase::Validating { until } if view.tracked.delivered >= until => {
                self.enter(Phase::Normal, view);
            }
            _ => {}
        }
        window
    }
    fn on_loss(&mut self, loss: Loss, view: &View) -> Window {
        if loss == Loss::Collapsed {
            self.enter(Phase::Normal, view);
            return self.inner.on_loss(loss, view);
        }
        self.note_congestion(view.tracked.delivered, view);
        match self.phase {
            Phase::Retreat { window, .. } => Window { congestion: window, threshold: window },
            _ => self.inner.on_loss(loss, view),
        }
    }
    fn on_segment_lost(&mut self, lost: &LostSegment, view: &View) {
        // What was sent before is lost with the way back to the path.
        if lost.sent >= self.began || !matches!(self.phase, Phase::Reconnaissance) {
            self.note_congestion(lost.delivered, view);
        }
        self.inner.on_segment_lost(lost, view);
    }
    fn keep(&mut self) {
        self.inner.keep();
    }
    fn restore(&mut self, before: Window, view: &View) -> Window {
        match self.phase {
            Phase::Retreat { .. } => view.window,
            _ => self.inner.restore(before, view),
        }
    }
    fn on_path_change(&mut self, round_trip_time: Option<Duration>, view: &View) -> Window {
        self.note_congestion(view.tracked.delivered, view);
        self.inner.on_path_change(round_trip_time, view)
    }
    fn on_window_replaced(&mut self) {
        self.inner.on_window_replaced();
    }
    fn expect_losses(&mut self, until: Instant) {
        self.inner.expect_losses(until);
    }
    fn resume(&mut self, saved: SavedPath, view: &View) -> bool {
        self.saved = saved;
        self.delivered = view.tracked.delivered;
        self.initial = view.window.congestion;
        self.smallest = None;
        self.enter(Phase::Reconnaissance, view);
        true
    }
    fn on_round_trip(&mut self, sample: Duration, view: &View) -> Option<Window> {
        match self.phase {
            Phase::Reconnaissance => {
                self.smallest = Some(self.smallest.map_or(sample, |smallest| smallest.min(sample)));
            }
            Phase::Unvalidated if sample <= self.saved.round_trip / SMALLEST_PART => {
                self.retreat(view.tracked.delivered, view);
            }
            _ => {}
        }
        if self.controls_rate() { None } else { self.inner.on_round_trip(sample, view) }
    }
    fn on_state(&mut self, state: RecoveryState, view: &View) {
        self.inner.on_state(state, view);
    }
    fn on_transmission_start(&mut self, idle: Duration, view: &View) -> Option<Decision> {
        if self.phase == Phase::Connect {
            self.resume(self.saved, view);
        }
        self.inner.on_transmission_start(idle, view)
    }
    fn controls_rate(&self) -> bool {
        matches!(self.phase, Phase::Unvalidated | Phase::Retreat { .. })
    }
    fn on_rate_sample(&mut self, sample: &RateSample, view: &View) -> Decision {
        let mut window = view.window;
        match self.phase {
            Phase::Retreat { window: most, until } => window = self.go_on_retreating(most, until, view),
            Phase::Unvalidated if self.is_sent(sample, view) => window = self.leave_unvalidated(view),
            Phase::Unvalidated => window.congestion = self.jump(),
            _ => {}
        }
        Decision { window, pacing_rate: self.pacing_rate(window, view), application_limited: false }
    }
}

impl Careful {
    /// The window over a round trip; a jump by the current round-trip time, not by the one that is remembered (section 4.3.2).
    fn pacing_rate(&self, window: Window, view: &View) -> u64 {
        let bytes = window.congestion * f64::from(view.segment_size);
        ((bytes / view.round_trip.latest.as_secs_f64().max(1e-6)) as u64).max(1)
    }
}
