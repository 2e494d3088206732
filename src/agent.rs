//! `seamline agent`

use crate::Outcome;
use crate::interrupt::stop_socket;
use crate::terminal::Failure;
use seamline_agent::{Kind, ObtcpParameters, Parameters, Role, find};
use seamline_bridge::system::{Manner, Metrics, Split, run as bridge, split};
use seamline_bridge::{Settings, most_memory};
use seamline_scenario::schema::agent::{RealSplit, read_real, read_real_split};
use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Which agent stands there
    #[arg(value_name = "KIND")]
    kind: Which,
    /// The interface on the wired side, towards the fixed hosts
    #[arg(long = "in", value_name = "INTERFACE")]
    wired: String,
    /// The interface on the wireless side, towards the mobile hosts
    #[arg(long = "out", value_name = "INTERFACE")]
    wireless: String,
    /// What of the agent is set, in TOML (see docs/agent.md)
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Change nothing; count what would have been done
    #[arg(long)]
    dry_run: bool,
    /// Where the counters are for Prometheus: an address and port for HTTP, or a file, replaced each second
    #[arg(long, value_name = "ADDRESS:PORT|PATH")]
    metrics: Option<String>,
    /// Write the log as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Which {
    Snoop,
    ElnAck,
    #[value(name = "obtcp-bs")]
    ObtcpBaseStation,
    #[value(name = "obtcp-mr")]
    ObtcpMobileRouter,
    Split,
}

impl Which {
    /// Its name among the agents and its role, if a bridge has it: split connections end on this host.
    fn bridged(self) -> Option<(&'static str, Role)> {
        match self {
            Which::Snoop => Some(("snoop", Role::MobileRouter)),
            Which::ElnAck => Some(("eln-ack", Role::MobileRouter)),
            Which::ObtcpBaseStation => Some(("obtcp", Role::BaseStation)),
            Which::ObtcpMobileRouter => Some(("obtcp", Role::MobileRouter)),
            Which::Split => None,
        }
    }
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    if arguments.wired == arguments.wireless {
        return Err(Failure::Input(format!("--in and --out name the same interface, {}", arguments.wired)));
    }
    match arguments.kind.bridged() {
        Some((name, role)) => run_bridge(arguments, name, role),
        None => run_split(arguments),
    }
}

fn run_bridge(arguments: &Arguments, name: &str, role: Role) -> Outcome {
    let obtcp = ObtcpParameters { role, ..ObtcpParameters::default() };
    let kind = find(name).ok_or_else(|| Failure::Runtime(format!("no agent is named {name}")))?;
    let mut parameters = Parameters { obtcp, ..Parameters::default() };
    if let Some(path) = &arguments.config {
        read(path, kind, &mut parameters)?;
    }
    say_memory(most_memory(kind, &parameters), parameters.limits.connections);
    let settings = Settings { is_dry: arguments.dry_run, ..Settings::new(kind, parameters) };
    let manner = Manner {
        interfaces: [arguments.wired.clone(), arguments.wireless.clone()],
        metrics: arguments.metrics.as_deref().map(metrics).transpose()?,
        json: arguments.json,
    };
    let stop = stop_socket()?;
    bridge(settings, &manner, &stop, io::stdout()).map(drop).map_err(failure)
}

/// On a router, with sockets of its own, and not on a bridge.
fn run_split(arguments: &Arguments) -> Outcome {
    let mut set = RealSplit::default();
    if let Some(path) = &arguments.config {
        read_real_split(path, text(path)?, &mut set).map_err(|wrong| Failure::Scenario(Box::new(wrong)))?;
    }
    let settings = Split {
        interfaces: [arguments.wired.clone(), arguments.wireless.clone()],
        connections: set.connections as usize,
        buffer: set.buffer,
        idle: set.idle,
        congestion_control: set.congestion_control,
        is_dry: arguments.dry_run,
        drain: set.drain,
        metrics: arguments.metrics.as_deref().map(metrics).transpose()?,
        json: arguments.json,
    };
    say_memory(settings.most_memory(), set.connections);
    let stop = stop_socket()?;
    split(&settings, &stop, io::stdout()).map(drop).map_err(failure)
}

fn say_memory(bytes: u64, connections: u32) {
    eprintln!("at most {} MiB for {connections} connections (docs/agent.md)", bytes >> 20);
}

fn text(path: &Path) -> Result<String, Failure> {
    std::fs::read_to_string(path)
        .map_err(|error| Failure::Input(format!("cannot read {}: {error}", path.display())))
}

fn read(path: &Path, kind: &Kind, parameters: &mut Parameters) -> Outcome {
    read_real(path, text(path)?, kind, parameters).map_err(|wrong| Failure::Scenario(Box::new(wrong)))
}

/// An address with its port, or the path of a file.
fn metrics(given: &str) -> Result<Metrics, Failure> {
    match given.parse() {
        Ok(address) => Ok(Metrics::Http(address)),
        Err(_) if given.contains('/') || !given.contains(':') => Ok(Metrics::File(given.into())),
        Err(_) => Err(Failure::Input(format!(
            "--metrics {given} is no address with a port, as 127.0.0.1:9477 is; for a file of that name write ./{given}"
        ))),
    }
}

fn failure(error: io::Error) -> Failure {
    let tip = match error.kind() {
        io::ErrorKind::PermissionDenied => {
            "\ntip: it takes CAP_NET_RAW, and for split CAP_NET_ADMIN and CAP_NET_BIND_SERVICE: run it as root (sudo)"
        }
        _ => "",
    };
    Failure::Runtime(format!("{error}{tip}"))
}
