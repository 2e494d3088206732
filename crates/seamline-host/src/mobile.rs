//! `seamline-host mobile`

use crate::config_file::{invalid, text};
use crate::status::{Show, show};
use seamline_cli::interrupt::stop_socket;
use seamline_cli::{Failure, Outcome, print};
use seamline_host::confinement::{Capability, keep_capabilities};
use seamline_host::log::Format;
use seamline_mobile::Settings;
use seamline_mobile::command::Command;
use seamline_mobile::system::{Daemon, Metrics, Options, ask};
use std::io;
use std::path::{Path, PathBuf};

const AFTER_HELP: &str = "\
Signals:
  SIGTERM, SIGINT and SIGHUP end it; the last line of the log has the
  counters.

Exit codes:
  0  ended by such a signal; with --status or --tell: the daemon has
     answered
  1  it could not start or continue; with --status or --tell: no daemon
     listens there, or it rejected the message
  2  invalid arguments or configuration

Documentation (source, or how-to/ in /usr/share/doc/seamline-host):
  docs/how-to/mobile.md  keys of --config, messages, systemd unit";

#[derive(Debug, clap::Args)]
#[command(after_long_help = AFTER_HELP)]
pub(crate) struct Arguments {
    /// The Unix datagram socket at which the daemon takes messages from modems and scripts
    #[arg(long, value_name = "PATH", default_value = "/run/seamline/mobile.sock")]
    socket: PathBuf,
    /// The settings for each link, in TOML (see docs/how-to/mobile.md) [default: for every link, the settings that help most senders]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Send nothing; log what would be sent
    #[arg(long)]
    dry_run: bool,
    /// Serve counters to Prometheus at an address, or write them to a file every second
    #[arg(long, value_name = "ADDRESS:PORT|PATH", conflicts_with_all = ["status", "tell"])]
    metrics: Option<Metrics>,
    /// Write the log, or the status, as JSON
    #[arg(long)]
    json: bool,
    /// Show the status of the running daemon
    #[arg(long, conflicts_with_all = ["config", "dry_run", "tell"])]
    status: bool,
    #[command(flatten)]
    how: Show,
    /// Send the running daemon a message about a link
    #[arg(
        help = "Send the running daemon a message: 'going-down [INTERFACE] [in DURATION]', 'down [INTERFACE]' or 'up [INTERFACE]'",
        long, value_name = "MESSAGE", conflicts_with_all = ["config", "dry_run", "json"])]
    tell: Option<String>,
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let Arguments { socket, json, .. } = arguments;
    if arguments.status {
        return status(socket, &arguments.how, *json);
    }
    if arguments.how.watch.is_some() {
        return Err(Failure::Input("--watch is for --status".to_owned()));
    }
    if let Some(message) = &arguments.tell {
        return tell(socket, message);
    }
    let settings = arguments.config.as_deref().map_or_else(|| Ok(Settings::default()), read)?;
    let stop = stop_socket()?;
    let options = Options {
        socket: socket.clone(),
        is_dry: arguments.dry_run,
        format: Format::of_stdout(*json),
        metrics: arguments.metrics.clone(),
    };
    let mut daemon = Daemon::open(settings, &options).map_err(failure)?;
    keep_capabilities(&CAPABILITIES).map_err(failure)?;
    daemon.run(&stop, io::stdout()).map_err(failure)
}

/// For packets of its own, for the kernel's list of connections, and for the program that freezes them.
const CAPABILITIES: [Capability; 4] =
    [Capability::CAP_NET_RAW, Capability::CAP_NET_ADMIN, Capability::CAP_BPF, Capability::CAP_PERFMON];

/// As JSON what the daemon says of itself, which scripts read; for people the same view as that of agents.
fn status(socket: &Path, how: &Show, json: bool) -> Outcome {
    if json && how.watch.is_none() {
        return print(&(ask(socket, "status json").map_err(failure)? + "\n"));
    }
    show(how, json, || ask(socket, "metrics"))
}

/// Send the daemon a message that has been checked.
fn tell(socket: &Path, message: &str) -> Outcome {
    message.parse::<Command>().map_err(|why| Failure::Input(format!("--tell {why}")))?;
    let answer = ask(socket, message).map_err(failure)?;
    match answer.strip_prefix("error: ") {
        None => Ok(()),
        Some(why) => Err(Failure::Runtime(why.to_owned())),
    }
}

fn read(file: &Path) -> Result<Settings, Failure> {
    Settings::read(file, &text(file)?).map_err(|errors| invalid(&errors))
}

fn failure(error: io::Error) -> Failure {
    let tip = match error.kind() {
        io::ErrorKind::PermissionDenied => {
            "\ntip: run it as root (sudo), or with CAP_NET_RAW, for freeze = true with CAP_BPF, CAP_PERFMON and CAP_NET_ADMIN"
        }
        io::ErrorKind::AddrInUse => "\ntip: `seamline-host mobile --status` shows the one that listens there",
        io::ErrorKind::ResourceBusy => "\ntip: end it first; only with --dry-run can another run next to it",
        _ => "",
    };
    Failure::Runtime(format!("{error}{tip}"))
}
