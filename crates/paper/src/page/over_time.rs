//! Figures of curves over time.

use crate::figures::{Figure, OverTime};
use crate::quantity::Quantity;
use crate::records::{CellRecords, cells, values};
use crate::run::PaperOutcome;
use seamline_experiment::record::FlowRecord;
use seamline_report::picture::Picture;
use seamline_report::picture::curves::{Curve, curves};
use seamline_report::picture::frame::Names;
use seamline_report::quantity::plural;

/// A figure of curves over time.
pub(super) fn draw(curve_figure: &OverTime, outcome: &PaperOutcome) -> Picture {
    let figure = &curve_figure.figure;
    let cells = cells(&outcome.records, &figure.scenario);
    let own = |series: &String| {
        let cell = cells.iter().find(|cell| cell.is(&curve_figure.series, series))?;
        Some(Curve { name: series.clone(), points: points(figure, cell) })
    };
    let drawn: Vec<Curve> = values(&cells, &curve_figure.series).iter().filter_map(own).collect();
    let end = drawn.iter().flat_map(|curve| &curve.points).map(|(at, _)| *at).fold(0.0, f64::max);
    let between = curve_figure.between.map_or((0.0, end), |[from, to]| (from, to));
    let (remark, axis) = (remark(figure.quantity, &cells), figure.quantity.axis());
    let names = Names { picture: figure.picture(), title: &figure.title, remark: &remark, axis };
    let svg = curves(names, between, &drawn, &bands(&cells, &figure.flow), "handover, until reachable");
    Picture { name: figure.picture().to_owned(), svg, caption: figure.caption.clone() }
}

fn remark(quantity: Quantity, cells: &[&CellRecords]) -> String {
    let first = cells.iter().find_map(|cell| cell.runs.first());
    match (quantity, cells.iter().map(|cell| cell.runs.len()).max()) {
        (Quantity::SmoothedRoundTrip, _) => first.map(|run| format!("seed {}", run.seed)).unwrap_or_default(),
        (_, None | Some(0 | 1)) => "one run each".to_owned(),
        (_, Some(seeds)) => format!("mean of {}", plural(seeds, "seed")),
    }
}

fn points(figure: &Figure, cell: &CellRecords) -> Vec<(f64, f64)> {
    match figure.quantity {
        Quantity::SmoothedRoundTrip => {
            let rows = flow(cell, 0, &figure.flow).map(|flow| flow.intervals.as_slice()).unwrap_or_default();
            rows.iter().map(|row| (row.to_s, row.smoothed_round_trip_ms)).collect()
        }
        _ => rates(cell, &figure.flow),
    }
}

fn flow<'a>(cell: &'a CellRecords, seed: usize, name: &str) -> Option<&'a FlowRecord> {
    cell.runs.get(seed)?.flows.iter().find(|flow| flow.name == name)
}

/// Mean throughput over the seeds in kb/s, row by row.
fn rates(cell: &CellRecords, name: &str) -> Vec<(f64, f64)> {
    let seeds: Vec<&FlowRecord> = (0..cell.runs.len()).filter_map(|seed| flow(cell, seed, name)).collect();
    let Some(first) = seeds.first() else { return Vec::new() };
    let rows = first.intervals.iter().enumerate().map(|(place, row)| {
        let seconds = row.to_s - row.from_s;
        let bytes: u64 = seeds.iter().filter_map(|flow| flow.intervals.get(place)).map(|row| row.bytes).sum();
        (row.from_s, bytes as f64 * 8.0 / 1000.0 / seconds / seeds.len() as f64)
    });
    let end = first.intervals.last().map(|row| (row.to_s, 0.0));
    rows.chain(end).collect()
}

/// The handovers of the first run that has any: the hosts of all cells move alike.
fn bands(cells: &[&CellRecords], name: &str) -> Vec<(f64, f64)> {
    let first = cells.iter().filter_map(|cell| flow(cell, 0, name)).find(|flow| !flow.handovers.is_empty());
    let met = first.iter().flat_map(|flow| &flow.handovers);
    met.map(|met| (met.start_s, met.start_s + met.interruption_ms.unwrap_or(0.0) / 1000.0)).collect()
}
