//! ns-3: the large network against our side of it, and a dumbbell against the command `seamline`, with our TCP and with that of a kernel.

use super::entry::Entry;
use super::measure::{Measured, process};
use super::{LargePeer, command, compile, print_line, repository};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What the programs use.
const LIBRARIES: [&str; 7] = [
    "applications",
    "point-to-point",
    "nix-vector-routing",
    "internet",
    "traffic-control",
    "network",
    "core",
];
/// Simulated time of the dumbbell: about half a million packets.
const SECONDS: &str = "60";

/// Compile the large network.
pub(super) fn large() -> Result<LargePeer, String> {
    Ok(LargePeer { name: version()?, build: "1,000 servers", program: build("cells")? })
}

/// Compare the dumbbell with our TCP, and with that of a kernel if one is named. The sides take turns.
pub(super) fn dumbbell(runs: u32, kernel: Option<&str>) -> Result<Vec<Entry>, String> {
    let (peer, version) = (build("dumbbell")?, version()?);
    let seamline = command::seamline()?;
    let stacks: Vec<&str> = ["seamline"].into_iter().chain(kernel).collect();
    let mut pairs = vec![Vec::new(); stacks.len()];
    for seed in 1..=runs {
        let theirs = process(Command::new(&peer).args([&seed.to_string(), SECONDS]))?;
        for (stack, pairs) in stacks.iter().zip(&mut pairs) {
            pairs.push((ours(&seamline, stack, seed)?, theirs));
        }
    }
    let entries = stacks.iter().zip(&pairs).map(|(stack, pairs)| {
        let entry = Entry::new(&version, (*stack).to_owned(), "dumbbell", pairs);
        print_line(&entry);
        entry
    });
    Ok(entries.collect())
}

/// Run the scenario with this TCP at all hosts.
fn ours(seamline: &Path, stack: &str, seed: u32) -> Result<Measured, String> {
    let duration = format!("duration={SECONDS} s");
    command::run(seamline, &folder().join("dumbbell.toml"), seed, &["--stack", stack, "--set", &duration])
}

/// Compile one of the peer's sides; its path.
fn build(name: &str) -> Result<PathBuf, String> {
    let libraries = LIBRARIES.map(|library| format!("-lns3-{library}"));
    let mut arguments = vec!["-std=c++17", "-O2"];
    arguments.extend(libraries.iter().map(String::as_str));
    compile(
        &folder().join(name).with_extension("cc"),
        &format!("ns3-{name}"),
        &arguments,
        "apt-get install g++ libns3-dev",
    )
}

/// The version of the library, as its package says.
fn version() -> Result<String, String> {
    let query = Command::new("pkg-config").args(["--modversion", "ns3-core"]).output();
    let output = query.map_err(|error| format!("pkg-config: {error}\ntip: apt-get install pkg-config"))?;
    Ok(format!("ns-3 {}", String::from_utf8_lossy(&output.stdout).trim()))
}

fn folder() -> PathBuf {
    repository().join("benches/peers/ns3")
}
