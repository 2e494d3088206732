//! The numbers of a paper's reproduction as tables for notebooks.

use super::{bounds, claims};
use crate::documents::Documents;
use crate::evaluate::{CellResult, ClaimResult};
use crate::figures::{cells, flows, published};
use crate::quantity::Quantity;
use crate::records::{CellRecords, Number};
use crate::run::PaperOutcome;
use seamline_experiment::statistics::Estimate;
use seamline_report::export::table::Table;
use std::collections::BTreeSet;

/// One row for each flow of each cell, for each claim, for each cell behind a claim, and for each claim under each
/// reading.
pub(super) fn tables(documents: &Documents, outcome: &PaperOutcome) -> Vec<Table> {
    vec![
        all_cells(documents, outcome),
        all_claims(documents, outcome),
        behind(outcome),
        readings(documents, outcome),
    ]
}

/// A flow of a cell.
struct CellRow<'a> {
    cell: &'a CellRecords,
    flow: &'a str,
    rate: Estimate,
    published: Option<f64>,
}

fn all_cells(documents: &Documents, outcome: &PaperOutcome) -> Table {
    let mut rows = Vec::new();
    for part in &outcome.parts {
        for cell in cells(&outcome.records, &part.figure) {
            for flow in flows(outcome, &part.figure) {
                let published = published(documents, &part.figure, flow, cell);
                let number = Number { flow: Some(flow), ..Number::default() };
                rows.extend(cell.estimate(number).map(|rate| CellRow { cell, flow, rate, published }));
            }
        }
    }
    let keys: BTreeSet<&str> =
        rows.iter().flat_map(|row| row.cell.values.keys().map(String::as_str)).collect();
    let bits = |kilobits: f64| kilobits * 1e3;
    let mut table = Table::new("cells").text("figure", rows.iter().map(|row| row.cell.figure.clone()));
    for key in keys {
        let values = rows.iter().map(|row| row.cell.values.get(key).cloned().unwrap_or_default());
        table = table.text(key, values);
    }
    let table = table
        .text("flow", rows.iter().map(|row| row.flow.to_owned()))
        .whole("seeds", rows.iter().map(|row| row.rate.samples as u64))
        .real("goodput_bits_per_second", rows.iter().map(|row| Some(bits(row.rate.mean))))
        .real("goodput_low_bits_per_second", rows.iter().map(|row| row.rate.low.map(bits)))
        .real("goodput_high_bits_per_second", rows.iter().map(|row| row.rate.high.map(bits)))
        .real("published_bits_per_second", rows.iter().map(|row| row.published.map(bits)));
    OTHER_QUANTITIES
        .iter()
        .fold(table, |table, (name, quantity)| with_quantity(table, name, *quantity, &rows))
}

const OTHER_QUANTITIES: [(&str, Quantity); 3] = [
    ("transfer_time_s", Quantity::TransferTime),
    ("stall_s", Quantity::Stall),
    ("lost_at_handovers_packets", Quantity::LostAtHandovers),
];

/// The mean of a quantity where all runs of a cell have it, and the ends of its interval; nothing when no cell has.
fn with_quantity(table: Table, name: &str, quantity: Quantity, rows: &[CellRow<'_>]) -> Table {
    let found: Vec<Option<Estimate>> = rows
        .iter()
        .map(|row| row.cell.estimate(Number { quantity, flow: Some(row.flow), between: None }))
        .collect();
    if found.iter().all(Option::is_none) {
        return table;
    }
    let column = |pick: fn(&Estimate) -> Option<f64>| found.iter().map(move |it| it.as_ref().and_then(pick));
    table
        .real(name, column(|it| Some(it.mean)))
        .real(format!("{name}_low"), column(|it| it.low))
        .real(format!("{name}_high"), column(|it| it.high))
}

fn all_claims(documents: &Documents, outcome: &PaperOutcome) -> Table {
    let claims = || outcome.claims.iter();
    let table = Table::new("claims")
        .text("claim", claims().map(|claim| claim.id.clone()))
        .text("statement", claims().map(|claim| claim.statement.clone()))
        .text("place_in_paper", claims().map(|claim| claim.r#where.clone()))
        .text("aggregate", claims().map(|claim| claim.aggregate.clone()))
        .text("unit", claims().map(|claim| claims::unit(documents, &claim.id).to_owned()))
        .real("published_low", claims().map(|claim| claims::published(claim).values().first().copied()))
        .real("published_high", claims().map(|claim| claims::published(claim).values().last().copied()));
    numbers(table, &claims().collect::<Vec<_>>()).text("note", claims().map(|claim| claim.note.clone()))
}

/// What every table of claims has.
fn numbers(table: Table, claims: &[&ClaimResult]) -> Table {
    let end = |which: usize| move |claim: &&ClaimResult| claim.ci95.map(|ends| ends[which]);
    table
        .real("accepted_low", claims.iter().map(|claim| Some(bounds(claim.accept).0)))
        .real("accepted_high", claims.iter().map(|claim| Some(bounds(claim.accept).1)))
        .real("measured", claims.iter().map(|claim| claim.measured))
        .real("measured_low", claims.iter().map(end(0)))
        .real("measured_high", claims.iter().map(end(1)))
        .whole("seeds", claims.iter().map(|claim| claim.seeds.unwrap_or(0) as u64))
        .text("verdict", claims.iter().map(|claim| claim.verdict.name().to_owned()))
}

fn behind(outcome: &PaperOutcome) -> Table {
    let rows: Vec<(&ClaimResult, &CellResult)> =
        outcome.claims.iter().flat_map(|claim| claim.cells.iter().map(move |cell| (claim, cell))).collect();
    let end = |which: usize| move |(_, cell): &(&ClaimResult, &CellResult)| cell.ci95.map(|ends| ends[which]);
    let accepted = |which: usize| {
        move |(_, cell): &(&ClaimResult, &CellResult)| cell.accept.and_then(|ends| ends[which])
    };
    Table::new("claim_cells")
        .text("claim", rows.iter().map(|(claim, _)| claim.id.clone()))
        .text("cell", rows.iter().map(|(_, cell)| cell.cell.clone()))
        .text("unit", rows.iter().map(|(_, cell)| cell.unit.to_owned()))
        .real("measured", rows.iter().map(|(_, cell)| cell.measured))
        .real("measured_low", rows.iter().map(end(0)))
        .real("measured_high", rows.iter().map(end(1)))
        .real("published", rows.iter().map(|(_, cell)| cell.paper))
        .real("accepted_low", rows.iter().map(accepted(0)))
        .real("accepted_high", rows.iter().map(accepted(1)))
        .text("verdict", rows.iter().map(|(_, cell)| cell.verdict.map_or("", |it| it.name()).to_owned()))
}

/// A claim under a reading.
struct ReadingRow<'a> {
    silence: &'a str,
    reading: &'a str,
    set: String,
    taken: bool,
    claim: &'a ClaimResult,
}

fn readings(documents: &Documents, outcome: &PaperOutcome) -> Table {
    let tried =
        |id: &str| outcome.readings.iter().any(|reading| reading.claims.iter().any(|claim| claim.id == id));
    let taken = outcome.claims.iter().filter(|claim| tried(&claim.id)).chain(&outcome.taken_over_their_seeds);
    let taken = taken.map(|claim| ReadingRow {
        silence: "",
        reading: "as taken",
        set: String::new(),
        taken: true,
        claim,
    });
    let others = outcome.readings.iter().flat_map(|reading| {
        reading.claims.iter().map(move |claim| ReadingRow {
            silence: &reading.deviation.id,
            reading: &reading.reading.reading,
            set: reading.reading.set.join(" "),
            taken: false,
            claim,
        })
    });
    let rows: Vec<ReadingRow<'_>> = taken.chain(others).collect();
    let table = Table::new("readings")
        .text("silence", rows.iter().map(|row| row.silence.to_owned()))
        .text("reading", rows.iter().map(|row| row.reading.to_owned()))
        .text("set", rows.iter().map(|row| row.set.clone()))
        .truth("is_taken", rows.iter().map(|row| row.taken))
        .text("claim", rows.iter().map(|row| row.claim.id.clone()))
        .text("unit", rows.iter().map(|row| claims::unit(documents, &row.claim.id).to_owned()));
    numbers(table, &rows.iter().map(|row| row.claim).collect::<Vec<_>>())
}
