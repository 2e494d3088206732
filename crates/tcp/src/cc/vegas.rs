//! Vegas: keeps between alpha and beta segments queued along the path (Brakmo and Peterson 1995;
//! section references are to that paper). Goes with the fine-grained recovery of the same paper.

use super::*;

const ONLY_VEGAS_FINE: &str =
    "Vegas reduces its window by its own rule on a fine-grained retransmission; use vegas-fine";

pub(super) static ALGORITHM: Algorithm = Algorithm {
    name: "vegas",
    summary: "keeps alpha to beta segments in queues, computed from the difference between expected and actual rate",
    cite: "Brakmo and Peterson, IEEE JSAC 13(8), 1995",
    refuses: &[
        ("dcr", ONLY_VEGAS_FINE),
        ("tahoe", ONLY_VEGAS_FINE),
        ("reno", ONLY_VEGAS_FINE),
        ("newreno", ONLY_VEGAS_FINE),
        ("sack", ONLY_VEGAS_FINE),
        ("sack-pipe", ONLY_VEGAS_FINE),
    ],
    needs_send_log: true,
    build: &|_| Box::new(Vegas { may_double: true, round_began_at: Offset::FIRST_BYTE, ..Vegas::default() }),
};

/// In segments.
const WINDOW_AFTER_TIMEOUT: f64 = 2.0;

parameters! {
    /// Thresholds of Vegas, in segments of queueing along the path.
    pub struct VegasParameters {
        /// Below this the window grows (congestion avoidance, section 3.2).
        pub alpha: f64 = 1.0,
        /// Above this the window shrinks.
        pub beta: f64 = 3.0,
        /// Above this slow start ends (section 3.3).
        pub gamma: f64 = 1.0,
    }
}

#[derive(Debug, Default)]
struct Vegas {
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
    /// Once per round-trip time: compare expected and actual rate (section 3.2).
    fn end_round(&mut self, seconds: f64, view: &View, window: &mut Window) {
        let is_sampled = self.samples > 0;
        let round_trip = match is_sampled {
            true => self.sample_sum / f64::from(self.samples),
            false => seconds - self.round_began_seconds,
        };
        self.sample_sum = 0.0;
        self.samples = 0;
        let in_transit = view.segments(view.next.saturating_since(self.round_began_at)) as f64;
        let is_too_short = !is_sampled && Duration::from_secs_f64(round_trip) < view.round_trip.minimum;
        if round_trip > 0.0 && (view.parameters.ns2.vegas.samples_retransmitted_rounds || !is_too_short) {
            self.compare_rates(round_trip, in_transit, view, window);
        }
        self.round_began_at = view.next;
        self.round_began_seconds = seconds;
    }

    fn compare_rates(&mut self, round_trip: f64, in_transit: f64, view: &View, window: &mut Window) {
        let base = match self.base_round_trip {
            Some(base) if round_trip >= base && in_transit > 1.0 => base,
            _ => round_trip,
        };
        self.base_round_trip = Some(base);
        let actual = in_transit / round_trip;
        let expected = (view.segments(view.next - view.unacknowledged) + 1) as f64 / base;
        let queued = (expected - actual) * base;
        let queued =
            if view.parameters.ns2.vegas.rounds_difference { (queued + 0.5).trunc() } else { queued };
        let thresholds = &view.parameters.congestion_control.vegas;
        if window.congestion < window.threshold {
            self.slow_start(queued, thresholds, window);
        } else {
            self.avoid_congestion(queued, thresholds, window);
        }
    }

    /// Doubles every other round, to compare rates in between (section 3.3).
    fn slow_start(&mut self, queued: f64, thresholds: &VegasParameters, window: &mut Window) {
        self.may_double = !self.may_double;
        if !self.may_double {
            self.increase = 0.0;
        } else if queued > thresholds.gamma {
            window.threshold = 2.0;
            window.congestion = (window.congestion - window.congestion / 8.0).max(2.0);
            self.increase = 0.0;
        } else {
            self.increase = 1.0;
        }
    }

    fn avoid_congestion(&mut self, queued: f64, thresholds: &VegasParameters, window: &mut Window) {
        if queued > thresholds.beta {
            window.congestion = (window.congestion - 1.0).max(2.0);
            self.increase = 0.0;
        } else if queued < thresholds.alpha {
            self.increase = 1.0 / window.congestion;
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
    fn on_ack(&mut self, acked: &Acked, view: &View) -> Window {
        let mut window = view.window;
        let seconds = view.fine_seconds();
        if view.unacknowledged > self.round_began_at {
            self.end_round(seconds, view, &mut window);
        }
        if self.increase == 1.0 && window.congestion >= window.threshold {
            self.increase = 0.0;
        }
        let unused = window.congestion - (view.segments(view.next - view.unacknowledged) + 1) as f64;
        if self.increase > 0.0 && unused <= 2.0 {
            window.congestion += self.increase;
        }
        if let Some(sample) = acked.fine_round_trip {
            self.take_sample(sample);
        }
        window
    }
    fn on_loss(&mut self, loss: Loss, view: &View) -> Window {
        let parameters = &view.parameters.window;
        let congestion = match loss {
            Loss::Detected => view.window.congestion,
            Loss::Collapsed => WINDOW_AFTER_TIMEOUT,
        };
        Window { congestion, threshold: parameters.stored_threshold(parameters.half(view)) }
    }
    /// BaseRTT is that of a path: forget it, and compare rates from here on (Ho, Chan and Chen 2005). It is measured and
    /// not taken from the notification of the move.
    fn on_path_change(&mut self, _round_trip_time: Option<Duration>, view: &View) -> Window {
        self.base_round_trip = None;
        self.sample_sum = 0.0;
        self.samples = 0;
        self.round_began_at = view.next;
        self.round_began_seconds = view.fine_seconds();
        view.window
    }
}
