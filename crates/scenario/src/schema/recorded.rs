//! Schedules from files: mahimahi, delay series, LeoEM path logs, CSV.

use super::handover::read_fates;
use crate::codes::Code;
use crate::reader::{Reader, choose, text};
use crate::recordings;
use crate::units::{self, Complaint};
use seamline_net::Schedule;
use seamline_net::import::csv::{ColumnMap, LossUnit, RateUnit, TimeUnit};
use seamline_net::import::leoem::LeoemOptions;
use seamline_net::import::{ImportError, Recording, csv, delay_series, leoem, mahimahi};
use seamline_net::schedule::{Fates, Reordering};
use seamline_wire::Duration;

/// The formats a scenario may name, with a line about each.
pub const FORMATS: &[(&str, &str)] = &[
    (
        "mahimahi",
        "capacity: one line per chance to send 1500 bytes, its time in ms (Netravali et al., ATC 2015)",
    ),
    ("delay-series", "one-way delay: one line per interval, in ms"),
    (
        "leoem",
        "delay and handovers of a path over satellites, second by second (Cao and Zhang, INFOCOM 2023)",
    ),
    ("csv", "rate, one-way delay and loss over time, with the columns you name"),
];

/// What an access handover interrupts when nothing else is said: the median measured in 5G NSA low band
/// (Hassan et al., ACM SIGCOMM 2022); the path logs themselves do not tell.
const USUAL_INTERRUPTION: Duration = Duration::from_millis(50);

pub(crate) const REORDERING: &[(&str, Reordering)] =
    &[("prevented", Reordering::Prevented), ("allowed", Reordering::Allowed)];
pub(crate) const TIME_UNITS: &[(&str, TimeUnit)] = &[
    ("s", TimeUnit::Seconds),
    ("ms", TimeUnit::Milliseconds),
    ("us", TimeUnit::Microseconds),
    ("ns", TimeUnit::Nanoseconds),
];
pub(crate) const RATE_UNITS: &[(&str, RateUnit)] = &[
    ("bit/s", RateUnit::BitsPerSecond),
    ("kbit/s", RateUnit::KilobitsPerSecond),
    ("Mbit/s", RateUnit::MegabitsPerSecond),
    ("Gbit/s", RateUnit::GigabitsPerSecond),
    ("B/s", RateUnit::BytesPerSecond),
];
pub(crate) const LOSS_UNITS: &[(&str, LossUnit)] = &[("share", LossUnit::Share), ("%", LossUnit::Percent)];

/// Read the keys of a recorded schedule of this format; `None` when something is wrong, which has been
/// noted.
pub(super) fn read(reader: &mut Reader<'_>, format: &str) -> Option<Schedule> {
    let schedule = match format {
        "mahimahi" => open(reader, format, |recording| {
            let capacity = Some(mahimahi::parse(recording)?.into());
            Ok(Schedule { capacity, ..Schedule::default() })
        }),
        "delay-series" => read_delay_series(reader),
        "leoem" => read_leoem(reader),
        _ => read_csv(reader),
    };
    let start = reader.or("start", Duration::ZERO, units::duration);
    let reordering = reader.choice("reordering", REORDERING);
    let mut schedule = schedule?.skip(start?);
    schedule.reordering = reordering.unwrap_or(schedule.reordering);
    Some(schedule)
}

fn read_delay_series(reader: &mut Reader<'_>) -> Option<Schedule> {
    let interval = reader.or("interval", delay_series::USUAL_INTERVAL, units::positive_duration)?;
    open(reader, &format!("delay-series {interval}"), |recording| {
        let one_way_delay = Some(delay_series::parse(recording, interval)?);
        Ok(Schedule { one_way_delay, ..Schedule::default() })
    })
}

/// The logs do not tell what becomes of packets: those in flight over the old satellite still land.
fn read_leoem(reader: &mut Reader<'_>) -> Option<Schedule> {
    let interruption = reader.or("interruption", USUAL_INTERRUPTION, units::duration);
    let fates = read_fates(reader, Fates::SEAMLESS);
    let options = LeoemOptions { interruption: interruption?, fates };
    open(reader, &format!("leoem {options:?}"), |recording| leoem::parse(recording, options))
}

fn read_csv(reader: &mut Reader<'_>) -> Option<Schedule> {
    if reader.node("time").is_none() {
        reader.missing("time");
    }
    let time = column(reader, "time", TIME_UNITS);
    let rate = column(reader, "rate", RATE_UNITS);
    let one_way_delay = column(reader, "one_way_delay", TIME_UNITS);
    let loss = column(reader, "loss", LOSS_UNITS);
    if rate.is_none() && one_way_delay.is_none() && loss.is_none() {
        let span = reader.span;
        let complaint = Complaint::new("no column is named for rate, one_way_delay or loss")
            .code(Code::Missing)
            .tip("write rate = { column = \"mbps\", unit = \"Mbit/s\" }");
        reader.refuse("kind", span, complaint);
        return None;
    }
    let map = ColumnMap { time: time?, rate, one_way_delay, loss };
    open(reader, &format!("csv {map:?}"), |recording| csv::parse(recording, &map))
}

fn column<T: Copy>(
    reader: &mut Reader<'_>,
    key: &'static str,
    units: &[(&'static str, T)],
) -> Option<(String, T)> {
    let mut table = reader.table(key)?;
    let column = table.required("column", text);
    let unit = table.required("unit", |node| choose(node, units));
    table.finish();
    column.zip(unit)
}

fn open(
    reader: &mut Reader<'_>,
    manner: &str,
    read: impl FnOnce(&Recording) -> Result<Schedule, ImportError>,
) -> Option<Schedule> {
    let context = reader.context;
    reader.required("file", |node| recordings::schedule(context, node, manner, read))
}
