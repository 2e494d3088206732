//! What combinations of help gain: agents in the network with schemes at the ends, a panel for each congestion control.

use super::shown::{MatrixOf, Shown};
use crate::figures::{cells, values};
use crate::records::CellRecords;
use crate::run::Refused;
use seamline_experiment::statistics::{Estimate, estimate, paired_factor};
use serde::Serialize;

/// All combinations.
#[derive(Clone, Debug, Serialize)]
pub struct Matrix {
    /// The scenario.
    pub scenario: String,
    /// What it is called.
    pub title: String,
    /// What the rows are.
    pub row_axis: String,
    /// The rows.
    pub rows: Vec<String>,
    /// The columns: schemes.
    pub columns: Vec<String>,
    /// A panel for each value of one more key.
    pub panels: Vec<Panel>,
    /// Why combinations were refused; fields refer to them by their place.
    pub reasons: Vec<String>,
    /// What a reader should see.
    pub caption: String,
}

/// The combinations with one congestion control.
#[derive(Clone, Debug, Serialize)]
pub struct Panel {
    /// What it is called.
    pub name: String,
    /// Mean goodput without any help in Mbit/s, which the gains are over.
    pub baseline_megabits_per_second: Option<Estimate>,
    /// Row by row.
    pub fields: Vec<Vec<Field>>,
}

/// What a combination comes to.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Field {
    /// The gain in goodput over no help in percent, seed by seed.
    Gain(Estimate),
    /// It was refused, for the reason at this place.
    Refused(usize),
    /// It was not run, or nothing arrived.
    Nothing,
}

impl Field {
    /// The gain, if there is one.
    pub fn gain(&self) -> Option<&Estimate> {
        if let Field::Gain(gain) = self { Some(gain) } else { None }
    }
}

/// Whether a gain or a loss is sure: its interval leaves out zero.
pub fn is_sure(gain: &Estimate) -> bool {
    matches!((gain.low, gain.high), (Some(low), Some(high)) if low > 0.0 || high < 0.0)
}

/// A matrix of these records; `refused` are the combinations that were not run because they make no sense.
pub fn matrix(of: &MatrixOf, shown: &Shown, records: &[CellRecords], refused: &[Refused]) -> Matrix {
    let cells = cells(records, &of.scenario);
    let refused: Vec<&Refused> = refused.iter().filter(|it| it.figure == of.scenario).collect();
    let all = |key: &str| {
        let mut all = values(&cells, key);
        for value in refused.iter().filter_map(|it| it.values.get(key)) {
            if !all.contains(value) {
                all.push(value.clone());
            }
        }
        all
    };
    let mut reasons: Vec<String> = Vec::new();
    for reason in refused.iter().map(|it| &it.reason) {
        if !reasons.contains(reason) {
            reasons.push(reason.clone());
        }
    }
    let (rows, columns) = (all(&of.rows), all(&shown.scheme));
    let panel = |name: String| {
        let at = |row: &String, column: &String| {
            let is = |key: &str, own: Option<&String>| match key {
                key if key == of.rows => own == Some(row),
                key if key == shown.scheme => own == Some(column),
                _ => own == Some(&name),
            };
            let keys = [&of.rows, &shown.scheme, &of.panels];
            if let Some(it) = refused.iter().find(|it| keys.iter().all(|key| is(key, it.values.get(*key)))) {
                return reasons
                    .iter()
                    .position(|reason| *reason == it.reason)
                    .map_or(Field::Nothing, Field::Refused);
            }
            let cell = cells.iter().find(|cell| keys.iter().all(|key| is(key, cell.values.get(*key))));
            cell.and_then(|cell| gain(cell, of, shown, &cells)).map_or(Field::Nothing, Field::Gain)
        };
        let fields = rows.iter().map(|row| columns.iter().map(|column| at(row, column)).collect()).collect();
        let without_help = cells.iter().find(|cell| {
            cell.is(&of.panels, &name) && of.baseline(shown).iter().all(|(key, value)| cell.is(key, value))
        });
        let megabits = |cell: &&CellRecords| -> Vec<f64> {
            cell.goodputs(None).iter().map(|kilobits| kilobits / 1000.0).collect()
        };
        Panel {
            baseline_megabits_per_second: without_help.and_then(|cell| estimate(&megabits(cell))),
            name,
            fields,
        }
    };
    Matrix {
        scenario: of.scenario.clone(),
        title: of.title.clone(),
        row_axis: of.row_axis.clone(),
        panels: all(&of.panels).into_iter().map(panel).collect(),
        rows,
        columns,
        reasons,
        caption: of.caption.clone(),
    }
}

/// Over the cell without any help, in percent.
fn gain(cell: &CellRecords, of: &MatrixOf, shown: &Shown, cells: &[&CellRecords]) -> Option<Estimate> {
    let mut wanted = cell.values.clone();
    wanted.extend(of.baseline(shown).map(|(key, value)| (key.clone(), value.clone())));
    let baseline = cells.iter().find(|other| other.values == wanted)?;
    let factor = paired_factor(&cell.goodputs(None), &baseline.goodputs(None))?;
    Some(factor.map(|factor| 100.0 * (factor - 1.0)))
}

impl Matrix {
    /// How many seeds are behind each number.
    pub fn seeds(&self) -> usize {
        let gains =
            self.panels.iter().flat_map(|panel| panel.fields.iter().flatten().filter_map(Field::gain));
        gains.map(|gain| gain.samples).max().unwrap_or(0)
    }
}
