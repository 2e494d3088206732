//! The `seamline-host` command: help for TCP on real hosts. One file per subcommand.

#[cfg(target_os = "linux")]
mod agent;
#[cfg(target_os = "linux")]
mod config_file;
#[cfg(target_os = "linux")]
mod doctor;
#[cfg(target_os = "linux")]
mod mobile;
#[cfg(target_os = "linux")]
mod sender;
#[cfg(target_os = "linux")]
mod status;
#[cfg(all(test, target_os = "linux"))]
mod tests;

use clap::{CommandFactory, Parser, Subcommand};
use seamline_cli::pages::{self, CompletionArguments, ManArguments};
use seamline_cli::{Outcome, exit_code};
use std::process::ExitCode;

/// Help TCP connections of hosts that move, on real Linux hosts. For simulations and experiments see `seamline`.
#[derive(Debug, Parser)]
#[command(name = "seamline-host", version, disable_help_subcommand = true, arg_required_else_help = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Help all TCP connections of this host over handovers and outages (a daemon).
    #[cfg(target_os = "linux")]
    Mobile(mobile::Arguments),
    /// Run an agent that helps TCP connections between two interfaces.
    #[cfg(target_os = "linux")]
    Agent(agent::Arguments),
    /// Make the kernel's TCP senders act on handover notifications (eBPF).
    #[cfg(target_os = "linux")]
    Sender(sender::Arguments),
    /// Check what this host offers for these commands, and how to get what is missing.
    #[cfg(target_os = "linux")]
    Doctor(doctor::Arguments),
    /// Print a shell's completions of commands and options.
    Completions(CompletionArguments),
    /// Write manual pages.
    Man(ManArguments),
}

fn main() -> ExitCode {
    exit_code(run(Cli::parse().command))
}

fn run(command: Command) -> Outcome {
    match command {
        #[cfg(target_os = "linux")]
        Command::Mobile(arguments) => mobile::run(&arguments),
        #[cfg(target_os = "linux")]
        Command::Agent(arguments) => agent::run(&arguments),
        #[cfg(target_os = "linux")]
        Command::Sender(arguments) => sender::run(&arguments),
        #[cfg(target_os = "linux")]
        Command::Doctor(arguments) => doctor::run(&arguments),
        Command::Completions(arguments) => pages::completions(&arguments, Cli::command()),
        Command::Man(arguments) => pages::man(&arguments, Cli::command()),
    }
}
