//! `seamline calibrate [--quick] [--json]`: the accuracy of the emulated links on this host.

use crate::Outcome;
use crate::lab::{failure, prepare};
use crate::terminal::{Failure, note, print_results};
use seamline_lab::calibrate::{Calibration, Effort, PUBLISHED, calibrate, table};

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Measure for a quarter of a minute instead of a full minute
    #[arg(long)]
    quick: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Do not show progress
    #[arg(short, long)]
    quiet: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let state = prepare(arguments.quiet)?;
    let effort = if arguments.quick { Effort::Quick } else { Effort::Full };
    let begins = |part: &str| {
        if !arguments.quiet {
            note("measuring", part);
        }
    };
    let calibration = calibrate(effort, &state, &begins).map_err(failure)?;
    print_results(&if arguments.json { json(&calibration)? } else { table(&calibration) })
}

fn json(calibration: &Calibration) -> Result<String, Failure> {
    let mut value = serde_json::to_value(calibration)?;
    value["others"] = serde_json::to_value(PUBLISHED)?;
    Ok(format!("{value:#}\n"))
}
