//! Slow start and congestion avoidance of RFC 5681 (Jacobson 1988), which Tahoe, Reno, NewReno and
//! SACK share. Also the base on which the Westwoods stand.

use super::*;

pub(super) static ALGORITHM: Algorithm = Algorithm {
    name: "reno",
    summary: "slow start and additive increase, multiplicative decrease",
    cite: "RFC 5681",
    refuses: &[],
    needs_send_log: false,
    build: &|parameters| match parameters.window.whole_segments {
        true => Box::new(super::reno_whole::RenoWhole::new(parameters)),
        false => Box::new(Reno),
    },
};

#[derive(Debug)]
struct Reno;

/// RFC 5681 section 3.1, equations 2 and 3.
pub(super) fn grow(acked: &Acked, view: &View) -> Window {
    let mut window = view.window;
    if view.parameters.window.grow_only_when_full && !view.congestion_limited {
        return window;
    }
    let segments = view.parameters.window.growth(acked, view);
    if window.congestion < window.threshold {
        let slow = segments.min((window.threshold - window.congestion).max(1.0));
        window.congestion += slow;
        window.congestion += (segments - slow) / window.congestion;
    } else {
        window.congestion += segments / window.congestion;
    }
    window
}

impl WindowParameters {
    /// Segments of growth that an acknowledgment is worth. What SACK had reported before is not worth
    /// anything again when the cumulative acknowledgment passes it.
    pub fn growth(&self, acked: &Acked, view: &View) -> f64 {
        match self.growth {
            Growth::PerAck => 1.0,
            Growth::PerByte { most_per_ack } => {
                (acked.delivered.min(acked.bytes) as f64 / f64::from(view.segment_size)).min(most_per_ack)
            }
        }
    }

    /// Half of what equation 4 of RFC 5681 or the older codes halve.
    pub(super) fn half(&self, view: &View) -> f64 {
        match self.cut_base {
            CutBase::Window => view.effective_window() / 2.0,
            CutBase::FlightSize => view.flight_segments().min(view.effective_window()) / 2.0,
        }
    }

    /// A threshold as this profile stores it: whole segments or not, never below two.
    pub(super) fn stored_threshold(&self, segments: f64) -> f64 {
        let stored = if self.whole_threshold { segments.trunc() } else { segments };
        stored.max(2.0)
    }
}

impl CongestionControl for Reno {
    fn on_ack(&mut self, acked: &Acked, view: &View) -> Window {
        grow(acked, view)
    }
    fn on_loss(&mut self, loss: Loss, view: &View) -> Window {
        let parameters = &view.parameters.window;
        let half = parameters.half(view);
        let threshold = parameters.stored_threshold(half);
        let congestion = match loss {
            Loss::Detected if parameters.cut_to_threshold => threshold,
            Loss::Detected if parameters.whole_cut => half.trunc().max(1.0),
            Loss::Detected => half.max(1.0),
            Loss::Collapsed => 1.0,
        };
        Window { congestion, threshold }
    }
}
