//! CUBIC (RFC 9438): the window grows as a cubic function of the time since the last loss. Section
//! numbers are those of the RFC; windows are in segments, times in seconds.

use super::*;

pub(super) static ALGORITHM: Algorithm = Algorithm {
    name: "cubic",
    summary: "window grows as a cubic function of the time since the last loss; the Internet's default",
    cite: "RFC 9438",
    refuses: &[("tahoe", "Tahoe restarts from one segment at every loss, so CUBIC's curve never begins")],
    needs_send_log: false,
    build: |parameters, initial| Box::new(Cubic::new(parameters, initial)),
};

parameters! {
    /// Constants of CUBIC (section 4.1 and 5).
    pub struct CubicParameters {
        /// C, in segments per second cubed.
        pub aggressiveness: f64 = 0.4,
        /// beta_cubic: what is left of the window after a loss.
        pub decrease: f64 = 0.7,
        /// Whether a shrinking maximum gives way to newer flows (section 4.7).
        pub fast_convergence: bool = true,
    }
}

/// One stay in congestion avoidance.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    began: Instant,
    origin: f64,
    time_to_origin: f64,
    reno_estimate: f64,
}

/// What a cut changes in addition to the window (section 4.9.2).
#[derive(Clone, Copy, Debug)]
struct Kept {
    maximum: f64,
    before_cut: f64,
    epoch: Option<Epoch>,
}

#[derive(Debug)]
struct Cubic {
    parameters: Arc<Parameters>,
    window: Window,
    maximum: f64,
    before_cut: f64,
    epoch: Option<Epoch>,
    last_ack_at: Option<Instant>,
    /// Boxed, because few profiles take cuts back, and connections at rest keep all of this.
    kept: Option<Box<Kept>>,
}

impl Cubic {
    fn new(parameters: &Arc<Parameters>, window: Window) -> Self {
        Cubic {
            parameters: Arc::clone(parameters),
            window,
            maximum: 0.0,
            before_cut: 0.0,
            epoch: None,
            last_ack_at: None,
            kept: None,
        }
    }

    /// Section 4.2: K from the window at the beginning of the epoch.
    fn begin_epoch(&self, now: Instant) -> Epoch {
        let begin = self.window.congestion;
        let (origin, time_to_origin) = if begin < self.maximum {
            (
                self.maximum,
                libm::cbrt((self.maximum - begin) / self.parameters.congestion_control.cubic.aggressiveness),
            )
        } else {
            (begin, 0.0)
        };
        Epoch { began: now, origin, time_to_origin, reno_estimate: begin }
    }

    /// Equation 1: W_cubic(t).
    fn curve(&self, epoch: &Epoch, seconds: f64) -> f64 {
        let offset = seconds - epoch.time_to_origin;
        self.parameters.congestion_control.cubic.aggressiveness * offset * offset * offset + epoch.origin
    }

    fn avoid_congestion(&mut self, segments: f64, now: Instant, round_trip: Duration) {
        let mut epoch = self.epoch.unwrap_or_else(|| self.begin_epoch(now));
        let window = self.window.congestion;
        let elapsed = (now - epoch.began).as_secs_f64();
        epoch.reno_estimate += self.reno_slope(&epoch) * segments / window;
        let here = self.curve(&epoch, elapsed);
        if here < epoch.reno_estimate {
            self.window.congestion = window.max(epoch.reno_estimate);
        } else {
            let ahead = self.curve(&epoch, elapsed + round_trip.as_secs_f64());
            let target = ahead.clamp(window, 1.5 * window);
            self.window.congestion += (target - window) / window * segments;
        }
        self.epoch = Some(epoch);
    }

    /// alpha_cubic of section 4.3, one once the estimate has regained the window before the cut.
    fn reno_slope(&self, epoch: &Epoch) -> f64 {
        if epoch.reno_estimate >= self.before_cut {
            1.0
        } else {
            3.0 * (1.0 - self.parameters.congestion_control.cubic.decrease)
                / (1.0 + self.parameters.congestion_control.cubic.decrease)
        }
    }

    /// The curve does not run on while the application sends too little (section 4.2, last but one
    /// paragraph).
    fn stop_the_curve(&mut self, now: Instant) {
        if let (Some(epoch), Some(last)) = (self.epoch.as_mut(), self.last_ack_at) {
            epoch.began += now - last;
        }
    }
}

impl CongestionControl for Cubic {
    fn on_ack(&mut self, acked: &Acked, view: &View) {
        let newly = acked.delivered.min(acked.bytes) as f64 / f64::from(view.segment_size);
        if self.parameters.window.grow_only_when_full && !view.congestion_limited {
            self.stop_the_curve(view.now);
        } else if self.window.congestion < self.window.threshold {
            self.window.congestion += self.parameters.window.growth(acked, view);
        } else {
            self.avoid_congestion(newly, view.now, view.round_trip.smoothed);
        }
        self.last_ack_at = Some(view.now);
    }

    /// Sections 4.6 to 4.8.
    fn on_loss(&mut self, loss: Loss, view: &View) {
        let window = self.window.congestion;
        self.before_cut = window;
        self.maximum = if self.parameters.congestion_control.cubic.fast_convergence && window < self.maximum {
            window * (1.0 + self.parameters.congestion_control.cubic.decrease) / 2.0
        } else {
            window
        };
        let reduced =
            2.0 * self.parameters.window.half(view) * self.parameters.congestion_control.cubic.decrease;
        self.window.threshold = self.parameters.window.stored_threshold(reduced);
        self.epoch = None;
        self.window.congestion = match loss {
            Loss::Detected => self.window.threshold,
            Loss::Collapsed => {
                self.maximum = 0.0;
                1.0
            }
        };
    }
    fn keep(&mut self) {
        let kept = Kept { maximum: self.maximum, before_cut: self.before_cut, epoch: self.epoch };
        self.kept = Some(Box::new(kept));
    }
    /// Section 4.9.2: the curve goes on as if nothing had happened, unless the window has outgrown it already.
    fn restore(&mut self, before: Window) {
        let kept = self.kept.take();
        if self.window.congestion >= before.congestion {
            return;
        }
        self.window = self.window.at_least(before);
        if let Some(kept) = kept {
            (self.maximum, self.before_cut, self.epoch) = (kept.maximum, kept.before_cut, kept.epoch);
        }
    }
    fn window(&self) -> Window {
        self.window
    }
    fn set_window(&mut self, window: Window) {
        self.window = window;
        self.epoch = None;
    }
}
