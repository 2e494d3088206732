//! `seamline recording convert FILE`

use super::Reading;
use crate::Outcome;
use crate::targets;
use crate::terminal::print;
use seamline_experiment::atomic;
use seamline_experiment::report::quoted;
use seamline_recordings::native;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
#[command(after_long_help = super::formats())]
pub(super) struct Arguments {
    #[command(flatten)]
    reading: Reading,
    /// The file to write: CSV with a header (format: docs/reference/recordings.md)
    #[arg(long, short, value_name = "PATH")]
    out: PathBuf,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
}

pub(super) fn run(arguments: &Arguments) -> Outcome {
    let Arguments { reading, out, force } = arguments;
    targets::new_file(out, *force)?;
    let read = reading.read()?;
    let remarks: Vec<String> = read.titles().into_iter().chain(read.replay.remarks()).collect();
    let text = native::write(&read.replay.conditions, read.replay.length, &remarks);
    atomic::write(out, text.as_bytes())?;
    let path = quoted(&out.display().to_string());
    print(&format!("Written: {path}\nNext: seamline recording show {path}\n"))
}
