//! Tests that need the right to make namespaces, and how they are skipped without it.
#![allow(dead_code, reason = "each test binary uses a part of this module")]

use seamline_lab::system::Namespace;
pub(crate) use seamline_testing::skip;

/// Whether the test of that name can run here; if not, it prints why.
///
/// # Panics
/// When it cannot run, as [`skip`].
#[must_use]
pub(crate) fn privileged_or_skip(name: &str) -> bool {
    match Namespace::new() {
        Ok(_) => true,
        Err(error) => {
            skip(name, format!("no namespace can be made: {error}"));
            false
        }
    }
}
