//! What tests need from the host (programs, rights, recordings), and the one rule for tests that are skipped without it. Tests in real
//! time run in [`punctual`].
//!
//! A test that cannot run calls [`skip`], which prints why. With `SEAMLINE_UNEXPECTED_SKIPS=fail`, as on a machine that has
//! everything, a skip fails the test unless `expected_skips.txt` lists it.

pub mod cgroup;
mod programs;
mod punctual;
mod recordings;
mod reference;

pub use programs::{accessible, in_browser, tshark};
pub use punctual::{punctual, turn};
pub use recordings::recording;
pub use reference::{assert_current, commands};

const EXPECTED: &str = include_str!("../expected_skips.txt");

/// Print that a test is skipped, and why.
///
/// # Panics
/// With `SEAMLINE_UNEXPECTED_SKIPS=fail`, unless `expected_skips.txt` lists the test; and where it has run before ([`punctual`]).
pub fn skip(test: &str, why: impl std::fmt::Display) {
    assert!(!punctual::has_run_before(), "{test} has run before, and now it cannot: {why}");
    println!("SKIPPED {test}: {why}");
    let is_strict = std::env::var_os("SEAMLINE_UNEXPECTED_SKIPS").is_some_and(|value| value == "fail");
    assert!(
        !is_strict || is_expected(test, EXPECTED),
        "{test} is skipped ({why}), and crates/testing/expected_skips.txt does not list it"
    );
}

/// Whether a list has the test: a name a line, with a comment after `#`.
fn is_expected(test: &str, list: &str) -> bool {
    list.lines().any(|line| line.split('#').next().is_some_and(|name| name.trim() == test))
}

/// The name of the test that this thread runs.
fn this_test() -> String {
    let thread = std::thread::current();
    let name = thread.name().unwrap_or("a test");
    name.rsplit("::").next().unwrap_or(name).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_counts_and_its_comment_does_not() {
        let list = "# heading\nfirst  # because\nsecond\n";
        assert!(is_expected("first", list) && is_expected("second", list));
        assert!(!is_expected("because", list) && !is_expected("firs", list) && !is_expected("heading", list));
    }

    #[test]
    fn a_thread_of_the_harness_has_the_name_of_its_test() {
        assert_eq!(this_test(), "a_thread_of_the_harness_has_the_name_of_its_test");
    }
}
