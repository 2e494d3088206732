//! `seamline explain`

use crate::support::{assert_contains, folder, refuses, succeeds};
use std::fs;

#[test]
fn an_error_names_its_code_and_the_code_is_explained() {
    let folder = folder();
    fs::write(folder.path().join("bad.toml"), "duration = \"5\"\n").unwrap();
    let text = refuses(&["check", "bad.toml"], folder.path());
    assert_contains(&text, &["error[SL009]: invalid `duration`", "seamline explain SL"]);
    let page = succeeds(&["explain", "SL009"], folder.path());
    assert_contains(
        &page,
        &["SL009: a quantity without its unit", "Rejected", "Instead", "one_way_delay = \"20 ms\""],
    );
    assert_eq!(page, succeeds(&["explain", "sl9"], folder.path()));
}

#[test]
fn without_a_code_all_are_listed() {
    let folder = folder();
    let text = succeeds(&["explain"], folder.path());
    assert!(text.lines().count() > 20);
    for line in text.lines().skip(1) {
        let code = line.split_whitespace().next().unwrap();
        assert_contains(&succeeds(&["explain", code], folder.path()), &[code, "Rejected", "Instead"]);
    }
}

#[test]
fn a_code_that_does_not_exist_is_refused() {
    assert_contains(
        &refuses(&["explain", "SL999"], folder().path()),
        &["no error code `SL999`", "SL001 to SL"],
    );
}
