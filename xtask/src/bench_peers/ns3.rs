//! ns-3 against the command `seamline`, with our TCP and with that of a kernel: whole processes over the same dumbbell.

use super::entry::Entry;
use super::measure::{Measured, process};
use super::{command, print_line, repository};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What `dumbbell.cc` uses.
const LIBRARIES: [&str; 7] = [
    "applications",
    "point-to-point",
    "nix-vector-routing",
    "internet",
    "traffic-control",
    "network",
    "core",
];
/// Simulated time: about half a million packets.
const SECONDS: &str = "60";

/// Compare with our TCP, and with that of a kernel if one is named. The sides take turns.
pub(super) fn entries(runs: u32, kernel: Option<&str>) -> Result<Vec<Entry>, String> {
    let (peer, version) = (build()?, version()?);
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

/// Compile the peer's side; its path.
fn build() -> Result<PathBuf, String> {
    let program = repository().join("target/ns3-dumbbell");
    let mut compiler = Command::new("g++");
    compiler.args(["-std=c++17", "-O2", "-o"]).arg(&program).arg(folder().join("dumbbell.cc"));
    compiler.args(LIBRARIES.map(|library| format!("-lns3-{library}")));
    let output = compiler.output().map_err(|error| format!("g++: {error}"))?;
    match output.status.success() {
        true => Ok(program),
        false => Err(format!(
            "dumbbell.cc does not compile:\n{}\ntip: apt-get install g++ libns3-dev",
            String::from_utf8_lossy(&output.stderr).trim_end()
        )),
    }
}

/// The version of the library, as its package says.
fn version() -> Result<String, String> {
    let query = Command::new("pkg-config").args(["--modversion", "ns3-core"]).output();
    let output = query.map_err(|error| format!("pkg-config: {error}"))?;
    Ok(format!("ns-3 {}", String::from_utf8_lossy(&output.stdout).trim()))
}

fn folder() -> PathBuf {
    repository().join("benches/peers/ns3")
}
