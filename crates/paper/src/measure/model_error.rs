//! Simulations compared with a closed form.

use super::paired::{Extreme, extreme_of, percent};
use super::{Measure, Measured};
use crate::closed_form::ClosedForm;
use crate::evaluate::CellResult;
use crate::records::CellRecords;
use seamline_experiment::statistics::{ERROR_95, estimate, estimate_at};

/// Each value of the axis with its cell, and by how many percent each seed exceeds the closed form. `None` when the closed form
/// has no number for one of the cells.
pub(super) fn errors<'a>(
    measure: &Measure,
    cells: &[&'a CellRecords],
    form: ClosedForm,
) -> Option<Vec<(f64, &'a CellRecords, Vec<f64>)>> {
    let own = measure.cells_on_axis(cells, &measure.of)?.into_iter();
    let errors = own.map(|(at, cell)| {
        let expected = form.expected(&cell.values)?;
        let found = cell.numbers(measure.number())?;
        Some((at, cell, found.into_iter().map(|found| percent(found, expected)).collect()))
    });
    errors.collect()
}

/// The error that is farthest from zero. The same runs show which one it is, so the intervals of all of them hold together at
/// 95 %.
pub(super) fn largest(measure: &Measure, cells: &[&CellRecords], form: ClosedForm) -> Option<Measured> {
    let errors = errors(measure, cells, form)?;
    let level = ERROR_95 / errors.len() as f64;
    let all = errors.iter().map(|(.., percent)| estimate_at(percent, level)).collect::<Option<Vec<_>>>()?;
    let farthest = all.iter().max_by(|a, b| a.mean.abs().total_cmp(&b.mean.abs()))?;
    let which = if farthest.mean < 0.0 { Extreme::Least } else { Extreme::Greatest };
    let cells = errors.iter().map(|(_, cell, percent)| {
        Some(CellResult::new(cell.name(), measure.unit(), Some(estimate(percent)?)))
    });
    Some(Measured { value: extreme_of(&all, which)?, cells: cells.collect::<Option<_>>()? })
}
