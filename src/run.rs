//! `seamline run FILE`

use crate::Outcome;
use crate::experiment::{Options, run_and_report};
use crate::terminal::{Failure, invalid};
use seamline_experiment::report::quoted;
use seamline_scenario::Plan;
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The scenario file (`seamline demo --print` shows one)
    file: PathBuf,
    #[command(flatten)]
    options: Options,
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let Arguments { file, options } = arguments;
    let plan = load(file, &options.overrides.to_settings())?;
    let command = format!("run {}", quoted(&file.display().to_string()));
    run_and_report(&plan, options, &command, options.files())
}

/// Read a scenario file.
pub(crate) fn load(file: &Path, overrides: &[String]) -> Result<Plan, Failure> {
    let text = std::fs::read_to_string(file)
        .map_err(|error| Failure::Input(format!("cannot read {}: {error}", file.display())))?;
    Plan::new(file, text, overrides).map_err(|diagnostics| invalid(&diagnostics))
}
