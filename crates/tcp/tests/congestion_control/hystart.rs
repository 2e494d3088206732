//! HyStart++ against RFC 9406.

use crate::flow::{Flow, window};
use seamline_tcp::cc::{Loss, SlowStart};
use seamline_tcp::profile;
use seamline_wire::Duration;

const BOTH: [&str; 2] = ["reno", "cubic"];
const CALM: Duration = Duration::from_millis(100);
/// RttThresh of section 4.2 for 100 ms: an eighth of it, between 4 and 16 ms.
const QUEUED: Duration = Duration::from_micros(112_500);

/// A flow in its first slow start with a window of 16 segments, all of them outstanding.
fn starting(name: &str, slow_start: Option<SlowStart>) -> Flow {
    let mut parameters = (profile::LINUX_6_12.parameters)();
    parameters.window.slow_start = slow_start;
    let mut flow = Flow::with_parameters(name, CALM, window(16.0, f64::INFINITY), &parameters);
    flow.view.highest_sent = flow.view.unacknowledged + 16_000;
    flow
}
fn in_conservative_slow_start(name: &str) -> Flow {
    let mut flow = starting(name, Some(SlowStart::HyStartPlusPlus));
    flow.measured_round(CALM);
    flow.measured_round(QUEUED);
    flow
}
/// By how many segments the window grows in a round, for each that is acknowledged.
fn growth(flow: &mut Flow, round_trip: Duration) -> f64 {
    let before = flow.window();
    flow.measured_round(round_trip);
    (flow.window() - before) / before
}

/// Section 4.2: without more delay the window doubles; with 12.5 ms more it grows by a quarter, and slow start goes on.
#[test]
fn delay_slows_slow_start_down() {
    for name in BOTH {
        let mut flow = starting(name, Some(SlowStart::HyStartPlusPlus));
        assert_eq!(growth(&mut flow, CALM), 1.0, "{name}");
        assert_eq!(growth(&mut flow, QUEUED - Duration::from_micros(1)), 1.0, "{name}");
        let mut flow = in_conservative_slow_start(name);
        let next = growth(&mut flow, QUEUED);
        assert!((0.2..=0.25).contains(&next), "{name}: {next}");
        assert!(flow.view.window.threshold.is_infinite(), "{name}");
    }
}

/// Section 4.2: eight samples make a round that counts.
#[test]
fn seven_samples_are_too_few() {
    for name in BOTH {
        let mut flow = starting(name, Some(SlowStart::HyStartPlusPlus));
        flow.measured_round(CALM);
        (0..7).for_each(|_| flow.measure(QUEUED));
        let before = flow.window();
        flow.measure(CALM);
        (0..8).for_each(|_| flow.measure(QUEUED));
        assert_eq!(flow.window(), before + 9.0, "{name}");
    }
}

/// Section 4.2: five rounds of conservative slow start, the one in which it began included, end slow start.
#[test]
fn five_rounds_end_slow_start() {
    for name in BOTH {
        let mut flow = in_conservative_slow_start(name);
        for round in 2..5 {
            flow.measured_round(QUEUED);
            assert!(flow.view.window.threshold.is_infinite(), "{name} in round {round}");
        }
        flow.measured_round(QUEUED);
        assert!(flow.view.window.threshold <= flow.window(), "{name}");
    }
}

/// Section 4.2: when the round-trip time falls below that of the round that raised the alarm, slow start goes on at its full pace.
#[test]
fn a_false_alarm_is_taken_back() {
    for name in BOTH {
        let mut flow = in_conservative_slow_start(name);
        flow.measured_round(QUEUED - Duration::from_micros(1));
        assert_eq!(growth(&mut flow, CALM), 1.0, "{name}");
    }
}

/// Section 4.3: after the first loss slow start is the standard's.
#[test]
fn only_the_first_slow_start_is_watched() {
    for name in BOTH {
        let mut flow = in_conservative_slow_start(name);
        flow.lose(Loss::Collapsed);
        flow.view.window = window(8.0, 500.0);
        flow.measured_round(CALM);
        flow.measured_round(QUEUED * 2);
        assert_eq!(growth(&mut flow, QUEUED * 2), 1.0, "{name}");
    }
}

/// Section 4.3: an acknowledgment of a flow that is not paced counts for eight segments at most.
#[test]
fn bursts_are_limited_without_pacing() {
    for (is_paced, grown) in [(false, 8.0), (true, 12.0)] {
        let mut flow = starting("reno", Some(SlowStart::HyStartPlusPlus));
        flow.view.tracked.is_paced = is_paced;
        flow.acknowledge(12, Duration::from_millis(1));
        assert_eq!(flow.window(), 16.0 + grown);
    }
}

/// Without the parameter: CUBIC has HyStart, which ends slow start at once, and Reno has nothing.
#[test]
fn the_usual_endings_are_those_of_linux() {
    for (name, slow_start, ends) in [
        ("cubic", None, true),
        ("reno", None, false),
        ("cubic", Some(SlowStart::Standard), false),
        ("reno", Some(SlowStart::HyStart), true),
    ] {
        let mut flow = starting(name, slow_start);
        flow.measured_round(CALM);
        flow.measured_round(CALM * 2);
        assert_eq!(flow.view.window.threshold.is_finite(), ends, "{name} {slow_start:?}");
    }
}
