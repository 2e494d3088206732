//! `seamline convert FILE`: event lists and captures from tables.

use crate::Outcome;
use crate::targets;
use crate::terminal::{Failure, print};
use seamline_cli::interrupt::Interrupt;
use seamline_experiment::report::quoted;
use seamline_experiment::{ConvertError, convert, converted_path};
use std::path::PathBuf;
use std::sync::atomic::Ordering;

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// A table that --parquet wrote: NAME-events.parquet or NAME-packets.parquet
    table: PathBuf,
    /// The file to write [default: NAME.csv or NAME.pcapng next to the table]
    #[arg(long, short, value_name = "PATH")]
    out: Option<PathBuf>,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let Arguments { table, out, force } = arguments;
    let interrupt = Interrupt::listen()?;
    let goes_on = || !interrupt.flag().load(Ordering::Relaxed);
    let out = match out {
        Some(out) => out.clone(),
        None => converted_path(table).map_err(|error| Failure::Input(error.to_string()))?,
    };
    targets::new_file(&out, *force)?;
    match convert(table, &out, &goes_on) {
        Ok(path) => print(&format!("Written: {}\n", quoted(&path.display().to_string()))),
        Err(ConvertError::Unwritten(error)) => Err(error.into()),
        Err(ConvertError::Stopped) => {
            Err(Failure::Interrupted("interrupted; nothing was written".to_owned(), interrupt.exit_code()))
        }
        Err(error) => Err(Failure::Input(error.to_string())),
    }
}
