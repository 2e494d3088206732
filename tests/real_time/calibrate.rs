//! `seamline calibrate`: what the emulator is held to on any host. Times depend on who else is busy there, so their bounds are wide;
//! what is lost does not.

use crate::support::{assert_contains, folder, lab_or_skip, seamline, stderr, stdout};
use serde_json::Value;

fn number(value: &Value, pointer: &str) -> f64 {
    value.pointer(pointer).and_then(Value::as_f64).unwrap_or_else(|| panic!("{pointer} in {value:#}"))
}

#[track_caller]
fn assert_between(what: &str, value: f64, low: f64, high: f64) {
    assert!((low..=high).contains(&value), "{what}: {value} is not from {low} to {high}");
}

#[test]
fn a_quick_calibration_finds_delays_rates_losses_and_handovers_as_configured() {
    seamline_testing::punctual(10, || {
        let Some(_alone) = lab_or_skip("calibration") else { return };
        let folder = folder();
        let output = seamline(&["calibrate", "--quick", "--json", "--quiet"], folder.path());
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert_eq!(stderr(&output), "");
        let found: Value = serde_json::from_str(stdout(&output)).unwrap();

        let delays = found["delay"]["links"].as_array().unwrap();
        let configured: Vec<f64> = delays.iter().map(|delay| number(delay, "/configured_ms")).collect();
        assert_eq!(configured, [1.0, 5.0, 25.0, 100.0]);
        for delay in delays {
            assert_between("median error of a delay in us", number(delay, "/error/median_us"), 0.0, 1000.0);
            assert_between("datagrams", number(delay, "/datagrams"), 490.0, 500.0);
        }
        assert_between("bare path in us", number(&found, "/delay/bare_path/median_us"), 1.0, 1000.0);
        // Where the host stands still for a moment, what has waited for the measurement counts in it.
        let was_busy = found["host"]["was_busy"] == true;
        let fastest = if was_busy { 55.0 } else { 48.7 };
        assert_between("Mbit/s of TCP", number(&found, "/delay/with_tcp_mbit_per_s"), 35.0, fastest);

        // An emulator that gets no processor falls behind, but never runs ahead.
        let slowest = if was_busy { -30.0 } else { -2.0 };
        let rates = found["rate"].as_array().unwrap();
        assert_eq!(rates.len(), 4);
        for rate in rates {
            assert_between("error of a rate in %", number(rate, "/error_percent"), slowest, 2.0);
            assert_eq!(number(rate, "/lost"), 0.0, "{rate}");
        }

        let drops = found["drops"].as_array().unwrap();
        assert_eq!(drops.len(), 3);
        for (drops, [fewest, most]) in drops.iter().zip([[206.0, 206.0], [150.0, 250.0], [140.0, 155.0]]) {
            assert!(drops["is_known"] == true || was_busy, "{drops}");
            if drops["is_known"] == false {
                continue;
            }
            assert_eq!(number(drops, "/lost_otherwise"), 0.0, "{drops}");
            assert_eq!(number(drops, "/lost_as_expected"), number(drops, "/expected"), "{drops}");
            assert_between("lost", number(drops, "/expected"), fewest, most);
        }

        let gaps = found["interruption"]["gaps_ms"].as_array().unwrap();
        assert_eq!(gaps.len(), 2);
        for gap in gaps {
            assert_between("interruption in ms", gap.as_f64().unwrap(), 149.0, 220.0);
        }
        assert_between(
            "goodput in Mbit/s",
            number(&found, "/throughput/goodput_mbit_per_s"),
            20.0,
            100_000.0,
        );
        assert!(found["others"].as_array().is_some_and(|others| others.len() >= 4), "{found:#}");
    });
}

#[test]
fn what_it_does_is_in_the_help() {
    let folder = folder();
    let output = seamline(&["calibrate", "--help"], folder.path());
    assert_contains(stdout(&output), &["--quick", "--json"]);
}
