//! `seamline recording show|convert FILE`: what a recorded network contains, and what a replay takes from it.

mod convert;
mod picture;
mod text;

use crate::Outcome;
use crate::format::FormatOption;
use crate::terminal::{Failure, json, note};
use clap::ValueEnum;
use clap::builder::PossibleValuesParser;
use seamline_experiment::atomic;
use seamline_recordings::replay::{DelayChoice, Replay, ReplayOptions, replay};
use seamline_recordings::{FORMATS, Recognised, Recording, recognise};
use std::fmt::Write;
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Show rate, delay, loss and outages, with their lengths and period, and what the file does not contain
    Show(Show),
    /// Write the conditions that a replay takes from a recording: capacity, delay, loss and outages over time
    Convert(convert::Arguments),
}

/// How a recording is read.
#[derive(Debug, clap::Args)]
struct Reading {
    /// The recording, plain or gzip
    file: PathBuf,
    /// Its format (see below) [default: recognized by its content]
    #[arg(long = "as", id = "as", value_name = "FORMAT", value_parser = PossibleValuesParser::new(FORMATS.iter().map(|it| it.name)))]
    read_as: Option<String>,
    /// The delay of a packet in the replay
    #[arg(long, value_name = "CHOICE", value_enum, default_value_t = Delay::Measured)]
    delay: Delay,
    /// Take what happened to be sent for what the link can carry
    #[arg(long)]
    traffic_is_capacity: bool,
}

/// The delay of a packet in the replay.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Delay {
    /// What the last probe before it measured: right where the host was idle otherwise
    Measured,
    /// That of the path without queueing: right where the host itself filled the queues
    Path,
}

#[derive(Debug, clap::Args)]
#[command(after_long_help = formats())]
struct Show {
    #[command(flatten)]
    reading: Reading,
    /// Where to write the figure (SVG) [default: the name of the recording with .svg, in this directory]
    #[arg(long, value_name = "PATH")]
    figure: Option<PathBuf>,
    /// Write no figure
    #[arg(long, conflicts_with = "figure")]
    no_figure: bool,
    #[command(flatten)]
    format: FormatOption,
}

/// The formats, for the long help.
fn formats() -> String {
    let mut text = String::from("Formats:\n");
    for format in FORMATS {
        let _ = writeln!(text, "  {:<14} {}", format.name, format.about);
    }
    text
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    match &arguments.command {
        Command::Show(arguments) => show(arguments),
        Command::Convert(arguments) => convert::run(arguments),
    }
}

/// A recording and its replay.
struct Read {
    recognised: Recognised,
    replay: Replay,
}

impl Reading {
    fn read(&self) -> Result<Read, Failure> {
        let recording = Recording::open(&self.file).map_err(|error| Failure::Input(error.to_string()))?;
        let named = self.read_as.as_ref().and_then(|name| FORMATS.iter().find(|it| it.name == name));
        let read = match named {
            Some(_) => seamline_recordings::read_as(&recording, named).map_err(|error| error.to_string()),
            None => recognise(&recording).map_err(|reasons| unknown(&self.file, &reasons)),
        };
        let recognised = read.map_err(Failure::Input)?;
        let delay = match self.delay {
            Delay::Measured => DelayChoice::Measured,
            Delay::Path => DelayChoice::Path,
        };
        let options = ReplayOptions { delay, traffic_is_capacity: self.traffic_is_capacity };
        let replay = replay(&recognised.measured, options)
            .map_err(|why| Failure::Input(format!("{}: {why}", self.file.display())))?;
        Ok(Read { recognised, replay })
    }
}

/// Why a file was not recognised.
fn unknown(file: &Path, reasons: &[(&str, seamline_recordings::ImportError)]) -> String {
    let known: Vec<&str> = FORMATS.iter().map(|it| it.name).collect();
    let name = file.display();
    match reasons {
        [] => format!(
            "{name} looks like none of the known formats: {}\ntip: if it is one of them, name it: --as FORMAT",
            known.join(", ")
        ),
        _ => {
            let lines = reasons.iter().map(|(format, error)| format!("\n  as {format}: {error}"));
            format!("{name} cannot be read{}", lines.collect::<String>())
        }
    }
}

fn show(arguments: &Show) -> Outcome {
    let read = arguments.reading.read()?;
    let file = &arguments.reading.file;
    let figure = match (&arguments.figure, arguments.no_figure) {
        (_, true) => None,
        (Some(path), false) => Some(path.clone()),
        (None, false) => Some(default_figure(file)),
    };
    if let Some(path) = &figure {
        let drawn = picture::draw(&read, &file.display().to_string());
        atomic::write(path, drawn.as_bytes())?;
    }
    let text = || text::describe(&read, file, figure.as_deref());
    arguments.format.print(text, || text::outages(&read.replay), || json(&text::summary(&read)))?;
    if let (Some(path), false) = (&figure, arguments.format.is_text()) {
        note("written", path.display());
    }
    Ok(())
}

/// `drive.txt.gz` becomes `drive.svg`.
fn default_figure(file: &Path) -> PathBuf {
    let name = file.file_name().and_then(|name| name.to_str()).unwrap_or("recording");
    let stem = name.split('.').find(|part| !part.is_empty()).unwrap_or("recording");
    PathBuf::from(format!("{stem}.svg"))
}
