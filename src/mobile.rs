//! `seamline mobile`

use crate::Outcome;
use crate::interrupt::stop_socket;
use crate::terminal::{Failure, print};
use seamline_mobile::Settings;
use seamline_mobile::command::Command;
use seamline_mobile::system::{Daemon, Manner, ask};
use std::io;
use std::path::{Path, PathBuf};

const AFTER_HELP: &str = "\
Signals:
  SIGTERM, SIGINT and SIGHUP end it; the last line of the log has the
  counters.

Exit codes:
  0  ended by such a signal; of --status and --tell: it has answered
  1  it could not begin, or not go on; of --status and --tell: nobody
     is there, or it has refused
  2  what it was given makes no sense

In Seamline's sources:
  docs/mobile.md  keys of --config, words of --tell, as a service";

#[derive(Debug, clap::Args)]
#[command(after_long_help = AFTER_HELP)]
pub(crate) struct Arguments {
    /// The Unix datagram socket at which the daemon listens to modems and scripts
    #[arg(long, value_name = "PATH", default_value = "/run/seamline-mobile.sock")]
    socket: PathBuf,
    /// What to do for which link, in TOML (see docs/mobile.md); without it, for every link what helps most senders
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Send nothing; say what would be sent
    #[arg(long)]
    dry_run: bool,
    /// Write the log, or the status, as JSON
    #[arg(long)]
    json: bool,
    /// Ask the running daemon how it goes
    #[arg(long, conflicts_with_all = ["config", "dry_run", "tell"])]
    status: bool,
    /// Tell the running daemon something about a link
    #[arg(
        help = "Tell the running daemon something: 'going-down [INTERFACE] [in DURATION]', 'down [INTERFACE]' or 'up [INTERFACE]'",
        long, value_name = "WORDS", conflicts_with_all = ["config", "dry_run", "json"])]
    tell: Option<String>,
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let Arguments { socket, json, .. } = arguments;
    if arguments.status {
        let question = if *json { "status json" } else { "status" };
        return print(&(ask(socket, question).map_err(failure)? + "\n"));
    }
    if let Some(words) = &arguments.tell {
        return tell(socket, words);
    }
    let settings = arguments.config.as_deref().map_or_else(|| Ok(Settings::default()), read)?;
    let stop = stop_socket()?;
    let manner = Manner { socket: socket.clone(), is_dry: arguments.dry_run, json: *json };
    let mut daemon = Daemon::open(settings, &manner).map_err(failure)?;
    daemon.run(&stop, io::stdout()).map_err(failure)
}

/// Tell the daemon something, after looking whether it makes sense.
fn tell(socket: &Path, words: &str) -> Outcome {
    words.parse::<Command>().map_err(|why| Failure::Input(format!("--tell {why}")))?;
    let answer = ask(socket, words).map_err(failure)?;
    match answer.strip_prefix("error: ") {
        None => Ok(()),
        Some(why) => Err(Failure::Runtime(why.to_owned())),
    }
}

fn read(file: &Path) -> Result<Settings, Failure> {
    let shown = file.display();
    let text = std::fs::read_to_string(file)
        .map_err(|error| Failure::Input(format!("cannot read {shown}: {error}")))?;
    Settings::read(&text).map_err(|error| match error.line {
        0 => Failure::Input(format!("{shown}: {}", error.message)),
        line => Failure::Input(format!("{shown}:{line}: {}", error.message)),
    })
}

fn failure(error: io::Error) -> Failure {
    let tip = match error.kind() {
        io::ErrorKind::PermissionDenied => {
            "\ntip: it takes CAP_NET_RAW, and with freeze = true CAP_BPF, CAP_PERFMON and CAP_NET_ADMIN: run it as root (sudo)"
        }
        io::ErrorKind::AddrInUse => "\ntip: seamline mobile --status asks the one that listens there",
        io::ErrorKind::ResourceBusy => "\ntip: end it first; with --dry-run one runs beside it",
        _ => "",
    };
    Failure::Runtime(format!("{error}{tip}"))
}
