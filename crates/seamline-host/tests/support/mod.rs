//! What tests of `seamline-host` share, besides what they share with those of `seamline`.
#![allow(dead_code, unused_imports, reason = "every file of tests uses some of it")]

pub(crate) mod cgroup;
pub(crate) mod outage;
#[path = "../../../../tests/support/mod.rs"]
mod shared;

pub(crate) use shared::*;
use std::path::Path;
use std::process::Output;

/// The command under test.
pub(crate) const HOST: &str = "seamline-host";

/// Run it in a folder.
pub(crate) fn host(arguments: &[&str], folder: &Path) -> Output {
    run(HOST, arguments, folder)
}

/// What it writes to standard error when it refuses invalid input.
pub(crate) fn host_refuses(arguments: &[&str], folder: &Path) -> String {
    refusal_of(HOST, arguments, folder)
}
