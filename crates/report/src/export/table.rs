//! Tables as columns, and which tables a report has.

use crate::model::{OfRun, Report};
use crate::record::LinkRecord;
use crate::series::{FlowSeries, QueueSeries, RunSeries};
use crate::statistics::Estimate;
use crate::summary::distinct;

/// The table with one row a segment.
pub(super) const SEGMENTS: &str = "segments";

/// A table: columns of the same length.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    /// Its name.
    pub name: &'static str,
    /// Its columns.
    pub columns: Vec<Column>,
}

/// A column.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Its name, with its unit.
    pub name: String,
    /// What is in it.
    pub data: Data,
}

/// The units that names of columns end in.
const UNITS: [(&str, &str); 7] = [
    ("bits_per_second", "bit/s"),
    ("bytes", "B"),
    ("packets", "packets"),
    ("segments", "segments"),
    ("ms", "ms"),
    ("us", "µs"),
    ("s", "s"),
];

impl Column {
    /// The unit that its name ends in.
    pub fn unit(&self) -> Option<&'static str> {
        let is_of = |unit: &str| {
            let rest = self.name.strip_suffix(unit);
            rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('_'))
        };
        UNITS.iter().find(|(suffix, _)| is_of(suffix)).map(|(_, unit)| *unit)
    }
}

/// The values of a column; `None` is an empty cell.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(untagged)]
pub enum Data {
    /// Words.
    Text(Vec<Option<String>>),
    /// Whole numbers.
    Whole(Vec<Option<i64>>),
    /// Other numbers.
    Real(Vec<Option<f64>>),
    /// Yes or no.
    Truth(Vec<bool>),
}

impl Data {
    /// How many values there are.
    pub fn len(&self) -> usize {
        match self {
            Data::Text(values) => values.len(),
            Data::Whole(values) => values.len(),
            Data::Real(values) => values.len(),
            Data::Truth(values) => values.len(),
        }
    }
    /// The value of a row as JSON.
    pub fn value(&self, row: usize) -> serde_json::Value {
        match self {
            Data::Text(values) => values[row].clone().into(),
            Data::Whole(values) => values[row].into(),
            Data::Real(values) => values[row].into(),
            Data::Truth(values) => values[row].into(),
        }
    }
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl Table {
    /// A table without columns.
    pub fn new(name: &'static str) -> Self {
        Table { name, columns: Vec::new() }
    }
    /// How many rows there are.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |column| column.data.len())
    }
    /// With a column of text.
    #[must_use]
    pub fn text(self, name: impl Into<String>, values: impl Iterator<Item = String>) -> Self {
        self.with(name, Data::Text(values.map(Some).collect()))
    }
    /// With a column of whole numbers. What does not fit into 63 bits is left empty.
    #[must_use]
    pub fn whole(self, name: impl Into<String>, values: impl Iterator<Item = u64>) -> Self {
        self.with(name, Data::Whole(values.map(|value| i64::try_from(value).ok()).collect()))
    }
    /// With a column of numbers that may be absent. What is not finite is left empty.
    #[must_use]
    pub fn real(self, name: impl Into<String>, values: impl Iterator<Item = Option<f64>>) -> Self {
        self.with(name, Data::Real(values.map(|value| value.filter(|value| value.is_finite())).collect()))
    }
    /// With the columns `NAME_mean_UNIT`, `NAME_low_UNIT` and `NAME_high_UNIT`: a mean and its 95 % interval.
    #[must_use]
    pub fn estimate(self, name: &str, unit: &str, values: impl Iterator<Item = Option<Estimate>>) -> Self {
        let values: Vec<Option<Estimate>> = values.collect();
        let column = |part: &str| {
            if unit.is_empty() { format!("{name}_{part}") } else { format!("{name}_{part}_{unit}") }
        };
        let values = || values.iter().copied();
        self.real(column("mean"), values().map(|value| Some(value?.mean)))
            .real(column("low"), values().map(|value| value?.low))
            .real(column("high"), values().map(|value| value?.high))
    }
    /// With a column of truths.
    #[must_use]
    pub fn truth(self, name: impl Into<String>, values: impl Iterator<Item = bool>) -> Self {
        self.with(name, Data::Truth(values.collect()))
    }

    /// With any column.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, data: Data) -> Self {
        self.columns.push(Column { name: name.into(), data });
        self
    }
}

/// The tables of all runs: one row for each flow of each run, for each handover that a flow met, for each
/// direction of each link, and for each flow of each cell over all seeds.
pub fn summary(report: &Report) -> Vec<Table> {
    let mut tables = vec![runs(report), handovers(report), links(report), outcomes(report)];
    tables.extend((report.emulations().count() > 0).then(|| emulation(report)));
    tables
}

fn runs(report: &Report) -> Table {
    let rows = || report.flows();
    of_cells(report, Table::new("runs"), rows().map(|row| row.cell))
        .whole("seed", rows().map(|row| row.seed))
        .text("flow", rows().map(|row| row.it.name.clone()))
        .text("variant", rows().map(|row| row.it.variant.clone()))
        .whole("delivered_bytes", rows().map(|row| row.it.delivered_bytes))
        .real("goodput_bits_per_second", rows().map(|row| Some(row.it.goodput_bits_per_second)))
        .real("measured_from_s", rows().map(|row| Some(row.it.measured_from_s)))
        .real("measured_to_s", rows().map(|row| Some(row.it.measured_to_s)))
        .whole("retransmissions", rows().map(|row| row.it.retransmissions))
        .whole("timeouts", rows().map(|row| row.it.timeouts))
        .whole("fast_recoveries", rows().map(|row| row.it.fast_recoveries))
        .real("round_trip_mean_ms", rows().map(|row| row.it.round_trip_mean_ms))
        .real("round_trip_min_ms", rows().map(|row| row.it.round_trip_min_ms))
        .real("loss_repair_mean_ms", rows().map(|row| row.it.loss_repair_mean_ms))
        .real("completion_s", rows().map(|row| row.it.completion_s))
}

fn handovers(report: &Report) -> Table {
    let rows = || report.handovers();
    of_cells(report, Table::new("handovers"), rows().map(|(flow, _)| flow.cell))
        .whole("seed", rows().map(|(flow, _)| flow.seed))
        .text("flow", rows().map(|(flow, _)| flow.it.name.clone()))
        .text("link", rows().map(|(_, handover)| handover.link.clone()))
        .real("start_s", rows().map(|(_, handover)| Some(handover.start_s)))
        .real("interruption_ms", rows().map(|(_, handover)| handover.interruption_ms))
        .real("movement_detected_ms", rows().map(|(_, handover)| handover.movement_detected_ms))
        .real("registered_ms", rows().map(|(_, handover)| handover.registered_ms))
        .real("first_data_ms", rows().map(|(_, handover)| handover.first_data_ms))
        .real("recovery_ms", rows().map(|(_, handover)| handover.recovery_ms))
        .whole("following_second_bytes", rows().map(|(_, handover)| handover.following_second_bytes))
        .whole("stalled_bytes", rows().map(|(_, handover)| handover.stalled_bytes))
        .whole("lost_packets", rows().map(|(_, handover)| handover.lost_packets))
}

fn links(report: &Report) -> Table {
    let rows = || report.links();
    of_cells(report, Table::new("links"), rows().map(|row| row.cell))
        .whole("seed", rows().map(|row| row.seed))
        .text("link", rows().map(|row| row.it.name.clone()))
        .whole("delivered_packets", rows().map(|row| row.it.delivered_packets))
        .whole("delivered_bytes", rows().map(|row| row.it.delivered_bytes))
        .whole("dropped_by_full_queue", rows().map(|row| row.it.dropped_by_full_queue))
        .whole("dropped_by_queue_management", rows().map(|row| row.it.dropped_by_queue_management))
        .whole("marked_by_queue", rows().map(|row| row.it.marked_by_queue))
        .whole("lost_to_errors", rows().map(|row| row.it.lost_to_errors))
        .whole("lost_to_link_down", rows().map(|row| row.it.lost_to_link_down))
        .with("lost_to_departure", sometimes(report, |link| link.lost_to_departure))
        .with("rate_bits_per_second", sometimes(report, |link| link.rate_bits_per_second))
}

/// Only of runs with real stacks.
fn emulation(report: &Report) -> Table {
    let rows = || report.emulations();
    of_cells(report, Table::new("emulation"), rows().map(|row| row.cell))
        .whole("seed", rows().map(|row| row.seed))
        .text("kernel", rows().map(|row| row.it.kernel.clone()))
        .text("stacks", rows().map(|row| row.it.format_stacks()))
        .text("clock", rows().map(|row| if row.it.is_virtual { "virtual" } else { "real" }.to_owned()))
        .text("priority", rows().map(|row| row.it.priority.clone()))
        .whole("packets", rows().map(|row| row.it.packets))
        .real("lateness_median_us", rows().map(|row| Some(row.it.lateness_median_us)))
        .real("lateness_p99_us", rows().map(|row| Some(row.it.lateness_p99_us)))
        .real("lateness_max_us", rows().map(|row| Some(row.it.lateness_max_us)))
        .whole("lost_at_interfaces", rows().map(|row| row.it.lost_at_interfaces))
        .whole("payload_unknown", rows().map(|row| row.it.payload_unknown))
        .text("warnings", rows().map(|row| row.it.warnings().join("; ")))
}

/// A whole number that not every link has.
fn sometimes(report: &Report, number: fn(&LinkRecord) -> Option<u64>) -> Data {
    let found = report.links().map(|row| number(row.it));
    Data::Whole(found.map(|number| number.and_then(|number| i64::try_from(number).ok())).collect())
}

/// Each flow of each cell over all seeds.
pub fn outcomes(report: &Report) -> Table {
    let rows = || report.outcomes.iter().map(|outcome| &outcome.summary);
    of_cells(report, Table::new("outcomes"), rows().map(|row| row.cell))
        .text("flow", rows().map(|row| row.flow.clone()))
        .text("variant", rows().map(|row| row.variant.clone()))
        .whole("runs", rows().map(|row| row.goodput_bits_per_second.samples as u64))
        .estimate("goodput", "bits_per_second", rows().map(|row| Some(row.goodput_bits_per_second)))
        .text(
            "against",
            rows().map(|row| row.against.as_ref().map_or(String::new(), |against| against.name.clone())),
        )
        .real("factor", rows().map(|row| row.factor().map(|factor| factor.mean)))
        .real("factor_low", rows().map(|row| row.factor().and_then(|factor| factor.low)))
        .real("factor_high", rows().map(|row| row.factor().and_then(|factor| factor.high)))
        .real("retransmissions_mean", rows().map(|row| Some(row.retransmissions_mean)))
        .real("timeouts_mean", rows().map(|row| Some(row.timeouts_mean)))
        .real("completion_mean_s", rows().map(|row| row.completion_s.map(|mean| mean.mean)))
        .real("recovery_median_ms", rows().map(|row| row.recovery_median_ms))
        .whole("handovers", rows().map(|row| row.handovers as u64))
}

/// The columns that identify the cell: its index, its name, and what the grid set.
fn of_cells(report: &Report, table: Table, cells: impl Iterator<Item = usize>) -> Table {
    let cells: Vec<usize> = cells.collect();
    let keys = distinct(report.cells.iter().flat_map(|cell| &cell.values).map(|(key, _)| key.as_str()));
    let value = |cell: usize, key: &str| {
        let values = report.cells.get(cell).map_or(&[][..], |cell| &cell.values);
        values.iter().find(|(known, _)| known == key).map_or(String::new(), |(_, value)| value.clone())
    };
    let mut table = table
        .whole("cell", cells.iter().map(|cell| *cell as u64))
        .text("cell_name", cells.iter().map(|cell| report.cell_name(*cell).to_owned()));
    for key in keys {
        table = table.text(key, cells.iter().map(|cell| value(*cell, key)));
    }
    table
}

/// A table of the summary or over time by its name.
pub fn named(report: &Report, name: &str) -> Option<Table> {
    let make: fn(&Report) -> Table = match name {
        "runs" => runs,
        "handovers" => handovers,
        "links" => links,
        "outcomes" => outcomes,
        "emulation" => emulation,
        "senders" => senders,
        "queues" => queues,
        SEGMENTS => segments,
        _ => return None,
    };
    Some(make(report))
}

/// The goodput of each connection of flows that have several.
pub fn connections(report: &Report) -> Option<Table> {
    let rows = || {
        report.flows().flat_map(|OfRun { cell, seed, it }| {
            let each = it.copies_bits_per_second.iter().enumerate();
            each.map(move |(place, goodput)| (OfRun { cell, seed, it }, place, *goodput))
        })
    };
    rows().next()?;
    let table = of_cells(report, Table::new("connections"), rows().map(|(flow, ..)| flow.cell))
        .whole("seed", rows().map(|(flow, ..)| flow.seed))
        .text("flow", rows().map(|(flow, ..)| flow.it.name.clone()))
        .whole("connection", rows().map(|(_, place, _)| place as u64 + 1))
        .real("goodput_bits_per_second", rows().map(|(.., goodput)| Some(goodput)));
    Some(table)
}

/// The tables over time, of the runs recorded in full: what senders knew and queues, both thinned out with the extremes kept
/// ([`crate::decimate`]), and every segment sent.
pub fn over_time(report: &Report) -> Vec<Table> {
    vec![senders(report), queues(report), segments(report)]
}

fn senders(report: &Report) -> Table {
    let rows = || of_flows(report, |flow| flow.sender.time_s.len());
    let column = |read: fn(&FlowSeries) -> &[f64]| {
        rows().map(move |(_, flow, place)| read(flow).get(place).copied()).collect::<Vec<_>>().into_iter()
    };
    of_run(Table::new("senders"), rows().map(|(run, flow, _)| (run, &flow.flow)))
        .real("time_s", column(|flow| &flow.sender.time_s))
        .real("congestion_window_segments", column(|flow| &flow.sender.congestion_window_segments))
        .real("slow_start_threshold_segments", column(|flow| &flow.sender.slow_start_threshold_segments))
        .real("smoothed_round_trip_ms", column(|flow| &flow.sender.smoothed_round_trip_ms))
        .real("retransmission_timeout_ms", column(|flow| &flow.sender.retransmission_timeout_ms))
        .real("bytes_in_flight", column(|flow| &flow.sender.bytes_in_flight))
}

fn queues(report: &Report) -> Table {
    let of_run = |run| {
        let run: &RunSeries = run;
        run.queues.iter().flat_map(move |queue| (0..queue.time_s.len()).map(move |place| (run, queue, place)))
    };
    let rows = || report.series.iter().flat_map(of_run);
    let column = |read: fn(&QueueSeries) -> &[f64]| {
        rows().map(move |(_, queue, place)| read(queue).get(place).copied()).collect::<Vec<_>>().into_iter()
    };
    Table::new("queues")
        .whole("cell", rows().map(|(run, _, _)| run.cell as u64))
        .text("cell_name", rows().map(|(run, _, _)| run.name.clone()))
        .whole("seed", rows().map(|(run, _, _)| run.seed))
        .text("link", rows().map(|(_, queue, _)| queue.link.clone()))
        .real("time_s", column(|queue| &queue.time_s))
        .real("packets", column(|queue| &queue.packets))
}

fn segments(report: &Report) -> Table {
    let rows = || of_flows(report, |flow| flow.segments.len());
    of_run(Table::new(SEGMENTS), rows().map(|(run, flow, _)| (run, &flow.flow)))
        .real("time_s", rows().map(|(_, flow, place)| Some(flow.segments[place].time_s)))
        .whole("position_bytes", rows().map(|(_, flow, place)| flow.segments[place].start))
        .whole("length_bytes", rows().map(|(_, flow, place)| u64::from(flow.segments[place].length)))
        .truth("retransmission", rows().map(|(_, flow, place)| flow.segments[place].retransmission))
}

/// Every flow of every run, `count` times, with the index of the row.
fn of_flows(
    report: &Report,
    count: fn(&FlowSeries) -> usize,
) -> impl Iterator<Item = (&RunSeries, &FlowSeries, usize)> {
    let flows = report.series.iter().flat_map(|run| run.flows.iter().map(move |flow| (run, flow)));
    flows.flat_map(move |(run, flow)| (0..count(flow)).map(move |place| (run, flow, place)))
}

fn of_run<'a>(table: Table, rows: impl Iterator<Item = (&'a RunSeries, &'a String)>) -> Table {
    let rows: Vec<_> = rows.collect();
    table
        .whole("cell", rows.iter().map(|(run, _)| run.cell as u64))
        .text("cell_name", rows.iter().map(|(run, _)| run.name.clone()))
        .whole("seed", rows.iter().map(|(run, _)| run.seed))
        .text("flow", rows.iter().map(|(_, flow)| (*flow).clone()))
}
