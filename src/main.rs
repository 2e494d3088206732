//! The `seamline` command. One file per subcommand; everything they do lives in the crates.

mod advise;
#[cfg_attr(not(target_os = "linux"), path = "linux_only.rs")]
mod agent;
#[cfg_attr(not(target_os = "linux"), path = "linux_only.rs")]
mod benchmark;
mod bundled;
mod calibrate;
mod check;
mod compare;
mod demo;
mod doctor;
mod experiment;
mod explain;
mod init;
mod interrupt;
mod lab;
mod list;
#[cfg_attr(not(target_os = "linux"), path = "linux_only.rs")]
mod load;
#[cfg_attr(not(target_os = "linux"), path = "linux_only.rs")]
mod mobile;
mod model;
mod overview;
mod pages;
mod paper;
#[cfg_attr(not(target_os = "linux"), path = "linux_only.rs")]
mod parity;
mod run;
mod schema;
#[cfg_attr(not(target_os = "linux"), path = "linux_only.rs")]
mod sender;
mod sweep;
mod terminal;
mod words;

use clap::{Parser, Subcommand};
use std::process::ExitCode;
use terminal::Failure;

/// TCP that keeps its pace while its ends move: simulate scenarios, compare variants.
#[derive(Debug, Parser)]
#[command(name = "seamline", version, disable_help_subcommand = true)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Write a commented scenario to begin from.
    Init(init::Arguments),
    /// Run a scenario file and compare its variants.
    Run(run::Arguments),
    /// Run a scenario over real Linux TCP, in namespaces joined by emulated links.
    Lab(lab::Arguments),
    /// Measure how exact the emulated links of the lab are on this host.
    Calibrate(calibrate::Arguments),
    /// Compare simulator, our endpoints over real packets, and the kernel's TCP.
    Parity(parity::Arguments),
    /// Help every TCP connection of this host over handovers and outages (a daemon).
    Mobile(mobile::Arguments),
    /// Put an agent between two interfaces: help inside the network, for real packets.
    Agent(agent::Arguments),
    /// Have the kernel's TCP senders heed handover notifications, by eBPF.
    Sender(sender::Arguments),
    /// Measure what handovers cost the kernel's TCP, and what each remedy brings.
    Benchmark(benchmark::Arguments),
    /// Load a network, and time the stalls of a connection: for the lab and for real networks.
    Load(load::Arguments),
    /// Run a grid over all processors and store every run; can be interrupted and resumed.
    Sweep(sweep::Arguments),
    /// Say whether two results differ, seed by seed.
    Compare(compare::Arguments),
    /// Reproduce a paper: run its figures and judge its claims.
    Paper(paper::Arguments),
    /// Say whether a handover between two links is worth it, and with which scheme.
    Advise(advise::Arguments),
    /// Compute the closed form of a paper: no simulation, a table or a picture.
    Model(model::Arguments),
    /// Run a bundled scenario, or one over a recording of yours.
    Demo(demo::Arguments),
    /// Say everything that is wrong with scenario files, without running them.
    Check(check::Arguments),
    /// Say at length what an error code means, with an example and its cure.
    Explain(explain::Arguments),
    /// Say what this host has for live experiments, and what mends what is missing.
    Doctor(doctor::Arguments),
    /// Name what scenarios can use, each with its source.
    List(list::Arguments),
    /// Print the JSON Schema of scenario files, for editors.
    Schema,
    /// Print what completes commands and options in a shell.
    Completions(pages::CompletionArguments),
    /// Write manual pages.
    Man(pages::ManArguments),
}

fn main() -> ExitCode {
    let outcome = match Cli::parse().command {
        None => overview::show(),
        Some(Command::Run(arguments)) => run::run(&arguments),
        Some(Command::Lab(arguments)) => lab::run(&arguments),
        Some(Command::Calibrate(arguments)) => calibrate::run(&arguments),
        Some(Command::Parity(arguments)) => parity::run(&arguments),
        Some(Command::Mobile(arguments)) => mobile::run(&arguments),
        Some(Command::Agent(arguments)) => agent::run(&arguments),
        Some(Command::Sender(arguments)) => sender::run(&arguments),
        Some(Command::Benchmark(arguments)) => benchmark::run(&arguments),
        Some(Command::Load(arguments)) => load::run(&arguments),
        Some(Command::Sweep(arguments)) => sweep::run(&arguments),
        Some(Command::Compare(arguments)) => compare::run(&arguments),
        Some(Command::Paper(arguments)) => paper::run(&arguments),
        Some(Command::Advise(arguments)) => advise::run(&arguments),
        Some(Command::Model(arguments)) => model::run(&arguments),
        Some(Command::Demo(arguments)) => demo::run(&arguments),
        Some(Command::Check(arguments)) => check::run(&arguments),
        Some(Command::Explain(arguments)) => explain::run(&arguments),
        Some(Command::Doctor(arguments)) => doctor::run(&arguments),
        Some(Command::List(arguments)) => list::run(&arguments),
        Some(Command::Init(arguments)) => init::run(&arguments),
        Some(Command::Schema) => schema::run(),
        Some(Command::Completions(arguments)) => pages::completions(&arguments),
        Some(Command::Man(arguments)) => pages::man(&arguments),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

/// What every subcommand returns.
type Outcome = Result<(), Failure>;
