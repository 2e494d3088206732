//! `seamline check FILE...`

use crate::Outcome;
use crate::run::load_parts;
use crate::terminal::{Failure, print};
use seamline_report::quantity::plural;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The scenario files
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Set a key of the scenarios
    #[arg(long = "set", value_name = "KEY=VALUE")]
    set: Vec<String>,
}

/// Grid cells that are read together; few of them are in memory at a time.
const PART: usize = 1000;

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let mut invalid = 0;
    for file in &arguments.files {
        match load_parts(file, &arguments.set, PART, &mut |_| {}) {
            Ok(parts) => {
                let totals = parts.totals();
                let (cells, runs) = (plural(totals.cells.len(), "grid cell"), plural(totals.runs(), "run"));
                print(&format!("{}: valid, {cells}, {runs}\n", file.display()))?;
            }
            Err(failure) => {
                failure.report();
                invalid += 1;
            }
        }
    }
    match invalid {
        0 => Ok(()),
        _ => Err(Failure::Input(format!("{invalid} of {} files have errors", arguments.files.len()))),
    }
}
