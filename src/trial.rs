//! `seamline trial`: whether help helps on a path of one's own.

use crate::Outcome;
use crate::benchmark::{failure, write_page};
use crate::format::FormatOption;
use crate::load::resolve;
use crate::terminal::{Failure, list_written, note, print, progress};
use crate::words;
use seamline_benchmark::load::PORT;
use seamline_benchmark::run::RunError;
use seamline_benchmark::store::Store;
use seamline_benchmark::trial::{
    Period, Shape, Switch, Trial, compare, has_help, markdown, picture, text, to_table,
};
use seamline_cli::interrupt::Interrupt;
use seamline_wire::Duration;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

#[derive(Debug, clap::Args)]
#[command(
    after_help = "The server runs 'seamline load serve'. The commands are for 'sh -c', for example:\n  \
    seamline trial SERVER --out trial \\\n      \
    --on 'ssh gateway seamline-host agent resume --control /run/seamline/agent.sock' \\\n      \
    --off 'ssh gateway seamline-host agent pause --control /run/seamline/agent.sock'"
)]
pub(crate) struct Arguments {
    /// The server's name or address
    #[arg(required_unless_present = "again")]
    server: Option<String>,
    /// Its port
    #[arg(long, value_name = "PORT", default_value_t = PORT)]
    port: u16,
    /// The command that switches help on
    #[arg(long, value_name = "COMMAND", required_unless_present_any = ["again", "agent"])]
    on: Option<String>,
    /// The command that switches it off
    #[arg(long, value_name = "COMMAND", required_unless_present_any = ["again", "agent"])]
    off: Option<String>,
    /// Instead of commands: the agent on this host that listens at this socket (its --control) is paused and resumed
    #[arg(long, value_name = "PATH", conflicts_with_all = ["on", "off"])]
    agent: Option<PathBuf>,
    /// Store all periods in this directory, next to earlier ones, with a page and figures; an interrupted trial continues
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// How long help is on, or off, at a time [default: 30 min]
    #[arg(long, value_name = "TIME", value_parser = words::time, default_value = "30 min", hide_default_value = true)]
    period: Duration,
    /// How many pairs of periods; 95 % intervals need at least six. The default takes a day
    #[arg(long, value_name = "N", default_value_t = 24, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pairs: u32,
    /// Do not measure for this long after each switch [default: 10 s]
    #[arg(long, value_name = "TIME", value_parser = words::time, default_value = "10 s", hide_default_value = true)]
    settle: Duration,
    /// How long each download, and each series of requests, lasts [default: 30 s]
    #[arg(long, value_name = "TIME", value_parser = words::time, default_value = "30 s", hide_default_value = true)]
    slot: Duration,
    /// The size of a response [default: 100 kB]
    #[arg(long, value_name = "SIZE", value_parser = words::bytes, default_value = "100 kB", hide_default_value = true)]
    requests: u64,
    /// The shortest stall to count [default: 200 ms]
    #[arg(long, value_name = "TIME", value_parser = words::time, default_value = "200 ms", hide_default_value = true)]
    stall: Duration,
    /// Whether help stays on afterwards
    #[arg(long, value_name = "WHICH", value_enum, default_value_t = Leave::Off)]
    leave: Leave,
    /// Measure nothing; show what is stored
    #[arg(long)]
    again: bool,
    #[command(flatten)]
    format: FormatOption,
    /// Do not show progress and notes
    #[arg(long, short)]
    quiet: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Leave {
    /// It stays on
    On,
    /// It is switched off
    Off,
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let refused = |error: seamline_results::Error| Failure::Input(error.to_string());
    let (mut periods, measured) = if arguments.again {
        (Store::<Period>::read(&arguments.out).map_err(refused)?, Ok(()))
    } else {
        let trial = arguments.trial()?;
        let (store, mut periods) = Store::open(&arguments.out).map_err(refused)?;
        if let Some(other) = periods.iter().find(|period: &&Period| period.shape != trial.shape) {
            return Err(Failure::Input(format!(
                "{}: period {} was measured with other times or sizes than this command has\n\
                 tip: give the same --period, --settle, --slot, --requests and --stall, or another --out",
                arguments.out.display(),
                other.number
            )));
        }
        let measured = measure(arguments, &trial, store, &mut periods);
        (periods, measured)
    };
    newest(&mut periods);
    // What was measured is shown, however it ended.
    let comparisons = compare(&periods);
    arguments.format.print_rows(|| text(&comparisons), || to_table(&comparisons))?;
    let Some(first) = periods.first() else { return measured };
    let pictures = picture(&periods);
    let page = markdown(&first.shape, &comparisons, &pictures);
    let written = write_page(&arguments.out, "trial.md", &page, &pictures)?;
    if arguments.format.is_text() {
        print(&list_written(&written))?;
    }
    measured
}

impl Arguments {
    fn trial(&self) -> Result<Trial, Failure> {
        let switch = match (&self.agent, &self.on, &self.off) {
            (Some(socket), ..) => Switch::Agent(socket.clone()),
            (None, Some(on), Some(off)) => Switch::Commands { on: on.clone(), off: off.clone() },
            _ => unreachable!("clap requires them"),
        };
        let Some(server) = &self.server else { unreachable!("clap requires it") };
        let shape = Shape {
            period_ms: self.period.as_millis(),
            settle_ms: self.settle.as_millis(),
            slot_ms: self.slot.as_millis(),
            request_bytes: self.requests,
            stall_ms: self.stall.as_millis(),
        };
        // A period has both kinds of slots.
        if shape.settle_ms + 2 * shape.slot_ms > shape.period_ms {
            return Err(Failure::Input(format!(
                "--period {}: it must hold --settle ({}) and two of --slot ({})",
                self.period, self.settle, self.slot
            )));
        }
        Ok(Trial { server: resolve(server, self.port)?, switch, shape })
    }
}

/// By number; of several with the same number the last one, for the others belong to a pair that was interrupted.
fn newest(periods: &mut Vec<Period>) {
    periods.reverse();
    periods.sort_by_key(|period| period.number);
    periods.dedup_by_key(|period| period.number);
}

/// Measure the pairs that are missing, and keep each period.
fn measure(
    arguments: &Arguments,
    trial: &Trial,
    mut store: Store<Period>,
    periods: &mut Vec<Period>,
) -> Outcome {
    let interrupt = Interrupt::listen_once()?;
    let is_there = |number: u32| periods.iter().any(|it| it.number == number);
    // Both periods of a pair are measured one after the other.
    let is_missing = |number: &u32| !(is_there(*number) && is_there(number ^ 1));
    let missing: Vec<u32> = (0..2 * arguments.pairs).filter(is_missing).collect();
    let bar = progress(missing.len(), arguments.quiet);
    let run_all = || {
        for number in missing {
            bar.set_message(if has_help(number) { "with help" } else { "without help" });
            let period = trial.run(number, interrupt.flag())?;
            store.keep(&period)?;
            periods.push(period);
            bar.inc(1);
        }
        Ok(())
    };
    let outcome: Result<(), RunError> = run_all();
    bar.finish_and_clear();
    // A second request to stop does not leave it half switched: the command has a minute.
    let left = trial.switch.turn(arguments.leave == Leave::On, &AtomicBool::new(false));
    if let Err(RunError::Failed(why)) = left {
        note("warning", format!("help may be on or off now: {why}"));
    }
    let kept = "; finished periods are kept, and the same command continues";
    outcome.map_err(|error| failure(error, kept, &interrupt))
}
