//! `seamline agent`

use crate::Outcome;
use crate::interrupt::stop_socket;
use crate::terminal::Failure;
use seamline_agent::{Kind, ObtcpParameters, Parameters, Role, find};
use seamline_bridge::system::{Manner, Metrics, run as bridge};
use seamline_bridge::{Settings, most_memory};
use seamline_scenario::schema::agent::read_real;
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
    #[value(hide = true)]
    Split,
}

impl Which {
    fn kind_and_parameters(self) -> Result<(&'static Kind, Parameters), Failure> {
        let (name, role) = match self {
            Which::Snoop => ("snoop", Role::MobileRouter),
            Which::ElnAck => ("eln-ack", Role::MobileRouter),
            Which::ObtcpBaseStation => ("obtcp", Role::BaseStation),
            Which::ObtcpMobileRouter => ("obtcp", Role::MobileRouter),
            Which::Split => {
                let why = "split ends connections and begins others, which takes sockets of this host and not a bridge: \
                           it is in the simulator only; snoop needs neither";
                return Err(Failure::Input(why.to_owned()));
            }
        };
        let obtcp = ObtcpParameters { role, ..ObtcpParameters::default() };
        let kind = find(name).ok_or_else(|| Failure::Runtime(format!("no agent is named {name}")))?;
        Ok((kind, Parameters { obtcp, ..Parameters::default() }))
    }
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let (kind, mut parameters) = arguments.kind.kind_and_parameters()?;
    if arguments.wired == arguments.wireless {
        return Err(Failure::Input(format!("--in and --out name the same interface, {}", arguments.wired)));
    }
    if let Some(path) = &arguments.config {
        read(path, kind, &mut parameters)?;
    }
    let connections = parameters.limits.connections;
    let memory = most_memory(kind, &parameters) >> 20;
    eprintln!("at most {memory} MiB for {connections} connections (docs/agent.md)");
    let settings = Settings { is_dry: arguments.dry_run, ..Settings::new(kind, parameters) };
    let manner = Manner {
        interfaces: [arguments.wired.clone(), arguments.wireless.clone()],
        metrics: arguments.metrics.as_deref().map(metrics).transpose()?,
        json: arguments.json,
    };
    let stop = stop_socket()?;
    bridge(settings, &manner, &stop, io::stdout()).map(drop).map_err(failure)
}

fn read(path: &Path, kind: &Kind, parameters: &mut Parameters) -> Outcome {
    let text = std::fs::read_to_string(path)
        .map_err(|error| Failure::Input(format!("cannot read {}: {error}", path.display())))?;
    read_real(path, text, kind, parameters).map_err(|wrong| Failure::Scenario(Box::new(wrong)))
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
        io::ErrorKind::PermissionDenied => "\ntip: it takes CAP_NET_RAW: run it as root (sudo)",
        _ => "",
    };
    Failure::Runtime(format!("{error}{tip}"))
}
