//! The pictures that sum a report up: goodput, interruption and recovery of its outcomes.

use super::Picture;
use super::bars::{Bar, bars};
use super::cdf::{Distribution, cdf};
use super::frame::Names;
use crate::model::{Outcome, Report};
use crate::statistics::{Estimate, estimate, mean};

/// More than this do not fit into a picture of curves.
const MOST_CURVES: usize = 12;
/// More than this do not fit into a picture of bars.
const MOST_BARS: usize = 60;

/// The pictures that sum a report up.
pub(crate) fn of_report(report: &Report) -> Vec<Picture> {
    let mut pictures = Vec::new();
    if !report.outcomes.is_empty() {
        pictures.push(goodput(report));
    }
    pictures.extend(interruption(report));
    pictures.extend(recovery(report));
    pictures
}

fn goodput(report: &Report) -> Picture {
    let shown = &report.outcomes[..report.outcomes.len().min(MOST_BARS)];
    let bar = |outcome: &Outcome| Bar {
        label: outcome.name.clone(),
        value: outcome.summary.goodput_bits_per_second.map(|bits_per_second| bits_per_second / 1e6),
        published: None,
    };
    let seeds =
        shown.iter().map(|outcome| outcome.summary.goodput_bits_per_second.samples).max().unwrap_or(0);
    let remark = match seeds {
        0 | 1 => "one run each".to_owned(),
        n => format!("mean of {n} seeds and its 95 % interval"),
    };
    let names = Names { picture: "goodput", title: "Goodput", remark: &remark, axis: "goodput (Mbit/s)" };
    let mut caption = "Longer is better. Use more seeds where an interval is too wide.".to_owned();
    if let rest @ 1.. = report.outcomes.len() - shown.len() {
        caption += &format!(" {rest} more are in the tables.");
    }
    Picture {
        name: "goodput".to_owned(),
        svg: bars(names, &shown.iter().map(bar).collect::<Vec<_>>()),
        caption,
    }
}

/// Bars of mean interruptions; `None` when all handovers interrupt for the same time: then it is a condition of the
/// scenario, not a result.
fn interruption(report: &Report) -> Option<Picture> {
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
        remark: "mean of the per-seed means, and its 95 % interval",
        axis: "time until packets reach the new cell or link (ms)",
    };
    let never = report.handovers().filter(|(_, handover)| handover.interruption_ms.is_none()).count();
    let mut caption = "Shorter is better.".to_owned();
    if never > 0 {
        caption += &format!(
            " {never} handovers that had not ended before the next one or the end of the run are excluded."
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

/// How long flows took to recover from handovers.
fn recovery(report: &Report) -> Option<Picture> {
    let such = report.outcomes.iter().filter(|outcome| outcome.summary.handovers > 0).take(MOST_CURVES);
    let distributions: Vec<Distribution> = such
        .map(|outcome| {
            let summary = &outcome.summary;
            let own = report
                .handovers()
                .filter(|(flow, _)| flow.cell == summary.cell && flow.it.name == summary.flow);
            let times: Vec<Option<f64>> = own.map(|(_, handover)| handover.recovery_ms).collect();
            Distribution {
                name: outcome.name.clone(),
                cases: times.len(),
                values: times.into_iter().flatten().map(|millis| millis / 1e3).collect(),
            }
        })
        .collect();
    if distributions.iter().all(|distribution| distribution.values.is_empty()) {
        return None;
    }
    let names = Names {
        picture: "recovery",
        title: "Recovery after handovers",
        remark: "share of handovers after which the flow had recovered by then",
        axis: "time since the handover began (s)",
    };
    let caption =
        "Higher and further to the left is better. A curve that ends below 1 includes handovers from which the flow had not \
         recovered before the next one or the end of the run."
            .to_owned();
    Some(Picture {
        name: "recovery".to_owned(),
        svg: cdf(names, "share of handovers", &distributions),
        caption,
    })
}
