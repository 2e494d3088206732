//! For how long nothing passed after handovers, where that is a result and not a condition of the scenario.

use super::bars::{Bar, bars};
use super::frame::Names;
use super::{MOST_BARS, Picture};
use crate::model::{Outcome, Report};
use crate::statistics::{Estimate, estimate, mean};

/// Bars of mean interruptions; `None` when all handovers interrupt for the same time.
pub(super) fn interruption(report: &Report) -> Option<Picture> {
    let mut all = report.handovers().map(|(_, handover)| handover.interruption_ms);
    let first = all.next()?;
    if all.all(|other| other == first) {
        return None;
    }
    let such = report.outcomes.iter().filter(|outcome| outcome.summary.handovers > 0).take(MOST_BARS);
    let bars_of: Vec<Bar> = such
        .filter_map(|outcome| {
            Some(Bar { label: outcome.name.clone(), value: mean_of(report, outcome)?, published: None })
        })
        .collect();
    let names = Names {
        picture: "interruption",
        title: "Interruption by handovers",
        remark: "mean of the means of each seed, and its 95 % interval",
        axis: "time until packets reach the new place (ms)",
    };
    let never = report.handovers().filter(|(_, handover)| handover.interruption_ms.is_none()).count();
    let mut caption = "Shorter is better.".to_owned();
    if never > 0 {
        caption += &format!(
            " {never} handovers had no end before the next one or the end of the run, and do not count."
        );
    }
    Some(Picture { name: "interruption".to_owned(), svg: bars(names, &bars_of), caption })
}

/// Each seed counts once, however many handovers it has.
fn mean_of(report: &Report, outcome: &Outcome) -> Option<Estimate> {
    let summary = &outcome.summary;
    let flows = report.flows().filter(|flow| flow.cell == summary.cell && flow.it.name == summary.flow);
    let means: Vec<f64> = flows
        .filter_map(|flow| {
            let ended = flow.it.handovers.iter().filter_map(|handover| handover.interruption_ms);
            mean(&ended.collect::<Vec<f64>>())
        })
        .collect();
    estimate(&means)
}
