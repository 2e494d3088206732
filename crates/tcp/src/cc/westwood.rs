//! Westwood as first published: on a loss the window becomes the estimated bandwidth times the
//! smallest round-trip time, instead of a half (Mascolo, Casetti, Gerla, Sanadidi and Wang, ACM
//! MobiCom 2001; the filter of section 3.1, the accounting of section 3.2, the algorithm of section 4).

use super::reno::Reno;
use super::{Acked, Algorithm, CongestionControl, Loss};
use crate::parameters::Parameters;
use crate::view::{View, Window};
use seamline_wire::{Duration, Instant};
use std::sync::Arc;

pub(super) static ALGORITHM: Algorithm = Algorithm {
    name: "westwood",
    summary: "after a loss the window is the estimated bandwidth times the smallest RTT (Tustin filter)",
    cite: "Mascolo et al., ACM MobiCom 2001",
    refuses: &[(
        "tahoe",
        "Tahoe restarts from one segment at every loss; Westwood keeps what the estimate allows",
    )],
    needs_send_log: false,
    build: |parameters, initial| Box::new(Westwood::new(parameters, initial)),
};

/// The bandwidth filter of Westwood.
#[derive(Clone, Debug, PartialEq)]
pub struct WestwoodParameters {
    /// tau, the inverse of the filter's cut-off frequency.
    pub filter_time_constant: Duration,
    /// m: after tau/m without an acknowledgment the filter is fed a sample of zero (at least 2, so
    /// that the Nyquist condition holds).
    pub virtual_samples_per_time_constant: u64,
}

impl Default for WestwoodParameters {
    fn default() -> Self {
        WestwoodParameters {
            filter_time_constant: Duration::from_millis(500),
            virtual_samples_per_time_constant: 2,
        }
    }
}

#[derive(Debug)]
struct Westwood {
    reno: Reno,
    last_sample_at: Option<Instant>,
    last_sample: f64,
    bandwidth: f64,
    accounted_for: f64,
    delivered_together: f64,
}

impl Westwood {
    fn new(parameters: &Arc<Parameters>, initial: Window) -> Self {
        Westwood {
            reno: Reno::new(parameters, initial),
            last_sample_at: None,
            last_sample: 0.0,
            bandwidth: 0.0,
            accounted_for: 0.0,
            delivered_together: 0.0,
        }
    }

    /// How many segments this acknowledgment says have arrived (procedure AckedCount of section 3.2): a
    /// duplicate stands for one, and what duplicates announced is not counted again cumulatively.
    fn segments_delivered(&mut self, acked: &Acked, view: &View) -> f64 {
        if acked.duplicate {
            self.accounted_for += 1.0;
            return 1.0;
        }
        let cumulative = acked.bytes as f64 / f64::from(view.segment_size);
        if cumulative <= 1.0 {
            return cumulative;
        }
        if self.accounted_for >= cumulative {
            self.accounted_for -= cumulative;
            1.0
        } else {
            let counted = cumulative - self.accounted_for;
            self.accounted_for = 0.0;
            counted
        }
    }

    /// One step of the Tustin-discretized low-pass filter (section 3.1), in segments per second.
    fn filter(&mut self, sample: f64, interval: Duration) {
        let tau = self.reno.parameters.westwood.filter_time_constant.as_secs_f64();
        let interval = interval.as_secs_f64();
        let keep = (2.0 * tau - interval) / (2.0 * tau + interval);
        self.bandwidth = keep * self.bandwidth + (1.0 - keep) * (sample + self.last_sample) / 2.0;
        self.last_sample = sample;
    }

    /// Nothing has been acknowledged for so long since the last sample: the filter takes a sample of zero
    /// each time that tau/m has passed (section 3.1).
    fn fall_silent(&mut self, last: Instant, silence: Duration) {
        const NOTHING_IS_LEFT_AFTER: u64 = 64;
        let parameters = &self.reno.parameters.westwood;
        let each = parameters.filter_time_constant / parameters.virtual_samples_per_time_constant.max(2);
        let each = each.max(Duration::from_nanos(1));
        let samples = silence.as_nanos() / each.as_nanos();
        for _ in 0..samples.min(NOTHING_IS_LEFT_AFTER) {
            self.filter(0.0, each);
        }
        self.last_sample_at = Some(last + each * samples);
    }
    fn fall_silent_until(&mut self, now: Instant) {
        if let Some(last) = self.last_sample_at {
            self.fall_silent(last, now - last);
        }
    }

    fn feed(&mut self, delivered: f64, now: Instant) {
        let Some(last) = self.last_sample_at else {
            self.last_sample_at = Some(now);
            return;
        };
        // An acknowledgment just as tau/m ends takes the place of the virtual sample.
        let silence = (now - last).as_nanos().saturating_sub(1);
        self.fall_silent(last, Duration::from_nanos(silence));
        let interval = self.last_sample_at.map_or(Duration::ZERO, |last| now - last);
        if interval.is_zero() {
            self.delivered_together += delivered;
            return;
        }
        let delivered = delivered + std::mem::take(&mut self.delivered_together);
        self.filter(delivered / interval.as_secs_f64(), interval);
        self.last_sample_at = Some(now);
    }
}

/// What a path of this round-trip time holds, in segments; the bandwidth is in segments per second.
pub(super) fn pipe(bandwidth: f64, round_trip_time: Duration) -> f64 {
    bandwidth * round_trip_time.as_secs_f64()
}

/// The window update of [`cut`] for a new path, which holds `pipe` (ehn-2004, section 4.2 B, "resume with adjusted
/// parameters").
pub(super) fn adjust(reno: &mut Reno, pipe: f64) {
    if pipe > 0.0 {
        cut(reno, pipe, Loss::Detected);
    }
}

/// ssthresh = BWE x RTTmin, which is `pipe`; the window is cut down to it, or to one segment on a timeout.
pub(super) fn cut(reno: &mut Reno, pipe: f64, loss: Loss) {
    reno.window.threshold = reno.parameters.window.stored_threshold(pipe);
    reno.window.congestion = match loss {
        Loss::Detected => reno.window.congestion.min(reno.window.threshold),
        Loss::Collapsed => 1.0,
    };
}

impl CongestionControl for Westwood {
    fn observe(&mut self, acked: &Acked, view: &View) {
        let delivered = self.segments_delivered(acked, view);
        self.feed(delivered, view.now);
    }
    fn on_ack(&mut self, acked: &Acked, view: &View) {
        self.reno.grow(acked, view);
    }
    fn on_loss(&mut self, loss: Loss, view: &View) {
        self.fall_silent_until(view.now);
        cut(&mut self.reno, pipe(self.bandwidth, view.round_trip.minimum), loss);
    }
    fn on_path_change(&mut self, round_trip_time: Option<Duration>, view: &View) {
        self.fall_silent_until(view.now);
        if let Some(round_trip_time) = round_trip_time {
            adjust(&mut self.reno, pipe(self.bandwidth, round_trip_time));
        }
    }
    fn window(&self) -> Window {
        self.reno.window
    }
    fn set_window(&mut self, window: Window) {
        self.reno.window = window;
    }
}
