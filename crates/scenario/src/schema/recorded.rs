//! Schedules from files: any recording by its content, and formats with options of their own.

use super::handover::fates;
use super::schedule::Part;
use crate::codes::Code;
use crate::document::Node;
use crate::keys::{
    Choice, Keys, Kinds, Section, Shape, boolean, choice, kinds, named, positive_time, table, text, time,
    unread,
};
use crate::reader::Reader;
use crate::recordings;
use crate::units::Complaint;
use seamline_net::Schedule;
use seamline_net::schedule::Reordering;
use seamline_recordings::formats::csv::{ColumnMap, LOSS_UNITS, RATE_UNITS, TIME_UNITS};
use seamline_recordings::formats::leoem::LeoemOptions;
use seamline_recordings::formats::{csv, delay_series, leoem, mahimahi};
use seamline_recordings::measured::Conditions;
use seamline_recordings::replay::{DelayChoice, ReplayOptions, replay};
use seamline_recordings::{FORMATS, Format, ImportError, Recording, read_as};
use seamline_wire::Duration;

const REORDERING: &[(&str, Reordering)] =
    &[("prevented", Reordering::Prevented), ("allowed", Reordering::Allowed)];
const DELAYS: &[(&str, DelayChoice)] = &[("measured", DelayChoice::Measured), ("path", DelayChoice::Path)];

/// The formats, each a kind of schedule.
pub(super) fn kinds<'a>(kinds: Kinds<'a, Part>) -> Kinds<'a, Part> {
    kinds! { kinds;
        "recording" => recording_keys(), "any recording, recognized by its content: what `seamline recording show` shows";
        "mahimahi" => mahimahi_keys(), "capacity: one line per opportunity to send 1500 bytes, with its time in ms", "Netravali et al., ATC 2015";
        "delay-series" => delay_series_keys(), "one-way delay: one line per interval, in ms";
        "leoem" => leoem_keys(), "delay and handovers of a satellite path, second by second", "Cao and Zhang, INFOCOM 2023";
        "csv" => csv_keys(), "rate, one-way delay and loss over time, with the columns you name";
    }
}

#[derive(Clone)]
struct Options<F> {
    file: Option<Node>,
    start: Duration,
    reordering: Option<Reordering>,
    format: F,
}

/// A recording in a format with keys of its own.
fn recording<'a, F: Clone + 'a>(
    format: Keys<'a, F>,
    start: F,
    open: impl Fn(F, &mut Reader<'_>, &Node) -> Option<Conditions> + 'a,
) -> Section<'a, Part> {
    table! { Options<F>;
        required file: unread(Shape::Text), "The recording, plain or gzip, relative to the scenario";
        key start: time(), "Time in the recording to begin at";
        optional reordering: choice(REORDERING), "Whether packets overtake each other when the delay falls";
        .with(format, |it| &mut it.format);
    }
    .build(
        Options { file: None, start: Duration::ZERO, reordering: None, format: start },
        move |it, reader| {
            let mut conditions = open(it.format, reader, &it.file?)?.skip(it.start);
            for schedule in [&mut conditions.down, &mut conditions.up] {
                schedule.reordering = it.reordering.unwrap_or(schedule.reordering);
            }
            Some(Part::Recorded { conditions: Box::new(conditions), has_start: reader.has("start") })
        },
    )
}

/// What a recording of any format is read as.
#[derive(Clone, Copy, Debug, Default)]
struct AnyFormat {
    format: Option<&'static str>,
    options: ReplayOptions,
}

fn recording_keys<'a>() -> Section<'a, Part> {
    let formats = FORMATS.iter().map(|format| Choice::from((format.name, format.about))).collect();
    let keys = table! { AnyFormat;
        optional format: named(formats), "Its format [default: recognized by its content]";
        key delay (options.delay): choice(DELAYS), "The delay of a packet: what the last probe before it measured, or that of the path without queueing";
        key traffic_is_capacity (options.traffic_is_capacity): boolean(), "Use the rate of the recorded traffic as the capacity of the link";
    };
    recording(keys, AnyFormat::default(), |it, reader, file| {
        let format = it.format.and_then(Format::named);
        open(reader, file, &format!("{it:?}"), |recording| replayed(recording, format, it.options))
    })
}

/// The conditions that a recording shows.
fn replayed(
    recording: &Recording,
    format: Option<&Format>,
    options: ReplayOptions,
) -> Result<Conditions, ImportError> {
    let measured = read_as(recording, format)?.measured;
    let replay = replay(&measured, options).map_err(|why| recording.no_schedule(why))?;
    Ok(replay.conditions)
}

fn mahimahi_keys<'a>() -> Section<'a, Part> {
    recording(Keys::new(), (), |(), reader, file| {
        open(reader, file, "mahimahi", |recording| {
            let capacity = Some(mahimahi::parse(recording)?.into());
            Ok(Conditions::both(Schedule { capacity, ..Schedule::default() }))
        })
    })
}

fn delay_series_keys<'a>() -> Section<'a, Part> {
    let keys = table! { Duration; key interval (self): positive_time(), "Time between lines"; };
    recording(keys, delay_series::USUAL_INTERVAL, |interval, reader, file| {
        open(reader, file, &format!("delay-series {interval}"), |recording| {
            let one_way_delay = Some(delay_series::parse(recording, interval)?);
            Ok(Conditions::both(Schedule { one_way_delay, ..Schedule::default() }))
        })
    })
}

fn leoem_keys<'a>() -> Section<'a, Part> {
    let keys = table! { LeoemOptions;
        key interruption: time(), "Length of each handover, which the logs do not hold";
        .with(fates(), |it| &mut it.fates);
    };
    recording(keys, LeoemOptions::default(), |options, reader, file| {
        open(reader, file, &format!("leoem {options:?}"), |recording| {
            leoem::parse(recording, options).map(Conditions::both)
        })
    })
}

#[derive(Clone, Default)]
struct Columns {
    time: Option<(String, f64)>,
    rate: Option<(String, f64)>,
    one_way_delay: Option<(String, f64)>,
    loss: Option<(String, f64)>,
}

fn csv_keys<'a>() -> Section<'a, Part> {
    let keys = table! { Columns;
        section time: column(TIME_UNITS), "The column of times";
        .needed();
        section rate: column(RATE_UNITS), "The column of rates";
        section one_way_delay: column(TIME_UNITS), "The column of one-way delays";
        section loss: column(LOSS_UNITS), "The column of losses";
    };
    recording(keys, Columns::default(), |columns, reader, file| {
        let Columns { time, rate, one_way_delay, loss } = columns;
        if rate.is_none() && one_way_delay.is_none() && loss.is_none() {
            let complaint = Complaint::new("no column is named for rate, one_way_delay or loss")
                .code(Code::Missing)
                .tip("write rate = { column = \"mbps\", unit = \"Mbit/s\" }");
            reader.refuse("kind", reader.span, complaint);
            return None;
        }
        let map = ColumnMap { time: time?, rate, one_way_delay, loss };
        open(reader, file, &format!("csv {map:?}"), |recording| {
            csv::parse(recording, &map).map(Conditions::both)
        })
    })
}

fn column<'a>(units: &'static [(&'static str, f64)]) -> Section<'a, (String, f64)> {
    table! { (_, _);
        required column (0): text(), "Its name in the first line";
        required unit (1): choice(units), "Its unit";
    }
    .build((None, None), |(column, unit), _| column.zip(unit))
}

fn open(
    reader: &mut Reader<'_>,
    file: &Node,
    options: &str,
    read: impl FnOnce(&Recording) -> Result<Conditions, ImportError>,
) -> Option<Conditions> {
    let conditions = recordings::conditions(reader.context, file, options, read);
    reader.accept("file", conditions)
}
