//! Curves over time compared, interval by interval.

use super::paired::other;
use super::{Behind, BySeed, Measure, Measured};
use crate::quantity::{Quantity, smoothed_round_trips};
use crate::records::CellRecords;
use seamline_experiment::record::RunRecord;
use seamline_experiment::statistics::estimate;

/// In what share of the intervals `of` is below `over`, in percent, seed by seed. `None` for what is no curve over time.
pub(super) fn share_below(measure: &Measure, cells: &[&CellRecords]) -> Option<Measured> {
    if measure.quantity != Quantity::SmoothedRoundTrip {
        return None;
    }
    let (key, over) = measure.over.iter().next()?;
    let over = over.as_slice().first()?;
    let (mut seeds, mut behind) = (BySeed::default(), Vec::new());
    for of in cells.iter().filter(|cell| measure.is_of(cell)) {
        let with = other(of, key, over, cells)?;
        let shares: Option<Vec<f64>> =
            of.runs.iter().zip(&with.runs).map(|(of, over)| share(measure, of, over)).collect();
        let shares = shares?;
        let name = format!("{} below {over}", of.name());
        behind.push(Behind { name, value: estimate(&shares)?, unit: measure.unit() });
        seeds.add(shares);
    }
    Some(Measured { value: seeds.estimate()?, behind })
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
