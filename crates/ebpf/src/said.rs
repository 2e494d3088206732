//! What libbpf says while it works, kept for the case that it fails.

use libbpf_rs::{PrintLevel, set_print};
use std::sync::{Mutex, PoisonError};

static SAID: Mutex<String> = Mutex::new(String::new());

/// Do something; what libbpf warned of meanwhile, in its own words.
pub fn listen<T>(task: impl FnOnce() -> T) -> (T, String) {
    SAID.lock().unwrap_or_else(PoisonError::into_inner).clear();
    let before = set_print(Some((PrintLevel::Warn, |_, text| {
        SAID.lock().unwrap_or_else(PoisonError::into_inner).push_str(&text);
    })));
    let outcome = task();
    set_print(before);
    (outcome, SAID.lock().unwrap_or_else(PoisonError::into_inner).clone())
}

/// The error, and the last thing that the kernel or libbpf said about it.
pub fn reason(error: &libbpf_rs::Error, said: &str) -> String {
    let is_telling = |line: &&str| !line.trim().is_empty() && !line.contains("END PROG LOAD LOG");
    match said.lines().rev().find(is_telling) {
        Some(line) => format!("{error} ({})", line.trim()),
        None => error.to_string(),
    }
}
