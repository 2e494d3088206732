//! Vegas: keeps between alpha and beta segments queued along the path (Brakmo and Peterson 1995;
//! section references are to that paper). Goes with the fine-grained recovery of the same paper.

use super::*;

const ONLY_VEGAS_FINE: &str =
    "Vegas reduces its window by its own rule on a fine-grained retransmission; use vegas-fine";

pub(super) static ALGORITHM: Algorithm = Algorithm {
    name: "vegas",
    summary: "holds alpha to beta segments in queues, from the difference of expected and actual rate",
    cite: "Brakmo and Peterson, IEEE JSAC 13(8), 1995",
    refuses: &[
        ("tahoe", ONLY_VEGAS_FINE),
        ("reno", ONLY_VEGAS_FINE),
        ("newreno", ONLY_VEGAS_FINE),
        ("sack", ONLY_VEGAS_FINE),
        ("sack-pipe", ONLY_VEGAS_FINE),
    ],
    needs_send_log: true,
    build: |parameters, initial| Box::new(Vegas::new(parameters, initial)),
};

parameters! {
    /// Thresholds of Vegas, in segments of queueing along the path.
    pub struct VegasParameters {
        /// Below this the window grows (congestion avoidance, section 3.2).
        pub alpha: f64 = 1.0,
        /// Above this the window shrinks.
        pub beta: f64 = 3.0,
        /// Above this slow start ends (section 3.3).
        pub gamma: f64 = 1.0,
        /// The window after a retransmission timeout, in segments.
        pub window_after_timeout: f64 = 2.0,
    }
}

#[derive(Debug)]
struct Vegas {
    parameters: Arc<Parameters>,
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
    fn new(parameters: &Arc<Parameters>, window: Window) -> Self {
        Vegas {
            parameters: Arc::clone(parameters),
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
        if round_trip > 0.0 && (self.parameters.ns2.vegas.samples_retransmitted_rounds || !is_too_short) {
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
        let queued =
            if self.parameters.ns2.vegas.rounds_difference { (queued + 0.5).trunc() } else { queued };
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
        } else if queued > self.parameters.congestion_control.vegas.gamma {
            self.window.threshold = 2.0;
            self.window.congestion = (self.window.congestion - self.window.congestion / 8.0).max(2.0);
            self.increase = 0.0;
        } else {
            self.increase = 1.0;
        }
    }

    fn avoid_congestion(&mut self, queued: f64) {
        if queued > self.parameters.congestion_control.vegas.beta {
            self.window.congestion = (self.window.congestion - 1.0).max(2.0);
            self.increase = 0.0;
        } else if queued < self.parameters.congestion_control.vegas.alpha {
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
            self.base_round_trip = Some(view.fine_seconds());
        }
    }
    fn on_ack(&mut self, acked: &Acked, view: &View) {
        let seconds = view.fine_seconds();
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
        let parameters = &self.parameters.window;
        self.window.threshold = parameters.stored_threshold(parameters.half(view));
        if loss == Loss::Collapsed {
            self.window.congestion = self.parameters.congestion_control.vegas.window_after_timeout;
        }
    }
    /// BaseRTT is that of a path: forget it, and compare rates from here on (Ho, Chan and Chen 2005). It is measured and
    /// not taken from the notification of the move.
    fn on_path_change(&mut self, _round_trip_time: Option<Duration>, view: &View) {
        self.base_round_trip = None;
        self.sample_sum = 0.0;
        self.samples = 0;
        self.round_began_at = view.next;
        self.round_began_seconds = view.fine_seconds();
    }
    fn window(&self) -> Window {
        self.window
    }
    fn set_window(&mut self, window: Window) {
        self.window = window;
    }
}
