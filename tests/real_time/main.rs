//! Commands that take real time, most of it waiting. They are apart from what computes (`tests/command`), because they are held to times.
#![cfg(target_os = "linux")]

mod benchmark;
mod calibrate;
mod kernel;
mod lab;
mod stands_still;
#[path = "../support/mod.rs"]
mod support;
