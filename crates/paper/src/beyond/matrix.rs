//! The gains of combinations: agents in the network with schemes at the ends, a panel for each congestion control.

use super::shown::{MatrixOf, Shown};
use crate::job::Refused;
use crate::records::{CellRecords, cells};
use seamline_experiment::statistics::Estimate;
pub use seamline_report::picture::matrix::{Field, is_sure};
use seamline_report::summary::distinct;
use serde::Serialize;
use std::collections::BTreeMap;

/// All combinations.
#[derive(Clone, Debug, Serialize)]
pub struct Matrix {
    /// What it shows.
    #[serde(flatten)]
    pub of: MatrixOf,
    /// The rows.
    pub rows: Vec<String>,
    /// The columns: schemes.
    pub columns: Vec<String>,
    /// A panel for each value of a further key.
    pub panels: Vec<Panel>,
    /// The reasons why combinations were refused; fields refer to them by index.
    pub reasons: Vec<String>,
}

/// The combinations with one congestion control.
#[derive(Clone, Debug, Serialize)]
pub struct Panel {
    /// Its name.
    pub name: String,
    /// Mean goodput without any help in Mbit/s: the baseline of the gains.
    pub baseline_megabits_per_second: Option<Estimate>,
    /// The fields in rows.
    pub fields: Vec<Vec<Field>>,
}

/// A matrix of these records; `refused` are the combinations that were not run because their values do not go together.
pub fn matrix(of: &MatrixOf, shown: &Shown, records: &[CellRecords], refused: &[Refused]) -> Matrix {
    let source = Source {
        of,
        shown,
        cells: cells(records, &of.scenario),
        refused: refused.iter().filter(|it| it.figure == of.scenario).collect(),
    };
    let (rows, columns) = (source.values(&of.rows), source.values(&shown.scheme));
    let reasons = distinct(source.refused.iter().map(|it| it.reason.clone()));
    let panel = |name: String| {
        let field = |row: &String, column: &String| source.field([row, column, &name], &reasons);
        let fields =
            rows.iter().map(|row| columns.iter().map(|column| field(row, column)).collect()).collect();
        Panel { baseline_megabits_per_second: source.without_help(&name), name, fields }
    };
    Matrix {
        of: of.clone(),
        panels: source.values(&of.panels).into_iter().map(panel).collect(),
        rows,
        columns,
        reasons,
    }
}

/// What a matrix is made of.
struct Source<'a> {
    of: &'a MatrixOf,
    shown: &'a Shown,
    cells: Vec<&'a CellRecords>,
    refused: Vec<&'a Refused>,
}

impl Source<'_> {
    /// The values of a key, first those of the cells, then those of what was refused.
    fn values(&self, key: &str) -> Vec<String> {
        let all = self.cells.iter().map(|cell| &cell.values).chain(self.refused.iter().map(|it| &it.values));
        distinct(all.filter_map(|values| values.get(key)).cloned())
    }

    /// The field of this row, column and panel.
    fn field(&self, wanted: [&String; 3], reasons: &[String]) -> Field {
        let keys = [&self.of.rows, &self.shown.scheme, &self.of.panels];
        let is_here = |values: &BTreeMap<String, String>| {
            keys.iter().zip(wanted).all(|(key, value)| values.get(*key) == Some(value))
        };
        if let Some(it) = self.refused.iter().find(|it| is_here(&it.values)) {
            let place = reasons.iter().position(|reason| *reason == it.reason);
            return place.map_or(Field::Nothing, Field::Refused);
        }
        let cell = self.cells.iter().find(|cell| is_here(&cell.values));
        cell.and_then(|cell| self.gain(cell)).map_or(Field::Nothing, Field::Gain)
    }

    /// Goodput without any help in this panel.
    fn without_help(&self, panel: &str) -> Option<Estimate> {
        let baseline = self.of.baseline(self.shown);
        let is_baseline = |cell: &&&CellRecords| {
            cell.is(&self.of.panels, panel) && baseline.iter().all(|(key, value)| cell.is(key, value))
        };
        self.cells.iter().find(is_baseline)?.goodput_in_megabits()
    }

    /// The gain of a cell over the cell without any help, in percent.
    fn gain(&self, cell: &CellRecords) -> Option<Estimate> {
        let factor = cell.factor_over(&self.of.baseline(self.shown), &self.cells)?;
        Some(factor.map(|factor| 100.0 * (factor - 1.0)))
    }
}

impl Matrix {
    /// How many seeds each number is made of.
    pub fn seeds(&self) -> usize {
        let fields = self.panels.iter().flat_map(|panel| panel.fields.iter().flatten());
        fields.filter_map(Field::gain).map(|gain| gain.samples).max().unwrap_or(0)
    }
}
