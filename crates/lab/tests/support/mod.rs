//! Tests that need the right to make namespaces, and what becomes of them where nobody has it.
#![allow(dead_code, reason = "each test binary uses a part of this module")]

use seamline_lab::system::Namespace;

const EXPECTED: &str = include_str!("../expected_skips.txt");

/// Whether the test of that name can run here; if not, it is said why.
///
/// # Panics
/// When it cannot run, `SEAMLINE_UNEXPECTED_SKIPS=fail` is set, and `expected_skips.txt` does not name the test: so that
/// where everything should run, nothing is skipped unseen.
#[must_use]
pub(crate) fn privileged_or_skip(name: &str) -> bool {
    match Namespace::new() {
        Ok(_) => true,
        Err(error) => {
            skip(name, &format!("no namespace can be made: {error}"));
            false
        }
    }
}

/// Say that the test is skipped.
///
/// # Panics
/// As [`privileged_or_skip`].
pub(crate) fn skip(name: &str, reason: &str) {
    println!("SKIPPED {name}: {reason}");
    let expected =
        EXPECTED.lines().any(|line| line.split('#').next().is_some_and(|test| test.trim() == name));
    let strict = std::env::var_os("SEAMLINE_UNEXPECTED_SKIPS").is_some_and(|value| value == "fail");
    assert!(
        expected || !strict,
        "{name} is skipped ({reason}), and crates/lab/tests/expected_skips.txt does not list it"
    );
}
