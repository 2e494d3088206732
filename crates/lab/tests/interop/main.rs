//! Our endpoints and the kernel's TCP understand each other, in both directions: an endpoint in this process on one side, a
//! socket in a namespace on the other, and between them a network that does what the test wants.
#![cfg(target_os = "linux")]

#[path = "../support/mod.rs"]
mod support;

mod closing;
mod handshake;
mod host;
mod loss;
mod many;
mod options;
mod ours;
mod pair;
mod reordering;
mod unusual_syns;
mod volume;
mod windows;

use std::time::Duration;

/// Wait until there is something, at most a minute, for the machine may be busy.
///
/// # Panics
/// When nothing comes.
fn until<T>(what: &str, mut find: impl FnMut() -> Option<T>) -> T {
    for _ in 0..60_000 {
        if let Some(found) = find() {
            return found;
        }
        pause(Duration::from_millis(1));
    }
    panic!("waited a minute for this: {what}");
}

#[expect(clippy::disallowed_methods, reason = "the kernel's TCP takes real time")]
fn pause(time: Duration) {
    std::thread::sleep(time);
}
