//! Repository chores: `cargo xtask help` lists them.

mod bench_peers;
mod coverage;
#[cfg(target_os = "linux")]
mod faults;
mod oracle;
mod packetdrill;
mod support;

use clap::{Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(Debug, Parser)]
#[command(name = "cargo xtask", about = "Repository chores")]
struct Arguments {
    #[command(subcommand)]
    chore: Chore,
}

#[derive(Debug, Subcommand)]
enum Chore {
    /// Compare reference data made with ns-2 with our runs of the same scenarios
    Oracle {
        /// A directory laid out like tests/oracle
        directory: PathBuf,
        /// Name every run that does not match, not only the first of each family
        #[arg(long)]
        list: bool,
    },
    /// Measure delivered packets per CPU second compared with other simulators
    BenchPeers(bench_peers::Options),
    /// Measure the tables of docs/background/speed.md
    Speed(bench_peers::speed::Options),
    /// Run packetdrill's test suites against our endpoint
    Packetdrill(packetdrill::Options),
    /// Run agents and daemons through faults in namespaces; every byte arrives as it was sent, and no connection ends (root)
    #[cfg(target_os = "linux")]
    Soak(faults::SoakOptions),
    /// Kill agents and daemons at random moments; nothing stays behind that breaks traffic or the next start (root)
    #[cfg(target_os = "linux")]
    Kills(faults::KillOptions),
    /// Print which lines of each crate the fuzz targets reach, from their corpora and damaged copies of them
    Coverage(coverage::Options),
    /// Run packetdrill's scripts in a guest, against its kernel
    #[command(hide = true)]
    PacketdrillGuest(packetdrill::GuestOptions),
    /// Run our side of one workload of bench-peers
    #[command(hide = true)]
    BenchSide(bench_peers::SideOptions),
}

fn main() -> ExitCode {
    let passed = match Arguments::parse().chore {
        Chore::Oracle { directory, list } => oracle::run(&directory, list),
        Chore::BenchPeers(options) => bench_peers::run(&options),
        Chore::Speed(options) => bench_peers::speed::run(&options),
        Chore::Packetdrill(options) => packetdrill::run(&options),
        #[cfg(target_os = "linux")]
        Chore::Soak(options) => faults::soak(&options),
        #[cfg(target_os = "linux")]
        Chore::Kills(options) => faults::kills(&options),
        Chore::Coverage(options) => coverage::run(&options),
        Chore::PacketdrillGuest(options) => packetdrill::run_in_guest(&options),
        Chore::BenchSide(options) => bench_peers::run_side(&options).map(|()| true),
    };
    match passed {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::from(2)
        }
    }
}
