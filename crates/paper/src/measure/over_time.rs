//! Curves over time compared, interval by interval.

use super::{BySeed, Measure, Measured};
use crate::quantity::{Quantity, smoothed_round_trips};
use crate::records::CellRecords;
use seamline_experiment::record::RunRecord;

/// In what share of the intervals `of` is below `over`, in percent, seed by seed. `None` for a quantity without a curve over time.
pub(super) fn share_below(measure: &Measure, cells: &[&CellRecords]) -> Option<Measured> {
    if measure.quantity != Quantity::SmoothedRoundTrip {
        return None;
    }
    let (key, over) = measure.over()?;
    let over = over.first()?;
    let named = |of: &CellRecords| {
        let with = of.counterpart(&[(key, over)], cells)?;
        let shares = of.runs.iter().zip(&with.runs).map(|(of, over)| share(measure, of, over));
        Some((format!("{} below {over}", of.name()), shares.collect::<Option<Vec<f64>>>()?))
    };
    BySeed::of(measure.cells_of(cells, &measure.of), measure.unit(), named)?.measured()
}

fn share(measure: &Measure, of: &RunRecord, over: &RunRecord) -> Option<f64> {
    let rows = |run| smoothed_round_trips(measure.number().flows(run).first()?, measure.between);
    let (of, over) = (rows(of)?, rows(over)?);
    if of.len() != over.len() || of.is_empty() {
        return None;
    }
    let below = of.iter().zip(&over).filter(|(of, over)| of < over).count();
    Some(100.0 * below as f64 / of.len() as f64)
}
