//! CUBIC in the integer arithmetic of Linux (tcp_cubic.c), with HyStart. Where it differs from RFC 9438: time is counted in 1/1024 s,
//! the friendly region follows the window before the loss, and growth is one segment for each `step` acknowledged.

use super::reno_whole::AdditiveIncrease;
use super::slow_start::Ending;
use super::*;

/// beta_cubic in 1/1024: 0.7.
const DECREASE: u32 = 717;
const UNIT: u32 = 1024;
/// C in 1/1024 of ten segments per second cubed: 0.4.
const AGGRESSIVENESS: u64 = 410;
/// Eight times the segments of Reno with the same average (RFC 9438 section 4.3).
const FRIENDLY: u32 = 8 * (UNIT + DECREASE) / 3 / (UNIT - DECREASE);
/// Without a loss so far, the window grows by a segment for 20 at least.
const LONGEST_FIRST_STEP: u32 = 20;
/// The curve is not looked at more often than this while the window stays.
const LEAST_INTERVAL: u64 = 1000 / 32;
/// The whole of the time to the window before the loss.
const NINTHS: u64 = 9;

/// One stay in congestion avoidance. Times are in milliseconds, K in 1/1024 s.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    began: u64,
    origin: u32,
    time_to_origin: u64,
}

/// CUBIC's state; all zero at the beginning and after a timeout.
#[derive(Clone, Copy, Debug, Default)]
struct Curve {
    epoch: Option<Epoch>,
    /// The window before the last loss.
    maximum: u32,
    last_window: u32,
    last_time: u64,
    /// Segments acknowledged towards the next segment of the friendly window.
    acknowledged: u32,
    friendly: u32,
    step: u32,
    smallest: Option<Duration>,
}

/// CUBIC in whole segments.
#[derive(Debug)]
pub(super) struct CubicWhole {
    curve: Curve,
    ending: Ending,
    increase: AdditiveIncrease,
    /// Until then losses are those of a disruption.
    losses_expected_until: Instant,
}

impl CubicWhole {
    pub(super) fn new(parameters: &Parameters) -> Self {
        CubicWhole {
            curve: Curve::default(),
            ending: Ending::new(parameters, SlowStart::HyStart),
            increase: AdditiveIncrease::default(),
            losses_expected_until: Instant::ZERO,
        }
    }
}

/// Guesses of the cube root, in 1/64, by the six leading bits, from 8 on. They were measured: each is the only one with which a run over
/// Linux 6.12 in which one packet is lost, at a window that needs it, has the same segments to the end
/// (crates/lab/parity/segments/cube-root.toml).
const GUESSES: [u16; 56] = [
    133, 139, 144, 148, 153, 157, 161, 166, 167, 171, 174, 178, 180, 183, 186, 189, 191, 195, 197, 200, 202,
    204, 207, 209, 210, 212, 214, 216, 219, 221, 223, 225, 227, 229, 231, 232, 234, 235, 237, 239, 241, 242,
    244, 246, 247, 249, 250, 252, 254, 255, 256, 258, 260, 261, 262, 264,
];

/// The cube root as the kernel finds it: a guess by the leading bits, one step of Newton's method, and a division by three that is a
/// multiplication by 341/1024. The result is up to 0.2 % off, and that decides when the window grows.
fn cube_root(value: u64) -> u64 {
    let bits = u64::BITS - value.leading_zeros();
    let shift = ((bits * 84) >> 8) - 1;
    let leading = (value >> (3 * shift)) as usize;
    let guess = (u64::from(GUESSES[leading - 8]) << shift) >> 6;
    let refined = 2 * guess + value / (guess * (guess - 1));
    (refined * 341) >> 10
}

impl Curve {
    /// Set how many segments let the window grow by one (`bictcp_update`).
    fn update(&mut self, window: u32, acknowledged: u32, now: u64, way_back: u64) {
        self.acknowledged += acknowledged;
        if self.last_window == window && now - self.last_time <= LEAST_INTERVAL {
            return;
        }
        if self.epoch.is_none() || now != self.last_time {
            self.follow_curve(window, acknowledged, now, way_back);
        }
        self.stay_friendly(window);
        self.step = self.step.max(2);
    }
    fn follow_curve(&mut self, window: u32, acknowledged: u32, now: u64, way_back: u64) {
        self.last_window = window;
        self.last_time = now;
        let epoch = self.epoch.unwrap_or_else(|| {
            self.acknowledged = acknowledged;
            self.friendly = window;
            self.begin(window, now, way_back)
        });
        self.epoch = Some(epoch);
        let ahead = self.smallest.map_or(0, |smallest| smallest.as_nanos().div_ceil(1_000_000));
        let time = (now - epoch.began + ahead) * u64::from(UNIT) / 1000;
        let distance = time.abs_diff(epoch.time_to_origin);
        let delta = ((u128::from(AGGRESSIVENESS) * u128::from(distance).pow(3)) >> 40) as u32;
        let target = if time < epoch.time_to_origin {
            epoch.origin.saturating_sub(delta)
        } else {
            epoch.origin.saturating_add(delta)
        };
        self.step = if target > window { window / (target - window) } else { 100 * window };
        if self.maximum == 0 {
            self.step = self.step.min(LONGEST_FIRST_STEP);
        }
    }
    /// `way_back` is the share of the usual time to the window before the loss, in ninths.
    fn begin(&self, window: u32, now: u64, way_back: u64) -> Epoch {
        if self.maximum <= window {
            return Epoch { began: now, origin: window, time_to_origin: 0 };
        }
        let factor = (1 << 40) / AGGRESSIVENESS;
        let usual = cube_root(factor * u64::from(self.maximum - window));
        let time_to_origin = usual - usual * (NINTHS - way_back) / NINTHS;
        Epoch { began: now, origin: self.maximum, time_to_origin }
    }
    fn stay_friendly(&mut self, window: u32) {
        let step = (window * FRIENDLY) >> 3;
        while self.acknowledged > step {
            self.acknowledged -= step;
            self.friendly += 1;
        }
        if self.friendly > window {
            self.step = self.step.min(window / (self.friendly - window));
        }
    }
}

impl CongestionControl for CubicWhole {
    fn on_ack(&mut self, acked: &Acked, view: &View) -> Window {
        let mut window = view.window;
        if !view.congestion_limited {
            return window;
        }
        let mut left = acked.segments(view);
        if window.congestion < window.threshold {
            let (after, rest) = self.ending.grow(window, left, view);
            window.congestion = f64::from(after);
            left = rest;
        }
        if left > 0 {
            let segments = window.congestion as u32;
            let way_back = if view.now < self.losses_expected_until { 1 } else { NINTHS };
            self.curve.update(segments, left, view.now.as_millis(), way_back);
            window.congestion = f64::from(self.increase.grow(segments, self.curve.step, left));
        }
        window
    }
    fn on_loss(&mut self, loss: Loss, view: &View) -> Window {
        let window = view.window.congestion as u32;
        self.increase.restart();
        self.curve.epoch = None;
        let shrinks =
            view.parameters.congestion_control.cubic.fast_convergence && window < self.curve.maximum;
        self.curve.maximum = if shrinks { window * (UNIT + DECREASE) / (2 * UNIT) } else { window };
        let threshold = f64::from((window * DECREASE / UNIT).max(2));
        let congestion = if loss == Loss::Detected { threshold } else { 1.0 };
        Window { congestion, threshold }
    }
    fn on_round_trip(&mut self, sample: Duration, view: &View) -> Option<Window> {
        let recent = |epoch: Epoch| view.now.as_millis() - epoch.began < 1000;
        if self.curve.epoch.is_some_and(recent) {
            return None;
        }
        let smallest = self.curve.smallest.map_or(sample, |smallest| smallest.min(sample));
        self.curve.smallest = Some(smallest);
        self.ending.on_round_trip(sample, smallest, view)
    }
    fn on_state(&mut self, state: RecoveryState, view: &View) {
        if state == RecoveryState::Loss && view.now >= self.losses_expected_until {
            self.curve = Curve::default();
            self.ending.restart(view);
        }
    }
    /// The curve does not run on while nothing is sent.
    fn on_transmission_start(&mut self, idle: Duration, view: &View) -> Option<Decision> {
        if let Some(epoch) = &mut self.curve.epoch {
            epoch.began = (epoch.began + idle.as_millis()).min(view.now.as_millis());
        }
        None
    }
    /// SaTCP's patch (crate::handover, `satcp`): the curve outlives timeouts, and a new one takes a ninth of its usual time.
    fn expect_losses(&mut self, until: Instant) {
        self.losses_expected_until = until;
    }
    /// Where a handover scheme replaces the window, the curve begins anew from it.
    fn on_window_replaced(&mut self) {
        self.curve.epoch = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every distance to the window before the loss has a guess, and its root is near the true one.
    #[test]
    fn cube_roots_are_near() {
        for distance in (1..100_000).chain([1 << 20, u64::from(u32::MAX)]) {
            let value = (1 << 40) / AGGRESSIVENESS * distance;
            let share = cube_root(value) as f64 / libm::cbrt(value as f64);
            assert!((0.998..1.002).contains(&share), "{share} times the root for a distance of {distance}");
        }
    }
}
