//! `seamline agent`

use crate::Outcome;
use crate::interrupt::stop_socket;
use crate::terminal::{Failure, print};
use seamline_agent::{Kind, ObtcpParameters, Parameters, Role, find};
use seamline_bridge::system::{HandOver, Manner, Metrics, Split, ask, run as bridge, split};
use seamline_bridge::{Settings, most_hand_over_memory, most_memory};
use seamline_scenario::schema::agent::{RealSplit, read_real, read_real_split};
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};

const AFTER_HELP: &str = "\
Signals:
  SIGTERM, SIGINT and SIGHUP end it: what is kept is released, what
  waits is forwarded, and the last line of the log has the counters.
  What split has open gets time to end ([split] drain), and then is
  reset; a second signal resets it at once.

Exit codes:
  0  ended by such a signal; of hand-over: delivered
  1  it could not begin, or not go on; of hand-over: not delivered
  2  what it was given makes no sense

In Seamline's sources:
  docs/agent.md       where to place it, keys of --config, counters
  docs/deployment.md  what to measure, and how to take it out again";

#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true, after_long_help = AFTER_HELP)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    told: Option<Told>,
    #[command(flatten)]
    standing: Option<Standing>,
}

/// Something to tell an agent that runs.
#[derive(Debug, clap::Subcommand)]
enum Told {
    /// Tell the agent of a base station that mobile hosts have left: what it keeps for them goes to the agent that has them now
    HandOver(HandOverArguments),
}

#[derive(Debug, clap::Args)]
struct HandOverArguments {
    /// The agent's --control
    #[arg(long, value_name = "PATH")]
    control: PathBuf,
    /// The --hand-over-at of the agent at the new base station
    #[arg(long, value_name = "ADDRESS:PORT")]
    to: SocketAddr,
    /// The addresses of the mobile hosts
    #[arg(value_name = "HOST", required = true, num_args = 1..=64)]
    hosts: Vec<IpAddr>,
}

#[derive(Debug, clap::Args)]
struct Standing {
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
    /// A Unix socket at which 'seamline agent hand-over' tells it which mobile hosts have left (snoop, obtcp-bs)
    #[arg(long, value_name = "PATH")]
    control: Option<PathBuf>,
    /// Where agents of other base stations hand connections over to this one, by TCP (snoop, obtcp-bs)
    #[arg(long, value_name = "ADDRESS:PORT", requires = "hand_over_from")]
    hand_over_at: Option<SocketAddr>,
    /// The address of another base station; only those named may hand over. May be given several times
    #[arg(long, value_name = "ADDRESS", requires = "hand_over_at")]
    hand_over_from: Vec<IpAddr>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Which {
    /// Keeps data on its way to mobile hosts, sends again what is lost, keeps the duplicates to itself
    Snoop,
    /// Says of each loss that an acknowledgment lists whether it happened on the air
    ElnAck,
    /// obTCP at the base station: sends again what the mobile router asks for
    #[value(name = "obtcp-bs")]
    ObtcpBaseStation,
    /// obTCP at the mobile router: asks for what is missing, and mends the link to its hosts
    #[value(name = "obtcp-mr")]
    ObtcpMobileRouter,
    /// Ends connections here and begins others, each half with a TCP of its own (on a router, not a bridge)
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
    /// Whether it keeps what the agent at another base station could use.
    fn hands_over(self) -> bool {
        matches!(self, Which::Snoop | Which::ObtcpBaseStation)
    }
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    match arguments {
        Arguments { told: Some(Told::HandOver(told)), .. } => hand_over(told),
        Arguments { standing: Some(standing), .. } => stand(standing),
        // The parser asks for one of them.
        Arguments { .. } => {
            Err(Failure::Input("an agent is missing, as in: seamline agent snoop".to_owned()))
        }
    }
}

fn hand_over(told: &HandOverArguments) -> Outcome {
    let hosts: String = told.hosts.iter().map(|host| format!(" {host}")).collect();
    let answer = ask(&told.control, &format!("hand-over {}{hosts}", told.to)).map_err(failure)?;
    match answer.strip_prefix("ok ") {
        Some(done) => print(&format!("{done}\n")),
        None => Err(Failure::Runtime(answer.trim_start_matches("error: ").to_owned())),
    }
}

fn stand(arguments: &Standing) -> Outcome {
    if arguments.wired == arguments.wireless {
        return Err(Failure::Input(format!("--in and --out name the same interface, {}", arguments.wired)));
    }
    if !arguments.kind.hands_over() && (arguments.control.is_some() || arguments.hand_over_at.is_some()) {
        return Err(Failure::Input(
            "--control and --hand-over-at are for agents of base stations that keep packets: snoop and obtcp-bs".to_owned(),
        ));
    }
    match arguments.kind.bridged() {
        Some((name, role)) => run_bridge(arguments, name, role),
        None => run_split(arguments),
    }
}

fn run_bridge(arguments: &Standing, name: &str, role: Role) -> Outcome {
    let obtcp = ObtcpParameters { role, ..ObtcpParameters::default() };
    let kind = find(name).ok_or_else(|| Failure::Runtime(format!("no agent is named {name}")))?;
    let mut parameters = Parameters { obtcp, ..Parameters::default() };
    if let Some(path) = &arguments.config {
        read(path, kind, &mut parameters)?;
    }
    let hands_over = arguments.control.is_some() || arguments.hand_over_at.is_some();
    let for_that = if hands_over { most_hand_over_memory(&parameters) } else { 0 };
    say_memory(most_memory(kind, &parameters).saturating_add(for_that), parameters.limits.connections);
    let settings = Settings { is_dry: arguments.dry_run, ..Settings::new(kind, parameters) };
    let manner = Manner {
        interfaces: [arguments.wired.clone(), arguments.wireless.clone()],
        metrics: arguments.metrics.as_deref().map(metrics).transpose()?,
        json: arguments.json,
        hand_over: HandOver {
            control: arguments.control.clone(),
            at: arguments.hand_over_at,
            from: arguments.hand_over_from.clone(),
        },
    };
    let stop = stop_socket()?;
    bridge(settings, &manner, &stop, io::stdout()).map(drop).map_err(failure)
}

/// On a router, with sockets of its own, and not on a bridge.
fn run_split(arguments: &Standing) -> Outcome {
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
        io::ErrorKind::AddrInUse => "\ntip: each agent has a --control and a --hand-over-at of its own",
        _ => "",
    };
    Failure::Runtime(format!("{error}{tip}"))
}
