//! Slow start and congestion avoidance of RFC 5681 (Jacobson 1988), which Tahoe, Reno, NewReno and
//! SACK share. Also the base on which the Westwoods stand.

use super::*;

pub(super) static ALGORITHM: Algorithm = Algorithm {
    name: "reno",
    summary: "slow start and additive increase, multiplicative decrease",
    cite: "RFC 5681",
    refuses: &[],
    needs_send_log: false,
    build: |parameters, initial| Box::new(Reno::new(parameters, initial)),
};

#[derive(Debug)]
pub(super) struct Reno {
    pub(super) parameters: Arc<Parameters>,
    pub(super) window: Window,
}

impl Reno {
    pub(super) fn new(parameters: &Arc<Parameters>, initial: Window) -> Self {
        Reno { parameters: Arc::clone(parameters), window: initial }
    }

    /// RFC 5681 section 3.1, equations 2 and 3.
    pub(super) fn grow(&mut self, acked: &Acked, view: &View) {
        if self.parameters.window.grow_only_when_full && !view.congestion_limited {
            return;
        }
        let segments = self.parameters.window.growth(acked, view);
        let window = &mut self.window;
        if window.congestion < window.threshold {
            let slow = segments.min((window.threshold - window.congestion).max(1.0));
            window.congestion += slow;
            window.congestion += (segments - slow) / window.congestion;
        } else {
            window.congestion += segments / window.congestion;
        }
    }
}

impl WindowParameters {
    /// Segments of growth that an acknowledgment is worth. What SACK had reported before is not worth
    /// anything again when the cumulative acknowledgment passes it.
    pub(super) fn growth(&self, acked: &Acked, view: &View) -> f64 {
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
    fn on_ack(&mut self, acked: &Acked, view: &View) {
        self.grow(acked, view);
    }
    fn on_loss(&mut self, loss: Loss, view: &View) {
        let half = self.parameters.window.half(view);
        self.window.threshold = self.parameters.window.stored_threshold(half);
        self.window.congestion = match loss {
            Loss::Detected if self.parameters.window.cut_to_threshold => self.window.threshold,
            Loss::Detected => half.max(1.0),
            Loss::Collapsed => 1.0,
        };
    }
    fn window(&self) -> Window {
        self.window
    }
    fn set_window(&mut self, window: Window) {
        self.window = window;
    }
}
