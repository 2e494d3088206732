//! Simulations compared with a closed form.

use super::paired::{Extreme, extreme_of, percent};
use super::{Behind, Measure, Measured};
use crate::closed_form::ClosedForm;
use crate::records::CellRecords;
use seamline_experiment::statistics::{ERROR_95, estimate, estimate_at};

/// A cell over the axis, and by how many percent each of its seeds exceeds the closed form.
pub(super) struct Error<'a> {
    pub(super) at: f64,
    pub(super) cell: &'a CellRecords,
    pub(super) percent: Vec<f64>,
}

/// In the order of the axis; `None` when the closed form says nothing about one of the cells.
pub(super) fn errors<'a>(
    measure: &Measure,
    cells: &[&'a CellRecords],
    form: ClosedForm,
) -> Option<Vec<Error<'a>>> {
    let axis = measure.axis.as_ref()?;
    let of_these = cells.iter().filter(|cell| measure.is_of(cell));
    let error = |cell: &'a CellRecords| {
        let (at, expected) = (cell.values.get(axis)?.parse().ok()?, form.expected(&cell.values)?);
        let found = cell.numbers(measure.number())?;
        Some(Error { at, cell, percent: found.iter().map(|found| percent(*found, expected)).collect() })
    };
    let mut errors: Vec<Error<'a>> = of_these.map(|cell| error(cell)).collect::<Option<_>>()?;
    errors.sort_by(|a, b| a.at.total_cmp(&b.at));
    (!errors.is_empty()).then_some(errors)
}

/// The error that is farthest from zero. Which it is is seen in the same runs, so the intervals of all of them hold together at 95 %.
pub(super) fn largest(measure: &Measure, cells: &[&CellRecords], form: ClosedForm) -> Option<Measured> {
    let errors = errors(measure, cells, form)?;
    let level = ERROR_95 / errors.len() as f64;
    let all = errors.iter().map(|it| estimate_at(&it.percent, level)).collect::<Option<Vec<_>>>()?;
    let farthest = all.iter().max_by(|a, b| a.mean.abs().total_cmp(&b.mean.abs()))?;
    let which = if farthest.mean < 0.0 { Extreme::Least } else { Extreme::Greatest };
    let behind = errors
        .iter()
        .map(|it| Some(Behind { name: it.cell.name(), value: estimate(&it.percent)?, unit: measure.unit() }));
    Some(Measured { value: extreme_of(&all, which)?, behind: behind.collect::<Option<_>>()? })
}
