//! `cargo xtask bench-peers`: delivered packets per CPU second compared with other simulators, in pairs of runs
//! that alternate so that a change of the machine's speed meets both sides.

mod command;
mod entry;
mod htsim;
mod measure;
mod ns3;
mod ours;
pub(crate) mod speed;
mod stages;

use entry::Entry;
use measure::process;

use crate::support::{at, is_installed, name, output};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Radio cells of the large network.
const MANY_CELLS: u16 = 1000;
/// Where slow start ends there, in packets: before queues are full, because simulators differ most in how long a flow takes to recover
/// when slow start has lost half a window.
const MANY_CELLS_THRESHOLD: u32 = 16;

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
    #[arg(long, value_name = "FACTOR", conflicts_with_all = ["ns3", "htsim"])]
    require: Option<f64>,
    /// Compare with ns-3 instead of ns-2: the command seamline over a dumbbell, and a large network.
    #[arg(long)]
    ns3: bool,
    /// Compare a large network with htsim instead of ns-2. The folder is `sim` of a clone of csg-htsim.
    #[arg(long, value_name = "DIR")]
    htsim: Option<PathBuf>,
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

/// A workload that exists here and as a script or program for peers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum Workload {
    /// One NewReno flow over three hops with 1 % random loss on the last.
    ThreeHops,
    /// 100 NewReno flows over a shared 1 Gb/s link.
    Dumbbell,
    /// 1,000 NewReno flows from a server to users in 100 radio cells.
    Cells,
    /// 10,000 NewReno flows from a server to users in 1,000 radio cells.
    ManyCells,
}

impl Workload {
    /// Those that are compared with two builds of ns-2.
    const SMALL: [Workload; 3] = [Workload::ThreeHops, Workload::Dumbbell, Workload::Cells];

    /// Simulated time in seconds: about a million packets or more, so that starting a process does not count.
    pub(super) fn seconds(self) -> u64 {
        match self {
            Workload::ThreeHops => 10_000,
            Workload::Dumbbell => 20,
            Workload::Cells => 5,
            Workload::ManyCells => 2,
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
        "{:<10} {:<17} {:<15} {:>10} {:>10} {:>7}  {:<15} {:>9}  memory, ours / peer",
        "workload", "peer", "build", "ours/cpu s", "peer/cpu s", "ratio", "95 % interval", "goodput"
    );
    let entries = compared(options)?;
    if let Some(path) = &options.json {
        let json = serde_json::to_string_pretty(&entries).map_err(|e| e.to_string())?;
        fs::write(path, json + "\n").map_err(at(path))?;
    }
    Ok(is_acceptable(&entries, options.require))
}

fn compared(options: &Options) -> Result<Vec<Entry>, String> {
    let runs = options.runs;
    let mut entries = Vec::new();
    if let Some(folder) = &options.htsim {
        entries.push(htsim::large(folder)?.compare(runs)?);
    }
    if options.ns3 {
        entries.extend(ns3::dumbbell(runs, options.kernel.as_deref())?);
        entries.push(ns3::large()?.compare(runs)?);
    }
    match entries.is_empty() {
        true => against_ns2(runs),
        false => Ok(entries),
    }
}

fn against_ns2(runs: u32) -> Result<Vec<Entry>, String> {
    ensure_ns2()?;
    let peer = ns2_version();
    let mut entries = Vec::new();
    for workload in Workload::SMALL {
        for (build, words) in [("all headers", [].as_slice()), ("trimmed headers", ["trimmed"].as_slice())] {
            let script = repository().join("benches/peers/ns2").join(name(&workload)).with_extension("tcl");
            let command = |seed: &str| {
                let mut command = Command::new("ns");
                command.arg(&script).args(words).args([seed, &workload.seconds().to_string()]);
                command
            };
            entries.push(workload_entry(&peer, build, workload, runs, command)?);
        }
    }
    Ok(entries)
}

/// Ours compared with a peer whose run with a seed is a command.
fn workload_entry(
    peer: &str,
    build: &str,
    workload: Workload,
    runs: u32,
    command: impl Fn(&str) -> Command,
) -> Result<Entry, String> {
    let own = std::env::current_exe().map_err(|e| e.to_string())?;
    // Ours, then the peer, with the same seed.
    let pair = |seed: u32| {
        let seed = seed.to_string();
        let ours = process(Command::new(&own).args(["bench-side", &name(&workload), &seed]))?;
        Ok((ours, process(&mut command(&seed))?))
    };
    let pairs = (1..=runs).map(pair).collect::<Result<Vec<_>, String>>()?;
    let entry = Entry::new(peer, build.to_owned(), &name(&workload), &pairs);
    print_line(&entry);
    Ok(entry)
}

/// A peer that can run the large network.
struct LargePeer {
    /// Its name and version.
    name: String,
    /// How it was set up.
    build: &'static str,
    program: PathBuf,
}

impl LargePeer {
    fn compare(&self, runs: u32) -> Result<Entry, String> {
        workload_entry(&self.name, self.build, Workload::ManyCells, runs, |seed| {
            let mut command = Command::new(&self.program);
            command.args([seed, &Workload::ManyCells.seconds().to_string()]);
            command.args([MANY_CELLS.to_string(), MANY_CELLS_THRESHOLD.to_string()]);
            command
        })
    }
}

/// Compile a peer's program; its path.
fn compile(source: &Path, name: &str, arguments: &[&str], tip: &str) -> Result<PathBuf, String> {
    let folder = repository().join("target");
    fs::create_dir_all(&folder).map_err(at(&folder))?;
    let program = folder.join(name);
    let mut compiler = Command::new("g++");
    compiler.arg("-o").arg(&program).arg(source).args(arguments);
    succeeds(&mut compiler, &format!("{} does not compile", source.display()), tip)?;
    Ok(program)
}

/// Run a command that builds something; what its failure means comes before its messages, and the tip after them.
fn succeeds(command: &mut Command, failure: &str, tip: &str) -> Result<(), String> {
    let program = command.get_program().display().to_string();
    let output = command.output().map_err(|error| format!("{program}: {error}\ntip: {tip}"))?;
    let messages = String::from_utf8_lossy(&output.stderr);
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("{failure}:\n{}\ntip: {tip}", messages.trim_end())),
    }
}

fn print_line(entry: &Entry) {
    println!(
        "{:<10} {:<17} {:<15} {:>10.0} {:>10.0} {:>7.2}  {:<15} {:>+7.2} %  {:.0} / {:.0} MB{}",
        entry.workload,
        entry.peer,
        entry.build,
        entry.ours_pkts_per_cpu_s,
        entry.peer_pkts_per_cpu_s,
        entry.ratio_median,
        format!("{:.2} .. {:.2}", entry.ratio_ci95[0], entry.ratio_ci95[1]),
        entry.goodput_difference * 100.0,
        entry.ours_peak_bytes / 1e6,
        entry.peer_peak_bytes / 1e6,
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
    is_installed("ns")
        .then_some(())
        .ok_or_else(|| "ns-2 is not installed\ntip: apt-get install ns2".to_owned())
}

/// The version that Debian names, "ns-2" where it is not Debian's.
fn ns2_version() -> String {
    let version = output(Command::new("dpkg-query").args(["-W", "-f=${Version}", "ns2"]));
    version.map_or_else(|_| "ns-2".to_owned(), |version| format!("ns-2 {}", version.trim()))
}
