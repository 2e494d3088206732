//! Westwood+: Westwood with one bandwidth sample per round-trip time, so that bunched
//! acknowledgments do not inflate the estimate (Grieco and Mascolo, ACM CCR 34(2), 2004; the filter
//! constants are those of Linux's tcp_westwood).

use super::reno::Reno;
use super::westwood::{adjust, cut, pipe};
use super::{Acked, Algorithm, CongestionControl, Loss};
use crate::parameters::Parameters;
use crate::view::{View, Window};
use seamline_wire::{Duration, Instant};
use std::sync::Arc;

pub(super) static ALGORITHM: Algorithm = Algorithm {
    name: "westwood+",
    summary: "Westwood with one bandwidth sample per RTT and two cascaded low-pass filters",
    cite: "Grieco and Mascolo, ACM CCR 34(2), 2004",
    refuses: &[(
        "tahoe",
        "Tahoe restarts from one segment at every loss; Westwood keeps what the estimate allows",
    )],
    needs_send_log: false,
    build: |parameters, initial| Box::new(WestwoodPlus::new(parameters, initial)),
};

/// The bandwidth sampler of Westwood+.
#[derive(Clone, Debug, PartialEq)]
pub struct WestwoodPlusParameters {
    /// A sample spans at least this long, and at least one round-trip time.
    pub shortest_sample: Duration,
}

impl Default for WestwoodPlusParameters {
    fn default() -> Self {
        WestwoodPlusParameters { shortest_sample: Duration::from_millis(50) }
    }
}

#[derive(Debug)]
struct WestwoodPlus {
    reno: Reno,
    sample_began: Option<Instant>,
    delivered: f64,
    accounted_for: f64,
    estimates: Option<(f64, f64)>,
}

impl WestwoodPlus {
    fn new(parameters: &Arc<Parameters>, initial: Window) -> Self {
        WestwoodPlus {
            reno: Reno::new(parameters, initial),
            sample_began: None,
            delivered: 0.0,
            accounted_for: 0.0,
            estimates: None,
        }
    }

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

    /// The estimate, in segments per second.
    fn bandwidth(&self) -> f64 {
        self.estimates.map_or(0.0, |(_, second)| second)
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

impl CongestionControl for WestwoodPlus {
    fn observe(&mut self, acked: &Acked, view: &View) {
        self.count(acked, view);
        let Some(began) = self.sample_began else {
            self.open_sample(view.now);
            return;
        };
        let span = view.now - began;
        if span > self.reno.parameters.westwood_plus.shortest_sample.max(view.round_trip.latest) {
            self.close_sample(self.delivered / span.as_secs_f64());
            self.open_sample(view.now);
        }
    }
    fn on_ack(&mut self, acked: &Acked, view: &View) {
        self.reno.grow(acked, view);
    }
    fn on_loss(&mut self, loss: Loss, view: &View) {
        let pipe = pipe(self.bandwidth(), view.round_trip.minimum);
        cut(&mut self.reno, pipe, loss);
    }
    fn on_path_change(&mut self, round_trip_time: Option<Duration>, _view: &View) {
        if let Some(round_trip_time) = round_trip_time {
            let pipe = pipe(self.bandwidth(), round_trip_time);
            adjust(&mut self.reno, pipe);
        }
    }
    fn window(&self) -> Window {
        self.reno.window
    }
    fn set_window(&mut self, window: Window) {
        self.reno.window = window;
    }
}
