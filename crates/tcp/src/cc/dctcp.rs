//! DCTCP (RFC 8257; Linux, `tcp_dctcp.c`): the window falls by half of the share of segments that were marked, which a moving average
//! estimates in 1/1024. A loss halves it; otherwise it grows as Reno. Sections are those of the RFC.

use super::reno_whole::RenoWhole;
use super::*;

pub(super) static ALGORITHM: Algorithm = Algorithm {
    name: "dctcp",
    summary: "reduces the window by the share of segments that were marked; for data centers, with ECN",
    cite: "RFC 8257; Linux, tcp_dctcp.c",
    refuses: super::NEEDS_RECORDS,
    needs_send_log: false,
    build: &|parameters| Box::new(Dctcp::new(parameters)),
};

/// alpha where every segment is marked.
const ALL: u32 = 1024;
/// g = 1/16, as a shift (section 3.3).
const GAIN: u32 = 4;

#[derive(Debug)]
struct Dctcp {
    reno: RenoWhole,
    /// DCTCP.Alpha: all at first (section 3.3).
    alpha: u32,
    /// A round of the estimate ends when this is acknowledged.
    round_ends: Offset,
    delivered_before: u64,
    marked_before: u64,
}

impl Dctcp {
    fn new(parameters: &Parameters) -> Self {
        Dctcp {
            reno: RenoWhole::new(parameters),
            alpha: ALL,
            round_ends: Offset::FIRST_BYTE,
            delivered_before: 0,
            marked_before: 0,
        }
    }
    /// Section 3.3, steps 5 to 7. What is too small to be shifted becomes zero, so that a path without marks reaches it.
    fn estimate(&mut self, delivered: u64, marked: u64) {
        let decay = self.alpha >> GAIN;
        self.alpha -= if decay == 0 { self.alpha } else { decay };
        let share = (marked << (10 - GAIN)) / delivered.max(1);
        self.alpha = (self.alpha + share as u32).min(ALL);
    }
    fn halved(view: &View) -> f64 {
        f64::from((view.window.congestion as u32 >> 1).max(2))
    }
}

impl CongestionControl for Dctcp {
    fn on_ack(&mut self, acked: &Acked, view: &View) -> Window {
        self.reno.on_ack(acked, view)
    }
    fn on_loss(&mut self, loss: Loss, view: &View) -> Window {
        self.reno.on_loss(loss, view)
    }
    fn on_marks(&mut self, view: &View) -> Window {
        let window = view.window.congestion as u32;
        let _ = self.reno.on_loss(Loss::Detected, view);
        let reduction = (u64::from(window) * u64::from(self.alpha)) >> 11;
        let threshold = f64::from((window - reduction as u32).max(2));
        Window { congestion: threshold, threshold }
    }
    fn on_loss_in_reduction(&mut self, view: &View) -> Option<Window> {
        Some(Window { threshold: Self::halved(view), ..view.window })
    }
    fn on_feedback(&mut self, view: &View) {
        if view.unacknowledged < self.round_ends {
            return;
        }
        let Tracked { delivered, marked, .. } = view.tracked;
        self.estimate(delivered - self.delivered_before, marked - self.marked_before);
        self.round_ends = view.highest_sent;
        (self.delivered_before, self.marked_before) = (delivered, marked);
    }
    fn on_round_trip(&mut self, sample: Duration, view: &View) -> Option<Window> {
        self.reno.on_round_trip(sample, view)
    }
    fn on_state(&mut self, state: RecoveryState, view: &View) {
        self.reno.on_state(state, view);
    }
    fn ecn_needs(&self) -> EcnNeeds {
        EcnNeeds::EachChange
    }
}
