//! `cargo xtask bench-peers`: delivered packets per CPU second compared with other simulators, in pairs of runs
//! that alternate so that a change of the machine's speed meets both sides.

mod command;
mod entry;
mod measure;
mod ns3;
mod ours;
pub(crate) mod speed;
mod stages;

use entry::Entry;
use measure::{Measured, process};

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What to run and where to put the result.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Write the result to this file as JSON.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Pairs of runs for each line of the result.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(2..))]
    runs: u32,
    /// Fail unless ours is this many times as fast as ns-2 with trimmed headers.
    #[arg(long, value_name = "FACTOR", conflicts_with = "ns3")]
    require: Option<f64>,
    /// Compare the command seamline with ns-3 instead of ns-2.
    #[arg(long)]
    ns3: bool,
    /// Also compare the TCP of this kernel with that of ns-3.
    #[arg(long, value_name = "NAME", requires = "ns3")]
    kernel: Option<String>,
}

/// One side of one workload in a process of its own: print the packets delivered.
#[derive(Debug, clap::Args)]
pub(crate) struct SideOptions {
    workload: Workload,
    /// Random seed.
    seed: u64,
    /// Collect all events, as a full recording would.
    #[arg(long)]
    listening: bool,
    /// Run this part of the simulated time: 20 for a twentieth.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..))]
    part: u64,
}

/// A workload that exists here and as a script for ns-2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum Workload {
    /// One NewReno flow over three hops with 1 % random loss on the last.
    ThreeHops,
    /// 100 NewReno flows over a shared 1 Gb/s link.
    Dumbbell,
    /// 1,000 NewReno flows from a server to users in 100 radio cells.
    Cells,
}

impl Workload {
    pub(super) const ALL: [Workload; 3] = [Workload::ThreeHops, Workload::Dumbbell, Workload::Cells];

    /// Its name, also that of ns-2's script.
    pub(super) fn name(self) -> &'static str {
        match self {
            Workload::ThreeHops => "three_hops",
            Workload::Dumbbell => "dumbbell",
            Workload::Cells => "cells",
        }
    }
    /// Simulated time in seconds: about a million packets or more, so that starting a process does not count.
    pub(super) fn seconds(self) -> u64 {
        match self {
            Workload::ThreeHops => 10_000,
            Workload::Dumbbell => 20,
            Workload::Cells => 5,
        }
    }
}

/// Run ours once and print the packets delivered.
pub(crate) fn run_side(options: &SideOptions) -> Result<(), String> {
    println!("{}", ours::delivered_packets(options)?);
    Ok(())
}

/// Run all comparisons; whether none is void and the required factor was met.
pub(crate) fn run(options: &Options) -> Result<bool, String> {
    println!(
        "{:<10} {:<16} {:>12} {:>12} {:>7}  {:<15} {:>8}",
        "workload", "build", "ours/cpu s", "peer/cpu s", "ratio", "95 % interval", "goodput"
    );
    let entries = match options.ns3 {
        true => ns3::entries(options.runs, options.kernel.as_deref())?,
        false => against_ns2(options.runs)?,
    };
    if let Some(path) = &options.json {
        let json = serde_json::to_string_pretty(&entries).map_err(|e| e.to_string())?;
        fs::write(path, json + "\n").map_err(|e| format!("{}: {e}", path.display()))?;
    }
    Ok(is_acceptable(&entries, options.require))
}

fn against_ns2(runs: u32) -> Result<Vec<Entry>, String> {
    ensure_ns2()?;
    let peer = ns2_version();
    let mut entries = Vec::new();
    for workload in Workload::ALL {
        for (build, words) in [("all headers", [].as_slice()), ("trimmed headers", ["trimmed"].as_slice())] {
            let pairs = (1..=runs).map(|seed| pair(workload, words, seed)).collect::<Result<Vec<_>, _>>()?;
            let entry = Entry::new(&peer, build.to_owned(), workload.name(), &pairs);
            print_line(&entry);
            entries.push(entry);
        }
    }
    Ok(entries)
}

/// Ours, then the peer, with the same seed.
fn pair(workload: Workload, words: &[&str], seed: u32) -> Result<(Measured, Measured), String> {
    let own = std::env::current_exe().map_err(|e| e.to_string())?;
    let ours = process(Command::new(own).args(["bench-side", workload.name(), &seed.to_string()]))?;
    let script = repository().join("benches/peers/ns2").join(workload.name()).with_extension("tcl");
    let seconds = workload.seconds().to_string();
    let peer = process(Command::new("ns").arg(script).args(words).args([&seed.to_string(), &seconds]))?;
    Ok((ours, peer))
}

fn print_line(entry: &Entry) {
    println!(
        "{:<10} {:<16} {:>12.0} {:>12.0} {:>7.2}  {:<15} {:>+7.2} %{}",
        entry.workload,
        entry.build,
        entry.ours_pkts_per_cpu_s,
        entry.peer_pkts_per_cpu_s,
        entry.ratio_median,
        format!("{:.2} .. {:.2}", entry.ratio_ci95[0], entry.ratio_ci95[1]),
        entry.goodput_difference * 100.0,
        if entry.void { "  VOID: goodput differs" } else { "" }
    );
}

fn is_acceptable(entries: &[Entry], required: Option<f64>) -> bool {
    let too_slow = |entry: &&Entry| {
        entry.build.starts_with("trimmed") && required.is_some_and(|factor| entry.ratio_median < factor)
    };
    for entry in entries.iter().filter(too_slow) {
        println!(
            "{} with {}: {:.2} is below the required factor",
            entry.workload, entry.build, entry.ratio_median
        );
    }
    !entries.iter().any(|entry| entry.void) && !entries.iter().any(|entry| too_slow(&entry))
}

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
}

fn ensure_ns2() -> Result<(), String> {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let is_there = std::env::split_paths(&paths).any(|folder| folder.join("ns").is_file());
    is_there.then_some(()).ok_or_else(|| "ns-2 is not installed\ntip: apt-get install ns2".to_owned())
}

/// The version that Debian names, "ns-2" where it is not Debian's.
fn ns2_version() -> String {
    let query = Command::new("dpkg-query").args(["-W", "-f=${Version}", "ns2"]).output();
    match query {
        Ok(output) if output.status.success() => {
            format!("ns-2 {}", String::from_utf8_lossy(&output.stdout).trim())
        }
        _ => "ns-2".to_owned(),
    }
}
