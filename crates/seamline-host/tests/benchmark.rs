//! `seamline benchmark` with the remedies of `seamline-host`
#![cfg(target_os = "linux")]

mod support;

#[cfg(not(feature = "ebpf"))]
use seamline_testing::punctual;
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
#[cfg(feature = "ebpf")]
use support::host;
#[cfg(not(feature = "ebpf"))]
use support::{assert_contains, seamline};
use support::{folder, shared_lab_or_skip, stderr, succeeds};

/// The numbers of a run, if it was emulated well.
fn measured(folder: &Path, remedy: &str, loses_acknowledgment: bool) -> Option<Value> {
    let text = fs::read_to_string(folder.join("runs.jsonl")).unwrap();
    let mut runs = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let run = runs.find(|run| {
        let case = &run["case"];
        case["remedy"] == remedy
            && case["loses_acknowledgment"] == loses_acknowledgment
            && run["warnings"] == json!([])
    });
    if run.is_none() {
        println!("the host was too busy for the numbers of {remedy}");
    }
    run.map(|run| run["measured"].clone())
}

/// What is compared where an acknowledgment is lost and where none is.
#[cfg(not(feature = "ebpf"))]
const REMEDIES: [&str; 3] = ["cubic", "acknowledgments", "mptcp"];

/// Left out of the build with eBPF programs, which it does not need: it takes a minute.
#[cfg(not(feature = "ebpf"))]
#[test]
fn a_repeated_acknowledgment_ends_a_stall_that_stock_tcp_prolongs() {
    punctual(20, || {
        let Some(_lab) = shared_lab_or_skip("a_repeated_acknowledgment_ends_a_stall") else { return };
        let folder = folder();
        let mut arguments = ["benchmark", "--quick", "--outage", "2500 ms", "--out", "out"].to_vec();
        arguments.extend(["--retry", "4", "--jobs", "3"]);
        arguments.extend(REMEDIES.iter().flat_map(|remedy| ["--remedy", remedy]));
        let text = succeeds(&arguments, folder.path());
        let out = folder.path().join("out");
        assert_contains(&text, &["Written:"]);
        let counted = REMEDIES.map(|remedy| measured(&out, remedy, true));
        let is_told = text.contains("bulk download, an acknowledgment lost");
        assert_eq!(is_told, counted.iter().any(Option::is_some), "{text}");
        let page = fs::read_to_string(out.join("handovers.md")).unwrap();
        assert_contains(&page, &["# What a handover costs"]);
        let told: [bool; 3] = std::array::from_fn(|place| {
            counted[place].is_some() || measured(&out, REMEDIES[place], false).is_some()
        });
        // Where no run counts, there is nothing to tell but where the page is.
        for words in ["bulk download", "first data (ms)"] {
            assert_eq!(text.contains(words), told.contains(&true), "{text}");
        }
        for (remedy, is_told) in REMEDIES.iter().zip(told) {
            assert_eq!(page.contains(&format!("| 2.5 s | {remedy} |")), is_told, "{page}");
        }
        // Of Multipath TCP, the picture does not show when the first data came.
        assert_eq!(out.join("handovers-first-data.svg").exists(), told[0] || told[1], "{page}");
        if let [Some(stock), Some(helped), _] = &counted {
            let first = |of: &Value| of["first_data_ms"].as_f64().unwrap();
            // Not sooner than light: a round trip takes 50 ms.
            assert!((50.0..80.0).contains(&first(helped)), "{helped}");
            assert!((300.0..3500.0).contains(&first(stock)), "{stock}");
            assert!(
                helped["stall_ms"].as_f64().unwrap() < stock["stall_ms"].as_f64().unwrap(),
                "{helped} {stock}"
            );
        }
        // Nothing is left to be run, so the same command only draws; and what is there can be drawn alone.
        let runs = fs::read_to_string(out.join("runs.jsonl")).unwrap();
        let has_warnings = |line: &str| serde_json::from_str::<Value>(line).unwrap()["warnings"] != json!([]);
        if !runs.lines().any(has_warnings) {
            assert_eq!(succeeds(&arguments, folder.path()), text);
            assert_eq!(fs::read_to_string(out.join("runs.jsonl")).unwrap(), runs);
        }
        let again = succeeds(&["benchmark", "--again", "--out", "out"], folder.path());
        for (remedy, is_told) in REMEDIES.iter().zip(told) {
            assert!(!is_told || again.contains(remedy), "{again}");
        }
    });
}

/// `seamline-host mobile` at the phone marks an acknowledgment, `seamline-host sender` at the server acts on it: whether one was lost or not.
#[cfg(feature = "ebpf")]
#[test]
fn both_daemons_together_end_a_stall_within_a_round_trip() {
    let Some(_lab) = shared_lab_or_skip("both_daemons_together_end_a_stall") else { return };
    let folder = folder();
    let checked = host(&["sender", "--check"], folder.path());
    if !checked.status.success() {
        return support::skip("both_daemons_together_end_a_stall", stderr(&checked));
    }
    // In real time: a busy host only makes it later, so one of three attempts must be as it should.
    let mut late = Vec::new();
    for attempt in ["1", "2", "3"] {
        let arguments = [
            "benchmark",
            "--quick",
            "--remedy",
            "ehn",
            "--outage",
            "2500 ms",
            "--retry",
            "4",
            "--out",
            attempt,
        ];
        succeeds(&arguments, folder.path());
        let both = [true, false].map(|loses| measured(&folder.path().join(attempt), "ehn", loses));
        late = both.into_iter().flatten().filter(|it| !ends_within_a_round_trip(it)).collect();
        if late.is_empty() {
            return;
        }
    }
    panic!("{late:?}");
}

/// Whether what was measured is what marks at both ends can do: data a round trip of 50 ms after the outage, and no more missed
/// than what a stall of two round trips costs at the rate of the link. The queue may overflow a little.
#[cfg(feature = "ebpf")]
fn ends_within_a_round_trip(it: &Value) -> bool {
    let number = |name: &str| it[name].as_f64().unwrap();
    (50.0..110.0).contains(&number("first_data_ms"))
        && (50.0..300.0).contains(&number("progress_ms"))
        && (-50e3..500e3).contains(&number("missed_bytes"))
        && number("dropped") < 40.0
}

/// Without eBPF nothing of this remedy can be run.
#[cfg(not(feature = "ebpf"))]
#[test]
fn a_page_of_runs_that_do_not_count_stays_when_nothing_is_run() {
    let folder = folder();
    let out = folder.path().join("out");
    fs::create_dir(&out).unwrap();
    fs::write(out.join("runs.jsonl"), kept_run()).unwrap();
    fs::write(out.join("handovers.md"), "of another kernel").unwrap();
    let output = seamline(&["benchmark", "--quick", "--remedy", "ehn", "--out", "out"], folder.path());
    assert_contains(stderr(&output), &["1 kept runs are of another kernel or version"]);
    assert_eq!(fs::read_to_string(out.join("handovers.md")).unwrap(), "of another kernel");
}

/// A line of the file of runs, of another kernel.
#[cfg(not(feature = "ebpf"))]
fn kept_run() -> String {
    let case = json!({
        "remedy": "cubic", "outage_ms": 1000, "loses_acknowledgment": true, "has_loss": false, "traffic": "bulk",
    });
    let measured = json!({
        "first_data_ms": 123.0, "progress_ms": 123.0, "full_rate_ms": 456.0, "stall_ms": 800.0, "rate_before_bps": 2e7,
        "missed_bytes": 1e6, "dropped": 0,
    });
    let run = json!({
        "case": case, "run": 1, "definition": 1, "measured": measured, "repeated": 0, "warnings": [], "kernel": "0.1",
    });
    format!("{run}\n")
}
