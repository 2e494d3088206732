//! For tests beside the sources, too.

/// Say that a test is skipped.
///
/// # Panics
/// When `SEAMLINE_UNEXPECTED_SKIPS=fail` is set: so that where everything should run, nothing is skipped unseen.
pub(crate) fn skip(test: &str, why: impl std::fmt::Display) {
    println!("SKIPPED {test}: {why}");
    let strict = std::env::var_os("SEAMLINE_UNEXPECTED_SKIPS").is_some_and(|value| value == "fail");
    assert!(!strict, "{test} may not be skipped here");
}
