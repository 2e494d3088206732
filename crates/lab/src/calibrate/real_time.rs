//! What is measured happens in real time: here the calibration asks for it and waits.
#![expect(clippy::disallowed_methods, reason = "what is measured happens in real time")]

use std::thread;
use std::time::{Duration, Instant};

pub(super) fn now() -> Instant {
    Instant::now()
}

pub(super) fn pause(time: Duration) {
    thread::sleep(time);
}
