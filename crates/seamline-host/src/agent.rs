//! `seamline-host agent`

mod config;

use crate::config_file::{invalid, text};
use crate::status::{Show, show};
use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use config::{read_bridge, read_split};
use seamline_agent::{ON_REAL_BRIDGES, ObtcpParameters, Parameters, Role, SIMULATED_ONLY};
use seamline_bridge::system::{FallbackBy, HandOver, Metrics, Options, Split, ask, run as bridge, split};
use seamline_bridge::{Settings, most_hand_over_memory, most_memory};
use seamline_cli::interrupt::stop_socket;
use seamline_cli::{Failure, Outcome, note, print};
use seamline_host::confinement::{Capability, share_capabilities};
use seamline_host::interface;
use seamline_host::log::Format;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

const AFTER_HELP: &str = "\
Signals:
  SIGTERM, SIGINT and SIGHUP end it: packets that wait are forwarded,
  cached packets are dropped, and the last line of the log has the
  counters. Split connections get time to end ([split] drain) before
  they are reset; a second signal resets them at once.

Exit codes:
  0  ended by such a signal; with hand-over: the state was delivered;
     with pause and resume: help is off, or on; with status: it was
     shown
  1  it could not start or continue; with hand-over: the state was not
     delivered; with pause, resume and status: no agent answers
  2  invalid arguments or configuration, or an interface or a host that
     is not set up for the agent

Documentation (source, or how-to/ in /usr/share/doc/seamline-host):
  docs/how-to/agent.md             where to place it, keys of --config
  docs/how-to/agent-monitoring.md  counters, status, alerts, limits
  docs/how-to/deployment.md        what to measure, how to remove it";

#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true, after_long_help = AFTER_HELP)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    request: Option<Request>,
    #[command(flatten)]
    agent: Option<AgentArguments>,
}

/// A request to a running agent.
#[derive(Debug, clap::Subcommand)]
enum Request {
    /// Report to the agent of a base station that mobile hosts have left; it sends its state of their connections to their new agent
    HandOver(HandOverArguments),
    /// Switch the help of a running agent off: frames pass as they are, and nothing is known of their connections
    Pause(ControlArguments),
    /// Switch it on again, for connections that begin from then on
    Resume(ControlArguments),
    /// Show what a running agent does, from its metrics
    Status(StatusArguments),
}

#[derive(Debug, clap::Args)]
struct ControlArguments {
    /// The socket of the agent (its --control)
    #[arg(long, value_name = "PATH")]
    control: PathBuf,
}

#[derive(Debug, clap::Args)]
struct StatusArguments {
    /// Where the agent publishes its counters (its --metrics)
    #[arg(value_name = "ADDRESS:PORT|PATH", default_value = "127.0.0.1:9477")]
    metrics: Metrics,
    /// Show it as JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    how: Show,
}

#[derive(Debug, clap::Args)]
struct HandOverArguments {
    #[command(flatten)]
    agent: ControlArguments,
    /// The address of the agent at the new base station (its --hand-over-at)
    #[arg(long, value_name = "ADDRESS:PORT")]
    to: SocketAddr,
    /// The addresses of the mobile hosts
    #[arg(value_name = "HOST", required = true, num_args = 1..=64)]
    hosts: Vec<IpAddr>,
}

#[derive(Debug, clap::Args)]
struct AgentArguments {
    /// The kind of agent
    #[arg(value_name = "KIND", value_parser = kinds())]
    kind: Kind,
    /// Role of an obTCP agent
    #[arg(long, value_name = "ROLE")]
    role: Option<ObtcpRole>,
    /// The interface on the wired side, towards the fixed hosts
    #[arg(long = "in", value_name = "INTERFACE")]
    wired: String,
    /// The interface on the wireless side, towards the mobile hosts
    #[arg(long = "out", value_name = "INTERFACE")]
    wireless: String,
    /// The agent's settings, in TOML (see docs/how-to/agent.md)
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Change nothing; count what would be done
    #[arg(long)]
    dry_run: bool,
    /// Serve counters to Prometheus at an address, or write them to a file every second
    #[arg(long, value_name = "ADDRESS:PORT|PATH")]
    metrics: Option<Metrics>,
    /// Write the log as JSON
    #[arg(long)]
    json: bool,
    /// When the agent has ended, let the kernel go on forwarding between the interfaces until the next agent begins
    #[arg(long)]
    keep_forwarding: bool,
    /// Do not run before other programs on this host; packets then wait while those run
    #[arg(long)]
    normal_priority: bool,
    /// The Unix socket for 'seamline-host agent pause', 'resume' and 'hand-over' (not split)
    #[arg(long, value_name = "PATH")]
    control: Option<PathBuf>,
    /// Accept the state of connections from agents at other base stations at this address, over TCP (snoop; obtcp at a base station)
    #[arg(long, value_name = "ADDRESS:PORT", requires = "hand_over_from")]
    hand_over_at: Option<SocketAddr>,
    /// The address of a base station that may hand over to this one; can be repeated
    #[arg(long, value_name = "ADDRESS", requires = "hand_over_at")]
    hand_over_from: Vec<IpAddr>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Kind {
    /// Caches data for mobile hosts, retransmits what is lost, suppresses the duplicate acknowledgments
    Snoop,
    /// Reports for each loss listed in an acknowledgment whether the packet was lost over the air
    ElnAck,
    /// The mobile router requests what is missing, the base station retransmits it; needs --role
    Obtcp,
    /// Splits each connection in two, each half with its own TCP (on a router, not a bridge)
    Split,
    #[value(hide = true)]
    ObtcpBs,
    #[value(hide = true)]
    ObtcpMr,
    /// One of [`SIMULATED_ONLY`].
    #[value(skip)]
    Simulated(&'static str, &'static str),
}

/// The kinds by name, those that run in simulations only among them.
fn kinds() -> impl TypedValueParser<Value = Kind> {
    let visible = Kind::value_variants().iter().filter_map(Kind::to_possible_value);
    let simulated = SIMULATED_ONLY.iter().map(|(name, _)| PossibleValue::new(*name).hide(true));
    PossibleValuesParser::new(visible.chain(simulated)).try_map(|name| {
        let simulated = SIMULATED_ONLY.iter().find(|(simulated, _)| *simulated == name);
        simulated.map_or_else(
            || Kind::from_str(&name, false),
            |(name, instead)| Ok(Kind::Simulated(name, instead)),
        )
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum ObtcpRole {
    /// Retransmits what the mobile router requests
    #[value(alias = "base station")]
    BaseStation,
    /// Requests what is missing, and repairs losses on the link to its hosts
    #[value(alias = "mobile router")]
    MobileRouter,
}

impl From<ObtcpRole> for Role {
    fn from(role: ObtcpRole) -> Self {
        match role {
            ObtcpRole::BaseStation => Role::BaseStation,
            ObtcpRole::MobileRouter => Role::MobileRouter,
        }
    }
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    match arguments {
        Arguments { request: Some(Request::HandOver(request)), .. } => hand_over(request),
        Arguments { request: Some(Request::Pause(agent)), .. } => order(agent, "pause"),
        Arguments { request: Some(Request::Resume(agent)), .. } => order(agent, "resume"),
        Arguments { request: Some(Request::Status(request)), .. } => {
            show(&request.how, request.json, || request.metrics.read().map_err(unanswered))
        }
        Arguments { agent: Some(agent), .. } => run_agent(agent),
        // The parser requires one of them.
        Arguments { .. } => {
            Err(Failure::Input("an agent is missing, as in: seamline-host agent snoop".to_owned()))
        }
    }
}

fn unanswered(error: io::Error) -> io::Error {
    let tip = "the agent has to run with --metrics ADDRESS:PORT or --metrics PATH; name the same here";
    io::Error::new(error.kind(), format!("{error}\ntip: {tip}"))
}

fn hand_over(request: &HandOverArguments) -> Outcome {
    let hosts: String = request.hosts.iter().map(|host| format!(" {host}")).collect();
    order(&request.agent, &format!("hand-over {}{hosts}", request.to))
}

/// Send a running agent a command, and print what it has done.
fn order(agent: &ControlArguments, command: &str) -> Outcome {
    let answer = ask(&agent.control, command).map_err(failure)?;
    match answer.strip_prefix("ok ") {
        Some(done) => print(&format!("{done}\n")),
        None => Err(Failure::Runtime(answer.trim_start_matches("error: ").to_owned())),
    }
}

fn run_agent(arguments: &AgentArguments) -> Outcome {
    if arguments.wired == arguments.wireless {
        return Err(Failure::Input(format!("--in and --out name the same interface, {}", arguments.wired)));
    }
    match (arguments.kind, arguments.role) {
        (Kind::ObtcpBs, _) => Err(renamed("obtcp-bs", "base-station")),
        (Kind::ObtcpMr, _) => Err(renamed("obtcp-mr", "mobile-router")),
        (Kind::Simulated(name, instead), _) => Err(simulated_only(name, instead)),
        (Kind::Obtcp, None) => {
            Err(Failure::Input("obtcp takes a role: --role base-station, or --role mobile-router".to_owned()))
        }
        (Kind::Obtcp, Some(role)) => {
            let role = Role::from(role);
            run_bridge(arguments, "obtcp", role, role == Role::BaseStation)
        }
        (_, Some(_)) => Err(Failure::Input("--role is for obtcp only".to_owned())),
        (Kind::Snoop, None) => run_bridge(arguments, "snoop", ObtcpParameters::default().role, true),
        (Kind::ElnAck, None) => run_bridge(arguments, "eln-ack", ObtcpParameters::default().role, false),
        (Kind::Split, None) => run_split(arguments),
    }
}

/// An interface that does not exist, and those that do. A list that cannot be read refuses nothing.
fn refuse_missing(arguments: &AgentArguments) -> Outcome {
    let Ok(names) = interface::names() else { return Ok(()) };
    for (option, name) in [("--in", &arguments.wired), ("--out", &arguments.wireless)] {
        if !names.contains(name) {
            let all = names.join(", ");
            let why = format!("{option}: there is no interface `{name}`\ntip: this host has {all}");
            return Err(Failure::Input(why));
        }
    }
    Ok(())
}

/// An agent that scenarios have, and this command does not.
fn simulated_only(kind: &str, instead: &str) -> Failure {
    Failure::Input(format!("the agent `{kind}` runs in simulations only (seamline run)\ntip: {instead}"))
}

fn renamed(old: &str, role: &str) -> Failure {
    Failure::Input(format!("`agent {old}` is now `agent obtcp --role {role}`"))
}

/// Only agents that keep packets for a base station's hosts can hand anything over.
fn refuse_hand_over(arguments: &AgentArguments) -> Outcome {
    if arguments.hand_over_at.is_none() {
        return Ok(());
    }
    Err(Failure::Input(
        "--hand-over-at is for agents of base stations that keep packets: snoop, and obtcp --role base-station"
            .to_owned(),
    ))
}

/// `role` only matters to obTCP; `can_hand_over` is whether the agent keeps what an agent at another base station could use.
fn run_bridge(arguments: &AgentArguments, name: &str, role: Role, can_hand_over: bool) -> Outcome {
    if !can_hand_over {
        refuse_hand_over(arguments)?;
    }
    let obtcp = ObtcpParameters { role, ..ObtcpParameters::default() };
    let kind = ON_REAL_BRIDGES.iter().find(|kind| kind.name == name);
    let kind = kind.ok_or_else(|| Failure::Runtime(format!("no agent is named {name}")))?;
    let mut parameters = Parameters { obtcp, ..Parameters::default() };
    if let Some(path) = &arguments.config {
        read_bridge(path, &text(path)?, kind, &mut parameters).map_err(|errors| invalid(&errors))?;
    }
    let hands_over = can_hand_over && (arguments.control.is_some() || arguments.hand_over_at.is_some());
    let for_hand_over = if hands_over { most_hand_over_memory(&parameters) } else { 0 };
    print_memory(most_memory(kind, &parameters).saturating_add(for_hand_over), parameters.limits.connections);
    let settings = Settings { is_dry: arguments.dry_run, ..Settings::new(kind, parameters) };
    let options = Options {
        interfaces: [arguments.wired.clone(), arguments.wireless.clone()],
        metrics: arguments.metrics.clone(),
        format: Format::of_stdout(arguments.json),
        fallback: if arguments.keep_forwarding { FallbackBy::KernelForGood } else { FallbackBy::Kernel },
        runs_first: !arguments.normal_priority,
        confines: true,
        hand_over: HandOver {
            control: arguments.control.clone(),
            at: arguments.hand_over_at,
            from: arguments.hand_over_from.clone(),
        },
    };
    refuse_missing(arguments)?;
    let stop = stop_socket()?;
    bridge(settings, &options, &stop, io::stdout()).map(drop).map_err(failure)
}

/// On a router, with sockets of its own.
fn run_split(arguments: &AgentArguments) -> Outcome {
    refuse_hand_over(arguments)?;
    for (is_given, option) in
        [(arguments.keep_forwarding, "--keep-forwarding"), (arguments.normal_priority, "--normal-priority")]
    {
        if is_given {
            let why = format!(
                "{option} is for agents between two interfaces of a bridge; on a router the kernel forwards by itself"
            );
            return Err(Failure::Input(why));
        }
    }
    if arguments.control.is_some() {
        let why = "--control is for agents between two interfaces of a bridge: connections that are split can be neither handed over nor left to their ends";
        return Err(Failure::Input(why.to_owned()));
    }
    let mut settings = Split::default();
    if let Some(path) = &arguments.config {
        settings = read_split(path, &text(path)?).map_err(|errors| invalid(&errors))?;
    }
    let settings = Split {
        interfaces: [arguments.wired.clone(), arguments.wireless.clone()],
        is_dry: arguments.dry_run,
        metrics: arguments.metrics.clone(),
        format: Format::of_stdout(arguments.json),
        ..settings
    };
    print_memory(settings.most_memory(), settings.connections);
    refuse_missing(arguments)?;
    let stop = stop_socket()?;
    // For transparent sockets, rules of the packet filter (by nft, with the same capabilities), and clients with ports below 1024.
    let kept = [Capability::CAP_NET_ADMIN, Capability::CAP_NET_RAW, Capability::CAP_NET_BIND_SERVICE];
    share_capabilities(&kept).map_err(failure)?;
    split(&settings, &stop, io::stdout()).map(drop).map_err(failure)
}

fn print_memory(bytes: u64, connections: u32) {
    note("memory", format!("at most {} MiB, for {connections} connections", bytes >> 20));
}

fn failure(error: io::Error) -> Failure {
    let tip = match error.kind() {
        io::ErrorKind::InvalidInput => return Failure::Input(error.to_string()),
        io::ErrorKind::ResourceBusy => "\ntip: end it first; each interface serves one agent",
        io::ErrorKind::PermissionDenied => {
            "\ntip: run it as root (sudo), or with CAP_NET_RAW, for split with CAP_NET_ADMIN and CAP_NET_BIND_SERVICE"
        }
        io::ErrorKind::AddrInUse => "\ntip: give each agent a --control and --hand-over-at of its own",
        _ => "",
    };
    Failure::Runtime(format!("{error}{tip}"))
}
