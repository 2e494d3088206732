//! `seamline paper`

mod support;

use serde_json::Value;
use std::fs;
use support::{assert_contains, folder, refuses, succeeds};

const SHORT: [&str; 9] =
    ["paper", "e", "--seeds", "2", "--duration", "20 s", "--no-readings", "--out", "out"];
const VERDICTS: [&str; 4] = ["reproduced", "direction_only", "not_reproduced", "inconclusive"];

/// One entry for each claim, whatever the verdicts; the same again without running anything, and the rest of a run
/// that was begun.
#[test]
fn claims_are_judged_and_runs_kept() {
    let folder = folder();
    let text = succeeds(&SHORT, folder.path());
    let path = folder.path().join("out/claims.json");
    let first = fs::read_to_string(&path).unwrap();
    let claims: Vec<Value> = serde_json::from_str(&first).unwrap();
    let ids: Vec<&str> = claims.iter().filter_map(|claim| claim["id"].as_str()).collect();
    assert_eq!(ids, ["E1", "E2", "E3", "E4", "E5", "E6", "E7", "E8", "E9", "E10"]);
    for claim in &claims {
        for key in ["statement", "paper", "accept", "measured", "ci95", "cells", "verdict", "note"] {
            assert!(claim.get(key).is_some(), "{key} of {claim}");
        }
        assert!(VERDICTS.contains(&claim["verdict"].as_str().unwrap()), "{claim}");
        assert_contains(&text, &[claim["statement"].as_str().unwrap()]);
    }
    assert_eq!(claims[0]["cells"].as_array().unwrap().len(), 8, "four TCPs under two error models");
    let stored = folder.path().join("out/fig3/runs.jsonl");
    let runs = fs::read_to_string(&stored).unwrap();
    assert_eq!(runs.lines().count(), 48);
    let kept: Vec<&str> = runs.lines().take(40).collect();
    fs::write(&stored, kept.join("\n") + "\n").unwrap();
    assert_eq!(succeeds(&SHORT, folder.path()), text);
    assert_eq!(fs::read_to_string(&path).unwrap(), first);
    let again = fs::read_to_string(&stored).unwrap();
    assert_eq!(again.lines().count(), 48);
    assert!(again.starts_with(&kept.join("\n")), "what was there is kept");
}

/// Each other reading of a silent point is a line beside the reading taken.
#[test]
fn other_readings_stand_beside() {
    let folder = folder();
    let arguments = ["paper", "E", "--seeds", "1", "--duration", "10 s", "--out", "out"];
    let text = succeeds(&arguments, folder.path());
    for line in ["as taken", "minimum-rto: 200 ms (ns-2 since 2004)", "window-limit: 64 packets"] {
        assert_contains(&text, &[line]);
    }
}

#[test]
fn what_is_missing_is_named() {
    let folder = folder();
    assert_contains(&succeeds(&["paper"], folder.path()), &["seamline paper E --out DIR"]);
    assert_contains(&refuses(&["paper", "Z", "--out", "out"], folder.path()), &["there is no paper \"Z\""]);
    assert_contains(&refuses(&["paper", "E"], folder.path()), &["--out paper-E"]);
    let duration = ["paper", "E", "--duration", "5 parsecs", "--out", "out"];
    assert_contains(&refuses(&duration, folder.path()), &["duration"]);
}
