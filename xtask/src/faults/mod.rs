//! Faults around live agents and daemons, in namespaces: `cargo xtask soak` and `cargo xtask kills`.
//!
//! Both are seeded: the same seed gives the same faults at the same times. What packets then meet depends on the host's scheduling, so a
//! failure comes back often, not always.

mod daemon;
mod episode;
mod flow;
mod hop;
mod kills;
mod left;
mod network;
mod plan;
mod soak;
mod subject;

pub(crate) use kills::{KillOptions, kills};
pub(crate) use soak::{SoakOptions, soak};

use nix::unistd::geteuid;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The programs that this takes besides the command.
const PROGRAMS: [(&str, &str, &str); 5] = [
    ("ip", "-V", "iproute2"),
    ("tc", "-V", "iproute2"),
    ("nft", "-v", "nftables"),
    ("prlimit", "-V", "util-linux"),
    ("unshare", "-V", "util-linux"),
];

/// Where `seamline-host` is: the given path, or next to this program.
fn ready(host: Option<&Path>) -> Result<PathBuf, String> {
    if !geteuid().is_root() {
        return Err("namespaces and agents take root\ntip: sudo -E cargo xtask ...".to_owned());
    }
    for (program, version, package) in PROGRAMS {
        if Command::new(program).arg(version).output().is_err() {
            return Err(format!("{program} is not installed\ntip: apt-get install {package}"));
        }
    }
    let next_to_it = || std::env::current_exe().ok().map(|own| own.with_file_name("seamline-host"));
    let path = host.map(Path::to_owned).or_else(next_to_it).unwrap_or_default();
    if path.is_file() {
        return std::path::absolute(&path).map_err(|error| error.to_string());
    }
    let tip = "tip: cargo build --release -p seamline-host, or --host PATH";
    Err(format!("{} is missing\n{tip}", path.display()))
}
