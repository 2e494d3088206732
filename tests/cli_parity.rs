//! `seamline parity`, as far as it can be had without rights: what is refused, and with which words.
#![cfg(target_os = "linux")]

mod support;

use support::{assert_contains, folder, seamline, stderr};

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
    let scenario = include_str!("../crates/lab/parity/constant.toml");
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
