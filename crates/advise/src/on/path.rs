//! The recorded path: what is taken from the recording, and what has to be given besides.

use super::means::{Means, means_of};
use super::question::PathInput;
use crate::error::InputError;
use crate::link::{
    absolute_path, of_diagnostics, product_packets, quantity, read_queue, read_share, toml_text,
};
use seamline_config::diagnostics::suggestion;
use seamline_config::units;
use seamline_recordings::replay::delay::BaseDelay;
use seamline_recordings::replay::{ReplayOptions, replay};
use seamline_recordings::{FORMATS, Format, Recording, read_as};
use seamline_scenario::recordings::detect;
use seamline_scenario::schema::extent::Extent;
use seamline_wire::{Duration, Rate};
use serde::Serialize;
use serde::ser::SerializeStruct;
use std::path::Path;

/// The option that names recordings.
const ON: &str = "--on";

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// The recording, in which it varies; the value is its mean.
    Recording,
    /// An option.
    Option,
}

/// A value and where it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Given<T> {
    /// The value, in a recording the mean.
    pub value: T,
    /// Where it comes from.
    pub from: Source,
}

/// A recording that was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RecordedFile {
    /// The file as it was named.
    pub file: String,
    /// The format that it was taken for.
    pub format: String,
    /// What it contains, in one line.
    pub summary: String,
    /// Where each thing comes from, and what the recording does not say. One sentence each.
    pub notes: Vec<String>,
    /// Phase and length of a period at which delays jump or handovers come.
    #[serde(skip)]
    period: Option<(Duration, Duration)>,
    /// The mean round trip of the path without queueing, where probes show it.
    #[serde(skip)]
    base: Option<Duration>,
    /// Whether its format was named.
    #[serde(skip)]
    is_named: bool,
}

/// A recorded path, between a gateway and the host.
#[derive(Clone, Debug, Serialize)]
pub struct RecordedPath {
    /// The recordings.
    pub recordings: Vec<RecordedFile>,
    /// Rate of the bottleneck.
    #[serde(serialize_with = "given_bits")]
    pub rate: Given<Rate>,
    /// Round-trip time without queueing.
    #[serde(serialize_with = "given_seconds")]
    pub round_trip: Given<Duration>,
    /// Share of packets lost at random; `None` when neither the recording nor an option says anything.
    pub loss: Option<Given<f64>>,
    /// The queue of the bottleneck as a line of a scenario.
    #[serde(skip)]
    pub(super) queue: String,
    /// What the queue holds, for people.
    #[serde(rename = "queue")]
    pub queue_text: String,
    /// Packets of [`crate::link::PACKET_BYTES`] of one bandwidth-delay product.
    #[serde(skip)]
    pub(super) product_packets: u64,
    /// Handovers and outages in the recording.
    pub handovers: usize,
    /// Whether it is a path over satellites, by its format or its delays.
    pub over_satellites: bool,
    /// When it changes at even distances, as paths over satellites do: the first time and the distance.
    #[serde(skip)]
    pub(super) reconfigurations: Option<(Duration, Duration)>,
    /// The conditions as a line of a scenario.
    #[serde(skip)]
    pub(super) schedule: String,
    #[serde(skip)]
    pub(super) means: Means,
}

/// `{ "bits_per_second": 20000000, "from": "option" }`
fn given_bits<S: serde::Serializer>(given: &Given<Rate>, serializer: S) -> Result<S::Ok, S::Error> {
    with_source(serializer, "bits_per_second", &given.value.bits_per_second(), given.from)
}

/// `{ "s": 0.06, "from": "recording" }`
fn given_seconds<S: serde::Serializer>(given: &Given<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
    with_source(serializer, "s", &given.value.as_secs_f64(), given.from)
}

fn with_source<S: serde::Serializer>(
    serializer: S,
    unit: &'static str,
    value: &impl Serialize,
    from: Source,
) -> Result<S::Ok, S::Error> {
    let mut fields = serializer.serialize_struct("Given", 2)?;
    fields.serialize_field(unit, value)?;
    fields.serialize_field("from", &from)?;
    fields.end()
}

impl RecordedPath {
    /// Read the recordings, and what the options say besides.
    pub(super) fn read(input: &PathInput<'_>) -> Result<Self, InputError> {
        let recordings = read_files(input)?;
        let schedule = schedule_line(&recordings);
        let means = means_of(&schedule, input.upload);
        let means = means.map_err(|diagnostics| of_diagnostics(ON, &diagnostics))?;
        let means =
            means.ok_or_else(|| InputError::new(ON, "the recording holds no conditions over time"))?;
        let rate = value(
            (
                "--rate",
                if input.upload { "capacity from the host" } else { "capacity to the host" },
                "20 Mbit/s",
            ),
            &recordings,
            means.rate,
            input.rate.map(|text| quantity("--rate", text, units::positive_rate)).transpose()?,
        )?;
        let round_trip = value(
            ("--round-trip", "delay", "60 ms"),
            &recordings,
            // The mean of what was measured contains the queueing of others.
            recordings.iter().find_map(|it| it.base).or(means.round_trip),
            input
                .round_trip
                .map(|text| quantity("--round-trip", text, units::positive_duration))
                .transpose()?,
        )?;
        let loss = read_loss(input.loss, means.loss)?;
        let queue = read_queue("--queue", input.queue, rate.value, round_trip.value)?;
        let over_satellites = recordings.iter().any(RecordedFile::is_over_satellites);
        Ok(RecordedPath {
            queue_text: queue_text(input.queue, &queue),
            product_packets: product_packets(rate.value, round_trip.value),
            reconfigurations: recordings.iter().find_map(|it| it.period),
            recordings,
            rate,
            round_trip,
            loss,
            queue,
            handovers: means.handovers,
            over_satellites,
            schedule,
            means,
        })
    }

    /// How far the recording reaches.
    pub fn extent(&self) -> Extent {
        self.means.extent
    }

    /// Whether it is of a satellite path whose satellites change.
    pub fn has_handovers(&self) -> bool {
        self.handovers > 0
    }
}

/// Formats that only recordings of satellite paths have.
const OF_SATELLITES: [&str; 4] = ["dish-history", "lens", "leoem", "wetlinks"];
/// How often Starlink assigns satellites again (Tanveer et al., CoNEXT 2023).
const STARLINK_PERIOD: Duration = Duration::from_secs(15);

impl RecordedFile {
    /// Whether its format is one of satellite paths, or its delays change as Starlink's do.
    fn is_over_satellites(&self) -> bool {
        let period = self.period.map(|(_, length)| length);
        OF_SATELLITES.contains(&self.format.as_str()) || period == Some(STARLINK_PERIOD)
    }
}

fn queue_text(given: Option<&str>, line: &str) -> String {
    match given {
        Some(text) => text.trim().to_owned(),
        None => {
            let limit = line.split("limit = \"").nth(1).and_then(|rest| rest.split('"').next());
            format!("{} (one bandwidth-delay product)", limit.unwrap_or_default())
        }
    }
}

fn read_files(input: &PathInput<'_>) -> Result<Vec<RecordedFile>, InputError> {
    if input.files.is_empty() {
        return Err(InputError::new(ON, "no recording is named").tip("--on drive.trace"));
    }
    input.files.iter().map(|file| read_file(file, input.format)).collect()
}

fn read_file(file: &str, format: Option<&str>) -> Result<RecordedFile, InputError> {
    let read = match format {
        None => detect(Path::new(file)).map_err(|message| {
            let tip = "--as FORMAT names its format; seamline recording show --help lists them";
            InputError::new(ON, message).tip(tip)
        })?,
        Some(name) => {
            let format = Format::named(name).ok_or_else(|| unknown_format(name))?;
            let recording = Recording::open(Path::new(file));
            let read = recording.and_then(|recording| read_as(&recording, Some(format)));
            read.map_err(|error| InputError::new(ON, error.to_string()))?
        }
    };
    let replay = replay(&read.measured, ReplayOptions::default());
    let findings =
        replay.map(|replay| replay.findings).map_err(|why| InputError::new(ON, why.to_string()))?;
    Ok(RecordedFile {
        file: file.to_owned(),
        format: read.format.to_owned(),
        summary: read.summary,
        notes: findings.notes,
        base: findings.base.as_ref().map(BaseDelay::mean),
        period: findings.period.map(|period| (period.phase, period.length)),
        is_named: format.is_some(),
    })
}

fn unknown_format(name: &str) -> InputError {
    let names: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
    let error = InputError::new("--as", format!("there is no format `{name}`"));
    suggestion("format", name, &names).into_iter().fold(error, InputError::tip)
}

/// All recordings, which complete each other.
fn schedule_line(recordings: &[RecordedFile]) -> String {
    let table = |it: &RecordedFile| {
        let format = if it.is_named { format!(", format = \"{}\"", it.format) } else { String::new() };
        format!("{{ kind = \"recording\", file = {}{format} }}", toml_text(&absolute_path(&it.file)))
    };
    match recordings {
        [only] => format!("schedule = {}", table(only)),
        several => format!("schedule = [{}]", several.iter().map(table).collect::<Vec<_>>().join(", ")),
    }
}

/// A value of the recording or of an option, but not of both.
fn value<T>(
    (option, what, example): (&str, &str, &str),
    recordings: &[RecordedFile],
    recorded: Option<T>,
    given: Option<T>,
) -> Result<Given<T>, InputError> {
    match (recorded, given) {
        (Some(value), None) => Ok(Given { value, from: Source::Recording }),
        (None, Some(value)) => Ok(Given { value, from: Source::Option }),
        (Some(_), Some(_)) => {
            let message = format!("the recording has a {what} of its own, which varies");
            Err(InputError::new(option, message).tip(format!("leave {option} out")))
        }
        (None, None) => {
            let of = |it: &RecordedFile| format!("{} ({}: {})", it.file, it.format, it.summary);
            let files: Vec<String> = recordings.iter().map(of).collect();
            let message = format!("{} has no {what}", files.join(" and "));
            let tip = format!("add {option} \"{example}\", or a second recording that has it: --on OTHER");
            Err(InputError::new(ON, message).tip(tip))
        }
    }
}

fn read_loss(given: Option<&str>, recorded: Option<f64>) -> Result<Option<Given<f64>>, InputError> {
    let Some(text) = given else {
        return Ok(recorded.map(|value| Given { value, from: Source::Recording }));
    };
    if recorded.is_some() {
        let error = InputError::new("--loss", "the recording has losses of its own, which vary");
        return Err(error.tip("leave --loss out"));
    }
    let value = read_share("--loss", text, "e.g. --loss \"1 %\"")?;
    Ok(Some(Given { value, from: Source::Option }))
}
