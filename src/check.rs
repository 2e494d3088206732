//! `seamline check FILE...`

use crate::Outcome;
use crate::run::load;
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

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let mut invalid = 0;
    for file in &arguments.files {
        match load(file, &arguments.set) {
            Ok(plan) => {
                let (cells, runs) = (plural(plan.cells.len(), "grid cell"), plural(plan.runs(), "run"));
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
