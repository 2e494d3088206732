//! The `seamline` command: simulations, experiments over real Linux TCP, and tools. One file per subcommand; everything they do lives in the
//! crates. Agents and daemons for real hosts are in the command `seamline-host`.
//!
//! A program of another crate is the same command with congestion controls of its own, which scenarios name like any other.
//! `seamline new cc NAME` writes such a crate.
//!
//! ```no_run
//! use seamline::Seamline;
//! use seamline::keys::{Keys, number, table};
//! use seamline::tcp::cc::{Acked, Algorithm, CongestionControl, Loss};
//! use seamline::tcp::view::{View, Window};
//!
//! static ALGORITHM: Algorithm = Algorithm {
//!     name: "constant",
//!     summary: "a window that never changes",
//!     cite: "",
//!     refuses: &[],
//!     needs_send_log: false,
//!     build: &|parameters| Box::new(parameters.congestion_control.own.get::<Constant>()),
//! };
//!
//! #[derive(Clone, Debug)]
//! struct Constant {
//!     segments: f64,
//! }
//!
//! impl Default for Constant {
//!     fn default() -> Self {
//!         Constant { segments: 20.0 }
//!     }
//! }
//!
//! fn keys() -> Keys<'static, Constant> {
//!     table! { Constant; key segments: number(1.0, 1e6), "The window"; }
//! }
//!
//! impl CongestionControl for Constant {
//!     fn on_ack(&mut self, _: &Acked, view: &View) -> Window {
//!         Window { congestion: self.segments, ..view.window }
//!     }
//!     fn on_loss(&mut self, _: Loss, view: &View) -> Window {
//!         view.window
//!     }
//! }
//!
//! fn main() -> std::process::ExitCode {
//!     Seamline::new().congestion_control(&ALGORITHM, keys).main()
//! }
//! ```

mod advise;
#[cfg_attr(not(target_os = "linux"), path = "linux_only.rs")]
mod benchmark;
pub mod bundled;
#[cfg_attr(not(target_os = "linux"), path = "linux_only.rs")]
mod calibrate;
mod check;
mod compare;
mod convert;
mod demo;
mod doctor;
pub mod engine;
mod estimate;
mod experiment;
mod explain;
mod files;
mod format;
mod groups;
mod init;
#[cfg_attr(not(target_os = "linux"), path = "linux_only.rs")]
mod kernel;
mod lab;
mod list;
#[cfg_attr(not(target_os = "linux"), path = "linux_only.rs")]
mod load;
mod memory;
mod model;
mod new;
mod orbit;
mod paper;
#[cfg_attr(not(target_os = "linux"), path = "linux_only.rs")]
mod parity;
mod recording;
mod run;
mod run_progress;
mod sweep;
mod targets;
mod terminal;
#[cfg(all(test, target_os = "linux"))]
mod tests;
#[cfg_attr(not(target_os = "linux"), path = "linux_only.rs")]
mod trial;
mod words;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{FromArgMatches, Parser, Subcommand};
use seamline_cli::pages::{self, CompletionArguments, ManArguments};
use seamline_cli::{Failure, Outcome, exit_code};
use seamline_scenario::keys::key_paths;
use seamline_scenario::schema::added::{self, Added};
use seamline_scenario::schema::{description, json_schema};
use std::process::ExitCode;

pub use seamline_scenario::keys;
pub use seamline_tcp as tcp;
pub use seamline_wire::{Duration, Instant};

/// How TCP behaves, and what helps it, when hosts move between base stations, Wi-Fi, cellular networks, satellites or trains.
#[derive(Debug, Parser)]
#[command(name = "seamline", version, disable_help_subcommand = true)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
}

// `groups` puts each of them under a heading of the help.
#[derive(Debug, Subcommand)]
enum Command {
    /// Write a commented scenario to start from.
    Init(init::Arguments),
    /// Write a crate for your own congestion control.
    #[command(subcommand)]
    New(new::Kind),
    /// Run a scenario file and compare its variants.
    Run(run::Arguments),
    /// Run a bundled scenario, or one over your own recording.
    Demo(demo::Arguments),
    /// Run all grid cells of a scenario and store every run; an interrupted sweep continues.
    ///
    /// To continue an interrupted sweep, run the command again. With more than 10,000 grid cells, it prints only how many runs are stored. To
    /// check and compare all results, use --format csv, --format json or --baseline.
    Sweep(sweep::Arguments),
    /// Test whether two results differ, seed by seed.
    Compare(compare::Arguments),
    /// Convert a table that --parquet wrote to an event list (CSV) or a capture (pcapng).
    Convert(convert::Arguments),
    /// Recommend whether to hand over, or what helps TCP on a recorded path.
    Advise(advise::Arguments),
    /// Show what a recorded network contains, or convert it for a replay.
    Recording(recording::Arguments),
    /// Compute a satellite path over time: its delay, handovers and outages.
    Orbit(orbit::Arguments),
    /// Reproduce a paper: run its experiments and judge its claims.
    Paper(paper::Arguments),
    /// Evaluate a paper's formulas as a table or a figure, without simulation.
    Model(model::Arguments),
    /// Run a scenario over real Linux TCP and emulated links, in real or virtual time.
    Lab(lab::Arguments),
    /// Build and manage Linux kernels that run in virtual time.
    Kernel(kernel::Arguments),
    /// Compare the simulator, its endpoints over real packets, and the kernel's TCP.
    Parity(parity::Arguments),
    /// Measure what handovers cost the kernel's TCP, and how much each remedy helps.
    Benchmark(benchmark::Arguments),
    /// Generate TCP load and report when a connection stalls.
    Load(load::Arguments),
    /// Switch help on and off in turn on a path of your own, and report whether it helps.
    Trial(trial::Arguments),
    /// Measure the accuracy of the lab's emulated links on this host.
    Calibrate(calibrate::Arguments),
    /// Check what this host offers for live experiments, and how to get what is missing.
    Doctor(doctor::Arguments),
    /// Report all errors in scenario files, without running them.
    Check(check::Arguments),
    /// Explain an error code, with an example and the fix.
    Explain(explain::Arguments),
    /// List what scenarios can use, each with its source.
    List(list::Arguments),
    /// Print the JSON Schema of scenario files, for editors.
    Schema,
    /// Print a shell's completions of commands and options.
    Completions(CompletionArguments),
    /// Write manual pages.
    Man(ManArguments),
}

/// The command, with what a program adds to it.
#[derive(Debug, Default)]
pub struct Seamline {
    congestion_controls: Vec<Added>,
}

impl Seamline {
    /// The command as it is.
    pub fn new() -> Self {
        Seamline::default()
    }

    /// With a congestion control: `variant = "NAME"` in scenarios, and the keys of its parameters in the flow's table `NAME`. Their type
    /// `P` belongs to it alone; [`tcp::cc::OwnSet::get`] reads them.
    #[must_use]
    pub fn congestion_control<P>(
        mut self,
        algorithm: &'static tcp::cc::Algorithm,
        keys: fn() -> keys::Keys<'static, P>,
    ) -> Self
    where
        P: tcp::cc::OwnParameters + Default,
    {
        self.congestion_controls.push(Added::new(algorithm, keys));
        self
    }

    /// Run the command with the arguments of this process. It fails when a name is taken.
    pub fn main(self) -> ExitCode {
        if let Err(failure) = self.register() {
            return failure.report();
        }
        if let Some(code) = lab::serve_guest() {
            return code;
        }
        exit_code(refuse_moved().and_then(|()| {
            let matches = groups::command().get_matches();
            run(Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit()))
        }))
    }

    fn register(self) -> Outcome {
        added::add(self.congestion_controls).map_err(|error| Failure::Input(error.to_string()))
    }
}

/// Commands that have moved to `seamline-host`.
fn refuse_moved() -> Outcome {
    match std::env::args().nth(1) {
        Some(name) if ["mobile", "agent", "sender"].contains(&name.as_str()) => Err(Failure::Input(format!(
            "`seamline {name}` is now `seamline-host {name}`\ntip: cargo build --release -p seamline-host builds it"
        ))),
        _ => Ok(()),
    }
}

fn run(cli: Cli) -> Outcome {
    match cli.command {
        None => groups::show(),
        Some(Command::Run(arguments)) => run::run(&arguments),
        Some(Command::Lab(arguments)) => lab::run(&arguments),
        Some(Command::Kernel(arguments)) => kernel::run(&arguments),
        Some(Command::Calibrate(arguments)) => calibrate::run(&arguments),
        Some(Command::Parity(arguments)) => parity::run(&arguments),
        Some(Command::Benchmark(arguments)) => benchmark::run(&arguments),
        Some(Command::Load(arguments)) => load::run(&arguments),
        Some(Command::Trial(arguments)) => trial::run(&arguments),
        Some(Command::Sweep(arguments)) => sweep::run(&arguments),
        Some(Command::Compare(arguments)) => compare::run(&arguments),
        Some(Command::Convert(arguments)) => convert::run(&arguments),
        Some(Command::Recording(arguments)) => recording::run(&arguments),
        Some(Command::Paper(arguments)) => paper::run(&arguments),
        Some(Command::Advise(arguments)) => advise::run(&arguments),
        Some(Command::Model(arguments)) => model::run(&arguments),
        Some(Command::Orbit(arguments)) => orbit::run(&arguments),
        Some(Command::Demo(arguments)) => demo::run(&arguments),
        Some(Command::Check(arguments)) => check::run(&arguments),
        Some(Command::Explain(arguments)) => explain::run(&arguments),
        Some(Command::Doctor(arguments)) => doctor::run(&arguments),
        Some(Command::List(arguments)) => list::run(&arguments),
        Some(Command::Init(arguments)) => init::run(&arguments),
        Some(Command::New(kind)) => new::run(&kind),
        Some(Command::Schema) => seamline_cli::print(&json_schema(&description())),
        Some(Command::Completions(arguments)) => pages::completions(&arguments, with_keys(groups::command())),
        Some(Command::Man(arguments)) => pages::man(&arguments, groups::command()),
    }
}

/// The command with the keys of scenario files as values of `--set`, for completion only: any text is accepted there.
fn with_keys(command: clap::Command) -> clap::Command {
    let has_set = command.get_arguments().any(|argument| argument.get_id() == "set");
    let command = command.mut_subcommands(with_keys);
    if !has_set {
        return command;
    }
    let paths = key_paths(&description()).into_iter();
    // The names must be static; the process ends soon.
    let values = paths.map(|(path, about)| PossibleValue::new(&*format!("{path}=").leak()).help(about));
    command.mut_arg("set", |argument| argument.value_parser(PossibleValuesParser::new(values)))
}
