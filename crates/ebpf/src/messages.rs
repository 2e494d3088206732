//! What libbpf reports while it works, kept to explain a failure.

use libbpf_rs::{PrintLevel, set_print};
use std::sync::{Mutex, PoisonError};

static MESSAGES: Mutex<String> = Mutex::new(String::new());

/// Run a task; its result, and libbpf's warnings meanwhile.
pub fn listen<T>(task: impl FnOnce() -> T) -> (T, String) {
    MESSAGES.lock().unwrap_or_else(PoisonError::into_inner).clear();
    let before = set_print(Some((PrintLevel::Warn, |_, text| {
        MESSAGES.lock().unwrap_or_else(PoisonError::into_inner).push_str(&text);
    })));
    let outcome = task();
    set_print(before);
    (outcome, MESSAGES.lock().unwrap_or_else(PoisonError::into_inner).clone())
}

/// The error, and the last message of the kernel or libbpf about it.
pub fn reason(error: &libbpf_rs::Error, messages: &str) -> String {
    let is_informative = |line: &&str| !line.trim().is_empty() && !line.contains("END PROG LOAD LOG");
    match messages.lines().rev().find(is_informative) {
        Some(line) => format!("{error} ({})", line.trim()),
        None => error.to_string(),
    }
}
