//! What must hold for any bytes that come from outside: one function for each kind of input, which panics if it does not.
//!
//! The fuzzer calls them (`fuzz/fuzz_targets`), and so does a bounded run with fixed seeds (`tests/bounded.rs`), on the same small corpora.
#![cfg(target_os = "linux")]

mod engine;
mod frames;
mod hand_over;
mod http;
mod netlink;
mod recording;
mod scenario;
mod settings;
mod sock_diag;

/// A kind of input.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The name of the fuzz target, and of the folder of its corpus.
    pub name: &'static str,
    /// Panics if something does not hold.
    pub check: fn(&[u8]),
}

/// All of them.
pub const ALL: &[Target] = &[
    Target { name: "engine", check: engine::check },
    Target { name: "hand_over", check: hand_over::check },
    Target { name: "http", check: http::check },
    Target { name: "netlink", check: netlink::check },
    Target { name: "recording", check: recording::check },
    Target { name: "scenario", check: scenario::check },
    Target { name: "settings", check: settings::check },
    Target { name: "sock_diag", check: sock_diag::check },
];

/// Check an input as the target of this name does.
///
/// # Panics
/// If something does not hold, or there is no such target.
pub fn check(name: &str, bytes: &[u8]) {
    let target = ALL.iter().find(|target| target.name == name);
    (target.unwrap_or_else(|| panic!("no target {name}")).check)(bytes);
}
