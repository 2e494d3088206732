//! Expected values were worked out by hand, most of them for the links of paper cross-layer-handover: 1 and 11
//! Mbit/s, 10 MiB, a handover at 5.5 s.

use proptest::prelude::*;
use seamline_model::transfer::*;

const RATES: Rates = Rates { old: 1e6, new: 11e6 };
const MIB_10: f64 = 83_886_080.0;
const FILE: Load = Load::File { bits: MIB_10 };

fn way(interruption: f64, stay: f64) -> Excursion {
    Excursion { at: 5.5, interruption, stay }
}

#[track_caller]
fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-6, "{found} is not {expected}");
}

/// 83.88608 - 10 T + 12 t*.
#[test]
fn transfer_times_of_the_cross_layer_handover_paper() {
    for (interruption, stay) in [(2.5, 7.0), (0.5, 7.0), (6.5, 7.0), (2.5, 5.0), (2.5, 3.0)] {
        let expected = 83.88608 - 10.0 * stay + 12.0 * interruption;
        close(transfer_time(MIB_10, RATES, way(interruption, stay)), expected);
    }
}

/// 10 * 7 / 12 = 5.8333 s and 12 * 2.5 / 10 = 3 s.
#[test]
fn thresholds_of_the_cross_layer_handover_paper() {
    close(longest_interruption(FILE, RATES, way(0.0, 7.0)).unwrap(), 70.0 / 12.0);
    close(shortest_stay(FILE, RATES, way(2.5, 0.0)).unwrap(), 3.0);
}

/// After 5.5 s 78.38608 Mbit are left, which take 7.126007 s on the new link: 5.5 + 2.5 + 7.126007.
#[test]
fn a_file_completed_before_the_return_pays_one_interruption() {
    close(transfer_time(MIB_10, RATES, way(2.5, 10.0)), 15.126_007_273);
    close(transfer_time(MIB_10, RATES, way(2.5, f64::INFINITY)), 15.126_007_273);
    // 78.38608 - 7.126007
    close(longest_interruption(FILE, RATES, way(0.0, f64::INFINITY)).unwrap(), 71.260_072_727);
    // With less than 1.873993 s the file completes within the stay; up to 9 * 10 / 12 = 7.5 s the handover still pays
    // off.
    close(longest_interruption(FILE, RATES, way(0.0, 9.0)).unwrap(), 7.5);
}

/// At 5.5 s 1 Mbit is left: 1 s on the old link, 1/11 s on the new. A stay of 1 s is long enough for an interruption
/// of 0.9 s, which the formula for longer files (10/12 s) would reject.
#[test]
fn a_file_that_is_nearly_complete() {
    let rest = Load::File { bits: 6.5e6 };
    close(longest_interruption(rest, RATES, way(0.0, 1.0)).unwrap(), 10.0 / 11.0);
    close(shortest_stay(rest, RATES, way(0.9, 0.0)).unwrap(), 0.9 + 1.0 / 11.0);
    assert_eq!(shortest_stay(rest, RATES, way(0.95, 0.0)), None, "the old link would be sooner");
    assert_eq!(
        longest_interruption(Load::File { bits: 5e6 }, RATES, way(0.0, 7.0)),
        None,
        "it is complete before the handover"
    );
}

#[test]
fn a_slower_link_is_never_worth_it() {
    for rates in [Rates { old: 2e6, new: 1e6 }, Rates { old: 1e6, new: 1e6 }] {
        for load in [FILE, Load::Horizon { seconds: 60.0 }] {
            assert_eq!(longest_interruption(load, rates, way(0.0, 7.0)), None);
            assert_eq!(shortest_stay(load, rates, way(0.1, 0.0)), None);
        }
    }
}

/// The stay ends during the handover: nothing passes from 5.5 s until 5.5 + 2 + 3 s.
#[test]
fn a_stay_shorter_than_the_interruption_is_an_outage() {
    close(transfer_time(MIB_10, RATES, way(3.0, 2.0)), 83.88608 + 5.0);
    close(delivered(60.0, RATES, way(3.0, 2.0)), 55e6);
}

/// 5.5 Mbit, then 4.5 s of 11 Mbit/s, then from 15 s on 1 Mbit/s: 5.5 + 49.5 + 45.
#[test]
fn delivery_of_a_flow_without_end() {
    close(delivered(60.0, RATES, way(2.5, 7.0)), 100e6);
    let horizon = Load::Horizon { seconds: 60.0 };
    close(gain(horizon, RATES, way(2.5, 7.0)), 40e6);
    close(longest_interruption(horizon, RATES, way(0.0, 7.0)).unwrap(), 70.0 / 12.0);
    close(shortest_stay(horizon, RATES, way(2.5, 0.0)).unwrap(), 3.0);
    // Without a return within 60 s: 54.5 (1 - 1/11) s.
    close(longest_interruption(horizon, RATES, way(0.0, f64::INFINITY)).unwrap(), 54.5 * 10.0 / 11.0);
    close(delivered(5.0, RATES, way(2.5, 7.0)), 5e6);
}

/// A pipe of 64 segments, starting from one segment: 1, 2, ... 32 segments in six round trips, each of which could
/// carry 64: 6 - 63/64 round trips. From an initial window of 64 the cost is zero.
#[test]
fn slow_starts() {
    close(slow_start(64.0, 1.0, 1.0).cost, 6.0 - 63.0 / 64.0);
    close(slow_start(128.0, 0.5, 1.0).cost, 3.0 - 63.0 / 128.0);
    assert_eq!(slow_start(64.0, 1.0, 64.0), SlowStart { round_trips: 0, cost: 0.0 });
    assert_eq!(slow_start(64.0, 1.0, 1.0).round_trips, 6);
    assert_eq!(slow_start(65.0, 1.0, 1.0).round_trips, 7);
}

/// 5 MB from 965 kbit/s to 12.35 Mbit/s of payload at 5.775 s: 34.4 Mbit are left, 35.7 s on the old link or 2.79 s
/// on the new. An interruption of 30 s leaves 2.9 s to save, if the file completes within the stay: 30 + 2.79 s.
#[test]
fn the_shortest_stay_may_just_fit_the_file() {
    let rates = Rates { old: 1e6 * 1448.0 / 1500.0, new: 12.8e6 * 1448.0 / 1500.0 };
    let rest = 40e6 - rates.old * 5.775;
    for interruption in [29.0, 30.0, 31.0, 32.0] {
        let way = Excursion { at: 5.775, interruption, stay: 20.0 };
        close(shortest_stay(Load::File { bits: 40e6 }, rates, way).unwrap(), interruption + rest / rates.new);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    /// If the handover pays off without a return, there is a shortest stay: slightly more pays off, slightly less
    /// does not.
    #[test]
    fn a_shortest_stay_exists_if_no_return_pays_off(
        old in 0.1e6..100e6_f64,
        ratio in 1.01..50.0_f64,
        at in 0.0..20.0_f64,
        rest_s in 0.1..100.0_f64,
        part in 0.001..1.2_f64,
        is_file in any::<bool>(),
    ) {
        let rates = Rates { old, new: old * ratio };
        let load = match is_file {
            true => Load::File { bits: old * (at + rest_s) },
            false => Load::Horizon { seconds: at + rest_s },
        };
        // With `part` above 1 no stay pays off.
        let interruption = part * rest_s * (1.0 - 1.0 / ratio);
        let way = |stay: f64| Excursion { at, interruption, stay };
        // In seconds of the old link, so that files and horizons share one tolerance.
        let gain = |stay: f64| {
            gain(load, rates, way(stay)) / if is_file { 1.0 } else { old }
        };
        let found = shortest_stay(load, rates, way(0.0));
        prop_assert_eq!(found.is_some(), gain(f64::INFINITY) >= 0.0);
        if (part - 1.0).abs() > 1e-6 {
            prop_assert_eq!(found.is_some(), part < 1.0);
        }
        if let Some(shortest) = found {
            prop_assert!(shortest.is_finite() && shortest > interruption);
            prop_assert!(gain(shortest * (1.0 + 1e-9)) >= -1e-12 * rest_s, "{}", gain(shortest * (1.0 + 1e-9)));
            prop_assert!(gain(shortest * (1.0 - 1e-6)) < 0.0, "{}", gain(shortest * (1.0 - 1e-6)));
        }
    }
}
