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

/// Run a script in a network namespace with the interfaces b0 and b1; `None`, having printed why, where there can be none.
pub(crate) fn with_interfaces(test: &str, script: &str) -> Option<Output> {
    let script = format!(
        "ip link add b0 type veth peer name p0 && ip link add b1 type veth peer name p1 || exit 77
        for it in b0 b1 p0 p1; do ip link set $it up; done
        {script}"
    );
    let output = std::process::Command::new("unshare").args(["--net", "sh", "-c", &script]).output();
    let Some(output) = output.ok().filter(|output| output.status.code() != Some(77)) else {
        skip(test, "it takes ip and unshare");
        return None;
    };
    if stderr(&output).contains("unshare failed") {
        skip(test, "it takes root");
        return None;
    }
    Some(output)
}
