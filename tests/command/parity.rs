//! `seamline parity`, as far as it can be had without rights: what is refused, and with which words; and where a kernel is built, that our
//! TCP sends what it sends.
#![cfg(target_os = "linux")]

use crate::support::{assert_contains, folder, seamline, skip, stderr, succeeds};
use std::path::Path;

#[test]
fn a_scenario_that_is_not_there_is_refused_by_its_name() {
    let folder = folder();
    let output = seamline(&["parity", "nowhere.toml"], folder.path());
    assert_eq!(output.status.code(), Some(2));
    assert_contains(stderr(&output), &["cannot read nowhere.toml"]);
}

#[test]
fn what_explains_differences_is_read_from_beside_the_scenario() {
    let folder = folder();
    let scenario = include_str!("../../crates/lab/parity/constant.toml");
    std::fs::write(folder.path().join("own.toml"), scenario).unwrap();
    std::fs::write(folder.path().join("own.differences.toml"), "[[difference]]\nbetwen = \"a\"\n").unwrap();
    let output = seamline(&["parity", "own.toml"], folder.path());
    assert_eq!(output.status.code(), Some(2));
    assert_contains(stderr(&output), &["own.differences.toml", "betwen"]);
}

#[test]
fn a_short_check_is_of_the_bundled_scenarios_as_they_are() {
    let output = seamline(&["parity", "constant", "--quick"], folder().path());
    assert_eq!(output.status.code(), Some(2));
    assert_contains(stderr(&output), &["--quick", "cannot be used with"]);
}

/// The kernel by which the profile is judged; without it, the test is skipped.
const JUDGE: &str = "linux-6.12";

#[test]
fn reno_sends_what_the_kernel_sends_to_the_end() {
    let kernels = succeeds(&["kernel", "list", "--json"], Path::new("/"));
    if !kernels.contains(&format!("\"{JUDGE}\"")) {
        return skip(
            "reno_sends_what_the_kernel_sends_to_the_end",
            "no kernel is built: seamline kernel build 6.12",
        );
    }
    let segments = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/lab/parity/segments");
    for (scenario, all) in [("bursts.toml", "6 of 6 runs"), ("outages.toml", "8 of 8 runs")] {
        let reno = ["--set", "grid.flow.download.variant=[\"sack\"]"];
        let words = [&["parity", scenario, "--first-difference", "--kernel", JUDGE], &reno[..]].concat();
        assert_contains(&succeeds(&words, &segments), &["the same segments to the end", all]);
    }
}
