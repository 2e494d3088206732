//! `seamline lab FILE [-- COMMAND]`

#[cfg(target_os = "linux")]
mod linux;
#[cfg(target_os = "linux")]
mod virtual_time;

#[cfg(target_os = "linux")]
pub(crate) use linux::{end_escaped_from, external_agent, failure, prepare, run};
#[cfg(target_os = "linux")]
pub(crate) use virtual_time::serve_guest;

use crate::experiment::Options;
use std::ffi::OsString;
use std::path::PathBuf;

/// Help of --jobs, which only virtual time allows.
const JOBS: &str =
    "Maximum number of runs at a time, in virtual time [default: the number of processors; in real time 1]";

#[derive(Debug, clap::Args)]
#[command(mut_arg("jobs", |jobs| jobs.help(JOBS)))]
pub(crate) struct Arguments {
    /// The scenario file (`seamline init lab.toml --from lab-quick` writes one)
    file: PathBuf,
    #[command(flatten)]
    options: Options,
    /// Run in virtual time, in a kernel built by `seamline kernel build`: the same result every time, without root, and as fast as
    /// the host can [default kernel: the newest]
    #[arg(long = "virtual", value_name = "KERNEL", num_args = 0..=1, require_equals = true, default_missing_value = "newest")]
    virtual_time: Option<String>,
    /// Use Seamline's own TCP endpoint at this node instead of the kernel's; can be repeated
    #[arg(long, value_name = "NODE")]
    seamline: Vec<String>,
    /// Use this kernel congestion control for all kernel senders, instead of each flow's variant, also of those in the grid
    #[arg(long, value_name = "NAME")]
    congestion: Option<String>,
    /// Use IPv6
    #[arg(long)]
    ipv6: bool,
    /// The node at which the command runs [default: the receiver of the first flow]
    #[arg(long, value_name = "NODE", requires = "command")]
    at: Option<String>,
    /// Also run a shell command at another node, e.g. server='iperf3 -s'; can be repeated
    #[arg(long, value_name = "NODE=COMMAND", requires = "command")]
    serve: Vec<String>,
    /// Run a shell command in place of an agent of the scenario, between the interfaces wired0 and wireless0, e.g.
    /// station='seamline-host agent snoop --in wired0 --out wireless0'; can be repeated
    #[arg(long, value_name = "AGENT=COMMAND")]
    agent: Vec<String>,
    /// Also run the scenario's flows
    #[arg(long, requires = "command")]
    flows: bool,
    /// Report a node's link events to the Unix datagram socket at this path, as text for `seamline-host mobile`; can be repeated
    #[arg(long, value_name = "NODE=PATH", requires = "command")]
    notify: Vec<String>,
    /// The command to run inside the network; the names of nodes are host names there [default: run the scenario's flows]
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn run(arguments: &Arguments) -> crate::Outcome {
    let file = arguments.file.display();
    let text = format!("the lab is for Linux only\ntip: seamline run {file} simulates the same everywhere");
    Err(crate::terminal::Failure::Runtime(text))
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn serve_guest() -> Option<std::process::ExitCode> {
    None
}
