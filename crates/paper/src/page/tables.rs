//! The numbers of a paper's reproduction as tables for notebooks.

use crate::documents::Documents;
use crate::evaluate::{CellResult, ClaimResult};
use crate::figures::{flows, published};
use crate::quantity::Quantity;
use crate::records::{CellRecords, Number, cells};
use crate::run::{PaperOutcome, ReadingResult};
use seamline_experiment::statistics::Estimate;
use seamline_report::export::table::Table;
use std::collections::{BTreeMap, BTreeSet};

/// One row for each flow of each cell, for each claim, for each cell behind a claim, and for each claim under each
/// reading.
pub(super) fn tables(documents: &Documents, outcome: &PaperOutcome) -> Vec<Table> {
    vec![all_cells(documents, outcome), all_claims(outcome), behind(outcome), readings(outcome)]
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
    let table = Table::new("cells").text("figure", rows.iter().map(|row| row.cell.figure.clone()));
    let table = by_key(table, rows.iter().map(|row| &row.cell.values))
        .text("flow", rows.iter().map(|row| row.flow.to_owned()))
        .whole("seeds", rows.iter().map(|row| row.rate.samples as u64));
    let goodput = ["goodput_bits_per_second", "goodput_low_bits_per_second", "goodput_high_bits_per_second"];
    let bits = |kilobits: f64| kilobits * 1e3;
    let table = estimates(table, goodput, rows.iter().map(|row| Some(row.rate.map(bits))))
        .real("published_bits_per_second", rows.iter().map(|row| row.published.map(bits)));
    OTHER_QUANTITIES.iter().fold(table, |table, (names, quantity)| {
        let number = |flow| Number { quantity: *quantity, flow: Some(flow), between: None };
        let found: Vec<Option<Estimate>> =
            rows.iter().map(|row| row.cell.estimate(number(row.flow))).collect();
        let any = found.iter().any(Option::is_some);
        if any { estimates(table, *names, found.into_iter()) } else { table }
    })
}

/// Quantities that are shown where all runs of a cell have them; without any such cell there are no columns.
const OTHER_QUANTITIES: [([&str; 3], Quantity); 3] = [
    (["transfer_time_s", "transfer_time_s_low", "transfer_time_s_high"], Quantity::TransferTime),
    (["stall_s", "stall_s_low", "stall_s_high"], Quantity::Stall),
    (
        ["lost_at_handovers_packets", "lost_at_handovers_packets_low", "lost_at_handovers_packets_high"],
        Quantity::LostAtHandovers,
    ),
];

/// A column for each key of these values, empty where a row has none.
pub(super) fn by_key<'a>(
    table: Table,
    rows: impl Iterator<Item = &'a BTreeMap<String, String>> + Clone,
) -> Table {
    let keys: BTreeSet<&String> = rows.clone().flat_map(BTreeMap::keys).collect();
    keys.into_iter().fold(table, |table, key| {
        table.text(key, rows.clone().map(|values| values.get(key).cloned().unwrap_or_default()))
    })
}

/// Three columns: the means and the ends of their intervals.
pub(super) fn estimates(
    table: Table,
    [mean, low, high]: [&str; 3],
    values: impl Iterator<Item = Option<Estimate>>,
) -> Table {
    let values: Vec<Option<Estimate>> = values.collect();
    table
        .real(mean, values.iter().map(|value| value.map(|value| value.mean)))
        .real(low, values.iter().map(|value| value.and_then(|value| value.low)))
        .real(high, values.iter().map(|value| value.and_then(|value| value.high)))
}

const MEASURED: [&str; 3] = ["measured", "measured_low", "measured_high"];

fn all_claims(outcome: &PaperOutcome) -> Table {
    let claims = || outcome.claims.iter();
    let table = Table::new("claims")
        .text("claim", claims().map(|claim| claim.id.clone()))
        .text("statement", claims().map(|claim| claim.statement.clone()))
        .text("place_in_paper", claims().map(|claim| claim.r#where.clone()))
        .text("aggregate", claims().map(|claim| claim.aggregate.clone()))
        .text("unit", claims().map(|claim| claim.unit.to_owned()))
        .real("published_low", claims().map(|claim| claim.published().first().copied()))
        .real("published_high", claims().map(|claim| claim.published().last().copied()));
    numbers(table, claims()).text("note", claims().map(|claim| claim.note.clone()))
}

/// The columns of every table of claims.
fn numbers<'a>(table: Table, claims: impl Iterator<Item = &'a ClaimResult> + Clone) -> Table {
    let table = table
        .real("accepted_low", claims.clone().map(|claim| claim.accept[0]))
        .real("accepted_high", claims.clone().map(|claim| claim.accept[1]));
    estimates(table, MEASURED, claims.clone().map(ClaimResult::estimate))
        .whole("seeds", claims.clone().map(|claim| claim.seeds.unwrap_or(0) as u64))
        .text("verdict", claims.map(|claim| claim.verdict.name().to_owned()))
}

fn behind(outcome: &PaperOutcome) -> Table {
    let rows: Vec<(&ClaimResult, &CellResult)> =
        outcome.claims.iter().flat_map(|claim| claim.cells.iter().map(move |cell| (claim, cell))).collect();
    let cells = || rows.iter().map(|(_, cell)| *cell);
    let table = Table::new("claim_cells")
        .text("claim", rows.iter().map(|(claim, _)| claim.id.clone()))
        .text("cell", cells().map(|cell| cell.cell.clone()))
        .text("unit", cells().map(|cell| cell.unit.to_owned()));
    estimates(table, MEASURED, cells().map(|cell| cell.estimate()))
        .real("published", cells().map(|cell| cell.paper))
        .real("accepted_low", cells().map(|cell| cell.accept?[0]))
        .real("accepted_high", cells().map(|cell| cell.accept?[1]))
        .text("verdict", cells().map(|cell| cell.verdict.map_or("", |it| it.name()).to_owned()))
}

/// A claim under a reading; `None` is the reading taken.
type ReadingRow<'a> = (Option<&'a ReadingResult>, &'a ClaimResult);

fn readings(outcome: &PaperOutcome) -> Table {
    let taken = outcome.claims_with_readings().into_iter().chain(&outcome.taken_over_their_seeds);
    let taken = taken.map(|claim| (None, claim));
    let others = outcome
        .readings
        .iter()
        .flat_map(|reading| reading.claims.iter().map(move |claim| (Some(reading), claim)));
    let rows: Vec<ReadingRow<'_>> = taken.chain(others).collect();
    let reading = |of: fn(&ReadingResult) -> String, otherwise: &'static str| {
        rows.iter().map(move |(reading, _)| reading.map_or(otherwise.to_owned(), of))
    };
    let table = Table::new("readings")
        .text("silence", reading(|it| it.reading.about.clone().unwrap_or_default(), ""))
        .text("reading", reading(|it| it.reading.words.clone(), "as taken"))
        .text("ground", reading(|it| it.reading.ground.to_string(), ""))
        .text("set", reading(|it| it.reading.set.join(" "), ""))
        .truth("is_taken", rows.iter().map(|(reading, _)| reading.is_none()))
        .text("claim", rows.iter().map(|(_, claim)| claim.id.clone()))
        .text("unit", rows.iter().map(|(_, claim)| claim.unit.to_owned()));
    numbers(table, rows.iter().map(|(_, claim)| *claim))
}
