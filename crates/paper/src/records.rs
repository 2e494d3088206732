//! The records of a paper's runs, cell by cell.

use crate::quantity::Quantity;
use seamline_experiment::record::{FlowRecord, RunRecord};
use seamline_experiment::statistics::{Estimate, estimate, mean, paired_factor};
use seamline_report::summary::distinct;
use std::collections::BTreeMap;

/// The records of one cell of one figure.
#[derive(Clone, Debug)]
pub struct CellRecords {
    /// The figure.
    pub figure: String,
    /// What the grid set: last part of the key, and value.
    pub values: BTreeMap<String, String>,
    /// One record for each seed, in the same order in every cell.
    pub runs: Vec<RunRecord>,
}

/// A number of every run: of which flow, and of which part of the run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Number<'a> {
    /// The quantity.
    pub quantity: Quantity,
    /// The flow of this name, the mean of the flows whose names begin like this (`fixed-*`), or the first flow.
    pub flow: Option<&'a str>,
    /// Only what happened between these times, in seconds.
    pub between: Option<[f64; 2]>,
}

impl Number<'_> {
    fn of(self, run: &RunRecord) -> Option<f64> {
        if let Some(of_all_flows) = self.quantity.of_all_flows() {
            return of_all_flows(run);
        }
        let flows = self.flows(run).into_iter();
        let found: Option<Vec<f64>> = flows.map(|flow| self.quantity.of(flow, self.between)).collect();
        mean(&found?)
    }

    /// The flows that the number is of.
    pub(crate) fn flows(self, run: &RunRecord) -> Vec<&FlowRecord> {
        let Some(wanted) = self.flow else { return run.flows.first().into_iter().collect() };
        let is_wanted = |record: &&FlowRecord| match wanted.strip_suffix('*') {
            Some(beginning) => record.name.starts_with(beginning),
            None => record.name == wanted,
        };
        run.flows.iter().filter(is_wanted).collect()
    }
}

impl CellRecords {
    pub(crate) fn is(&self, key: &str, value: &str) -> bool {
        self.values.get(key).is_some_and(|own| own == value)
    }

    /// The figure and the values.
    pub fn name(&self) -> String {
        let values: Vec<&str> = self.values.values().map(String::as_str).collect();
        format!("{} {}", self.figure, values.join(" "))
    }

    /// The number for each seed; `None` when a run has none.
    pub fn numbers(&self, number: Number<'_>) -> Option<Vec<f64>> {
        self.runs.iter().map(|run| number.of(run)).collect()
    }

    /// The mean of the number over the seeds and its 95 % interval; `None` without runs.
    pub fn estimate(&self, number: Number<'_>) -> Option<Estimate> {
        estimate(&self.numbers(number)?)
    }

    /// Goodput of the first flow in kb/s for each seed.
    fn goodputs(&self) -> Vec<f64> {
        self.numbers(Number::default()).unwrap_or_default()
    }

    /// Goodput of the first flow in Mbit/s.
    pub(crate) fn goodput_in_megabits(&self) -> Option<Estimate> {
        let megabits: Vec<f64> = self.goodputs().iter().map(|kilobits| kilobits / 1000.0).collect();
        estimate(&megabits)
    }

    /// The cell of the same figure that differs from this one in these values alone.
    pub(crate) fn counterpart<'a>(
        &self,
        changes: &[(&str, &str)],
        cells: &[&'a CellRecords],
    ) -> Option<&'a CellRecords> {
        let mut wanted = self.values.clone();
        wanted.extend(changes.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())));
        cells.iter().copied().find(|other| other.figure == self.figure && other.values == wanted)
    }

    /// Its goodput over that of the counterpart with these values, seed by seed.
    pub(crate) fn factor_over(&self, changes: &[(&str, &str)], cells: &[&CellRecords]) -> Option<Estimate> {
        paired_factor(&self.goodputs(), &self.counterpart(changes, cells)?.goodputs())
    }
}

/// The number of a scenario that others are compared with, for each seed: the mean of its cells; `None` when a run has none.
pub(crate) fn level(cells: &[&CellRecords], number: Number<'_>) -> Option<Vec<f64>> {
    let numbers: Option<Vec<Vec<f64>>> = cells.iter().map(|cell| cell.numbers(number)).collect();
    let numbers = numbers?;
    let seeds = numbers.iter().map(Vec::len).min()?;
    (0..seeds).map(|seed| mean(&numbers.iter().map(|cell| cell[seed]).collect::<Vec<_>>())).collect()
}

/// The cells of a figure.
pub(crate) fn cells<'a>(records: &'a [CellRecords], figure: &str) -> Vec<&'a CellRecords> {
    records.iter().filter(|cell| cell.figure == figure).collect()
}

/// The values of a key, in the order of the grid.
pub(crate) fn values(cells: &[&CellRecords], key: &str) -> Vec<String> {
    distinct(cells.iter().filter_map(|cell| cell.values.get(key)).cloned())
}
