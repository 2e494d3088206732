//! `seamline model`

use crate::support::{assert_contains, folder, refuses, succeeds};
use std::fs;

/// p1 = 0.2, p2 = 0.5, d1 = 20 ms, d2 = 10 ms: R_s = 60/0.4 = 150 ms, R_o = 50 + 40 = 90 ms. W' = 10, n1 = 5, n2 = 2, d0 = 0.5 ms: 61 +
/// 10 * 0.2/5 * 50 + 10 * 0.5/2 * 40 = 61 + 20 + 100 = 181 ms, so 55.2486 packets/s; Snoop 61 + 10 * 0.6 * 150 = 961 ms, 10.4058 packets/s.
const BY_HAND: [&str; 16] = [
    "model", "obtcp", "--p1", "20 %", "--p2", "0.5", "--d1", "20 ms", "--d2", "10 ms", "--window", "10",
    "--n1", "5", "--n2", "2",
];

#[test]
fn one_point() {
    let folder = folder();
    let text = succeeds(&BY_HAND, folder.path());
    assert_contains(
        &text,
        &["R_s (ms)", " 150  5\n", " 90  6\n", " 60  7\n", "181", "961", "55.2486", "10.4058"],
    );
    let json = succeeds(&[&BY_HAND[..], &["--json"]].concat(), folder.path());
    let document: serde_json::Value = serde_json::from_str(&json).unwrap();
    let point = &document["points"][0];
    let close =
        |name: &str, value: f64| assert!((point[name].as_f64().unwrap() - value).abs() < 1e-9, "{name}");
    close("snoop_recovery_ms", 150.0);
    close("recovery_gain_ms", 60.0);
    close("obtcp_round_trip_ms", 181.0);
    close("obtcp_kbit_per_s", 80_000.0 / 181.0);
    close("d2_ms", 10.0);
}

#[test]
fn a_sweep_as_table_csv_and_picture() {
    let folder = folder();
    let sweep = ["model", "obtcp", "--p2", "0", "--sweep", "p1=0:0.2:0.02", "--sweep", "d2=10 ms,20 ms"];
    let text = succeeds(&sweep, folder.path());
    assert_eq!(text.lines().count(), 3 + 1 + 22, "{text}");
    let csv = succeeds(&[&sweep[..], &["--csv", "--out", "gain.svg"]].concat(), folder.path());
    let rows: Vec<&str> = csv.lines().filter(|line| !line.starts_with('#')).collect();
    assert_contains(rows[0], &["p1,d2_ms,loss_of_both_links,", ",recovery_gain_ms,"]);
    assert_eq!(rows.len(), 1 + 22);
    // 2 * 20 ms * 0.06/0.94.
    let row = rows.iter().find(|row| row.starts_with("0.06,20,")).expect(&csv);
    let column = rows[0].split(',').position(|name| name == "recovery_gain_ms").unwrap();
    let gain: f64 = row.split(',').nth(column).unwrap().parse().unwrap();
    assert!((gain - 2.4 / 0.94).abs() < 1e-9, "{gain}");
    let picture = fs::read_to_string(folder.path().join("gain.svg")).unwrap();
    assert_contains(
        &picture,
        &["<svg", "R_gain (ms)", "share of packets lost", "d2 = 20 ms", "stroke-dasharray"],
    );
    for shown in ["recovery", "ratio", "throughput"] {
        succeeds(&[&sweep[..], &["--show", shown, "--out", "shown.svg"]].concat(), folder.path());
        let picture = fs::read_to_string(folder.path().join("shown.svg")).unwrap();
        assert_contains(&picture, &["<svg", "closed form, equation"]);
    }
}

#[test]
fn mistakes_end_with_code_2_and_the_fix() {
    let folder = folder();
    let with = |words: &[&'static str]| refuses(&[&["model", "obtcp"], words].concat(), folder.path());
    assert_contains(&with(&["--p1", "10"]), &["p1 is 10", "below 1", "10 %"]);
    assert_contains(&with(&["--p1", "1"]), &["p1 is 1"]);
    assert_contains(&with(&["--d1", "20"]), &["--d1: `20`", "unit is missing"]);
    assert_contains(&with(&["--window", "0"]), &["W' is 0"]);
    assert_contains(&with(&["--n1", "many"]), &["--n1: `many`"]);
    assert_contains(&with(&["--packet-size", "0 B"]), &["--packet-size"]);
    assert_contains(&with(&["--sweep", "p3=0:1:1"]), &["there is no `p3`", "p1, p2"]);
    assert_contains(&with(&["--sweep", "p1"]), &["p1=0:0.2:0.02"]);
    assert_contains(&with(&["--sweep", "p1=0:0.2"]), &["from:to:step"]);
    assert_contains(&with(&["--sweep", "p1=0.2:0:0.1"]), &["from:to:step"]);
    assert_contains(&with(&["--sweep", "p1=0:0.2:0"]), &["above zero"]);
    assert_contains(&with(&["--sweep", "p1=0:0.2:1e-9"]), &["too many values"]);
    assert_contains(&with(&["--sweep", "p1=0:1:0.1"]), &["p1 is 1"]);
    assert_contains(&with(&["--sweep", "p=0.1", "--sweep", "p2=0.1"]), &["`p2` is varied twice"]);
    assert_contains(&with(&["--out", "x.svg"]), &["--sweep"]);
    assert_contains(&with(&["--json", "--csv"]), &["--json"]);
    assert_contains(&refuses(&["model"], folder.path()), &["obtcp"]);
}
