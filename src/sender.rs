//! `seamline sender --cgroup PATH [--destination PREFIX]`: the kernel's TCP heeds handover notifications.

#[cfg(feature = "ebpf")]
mod live;

use crate::Outcome;
use seamline_sender::Prefix;
use std::path::PathBuf;

const AFTER_HELP: &str = "\
Signals:
  SIGTERM, SIGINT and SIGHUP end it: its programs go, and the counters
  are printed.

Exit codes:
  0  ended by such a signal; of --check: the kernel takes the programs
  1  it could not begin, or not go on: see seamline doctor
  2  what it was given makes no sense

In Seamline's sources:
  docs/sender.md  what it does, what it takes, what it cannot do";

#[derive(Debug, clap::Args)]
#[command(after_long_help = AFTER_HELP)]
pub(crate) struct Arguments {
    /// The cgroup (version 2) whose connections heed marks, from when they begin
    #[arg(long, value_name = "PATH", required_unless_present = "check")]
    cgroup: Option<PathBuf>,
    /// An interface at which marked acknowledgments come in, so that the kernel sends again at once; may be given for several
    #[arg(long, value_name = "NAME")]
    interface: Vec<String>,
    /// Help only connections whose other end is at this address or prefix, IPv4 or IPv6 (192.0.2.0/24); may be given for several
    #[arg(long, value_name = "PREFIX")]
    destination: Vec<Prefix>,
    /// Load and verify the eBPF programs, attach nothing
    #[arg(long, conflicts_with_all = ["cgroup", "interface", "destination"])]
    check: bool,
    /// Print the counters at the end only
    #[arg(short, long)]
    quiet: bool,
}

#[cfg(feature = "ebpf")]
pub(crate) fn run(arguments: &Arguments) -> Outcome {
    live::run(arguments)
}

#[cfg(not(feature = "ebpf"))]
pub(crate) fn run(_: &Arguments) -> Outcome {
    Err(crate::terminal::Failure::Runtime(
        "this seamline was built without its eBPF programs\n\
         tip: sudo apt install clang libelf-dev zlib1g-dev; cargo build --release --features ebpf\n\
         tip: seamline doctor says what else this host lacks"
            .to_owned(),
    ))
}
