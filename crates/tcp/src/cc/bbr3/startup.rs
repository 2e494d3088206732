//! Startup and Drain: find the bandwidth, and empty the queue that this has built.

use super::*;

/// The pipe is full when the bandwidth has not grown by a quarter in three round trips.
const FULL_THRESHOLD: u64 = UNIT * 5 / 4;
const FULL_ROUNDS: u32 = 3;
/// Startup also ends when so many separate ranges are lost in a round trip (StartupFullLossCnt).
const FULL_LOSSES: u32 = 6;
/// Drain lasts at most so many round trips.
const DRAIN_ROUNDS: u64 = 3;

/// Whether the flow has reached the bandwidth there is.
#[derive(Debug, Default)]
pub(super) struct FullPipe {
    bandwidth: Bandwidth,
    pub(super) rounds: u32,
    /// Since it last began to look for it (full_bw_now).
    pub(super) now: bool,
    /// Ever (full_bw_reached).
    pub(super) reached: bool,
    /// Ranges lost in this round trip, and where the last one ends.
    ranges_lost: u32,
    lost_to: Option<Offset>,
    drain_began: u64,
}

impl FullPipe {
    /// ResetFullBW, with this bandwidth to exceed.
    pub(super) fn restart(&mut self, from: Bandwidth) {
        self.bandwidth = from;
        self.rounds = 0;
        self.now = false;
    }
    /// CheckFullBWReached.
    pub(super) fn check(&mut self, measured: Measured, round_started: bool, sample: &RateSample) {
        if self.now || !round_started || sample.application_limited {
            return;
        }
        if measured.bandwidth >= self.bandwidth.times(FULL_THRESHOLD) {
            return self.restart(measured.bandwidth);
        }
        self.rounds += 1;
        self.now = self.rounds >= FULL_ROUNDS;
        self.reached |= self.now;
    }
    pub(super) fn note_lost(&mut self, lost: &LostSegment) {
        if self.lost_to.replace(lost.end) != Some(lost.start) {
            self.ranges_lost += 1;
        }
    }
}

impl Bbr3 {
    /// CheckStartupDone.
    pub(super) fn check_startup(&mut self, sample: &RateSample, view: &View, window: &mut Window) {
        self.check_startup_losses(sample, view);
        if self.state == State::Startup && self.full.reached {
            self.state = State::Drain;
            self.full.drain_began = self.rounds.count;
            // Only shown: that Startup is over.
            window.threshold = self.in_flight(self.largest_bandwidth(), view) as f64;
        }
    }
    /// CheckStartupHighLoss.
    fn check_startup_losses(&mut self, sample: &RateSample, view: &View) {
        if self.full.reached || !self.bounds.round_started {
            return;
        }
        let ranges = std::mem::take(&mut self.full.ranges_lost);
        let recovers = view.tracked.state == RecoveryState::Recovery;
        let (lost, in_flight) = (sample.lost_since, u64::from(sample.in_flight_at_departure));
        if recovers && ranges >= FULL_LOSSES && bounds::is_too_high(lost, in_flight) {
            self.undo.state = Some(State::Startup);
            self.full.now = true;
            self.full.reached = true;
            let product = self.in_flight(self.largest_bandwidth(), view);
            self.bounds.long_in_flight = product.max(self.bounds.latest_in_flight);
        }
    }
    /// CheckDrainDone.
    pub(super) fn check_drain(&mut self, view: &View) {
        let is_drained = u64::from(view.tracked.in_flight) <= self.in_flight(self.bandwidth(), view);
        let is_long = self.rounds.count > self.full.drain_began + DRAIN_ROUNDS;
        if self.state == State::Drain && (is_drained || is_long) {
            self.begin_down(view);
        }
    }
}
