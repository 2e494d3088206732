//! `seamline compare A B`

use crate::Outcome;
use crate::format::FormatOption;
use crate::sweep::failure;
use crate::terminal::{Failure, json, note};
use seamline_results::compare::{to_table, to_text};
use seamline_results::{Error, compare, load};
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The first result: the directory of a sweep, its runs.jsonl, or the output of `run --format json`
    a: PathBuf,
    /// The second result
    b: PathBuf,
    #[command(flatten)]
    format: FormatOption,
    /// Do not show notes
    #[arg(long, short)]
    quiet: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let read = |path: &PathBuf| {
        load(path).map_err(|error| match error {
            Error::Read { .. } => Failure::Input(error.to_string()),
            error => failure(error),
        })
    };
    let comparison = compare(&read(&arguments.a)?, &read(&arguments.b)?).map_err(failure)?;
    arguments.format.print(|| to_text(&comparison), || to_table(&comparison), || json(&comparison))?;
    if !arguments.quiet {
        comparison.notes.iter().for_each(|text| note("note", text));
    }
    Ok(())
}
