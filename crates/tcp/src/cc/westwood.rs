//! Westwood as first published: on a loss the window becomes the estimated bandwidth times the
//! smallest round-trip time, instead of a half (Mascolo, Casetti, Gerla, Sanadidi and Wang, ACM
//! MobiCom 2001; the filter of section 3.1, the accounting of section 3.2, the algorithm of section 4).

use super::*;

/// Recoveries that neither Westwood goes with.
pub(super) const NOT_WITH_TAHOE: &[(&str, &str)] =
    &[("tahoe", "Tahoe restarts from one segment at every loss; Westwood keeps what the estimate allows")];

pub(super) static ALGORITHM: Algorithm = Algorithm {
    name: "westwood",
    summary: "after a loss the window is the estimated bandwidth times the smallest RTT (Tustin filter)",
    cite: "Mascolo et al., ACM MobiCom 2001",
    refuses: NOT_WITH_TAHOE,
    needs_send_log: false,
    build: &|_| Box::new(Westwood::<Filtered>::default()),
};

parameters! {
    /// The bandwidth filter of Westwood.
    pub struct WestwoodParameters {
        /// tau, the inverse of the filter's cut-off frequency.
        pub filter_time_constant: Duration = Duration::from_millis(500),
        /// m: after tau/m without an acknowledgment the filter is fed a sample of zero (at least 2, so
        /// that the Nyquist condition holds).
        pub virtual_samples_per_time_constant: u64 = 2,
    }
}

/// What Westwood and Westwood+ differ in: the bandwidth that acknowledgments show.
pub(super) trait Bandwidth: Debug + Default + Send {
    /// An acknowledgment arrives.
    fn observe(&mut self, acked: &Acked, view: &View);
    /// The estimate now, in segments per second.
    fn estimate(&mut self, view: &View) -> f64;
}

/// Reno's window, except that a loss sets it by the estimated bandwidth.
#[derive(Debug, Default)]
pub(super) struct Westwood<B> {
    bandwidth: B,
}

/// ssthresh = BWE x RTTmin, which is `pipe`; the window is cut down to it, or to one segment on a timeout.
fn cut(pipe: f64, loss: Loss, view: &View) -> Window {
    let threshold = view.parameters.window.stored_threshold(pipe);
    let congestion = match loss {
        Loss::Detected => view.window.congestion.min(threshold),
        Loss::Collapsed => 1.0,
    };
    Window { congestion, threshold }
}

impl<B: Bandwidth> CongestionControl for Westwood<B> {
    fn observe(&mut self, acked: &Acked, view: &View) {
        self.bandwidth.observe(acked, view);
    }
    fn on_ack(&mut self, acked: &Acked, view: &View) -> Window {
        reno::grow(acked, view)
    }
    fn on_loss(&mut self, loss: Loss, view: &View) -> Window {
        let pipe = self.bandwidth.estimate(view) * view.round_trip.minimum.as_secs_f64();
        cut(pipe, loss, view)
    }
    /// The window update of a loss for a new path (ehn-2004, section 4.2 B, "resume with adjusted parameters").
    fn on_path_change(&mut self, round_trip_time: Option<Duration>, view: &View) -> Window {
        let pipe = self.bandwidth.estimate(view) * round_trip_time.unwrap_or_default().as_secs_f64();
        if pipe > 0.0 { cut(pipe, Loss::Detected, view) } else { view.window }
    }
}

/// The estimate of the first publication.
#[derive(Debug, Default)]
struct Filtered {
    last_sample_at: Option<Instant>,
    last_sample: f64,
    bandwidth: f64,
    accounted_for: f64,
    delivered_together: f64,
}

impl Filtered {
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
    fn filter(&mut self, sample: f64, interval: Duration, parameters: &WestwoodParameters) {
        let tau = parameters.filter_time_constant.as_secs_f64();
        let interval = interval.as_secs_f64();
        let keep = (2.0 * tau - interval) / (2.0 * tau + interval);
        self.bandwidth = keep * self.bandwidth + (1.0 - keep) * (sample + self.last_sample) / 2.0;
        self.last_sample = sample;
    }

    /// Nothing has been acknowledged for so long since the last sample: the filter takes a sample of zero
    /// each time that tau/m has passed (section 3.1).
    fn fall_silent(&mut self, last: Instant, silence: Duration, parameters: &WestwoodParameters) {
        const NOTHING_IS_LEFT_AFTER: u64 = 64;
        let each = parameters.filter_time_constant / parameters.virtual_samples_per_time_constant.max(2);
        let each = each.max(Duration::from_nanos(1));
        let samples = silence.as_nanos() / each.as_nanos();
        for _ in 0..samples.min(NOTHING_IS_LEFT_AFTER) {
            self.filter(0.0, each, parameters);
        }
        self.last_sample_at = Some(last + each * samples);
    }

    fn feed(&mut self, delivered: f64, now: Instant, parameters: &WestwoodParameters) {
        let Some(last) = self.last_sample_at else {
            self.last_sample_at = Some(now);
            return;
        };
        // An acknowledgment just as tau/m ends takes the place of the virtual sample.
        let silence = (now - last).as_nanos().saturating_sub(1);
        self.fall_silent(last, Duration::from_nanos(silence), parameters);
        let interval = self.last_sample_at.map_or(Duration::ZERO, |last| now - last);
        if interval.is_zero() {
            self.delivered_together += delivered;
            return;
        }
        let delivered = delivered + std::mem::take(&mut self.delivered_together);
        self.filter(delivered / interval.as_secs_f64(), interval, parameters);
        self.last_sample_at = Some(now);
    }
}

impl Bandwidth for Filtered {
    fn observe(&mut self, acked: &Acked, view: &View) {
        let delivered = self.segments_delivered(acked, view);
        self.feed(delivered, view.now, &view.parameters.congestion_control.westwood);
    }
    fn estimate(&mut self, view: &View) -> f64 {
        if let Some(last) = self.last_sample_at {
            self.fall_silent(last, view.now - last, &view.parameters.congestion_control.westwood);
        }
        self.bandwidth
    }
}
