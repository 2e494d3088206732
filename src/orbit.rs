//! `seamline orbit`: paths over satellites, from orbits to delay, handovers and outages.

mod answer;
mod files;
mod map;
mod network;
mod round_trips;
mod sky;
mod terminals;

use crate::Outcome;
use crate::format::FormatOption;
use crate::targets;
use crate::terminal::{Failure, list_written};
use network::NetworkOptions;
use seamline_net::schedule::Fates;
use seamline_orbit::{Passage, Setup, Switch, Terminal, follow};
use std::path::PathBuf;
use terminals::TerminalOptions;

#[derive(Debug, clap::Args)]
#[command(after_long_help = EXAMPLES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    network: NetworkOptions,
    #[command(flatten)]
    terminals: TerminalOptions,
    /// How a terminal switches to another satellite
    #[arg(long, value_enum, default_value_t = SwitchName::BreakBeforeMake)]
    switch: SwitchName,
    /// How long each handover interrupts the path with break-before-make [default: 75 ms, the median measured for Starlink]
    #[arg(long, value_name = "TIME")]
    interruption: Option<String>,
    /// Write the recording and the pictures into this directory
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    format: FormatOption,
}

const EXAMPLES: &str = "\
Examples:
  seamline orbit --shell starlink-1 --terminal \"47.6,-122.3\" --gateway \"47.5,-121.8\" --out seattle
  seamline orbit --shell starlink-1 --isl --terminal \"40.7,-74.0\" --gateway \"51.5,-0.1\" --duration \"30 min\"
  seamline orbit --tle starlink.txt --terminals homes.csv --gateways stations.csv --policy longest";

/// How a terminal changes its satellite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum SwitchName {
    /// The new link comes up before the old one goes down
    MakeBeforeBreak,
    /// The old link goes down before the new one comes up
    BreakBeforeMake,
}

/// Tanveer et al. and Hu et al. measured 59 to 135 ms: the median of the generator `starlink`.
const USUAL_INTERRUPTION: seamline_wire::Duration = seamline_wire::Duration::from_millis(75);

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let switch = arguments.switch()?;
    if let Some(folder) = &arguments.out {
        targets::folder("--out", folder)?;
    }
    let network = arguments.network.read()?;
    let terminals = arguments.terminals.read(network.horizon)?;
    let setup = network.setup;
    let passages = follow(&setup, &terminals).map_err(|error| Failure::Input(error.to_string()))?;
    let run = Run { name: &network.name, setup: &setup, terminals: &terminals, passages: &passages, switch };
    let written = arguments.out.as_deref().map(|folder| files::write(folder, &run)).transpose()?;
    let text = || {
        let written = written.map(|files| format!("\n{}", list_written(&files)));
        run.text() + &written.unwrap_or_default()
    };
    arguments.format.print_rows(text, || run.table())
}

/// What was computed.
struct Run<'a> {
    name: &'a str,
    setup: &'a Setup,
    terminals: &'a [Terminal],
    passages: &'a [Passage],
    switch: Switch,
}

impl Arguments {
    fn switch(&self) -> Result<Switch, Failure> {
        let interruption = match &self.interruption {
            None => USUAL_INTERRUPTION,
            Some(words) => crate::words::time(words)
                .map_err(|why| Failure::Input(format!("--interruption: `{words}`: {why}")))?,
        };
        match (self.switch, &self.interruption) {
            (SwitchName::BreakBeforeMake, _) => Ok(Switch::BreakBeforeMake { interruption }),
            (SwitchName::MakeBeforeBreak, None) => Ok(Switch::MakeBeforeBreak),
            (SwitchName::MakeBeforeBreak, Some(_)) => Err(Failure::Input(
                "--interruption: with make-before-break nothing is interrupted\ntip: leave it out, or take --switch break-before-make"
                    .to_owned(),
            )),
        }
    }
}

/// Packets wait for the new link.
const FATES: Fates = Fates::SEAMLESS;
