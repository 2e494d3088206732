//! Westwood+: Westwood with one bandwidth sample per round-trip time, so that bunched
//! acknowledgments do not inflate the estimate (Grieco and Mascolo, ACM CCR 34(2), 2004; the filter
//! constants are those of Linux's tcp_westwood).

use super::westwood::{Bandwidth, NOT_WITH_TAHOE, Westwood};
use super::*;

pub(super) static ALGORITHM: Algorithm = Algorithm {
    name: "westwood+",
    summary: "Westwood with one bandwidth sample per RTT and two cascaded low-pass filters",
    cite: "Grieco and Mascolo, ACM CCR 34(2), 2004",
    refuses: NOT_WITH_TAHOE,
    needs_send_log: false,
    build: &|_| Box::new(Westwood::<Sampled>::default()),
};

parameters! {
    /// The bandwidth sampler of Westwood+.
    pub struct WestwoodPlusParameters {
        /// A sample spans at least this long, and at least one round-trip time.
        pub shortest_sample: Duration = Duration::from_millis(50),
    }
}

/// An estimate from samples that span a round-trip time each.
#[derive(Debug, Default)]
struct Sampled {
    sample_began: Option<Instant>,
    delivered: f64,
    accounted_for: f64,
    estimates: Option<(f64, f64)>,
}

impl Sampled {
    /// Segments this acknowledgment adds: duplicates count one, and are not counted again when the
    /// cumulative acknowledgment covers them.
    fn count(&mut self, acked: &Acked, view: &View) {
        if acked.duplicate {
            self.accounted_for += 1.0;
            self.delivered += 1.0;
            return;
        }
        let cumulative = acked.bytes as f64 / f64::from(view.segment_size);
        let known = self.accounted_for.min((cumulative - 1.0).max(0.0));
        self.accounted_for -= known;
        self.delivered += cumulative - known;
    }

    /// What the acknowledgment of this moment covers arrived before the sample begins.
    fn open_sample(&mut self, now: Instant) {
        self.sample_began = Some(now);
        self.delivered = 0.0;
    }
    fn close_sample(&mut self, sample: f64) {
        self.estimates = Some(match self.estimates {
            None => (sample, sample),
            Some((first, second)) => {
                let first = (7.0 * first + sample) / 8.0;
                (first, (7.0 * second + first) / 8.0)
            }
        });
    }
}

impl Bandwidth for Sampled {
    fn observe(&mut self, acked: &Acked, view: &View) {
        self.count(acked, view);
        let Some(began) = self.sample_began else {
            self.open_sample(view.now);
            return;
        };
        let span = view.now - began;
        let shortest = view.parameters.congestion_control.westwood_plus.shortest_sample;
        if span > shortest.max(view.round_trip.latest) {
            self.close_sample(self.delivered / span.as_secs_f64());
            self.open_sample(view.now);
        }
    }
    fn estimate(&mut self, _view: &View) -> f64 {
        self.estimates.map_or(0.0, |(_, second)| second)
    }
}
