//! Vegas: keeps between alpha and beta segments queued along the path (Brakmo and Peterson 1995;
//! section references are to that paper). Goes with the fine-grained recovery of the same paper.

use super::{Acked, Algorithm, CongestionControl, Loss};
use crate::offset::Offset;
use crate::parameters::{Parameters, WindowParameters};
use crate::view::{View, Window};
use seamline_wire::Duration;

pub(super) static ALGORITHM: Algorithm = Algorithm {
    name: "vegas",
    summary: "holds alpha to beta segments in queues, from the difference of expected and actual rate",
    cite: "Brakmo and Peterson, IEEE JSAC 13(8), 1995",
    refuses: &[
        (
            "tahoe",
            "Vegas reduces its window by its own rule on a fine-grained retransmission; use vegas-fine",
        ),
        ("reno", "Vegas reduces its window by its own rule on a fine-grained retransmission; use vegas-fine"),
        (
            "newreno",
            "Vegas reduces its window by its own rule on a fine-grained retransmission; use vegas-fine",
        ),
        ("sack", "Vegas reduces its window by its own rule on a fine-grained retransmission; use vegas-fine"),
        (
            "sack-pipe",
            "Vegas reduces its window by its own rule on a fine-grained retransmission; use vegas-fine",
        ),
    ],
    needs_send_log: true,
    build: |parameters, initial| Box::new(Vegas::new(parameters, initial)),
};

/// Thresholds of Vegas, in segments of queueing along the path.
#[derive(Clone, Debug, PartialEq)]
pub struct VegasParameters {
    /// Below this the window grows (congestion avoidance, section 3.2).
    pub alpha: f64,
    /// Above this the window shrinks.
    pub beta: f64,
    /// Above this slow start ends (section 3.3).
    pub gamma: f64,
    /// The difference of the rates is rounded to whole segments before it is compared (ns-2): the window stands still from half a
    /// segment below alpha to half a segment above beta, and slow start ends half a segment above gamma. The paper compares it as
    /// it is.
    pub rounds_difference: bool,
    /// The window after a retransmission timeout, in segments.
    pub window_after_timeout: f64,
    /// The clock of the fine-grained timers.
    pub clock: crate::send_log::FineClock,
    /// How the times of sending are remembered.
    pub log_upkeep: crate::send_log::LogUpkeep,
    /// As in ns-2, the window becomes the initial window when the second new acknowledgment arrives.
    pub initial_window_at_second_ack: Option<f64>,
    /// When duplicates have inflated the window, the next new acknowledgment deflates it to the window
    /// after the last cut even when a timeout has forgotten that window, which leaves none: the sender
    /// stands still until the next timeout (ns-2).
    pub deflates_to_forgotten_window: bool,
    /// A loss among the segments that left at the very first instant cuts no window (ns-2, which counts that
    /// instant as the time of the last cut).
    pub spares_first_burst: bool,
    /// A round whose segments were all sent more than once gives no sample, and the time that it took stands for one (ns-2). What was
    /// sent before and had arrived after all can end such a round at once, so that BaseRTT falls far below any round-trip time, and the
    /// window with it, for good. Otherwise a time below the least round-trip time ever measured is none.
    pub takes_any_round_for_a_sample: bool,
}

impl Default for VegasParameters {
    fn default() -> Self {
        VegasParameters {
            alpha: 1.0,
            beta: 3.0,
            gamma: 1.0,
            rounds_difference: false,
            window_after_timeout: 2.0,
            clock: crate::send_log::FineClock::Exact,
            log_upkeep: crate::send_log::LogUpkeep::Exact,
            initial_window_at_second_ack: None,
            deflates_to_forgotten_window: false,
            spares_first_burst: false,
            takes_any_round_for_a_sample: false,
        }
    }
}

#[derive(Debug)]
struct Vegas {
    parameters: VegasParameters,
    window_parameters: WindowParameters,
    window: Window,
    /// The first acknowledgment has given a first value of BaseRTT.
    begun: bool,
    /// BaseRTT in seconds; `None` until a new path has been measured.
    base_round_trip: Option<f64>,
    round_began_at: Offset,
    round_began_seconds: f64,
    sample_sum: f64,
    samples: u32,
    increase: f64,
    may_double: bool,
}

impl Vegas {
    fn new(parameters: &Parameters, window: Window) -> Self {
        Vegas {
            parameters: parameters.vegas.clone(),
            window_parameters: parameters.window.clone(),
            window,
            begun: false,
            base_round_trip: None,
            round_began_at: Offset::FIRST_BYTE,
            round_began_seconds: 0.0,
            sample_sum: 0.0,
            samples: 0,
            increase: 0.0,
            may_double: true,
        }
    }

    /// Once per round-trip time: compare expected and actual rate (section 3.2).
    fn end_round(&mut self, seconds: f64, view: &View) {
        let is_sampled = self.samples > 0;
        let round_trip = match is_sampled {
            true => self.sample_sum / f64::from(self.samples),
            false => seconds - self.round_began_seconds,
        };
        self.sample_sum = 0.0;
        self.samples = 0;
        let in_transit = view.segments(view.next.saturating_since(self.round_began_at)) as f64;
        let is_too_short = !is_sampled && Duration::from_secs_f64(round_trip) < view.round_trip.minimum;
        if round_trip > 0.0 && (self.parameters.takes_any_round_for_a_sample || !is_too_short) {
            self.compare_rates(round_trip, in_transit, view);
        }
        self.round_began_at = view.next;
        self.round_began_seconds = seconds;
    }

    fn compare_rates(&mut self, round_trip: f64, in_transit: f64, view: &View) {
        let base = match self.base_round_trip {
            Some(base) if round_trip >= base && in_transit > 1.0 => base,
            _ => round_trip,
        };
        self.base_round_trip = Some(base);
        let actual = in_transit / round_trip;
        let expected = (view.segments(view.next - view.unacknowledged) + 1) as f64 / base;
        let queued = (expected - actual) * base;
        let queued = if self.parameters.rounds_difference { (queued + 0.5).trunc() } else { queued };
        if self.window.congestion < self.window.threshold {
            self.slow_start(queued);
        } else {
            self.avoid_congestion(queued);
        }
    }

    /// Doubles every other round, to compare rates in between (section 3.3).
    fn slow_start(&mut self, queued: f64) {
        self.may_double = !self.may_double;
        if !self.may_double {
            self.increase = 0.0;
        } else if queued > self.parameters.gamma {
            self.window.threshold = 2.0;
            self.window.congestion = (self.window.congestion - self.window.congestion / 8.0).max(2.0);
            self.increase = 0.0;
        } else {
            self.increase = 1.0;
        }
    }

    fn avoid_congestion(&mut self, queued: f64) {
        if queued > self.parameters.beta {
            self.window.congestion = (self.window.congestion - 1.0).max(2.0);
            self.increase = 0.0;
        } else if queued < self.parameters.alpha {
            self.increase = 1.0 / self.window.congestion;
        } else {
            self.increase = 0.0;
        }
    }

    fn take_sample(&mut self, seconds: f64) {
        self.sample_sum += seconds;
        self.samples += 1;
        if seconds > 0.0 && self.base_round_trip.is_none_or(|base| seconds < base) {
            self.base_round_trip = Some(seconds);
        }
    }
}

impl CongestionControl for Vegas {
    fn observe(&mut self, _acked: &Acked, view: &View) {
        if !self.begun {
            self.begun = true;
            self.base_round_trip = Some(seconds_since_start(view));
        }
    }
    fn on_ack(&mut self, acked: &Acked, view: &View) {
        let seconds = seconds_since_start(view);
        if view.unacknowledged > self.round_began_at {
            self.end_round(seconds, view);
        }
        if self.increase == 1.0 && self.window.congestion >= self.window.threshold {
            self.increase = 0.0;
        }
        let unused = self.window.congestion - (view.segments(view.next - view.unacknowledged) + 1) as f64;
        if self.increase > 0.0 && unused <= 2.0 {
            self.window.congestion += self.increase;
        }
        if let Some(sample) = acked.fine_round_trip {
            self.take_sample(sample);
        }
    }
    fn on_loss(&mut self, loss: Loss, view: &View) {
        let half = super::reno::half(&self.window_parameters, view);
        self.window.threshold = super::reno::stored_threshold(&self.window_parameters, half);
        if loss == Loss::Collapsed {
            self.window.congestion = self.parameters.window_after_timeout;
        }
    }
    /// BaseRTT is that of a path: forget it, and compare rates from here on (Ho, Chan and Chen 2005). It is measured and
    /// not taken from whoever tells of the move.
    fn on_path_change(&mut self, _round_trip_time: Option<Duration>, view: &View) {
        self.base_round_trip = None;
        self.sample_sum = 0.0;
        self.samples = 0;
        self.round_began_at = view.next;
        self.round_began_seconds = seconds_since_start(view);
    }
    fn window(&self) -> Window {
        self.window
    }
    fn set_window(&mut self, window: Window) {
        self.window = window;
    }
}

fn seconds_since_start(view: &View) -> f64 {
    view.sent.as_ref().map_or(0.0, |log| log.seconds(view.now))
}
