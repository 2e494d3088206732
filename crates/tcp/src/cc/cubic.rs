//! CUBIC (RFC 9438): the window grows as a cubic function of the time since the last loss. Section
//! numbers are those of the RFC; windows are in segments, times in seconds.

use super::*;

pub(super) static ALGORITHM: Algorithm = Algorithm {
    name: "cubic",
    summary: "window grows as a cubic function of the time since the last loss; the Internet's default",
    cite: "RFC 9438",
    refuses: &[("tahoe", "Tahoe restarts from one segment at every loss, so CUBIC's curve never begins")],
    needs_send_log: false,
    build: &|parameters| match parameters.window.whole_segments {
        true => Box::new(super::cubic_whole::CubicWhole::new(parameters)),
        false => Box::new(Cubic::default()),
    },
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

impl Epoch {
    /// Equation 1: W_cubic(t).
    fn curve(&self, seconds: f64, cubic: &CubicParameters) -> f64 {
        let offset = seconds - self.time_to_origin;
        cubic.aggressiveness * offset * offset * offset + self.origin
    }
}

/// What a cut changes in addition to the window (section 4.9.2).
#[derive(Clone, Copy, Debug, Default)]
struct Curve {
    maximum: f64,
    before_cut: f64,
    epoch: Option<Epoch>,
}

#[derive(Debug, Default)]
struct Cubic {
    curve: Curve,
    last_ack_at: Option<Instant>,
    /// Until then losses are those of a disruption.
    losses_expected_until: Instant,
    /// Boxed, because few profiles take cuts back, and connections at rest keep all of this.
    kept: Option<Box<Curve>>,
}

impl Cubic {
    /// Section 4.2: K from the window at the beginning of the epoch.
    fn begin_epoch(&self, begin: f64, now: Instant, cubic: &CubicParameters) -> Epoch {
        let (origin, time_to_origin) = if begin < self.curve.maximum {
            let usual = libm::cbrt((self.curve.maximum - begin) / cubic.aggressiveness);
            (self.curve.maximum, if now < self.losses_expected_until { usual / 9.0 } else { usual })
        } else {
            (begin, 0.0)
        };
        Epoch { began: now, origin, time_to_origin, reno_estimate: begin }
    }

    /// The congestion window after so many segments.
    fn avoid_congestion(&mut self, segments: f64, view: &View) -> f64 {
        let cubic = &view.parameters.congestion_control.cubic;
        let (now, window) = (view.now, view.window.congestion);
        let mut epoch = self.curve.epoch.unwrap_or_else(|| self.begin_epoch(window, now, cubic));
        let elapsed = (now - epoch.began).as_secs_f64();
        epoch.reno_estimate += self.reno_slope(&epoch, cubic) * segments / window;
        self.curve.epoch = Some(epoch);
        if epoch.curve(elapsed, cubic) < epoch.reno_estimate {
            return window.max(epoch.reno_estimate);
        }
        let ahead = epoch.curve(elapsed + view.round_trip.smoothed.as_secs_f64(), cubic);
        let target = ahead.clamp(window, 1.5 * window);
        window + (target - window) / window * segments
    }

    /// alpha_cubic of section 4.3, one once the estimate has regained the window before the cut.
    fn reno_slope(&self, epoch: &Epoch, cubic: &CubicParameters) -> f64 {
        if epoch.reno_estimate >= self.curve.before_cut {
            1.0
        } else {
            3.0 * (1.0 - cubic.decrease) / (1.0 + cubic.decrease)
        }
    }

    /// The curve does not run on while the application sends too little (section 4.2, last but one
    /// paragraph).
    fn stop_the_curve(&mut self, now: Instant) {
        if let (Some(epoch), Some(last)) = (self.curve.epoch.as_mut(), self.last_ack_at) {
            epoch.began += now - last;
        }
    }
}

impl CongestionControl for Cubic {
    fn on_ack(&mut self, acked: &Acked, view: &View) -> Window {
        let parameters = &view.parameters.window;
        let mut window = view.window;
        if parameters.grow_only_when_full && !view.congestion_limited {
            self.stop_the_curve(view.now);
        } else if window.congestion < window.threshold {
            window.congestion += parameters.growth(acked, view);
        } else {
            let newly = acked.delivered.min(acked.bytes) as f64 / f64::from(view.segment_size);
            window.congestion = self.avoid_congestion(newly, view);
        }
        self.last_ack_at = Some(view.now);
        window
    }

    /// Sections 4.6 to 4.8.
    fn on_loss(&mut self, loss: Loss, view: &View) -> Window {
        let (cubic, parameters) = (&view.parameters.congestion_control.cubic, &view.parameters.window);
        let window = view.window.congestion;
        self.curve.before_cut = window;
        self.curve.maximum = if cubic.fast_convergence && window < self.curve.maximum {
            window * (1.0 + cubic.decrease) / 2.0
        } else {
            window
        };
        let threshold = parameters.stored_threshold(2.0 * parameters.half(view) * cubic.decrease);
        self.curve.epoch = None;
        let congestion = match loss {
            Loss::Detected => threshold,
            Loss::Collapsed => {
                if view.now >= self.losses_expected_until {
                    self.curve.maximum = 0.0;
                }
                1.0
            }
        };
        Window { congestion, threshold }
    }
    fn keep(&mut self) {
        self.kept = Some(Box::new(self.curve));
    }
    /// Section 4.9.2: the curve continues as if nothing had happened, unless the window has outgrown it already.
    fn restore(&mut self, before: Window, view: &View) -> Window {
        let kept = self.kept.take();
        if view.window.congestion >= before.congestion {
            return view.window;
        }
        if let Some(kept) = kept {
            self.curve = *kept;
        }
        view.window.at_least(before)
    }
    /// SaTCP's patch (crate::handover, `satcp`): the maximum outlives timeouts, and is back in a ninth of the usual time.
    fn expect_losses(&mut self, until: Instant) {
        self.losses_expected_until = until;
    }
    fn on_window_replaced(&mut self) {
        self.curve.epoch = None;
    }
}
