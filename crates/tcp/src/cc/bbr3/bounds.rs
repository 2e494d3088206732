//! Bounds that losses set: for long what may be in flight at all (inflight_longterm, or inflight_hi), and until the next probe rate and
//! volume of what still arrives (bw_shortterm and inflight_shortterm, or bw_lo and inflight_lo).

use super::*;

/// BBR.Beta: what is left after a round trip with losses, in tenths.
const BETA_TENTHS: u64 = 7;
/// Losses beyond one in so many are too many (LossThresh, 2 %).
const LOSS_INVERSE: u64 = 50;
/// BBR.Headroom, in percent.
const HEADROOM_PERCENT: u64 = 15;

/// IsInflightTooHigh: of so many in flight so many were lost.
pub(super) fn is_too_high(lost: u64, in_flight: u64) -> bool {
    in_flight > 0 && lost * LOSS_INVERSE > in_flight
}

/// InflightAtLoss: with how many in flight the losses before this segment and itself became too many.
fn in_flight_at_loss(lost: &LostSegment) -> u64 {
    let before = u64::from(lost.in_flight_at_departure).saturating_sub(1);
    let allowed = before.div_ceil(LOSS_INVERSE);
    let prefix = allowed.saturating_sub(lost.lost_since - 1) * LOSS_INVERSE / (LOSS_INVERSE - 1);
    before + prefix
}

/// The bounds, and what the last round trip has delivered.
#[derive(Debug)]
pub(super) struct Bounds {
    pub(super) long_in_flight: u64,
    pub(super) short_bandwidth: Bandwidth,
    pub(super) short_in_flight: u64,
    /// The most of the last round trip (bw_latest, inflight_latest).
    latest_bandwidth: Bandwidth,
    pub(super) latest_in_flight: u64,
    /// Something was lost in this round trip, which ends when so many are delivered.
    pub(super) loss_in_round: bool,
    pub(super) round_ends: u64,
    pub(super) round_started: bool,
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds {
            long_in_flight: UNBOUNDED,
            short_bandwidth: Bandwidth(UNBOUNDED),
            short_in_flight: UNBOUNDED,
            latest_bandwidth: Bandwidth::default(),
            latest_in_flight: 0,
            loss_in_round: false,
            round_ends: 0,
            round_started: false,
        }
    }
}

impl Bounds {
    /// UpdateLatestDeliverySignals.
    pub(super) fn take_latest(&mut self, measured: Measured, sample: &RateSample, view: &View) {
        self.latest_bandwidth = self.latest_bandwidth.max(measured.bandwidth);
        self.latest_in_flight = self.latest_in_flight.max(measured.delivered);
        self.round_started = sample.prior_delivered >= self.round_ends;
        if self.round_started {
            self.round_ends = view.tracked.delivered;
        }
    }
    /// AdvanceLatestDeliverySignals.
    pub(super) fn advance_latest(&mut self, measured: Measured) {
        if std::mem::take(&mut self.round_started) {
            self.latest_bandwidth = measured.bandwidth;
            self.latest_in_flight = measured.delivered;
        }
    }
    /// ResetCongestionSignals.
    pub(super) fn forget_signals(&mut self) {
        self.loss_in_round = false;
        self.latest_bandwidth = Bandwidth::default();
        self.latest_in_flight = 0;
    }
    /// ResetShortTermModel.
    pub(super) fn forget_short(&mut self) {
        self.short_bandwidth = Bandwidth(UNBOUNDED);
        self.short_in_flight = UNBOUNDED;
    }
    /// After a timeout the window is no measure any more: begin from the one before it.
    pub(super) fn begin_short_in_flight(&mut self, window: f64) {
        if self.short_in_flight == UNBOUNDED {
            self.short_in_flight = window as u64;
        }
    }
    /// InflightWithHeadroom.
    pub(super) fn with_headroom(&self) -> u64 {
        if self.long_in_flight == UNBOUNDED {
            return UNBOUNDED;
        }
        let headroom = (self.long_in_flight * HEADROOM_PERCENT / 100).max(1);
        self.long_in_flight.saturating_sub(headroom).max(LEAST_WINDOW)
    }
}

/// What a recovery may turn out to have changed needlessly.
#[derive(Debug, Default)]
pub(super) struct Undo {
    /// The state that losses ended.
    pub(super) state: Option<State>,
    short_bandwidth: Bandwidth,
    short_in_flight: u64,
    pub(super) long_in_flight: u64,
}

impl Bbr3 {
    /// UpdateCongestionSignals, after the bandwidth is updated: once per round trip respond to losses.
    pub(super) fn respond_to_losses(&mut self, window: &Window) {
        if !self.bounds.round_started {
            return;
        }
        let lost = std::mem::take(&mut self.bounds.loss_in_round);
        if lost && !self.state.accelerates() {
            self.reduce_short_bounds(window);
        }
    }
    /// InitLowerBounds and LossLowerBounds.
    fn reduce_short_bounds(&mut self, window: &Window) {
        let largest = self.largest_bandwidth();
        let bounds = &mut self.bounds;
        bounds.begin_short_in_flight(window.congestion);
        if bounds.short_bandwidth.0 == UNBOUNDED {
            bounds.short_bandwidth = largest;
        }
        let reduced = Bandwidth(bounds.short_bandwidth.0 * BETA_TENTHS / 10);
        bounds.short_bandwidth = bounds.latest_bandwidth.max(reduced);
        bounds.short_in_flight = bounds.latest_in_flight.max(bounds.short_in_flight * BETA_TENTHS / 10);
    }
    /// SaveStateUponLoss.
    pub(super) fn save_state(&mut self, view: &View) {
        self.save_window(view);
        self.undo = Undo {
            state: None,
            short_bandwidth: self.bounds.short_bandwidth,
            short_in_flight: self.bounds.short_in_flight,
            long_in_flight: self.bounds.long_in_flight,
        };
    }
    /// NoteLoss.
    fn note_loss(&mut self, delivered: u64, view: &View) {
        if !self.bounds.loss_in_round {
            self.bounds.round_ends = delivered;
            self.save_state(view);
        }
        self.bounds.loss_in_round = true;
    }
    /// HandleLostPacket.
    pub(super) fn handle_lost(&mut self, lost: &LostSegment, view: &View) {
        self.note_loss(lost.delivered, view);
        self.full.note_lost(lost);
        let in_flight = u64::from(lost.in_flight_at_departure);
        if self.cycle.is_probe_sample && is_too_high(lost.lost_since, in_flight) {
            self.handle_too_high(in_flight_at_loss(lost), lost.application_limited, view);
        }
    }
    /// A tail loss probe has repaired a loss, or a packet was marked (`bbr_run_loss_probe_recovery`).
    pub(super) fn handle_repaired_or_marked(&mut self, view: &View) {
        self.note_loss(view.tracked.delivered, view);
        let in_flight = self.bounds.latest_in_flight + 1;
        if self.cycle.is_probe_sample && is_too_high(1, in_flight) {
            self.handle_too_high(in_flight, view.tracked.is_application_limited, view);
        }
    }
    /// HandleInflightTooHigh.
    fn handle_too_high(&mut self, in_flight: u64, application_limited: bool, view: &View) {
        self.cycle.was_too_high = true;
        self.cycle.is_probe_sample = false;
        if !application_limited {
            self.bounds.long_in_flight = in_flight.max(self.target_in_flight(view) * BETA_TENTHS / 10);
        }
        if self.state == State::Up {
            self.undo.state = Some(State::Up);
            self.begin_down(view);
        }
    }
    /// HandleSpuriousLossDetection.
    pub(super) fn handle_needless_recovery(&mut self, view: &View) {
        let bounds = &mut self.bounds;
        bounds.loss_in_round = false;
        bounds.short_bandwidth = bounds.short_bandwidth.max(self.undo.short_bandwidth);
        bounds.short_in_flight = bounds.short_in_flight.max(self.undo.short_in_flight);
        bounds.long_in_flight = bounds.long_in_flight.max(self.undo.long_in_flight);
        self.full.restart(Bandwidth::default());
        let probes_round_trip = self.state == State::ProbeRoundTrip;
        match self.undo.state.take() {
            Some(State::Startup) if self.state != State::Startup => {
                self.full.reached = false;
                if !probes_round_trip {
                    self.state = State::Startup;
                }
            }
            Some(State::Up) if self.state != State::Up && !probes_round_trip => self.begin_refill(view),
            _ => {}
        }
    }
}

#[cfg(test)]
mod arithmetic {
    use super::*;

    fn lost(in_flight_at_departure: u32, lost_since: u64) -> LostSegment {
        let (start, end) = (Offset(0), Offset(1));
        LostSegment {
            start,
            end,
            sent: Instant::ZERO,
            in_flight_at_departure,
            lost_since,
            delivered: 0,
            application_limited: false,
        }
    }

    /// 2 % of 100 are two, and the third is too many.
    #[test]
    fn the_threshold_is_two_percent() {
        assert!(!is_too_high(2, 100));
        assert!(is_too_high(3, 100));
        assert!(!is_too_high(0, 1));
    }

    /// Worked from (lost + prefix) / (in flight + prefix) = 2 %: with 99 before and nothing lost, 2 more may be lost (2/0.98 = 2.04); with
    /// three lost before, it was too much already.
    #[test]
    fn the_loss_is_placed_where_it_became_too_much() {
        assert_eq!(in_flight_at_loss(&lost(100, 1)), 99 + 2);
        assert_eq!(in_flight_at_loss(&lost(100, 4)), 99);
    }

    #[test]
    fn headroom_is_fifteen_percent_and_at_least_one() {
        let with = |long_in_flight| Bounds { long_in_flight, ..Bounds::default() }.with_headroom();
        assert_eq!(with(100), 85);
        assert_eq!(with(6), 5);
        assert_eq!(with(4), LEAST_WINDOW);
        assert_eq!(with(UNBOUNDED), UNBOUNDED);
    }
}
