//! `seamline-host sender`: handover notifications for the kernel's TCP.

#[cfg(feature = "ebpf")]
mod budget;
#[cfg(feature = "ebpf")]
mod live;

use seamline_cli::Outcome;
use seamline_host::metrics::Metrics;
use seamline_sender::Prefix;
use std::path::PathBuf;

const AFTER_HELP: &str = "\
Signals:
  SIGTERM, SIGINT and SIGHUP end it: its programs are removed, and the
  counters are printed.

Exit codes:
  0  ended by such a signal; with --check: the programs can be loaded
  1  it could not start or continue: see seamline-host doctor
  2  invalid arguments

Documentation (source, or how-to/ in /usr/share/doc/seamline-host):
  docs/how-to/sender.md  what it does, what it needs, what it cannot do";

#[derive(Debug, clap::Args)]
#[command(after_long_help = AFTER_HELP)]
pub(crate) struct Arguments {
    /// The cgroup (version 2) whose new connections act on marks
    #[arg(long, value_name = "PATH", required_unless_present = "check")]
    cgroup: Option<PathBuf>,
    /// An interface at which marked acknowledgments arrive. With it, the kernel retransmits at once; can be repeated
    #[arg(long, value_name = "NAME")]
    interface: Vec<String>,
    /// Help only connections to this address or prefix, IPv4 or IPv6 (192.0.2.0/24); can be repeated
    #[arg(long, value_name = "PREFIX")]
    destination: Vec<Prefix>,
    /// Keep the window at losses that are marked as lost over the air (ELN-ACK). Trusts these marks
    #[arg(long)]
    losses: bool,
    /// Load and verify the eBPF programs, and attach nothing
    #[arg(long, conflicts_with_all = ["cgroup", "interface", "destination", "losses"])]
    check: bool,
    /// Serve counters to Prometheus at an address, or write them to a file every second
    #[arg(long, value_name = "ADDRESS:PORT|PATH", conflicts_with = "check")]
    metrics: Option<Metrics>,
    /// Write the log as JSON
    #[arg(long, conflicts_with = "check")]
    json: bool,
    /// Print only the counters at the end
    #[arg(short, long)]
    quiet: bool,
}

#[cfg(feature = "ebpf")]
pub(crate) fn run(arguments: &Arguments) -> Outcome {
    live::run(arguments)
}

#[cfg(not(feature = "ebpf"))]
pub(crate) fn run(_: &Arguments) -> Outcome {
    Err(seamline_cli::Failure::Runtime(format!(
        "this seamline-host was built without its eBPF programs\ntip: {}\ntip: `seamline-host doctor` shows what else this host lacks",
        seamline_ebpf::HOW_TO_BUILD
    )))
}
