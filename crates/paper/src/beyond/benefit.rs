//! The gains of the schemes: a table for each network, and maps over the quality of notices.

use super::shown::{ComparisonOf, MapOf, Shown};
use crate::records::{CellRecords, cells, values};
use seamline_experiment::statistics::Estimate;
use serde::Serialize;
use std::collections::BTreeMap;

/// Schemes compared on a network.
#[derive(Clone, Debug, Serialize)]
pub struct Comparison {
    /// What it shows.
    #[serde(flatten)]
    pub of: ComparisonOf,
    /// A row for each cell of the grid; the schemes of a group stand together.
    pub rows: Vec<Row>,
}

/// A scheme under certain conditions.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// The scheme.
    pub scheme: String,
    /// The other values of its cell.
    pub conditions: BTreeMap<String, String>,
    /// Mean goodput in Mbit/s.
    pub goodput_megabits_per_second: Estimate,
    /// Goodput over that of the baseline under the same conditions, seed by seed; `null` when nothing arrived.
    pub factor: Option<Estimate>,
}

/// Benefits over two parameters.
#[derive(Clone, Debug, Serialize)]
pub struct Map {
    /// What it shows.
    #[serde(flatten)]
    pub of: MapOf,
    /// The columns.
    pub x: Vec<String>,
    /// The rows.
    pub y: Vec<String>,
    /// A map for each scheme, including the baseline, whose map is 1 everywhere.
    pub schemes: Vec<SchemeMap>,
}

/// The benefit of one scheme.
#[derive(Clone, Debug, Serialize)]
pub struct SchemeMap {
    /// The scheme.
    pub scheme: String,
    /// Goodput over that of the baseline at the same place, seed by seed, in rows; `null` when nothing arrived.
    pub factor: Vec<Vec<Option<Estimate>>>,
}

/// The table of a network.
pub fn comparison(of: &ComparisonOf, shown: &Shown, records: &[CellRecords]) -> Comparison {
    let mut cells = cells(records, &of.scenario);
    let keys: Vec<&String> = cells.first().map_or(Vec::new(), |cell| cell.values.keys().collect());
    let conditions = keys.into_iter().filter(|key| **key != shown.scheme);
    let order: Vec<(&String, Vec<String>)> =
        conditions.chain([&shown.scheme]).map(|key| (key, values(&cells, key))).collect();
    let place = |cell: &CellRecords| -> Vec<Option<usize>> {
        let place = |(key, values): &(&String, Vec<String>)| {
            values.iter().position(|value| Some(value) == cell.values.get(*key))
        };
        order.iter().map(place).collect()
    };
    cells.sort_by_key(|cell| place(cell));
    let row = |cell: &&CellRecords| {
        let mut conditions = cell.values.clone();
        Some(Row {
            scheme: conditions.remove(&shown.scheme)?,
            conditions,
            goodput_megabits_per_second: cell.goodput_in_megabits()?,
            factor: factor(cell, shown, &cells),
        })
    };
    Comparison { of: of.clone(), rows: cells.iter().filter_map(row).collect() }
}

/// A map of benefits.
pub fn map(of: &MapOf, shown: &Shown, records: &[CellRecords]) -> Map {
    let cells = cells(records, &of.scenario);
    let (x, y) = (values(&cells, &of.x), values(&cells, &of.y));
    let at = |scheme: &str, column: &str, row: &str| {
        let cell = cells
            .iter()
            .find(|cell| cell.is(&of.x, column) && cell.is(&of.y, row) && cell.is(&shown.scheme, scheme))?;
        factor(cell, shown, &cells)
    };
    let schemes = values(&cells, &shown.scheme).into_iter().map(|scheme| SchemeMap {
        factor: y.iter().map(|row| x.iter().map(|column| at(&scheme, column, row)).collect()).collect(),
        scheme,
    });
    Map { of: of.clone(), schemes: schemes.collect(), x, y }
}

/// Its goodput over that of the cell whose scheme is the baseline and that differs in nothing else.
fn factor(cell: &CellRecords, shown: &Shown, cells: &[&CellRecords]) -> Option<Estimate> {
    cell.factor_over(&[(&shown.scheme, &shown.baseline)], cells)
}

impl Map {
    /// How many seeds each number is made of.
    pub fn seeds(&self) -> usize {
        let all = self.schemes.iter().flat_map(|scheme| scheme.factor.iter().flatten().flatten());
        all.map(|factor| factor.samples).max().unwrap_or(0)
    }
}

impl Comparison {
    /// How many seeds each number is made of.
    pub fn seeds(&self) -> usize {
        self.rows.iter().map(|row| row.goodput_megabits_per_second.samples).max().unwrap_or(0)
    }
}
