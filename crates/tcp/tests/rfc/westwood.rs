//! Westwood (Mascolo et al., MobiCom 2001) and Westwood+ (Grieco and Mascolo, CCR 34(2), 2004): what each
//! acknowledgment does to the estimate shows in ssthresh = BWE * RTTmin. RTTmin is 100 ms throughout, and so
//! is the round-trip time. Rates are in segments per second.

use crate::script::*;
use seamline_tcp::Parameters;
use seamline_wire::Duration;

/// 40 segments in flight, in congestion avoidance.
fn forty(minimum_timeout: u64) -> Parameters {
    plain(|p| {
        p.window.initial = 40.0;
        p.window.initial_bytes = f64::INFINITY;
        p.window.initial_threshold = 40.0;
        p.round_trip.minimum_timeout = Duration::from_millis(minimum_timeout);
    })
}

/// Ten segments are acknowledged every 100 ms, from 1100 ms to 1400 ms.
///
/// Westwood's filter with tau = 0.5 s is BWE' = ((1 - D) BWE + D (b + b_last)) / (1 + D) for an interval of D
/// seconds. The first acknowledgment begins the first interval; then b = 100 three times with D = 0.1: BWE =
/// 0.1 * 100 / 1.1 = 9.0909, (0.9 * 9.0909 + 0.1 * 200) / 1.1 = 25.6198, (0.9 * 25.6198 + 20) / 1.1 =
/// 39.1435.
///
/// Westwood+ samples when more than a round-trip time has passed: at 1300 ms 20 segments in 0.2 s, which is
/// 100 and begins both filters.
fn paced(variant: &str, minimum_timeout: u64) -> Script {
    let mut script = Script::established(forty(minimum_timeout), variant);
    script.at(1000).supply(200_000).expect_run(1..40_001, 1000);
    for n in 1..=4 {
        script.at(1000 + 100 * u64::from(n)).inject(ack(n * 10_000 + 1));
        script.expect_run(30_001 + n * 10_000..40_001 + n * 10_000, 1000).expect_nothing();
    }
    // Four times 1 / cwnd.
    script.window_is(40.0999).threshold_is(40.0);
    script
}
/// Then segment 40 is lost: the first two duplicates let new ones leave (RFC 3042), the third it.
fn third_duplicate(variant: &str, minimum_timeout: u64) -> Script {
    let mut script = paced(variant, minimum_timeout);
    script.at(1500).inject(ack(40_001)).expect(data(80_001..81_001)).expect_nothing();
    script.at(1510).inject(ack(40_001)).expect(data(81_001..82_001)).expect_nothing();
    script.threshold_is(40.0).at(1520).inject(ack(40_001)).expect(data(40_001..41_001)).expect_nothing();
    script
}

/// 2001, section 4: ssthresh = BWE * RTTmin, and the window is cut down to it. A duplicate counts for one
/// segment (section 3.2). At 1500 ms b = 1 / 0.1: (0.9 * 39.1435 + 0.1 * 110) / 1.1 = 42.0265. At 1510 ms b =
/// 1 / 0.01: (0.99 * 42.0265 + 0.01 * 110) / 1.01 = 42.2834, at 1520 ms (0.99 * 42.2834 + 0.01 * 200) / 1.01
/// = 43.4263.
#[test]
fn third_duplicate_sets_the_threshold_to_the_pipe() {
    third_duplicate("westwood", 1100).threshold_is(4.342_63).window_is(4.342_63);
}

/// 2001, sections 3.1 and 3.2. At 1600 ms 42 segments are acknowledged, of which the duplicates have
/// announced three: b = 39 / 0.08 = 487.5, BWE = (0.92 * 43.4263 + 0.08 * 587.5) / 1.08 = 80.5113. Nothing
/// more comes. The filter takes b = 0 each tau / m = 250 ms, at 1850, 2100, 2350 and 2600 ms: (0.75 * 80.5113
/// + 0.25 * 487.5) / 1.25 = 145.8068, and three times 0.6 of it: 31.4943.
fn silence_after_recovery(timeout: u64) {
    let mut script = third_duplicate("westwood", timeout);
    script.at(1600).inject(ack(82_001)).expect_run(82_001..84_001, 1000).expect_nothing();
    script.threshold_is(4.342_63).at(1600 + timeout).expect(data(82_001..83_001)).expect_nothing();
    script.threshold_is(3.149_43).window_is(1.0);
}
#[test]
fn estimate_decays_in_silence() {
    silence_after_recovery(1100);
}
/// The fourth virtual sample is due when the timer expires.
#[test]
fn estimate_decays_up_to_the_timeout() {
    silence_after_recovery(1000);
}

/// 2001, section 3.1: what comes after virtual samples is measured from the last of them. From 1400 ms on
/// there is silence: (0.75 * 39.1435 + 0.25 * 100) / 1.25 = 43.4861 at 1650 ms, and three times 0.6 of it is
/// 9.3930 at 2400 ms; at 2500 ms the timer finds a pipe of less than two segments. At 2600 ms all 40 segments
/// are acknowledged after all: b = 40 / 0.2, (0.8 * 9.3930 + 0.2 * 200) / 1.2 = 39.5953. At 2700 ms b = 2 /
/// 0.1: (0.9 * 39.5953 + 0.1 * 220) / 1.1 = 52.3962. Duplicates at 2800, 2810 and 2820 ms: (0.9 * 52.3962 +
/// 0.1 * 30) / 1.1 = 45.5969, (0.99 * 45.5969 + 0.01 * 110) / 1.01 = 45.7831, (0.99 * 45.7831 + 0.01 * 200) /
/// 1.01 = 46.8567.
#[test]
fn virtual_samples_are_taken_once() {
    let mut script = paced("westwood", 1100);
    script.at(2500).expect(data(40_001..41_001)).expect_nothing().threshold_is(2.0).window_is(1.0);
    script.at(2600).inject(ack(80_001)).expect_run(80_001..82_001, 1000).expect_nothing().window_is(2.0);
    // 2 + 1 / 2.
    script.at(2700).inject(ack(82_001)).expect_run(82_001..84_001, 1000).expect_nothing().window_is(2.5);
    script.at(2800).inject(ack(82_001)).expect(data(84_001..85_001)).expect_nothing();
    script.at(2810).inject(ack(82_001)).expect(data(85_001..86_001)).expect_nothing().threshold_is(2.0);
    // A loss does not raise the window, but the three duplicates inflate it to five segments.
    script
        .at(2820)
        .inject(ack(82_001))
        .expect(data(82_001..83_001))
        .expect(data(86_001..87_001))
        .expect_nothing();
    script.threshold_is(4.685_67).window_is(2.5);
}

/// 2001, section 3.2: one duplicate announces one segment, and a cumulative acknowledgment of no more than
/// what was announced counts for one. At 1500 ms a duplicate: BWE = 42.0265, b = 10. At 1600 ms one segment:
/// b = 1 / 0.1, (0.9 * 42.0265 + 0.1 * 20) / 1.1 = 36.2035; it takes nothing from what was announced. At 1700
/// ms three segments, of which one was: b = 2 / 0.1, (0.9 * 36.2035 + 0.1 * 30) / 1.1 = 32.3483. Duplicates
/// at 1800, 1810 and 1820 ms: (0.9 * 32.3483 + 0.1 * 30) / 1.1 = 29.1941, (0.99 * 29.1941 + 0.01 * 110) /
/// 1.01 = 29.7051, (0.99 * 29.7051 + 0.01 * 200) / 1.01 = 31.0971.
#[test]
fn what_duplicates_announced_is_counted_once() {
    let mut script = paced("westwood", 1100);
    script.at(1500).inject(ack(40_001)).expect(data(80_001..81_001)).expect_nothing();
    script.at(1600).inject(ack(41_001)).expect_nothing();
    script.at(1700).inject(ack(44_001)).expect_run(81_001..84_001, 1000).expect_nothing();
    script.at(1800).inject(ack(44_001)).expect(data(84_001..85_001)).expect_nothing();
    script.at(1810).inject(ack(44_001)).expect(data(85_001..86_001)).expect_nothing();
    script.at(1820).inject(ack(44_001)).expect(data(44_001..45_001)).expect_nothing();
    script.threshold_is(3.109_71).window_is(3.109_71);
}

/// 2004, section 3: a sample is what was acknowledged in an interval, without the acknowledgment that begins
/// it. The interval after that of 1300 ms ends at 1500 ms, with the ten segments of 1400 ms and a duplicate:
/// 11 / 0.2 = 55. The filters give (7 * 100 + 55) / 8 = 94.375 and (7 * 100 + 94.375) / 8 = 99.2969.
#[test]
fn westwood_plus_samples_once_in_a_round_trip() {
    third_duplicate("westwood+", 1100).threshold_is(9.929_69).window_is(9.929_69);
}

/// The next sample ends at 1700 ms, more than a round-trip time after 1500 ms: duplicates at 1510 and 1520
/// ms, 42 segments less three at 1600 ms, two at 1700 ms: 43 / 0.2 = 215. The filters give (7 * 94.375 + 215)
/// / 8 = 109.4531 and (7 * 99.2969 + 109.4531) / 8 = 100.5664. Silence is no sample: when the timer expires
/// the estimate is what it was.
#[test]
fn westwood_plus_keeps_its_estimate_in_silence() {
    let mut script = third_duplicate("westwood+", 1100);
    script.at(1600).inject(ack(82_001)).expect_run(82_001..84_001, 1000).expect_nothing().window_is(2.0);
    script.at(1700).inject(ack(84_001)).expect_run(84_001..87_001, 1000).expect_nothing();
    script.at(2800).expect(data(84_001..85_001)).expect_nothing();
    script.threshold_is(10.056_64).window_is(1.0);
}
