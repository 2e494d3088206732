//! `seamline benchmark` and `seamline load`
#![cfg(target_os = "linux")]

mod support;

use serde_json::Value;
use std::fs;
use std::path::Path;
use support::{assert_contains, folder, lab_or_skip, refuses, seamline, stderr, stdout, succeeds};

/// The numbers of a run, if it was emulated well.
fn measured(folder: &Path, remedy: &str, loses_acknowledgment: bool) -> Option<Value> {
    let text = fs::read_to_string(folder.join("runs.jsonl")).unwrap();
    let mut runs = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let run = runs.find(|run| {
        let case = &run["case"];
        case["remedy"] == remedy
            && case["loses_acknowledgment"] == loses_acknowledgment
            && run["doubts"] == serde_json::json!([])
    });
    if run.is_none() {
        println!("the host was too busy for the numbers of {remedy}");
    }
    run.map(|run| run["measured"].clone())
}

#[test]
fn a_repeated_acknowledgment_ends_a_stall_that_stock_tcp_prolongs() {
    let Some(_alone) = lab_or_skip("a_repeated_acknowledgment_ends_a_stall") else { return };
    let folder = folder();
    let arguments = [
        &["benchmark", "--quick", "--outage", "2500 ms", "--out", "out"][..],
        &["--remedy", "cubic", "--remedy", "acknowledgments", "--remedy", "mptcp", "--retry", "4"],
    ]
    .concat();
    let text = succeeds(&arguments, folder.path());
    let out = folder.path().join("out");
    assert_contains(&text, &["bulk download, an acknowledgment lost", "first data (ms)", "Written:"]);
    let page = fs::read_to_string(out.join("handovers.md")).unwrap();
    assert_contains(&page, &["# What a handover costs", "| 2.5 s | cubic |", "| 2.5 s | acknowledgments |"]);
    assert!(out.join("handovers-first-data.svg").exists());
    if let (Some(stock), Some(helped)) =
        (measured(&out, "cubic", true), measured(&out, "acknowledgments", true))
    {
        let first = |of: &Value| of["first_data_ms"].as_f64().unwrap();
        // Not sooner than light: a round trip takes 50 ms.
        assert!((50.0..80.0).contains(&first(&helped)), "{helped}");
        assert!((300.0..3500.0).contains(&first(&stock)), "{stock}");
        assert!(
            helped["stall_ms"].as_f64().unwrap() < stock["stall_ms"].as_f64().unwrap(),
            "{helped} {stock}"
        );
    }
    // Nothing is left to be run, so the same command only draws; and what is there can be drawn alone.
    let runs = fs::read_to_string(out.join("runs.jsonl")).unwrap();
    if !runs.contains("the host was too busy") {
        assert_eq!(succeeds(&arguments, folder.path()), text);
        assert_eq!(fs::read_to_string(out.join("runs.jsonl")).unwrap(), runs);
    }
    let again = succeeds(&["benchmark", "--again", "--out", "out"], folder.path());
    assert!(!again.contains("2.5 s") || again.contains("cubic"), "{again}");
}

/// `seamline mobile` at the phone marks an acknowledgment, `seamline sender` at the server heeds it: whether one was lost or not.
#[cfg(feature = "ebpf")]
#[test]
fn both_daemons_together_end_a_stall_within_a_round_trip() {
    let Some(_alone) = lab_or_skip("both_daemons_together_end_a_stall") else { return };
    let folder = folder();
    let checked = seamline(&["sender", "--check"], folder.path());
    if !checked.status.success() {
        return support::skip("both_daemons_together_end_a_stall", stderr(&checked));
    }
    let arguments =
        ["benchmark", "--quick", "--remedy", "ehn", "--outage", "2500 ms", "--retry", "4", "--out", "out"];
    succeeds(&arguments, folder.path());
    for loses_acknowledgment in [true, false] {
        let Some(it) = measured(&folder.path().join("out"), "ehn", loses_acknowledgment) else { continue };
        let number = |name: &str| it[name].as_f64().unwrap();
        assert!((50.0..110.0).contains(&number("first_data_ms")), "{it}");
        assert!((50.0..300.0).contains(&number("progress_ms")), "{it}");
        // No more than what a stall of two round trips costs at the rate of the link, and the queue may overflow a little.
        assert!((-50e3..500e3).contains(&number("missed_bytes")), "{it}");
        assert!(number("dropped") < 40.0, "{it}");
    }
}

#[test]
fn bad_input_ends_with_code_2_and_says_what_there_is() {
    let folder = folder();
    let text = refuses(&["benchmark", "--remedy", "cubik"], folder.path());
    assert_contains(&text, &["cubik", "cubic", "acknowledgments", "mptcp"]);
    fs::create_dir(folder.path().join("out")).unwrap();
    fs::write(folder.path().join("out/runs.jsonl"), "{\"case\": 1}\n").unwrap();
    let text = refuses(&["benchmark", "--again", "--out", "out"], folder.path());
    assert_contains(&text, &["out/runs.jsonl:1: ", "tip: "]);
    let text = refuses(&["load", "fetch", "127.0.0.1", "--duration", "5"], folder.path());
    assert_contains(&text, &["--duration", "unit"]);
    let text = refuses(&["load", "fetch", "127.0.0.1", "--until", "5 s"], folder.path());
    assert_contains(&text, &["SEAMLINE_TIME_ZERO", "seamline lab"]);
    let text = refuses(&["load", "fetch", "nobody.invalid"], folder.path());
    assert_contains(&text, &["nobody.invalid"]);
    let output = seamline(&["load", "fetch", "127.0.0.1", "--port", "1"], folder.path());
    assert_eq!((output.status.code(), stdout(&output)), (Some(1), ""));
    assert_contains(stderr(&output), &["cannot connect to 127.0.0.1:1"]);
}

/// As a user of the lab would: the gap of a link, seen by an application.
#[test]
fn a_load_inside_of_the_lab_tells_of_the_outage() {
    let Some(_alone) = lab_or_skip("a_load_inside_of_the_lab_tells_of_the_outage") else { return };
    let folder = folder();
    let file = support::scenario("handover-benchmark.toml");
    let program = assert_cmd::cargo::cargo_bin("seamline");
    let program = program.display();
    let serve = format!("server=exec {program} load serve");
    let fetch = format!("{program} load fetch server --until '6 s' --json timeline.json");
    let set = ["--set", "link.radio.handover={at=['2 s'],interruption='1 s'}"];
    let arguments =
        [&["lab", &file, "--quiet", "--serve", &serve][..], &set, &["--", "sh", "-c", &fetch]].concat();
    let text = succeeds(&arguments, folder.path());
    let stall = text.lines().find(|line| line.starts_with("nothing for")).unwrap_or_else(|| panic!("{text}"));
    let numbers: Vec<f64> = stall.split(' ').filter_map(|word| word.parse().ok()).collect();
    // Longer than the outage, and begun with it.
    assert!((990.0..3500.0).contains(&numbers[0]) && (1.9..2.2).contains(&numbers[1]), "{text}");
    assert!(folder.path().join("timeline.json").exists());
}
