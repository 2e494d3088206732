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
use seamline_experiment::report::quoted;
use seamline_recordings::formats::table::{self, Column};
use seamline_recordings::measured::Probe;
use seamline_recordings::replay::together::{Overlap, leads, together};
use seamline_recordings::replay::{DelayChoice, Replay, ReplayOptions, replay};
use seamline_recordings::{FORMATS, Format, Recognised, Recording, explain, recognise};
use seamline_wire::Instant;
use std::fmt::Write;
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Show rate, delay, loss and outages, the lengths and the period of the outages, and what the recording does not contain
    Show(Show),
    /// Write what a replay takes from a recording: capacity, delay, loss and outages over time
    Convert(convert::Arguments),
}

/// Which column of a table holds what, as typed and as read.
#[derive(Clone, Debug)]
struct ColumnList(String, Vec<Column>);

fn parse_columns(list: &str) -> Result<ColumnList, String> {
    table::parse_columns(list).map(|columns| ColumnList(list.to_owned(), columns))
}

/// How a recording is read.
#[derive(Debug, clap::Args)]
struct Reading {
    /// The recording, plain or packed with gzip. Give several if they complete each other: a capacity trace and a series of delays, or a
    /// download and pings at the same time
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// The format of the recording (see below) [default: recognized by its content]
    #[arg(long = "as", id = "as", value_name = "FORMAT", value_parser = PossibleValuesParser::new(FORMATS.iter().map(|it| it.name)))]
    read_as: Option<String>,
    /// The columns of a table (CSV or Parquet) with their units, e.g. time=Timestamp:date,down=DL_bitrate:kbit/s,rtt=PINGAVG:ms. A column is
    /// one of time, down, up (goodput), down-capacity, up-capacity, down-traffic, up-traffic, rtt, down-delay, up-delay, loss, down-loss,
    /// up-loss or cell [default: recognized by the names in the header]
    #[arg(long, value_name = "LIST", value_parser = parse_columns, conflicts_with = "as")]
    columns: Option<ColumnList>,
    /// Which delay a packet has in the replay
    #[arg(long, value_name = "CHOICE", value_enum, default_value_t = Delay::Measured)]
    delay: Delay,
    /// Use the rate of the recorded traffic as the capacity of the link
    #[arg(long)]
    traffic_is_capacity: bool,
}

/// The delay of a packet in the replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Delay {
    /// The delay that the last probe before the packet measured. Choose it if the host sent nothing but the probes
    Measured,
    /// The delay of the path without queueing. Choose it if the host itself filled the queues
    Path,
}

#[derive(Debug, clap::Args)]
#[command(after_long_help = formats())]
struct Show {
    #[command(flatten)]
    reading: Reading,
    /// Where to write the figure (SVG) [default: the name of the recording with .svg, in the current directory]
    #[arg(long, value_name = "PATH")]
    figure: Option<PathBuf>,
    /// Do not write a figure
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

/// Recordings of one path, and their replay.
struct Read {
    /// What each file was taken for, with its name.
    parts: Vec<(String, Recognised)>,
    replay: Replay,
}

impl Read {
    /// A line for each file.
    fn titles(&self) -> Vec<String> {
        let title =
            |(name, it): &(String, Recognised)| format!("{name} read as {}: {}", it.format, it.summary);
        self.parts.iter().map(title).collect()
    }

    /// All probes on the clock of the replay: at most one of the files has some.
    fn probes(&self) -> Vec<Probe> {
        let leads = leads(self.parts.iter().map(|(_, it)| it.measured.began));
        let with_probes = self.parts.iter().zip(leads).find(|((_, it), _)| !it.measured.probes.is_empty());
        let Some(((_, it), by)) = with_probes else { return Vec::new() };
        let end = Instant::ZERO + by + self.replay.length;
        let common =
            it.measured.probes.iter().filter(|probe| probe.sent >= Instant::ZERO + by && probe.sent <= end);
        common.map(|probe| Probe { sent: probe.sent - by, ..*probe }).collect()
    }
}

impl Reading {
    fn read(&self) -> Result<Read, Failure> {
        let mut parts = Vec::new();
        let mut replays = Vec::new();
        for file in &self.files {
            let recognised = self.recognise(file)?;
            let replay = replay(&recognised.measured, self.options())
                .map_err(|why| Failure::Input(format!("{}: {why}", file.display())))?;
            replays.push((recognised.measured.began, replay));
            parts.push((file.display().to_string(), recognised));
        }
        let replay = together(replays).map_err(|Overlap { what, parts: (one, other) }| {
            Failure::Input(format!(
                "both {} and {} contain {what}\ntip: give recordings that complete each other, or one of them",
                parts[one].0, parts[other].0
            ))
        })?;
        if replay.length.is_zero() {
            let message = "the recordings have no time in common\ntip: give recordings of the same time";
            return Err(Failure::Input(message.to_owned()));
        }
        Ok(Read { parts, replay })
    }

    fn recognise(&self, file: &Path) -> Result<Recognised, Failure> {
        let recording = Recording::open(file).map_err(|error| Failure::Input(error.to_string()))?;
        let named = self.read_as.as_deref().and_then(Format::named);
        let read = match named {
            None if let Some(ColumnList(_, columns)) = &self.columns => {
                seamline_recordings::read_columns(&recording, columns).map_err(|error| error.to_string())
            }
            Some(_) => seamline_recordings::read_as(&recording, named).map_err(|error| error.to_string()),
            None => recognise(&recording).map_err(|reasons| {
                explain(&file.display().to_string(), &reasons)
                    + "\ntip: if you know its format, name it: --as FORMAT"
            }),
        };
        read.map_err(Failure::Input)
    }

    fn options(&self) -> ReplayOptions {
        let delay = match self.delay {
            Delay::Measured => DelayChoice::Measured,
            Delay::Path => DelayChoice::Path,
        };
        ReplayOptions { delay, traffic_is_capacity: self.traffic_is_capacity }
    }

    /// The files as they are typed.
    fn typed(&self) -> String {
        let typed: Vec<String> = self.files.iter().map(|file| quoted(&file.display().to_string())).collect();
        typed.join(" ")
    }

    /// The options as they are typed.
    fn typed_options(&self) -> String {
        let mut typed = String::new();
        self.read_as.iter().for_each(|name| typed += &format!(" --as {name}"));
        self.columns.iter().for_each(|ColumnList(list, _)| typed += &format!(" --columns {}", quoted(list)));
        typed += if self.delay == Delay::Path { " --delay path" } else { "" };
        typed + if self.traffic_is_capacity { " --traffic-is-capacity" } else { "" }
    }
}

fn show(arguments: &Show) -> Outcome {
    let reading = &arguments.reading;
    let read = reading.read()?;
    let figure = match (&arguments.figure, arguments.no_figure) {
        (_, true) => None,
        (Some(path), false) => Some(path.clone()),
        (None, false) => Some(default_figure(&reading.files[0])),
    };
    if let Some(path) = &figure {
        atomic::write(path, picture::draw(&read).as_bytes())?;
    }
    let text = || text::describe(&read, reading, figure.as_deref());
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
