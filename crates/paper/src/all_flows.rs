//! Numbers of all flows of a run together.

use seamline_experiment::record::{LinkRecord, RunRecord};
use seamline_model::obtcp::jain_index;

/// Jain's index of the goodput of all flows, each copy of a flow for itself (equation 21 of paper obtcp).
pub(crate) fn fairness(run: &RunRecord) -> Option<f64> {
    let rates: Vec<f64> = run
        .flows
        .iter()
        .flat_map(|flow| match flow.copies_bits_per_second.as_slice() {
            [] => std::slice::from_ref(&flow.goodput_bits_per_second),
            copies => copies,
        })
        .copied()
        .collect();
    jain_index(&rates).ok()
}

/// Payload delivered by all flows, in percent of what the bottleneck carries. The bottleneck is the direction of a link that is used the most.
/// `None` when a rate changes over time.
pub(crate) fn utilisation(run: &RunRecord) -> Option<f64> {
    let rates: Option<Vec<(&LinkRecord, f64)>> =
        run.links.iter().map(|link| Some((link, link.rate_bits_per_second? as f64))).collect();
    let used = |(link, rate): &(&LinkRecord, f64)| link.delivered_bytes as f64 / rate;
    let (_, rate) = rates?.into_iter().max_by(|a, b| used(a).total_cmp(&used(b)))?;
    let delivered: f64 = run.flows.iter().map(|flow| flow.goodput_bits_per_second).sum();
    Some(100.0 * delivered / rate)
}
