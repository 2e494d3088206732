//! Results of more grid cells than are in memory at a time: they are read, compared and printed part by part.

use crate::Outcome;
use crate::format::Format;
use crate::terminal::Failure;
use seamline_cli::fitted;
use seamline_experiment::pages;
use seamline_experiment::report::{CellResultDocument, Pieces, Provenance, ResultDocument};
use seamline_experiment::summary::label;
use seamline_experiment::text::{Remarks, verdicts};
use seamline_experiment::{CellResult, Comparisons, FlowSummary};
use seamline_report::export::csv_rows;
use seamline_report::export::table::{Data, Table, outcomes};
use seamline_results::StoredRuns;
use seamline_scenario::{Parts, Plan};
use std::ops::Range;

/// The stored results of an experiment.
pub(super) struct InParts<'a> {
    pub(super) parts: &'a Parts<'a>,
    pub(super) stored: StoredRuns<'a>,
    pub(super) comparisons: Comparisons,
    pub(super) provenance: Provenance,
    /// How many grid cells are in memory at a time, besides those that they are compared with.
    pub(super) at_once: usize,
    /// Fails when the user has interrupted the command.
    pub(super) check: &'a dyn Fn() -> Outcome,
}

/// Some grid cells, and behind them those that they are compared with.
struct Part {
    plan: Plan,
    /// How many are not there for comparison only.
    own: usize,
    /// Where they are in the grid.
    places: Vec<usize>,
    results: Vec<CellResult>,
    /// Of its own grid cells.
    summary: Vec<FlowSummary>,
}

impl InParts<'_> {
    /// Print all results to `out`. Returns what a reader should know about them.
    pub(super) fn print(
        &mut self,
        format: Format,
        out: &mut dyn FnMut(&str) -> Outcome,
    ) -> Result<Vec<String>, Failure> {
        match format {
            Format::Table => self.each(&mut |part| out(&fitted(&verdicts(&part.plan, &part.summary)))),
            Format::Csv => self.print_rows(out),
            Format::Json => self.print_document(out),
        }
    }

    fn print_rows(&mut self, out: &mut dyn FnMut(&str) -> Outcome) -> Result<Vec<String>, Failure> {
        self.each(&mut |Part { plan, places, results, summary, .. }| {
            let report = pages::results_only(&plan, results, &summary);
            let rows = csv_rows(&moved(outcomes(&report), &places));
            let header = rows.find('\n').map_or(0, |end| end + 1);
            out(if places.first() == Some(&0) { &rows } else { &rows[header..] })
        })
    }

    /// The result document. Its grid cells come before the summary, so that everything is read twice.
    fn print_document(&mut self, out: &mut dyn FnMut(&str) -> Outcome) -> Result<Vec<String>, Failure> {
        let first = self.parts.first();
        let scenario = first.cells.first().map(|cell| &cell.scenario);
        let document = ResultDocument {
            provenance: &self.provenance,
            identity: self.parts.totals().identity().to_string(),
            title: scenario.and_then(|scenario| scenario.title.as_deref()),
            scenario: &first.base,
            duration_s: scenario.map_or(0.0, |scenario| scenario.duration.as_secs_f64()),
            cells: Vec::new(),
            summary: Vec::new(),
        };
        out(&Pieces::beginning(&document)?)?;
        let (mut cells, mut flows) = (Pieces::default(), Pieces::default());
        self.each(&mut |Part { plan, own, results, .. }| {
            let element = |(place, result): (usize, &CellResult)| {
                let name = label(&plan, place);
                cells.element(&CellResultDocument::new(&plan.cells[place], &name, &result.runs))
            };
            let text = results.iter().enumerate().take(own).map(element).collect::<Result<String, _>>();
            out(&text?)
        })?;
        out(Pieces::MIDDLE)?;
        let remarks = self.each(&mut |Part { places, summary, .. }| {
            let text = summary.into_iter().map(|flow| flows.element(&flow.moved(&places)));
            out(&text.collect::<Result<String, _>>()?)
        })?;
        out(Pieces::END)?;
        Ok(remarks)
    }

    /// Read part by part. Returns what a reader should know about all of them.
    fn each(&mut self, take: &mut dyn FnMut(Part) -> Outcome) -> Result<Vec<String>, Failure> {
        let mut remarks = Remarks::default();
        for cells in ranges(self.parts.totals().cells.len(), self.at_once) {
            (self.check)()?;
            let own = cells.len();
            let (comparisons, places) = self.comparisons.restricted_to(cells);
            let plan = self.parts.plan_of(&places);
            let results = self.stored.read(&places).map_err(super::failure)?;
            let summary = comparisons.summarise(&plan, &results);
            remarks.add(&plan, &results[..own], &summary);
            take(Part { plan, own, places, results, summary })?;
        }
        Ok(remarks.to_texts())
    }
}

/// So many grid cells at a time. None is alone at the end: the name of a flow of the only grid cell leaves that out.
fn ranges(cells: usize, at_once: usize) -> impl Iterator<Item = Range<usize>> {
    let mut begin = 0;
    std::iter::from_fn(move || {
        let end = if begin + at_once + 1 == cells { cells } else { cells.min(begin + at_once) };
        let range = begin..end;
        begin = end;
        (!range.is_empty()).then_some(range)
    })
}

/// A table that names grid cells by their places in the grid.
fn moved(mut table: Table, places: &[usize]) -> Table {
    for column in table.columns.iter_mut().filter(|column| column.name == "cell") {
        let Data::Whole(values) = &mut column.data else { continue };
        for value in values.iter_mut().flatten() {
            *value = places[*value as usize] as i64;
        }
    }
    table
}

#[cfg(test)]
mod tests;
