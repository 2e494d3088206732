//! One line of verdict for each grid cell.

use crate::summary::{Comparison, FlowSummary, label};
use seamline_report::quantity::{bit_rate, count, millis, plural};
use seamline_report::statistics::Estimate;
use seamline_report::summary::axes;
use seamline_report::text_table::{aligned, indented};
use seamline_scenario::plan::Plan;

/// Why a factor may be missing: zero has no logarithm, and different seeds cannot be paired.
pub(super) const NO_FACTOR: [&str; 2] = ["the goodput of a run is zero", "their seeds differ"];

/// The lines of verdict, aligned, with a heading.
pub fn verdicts(plan: &Plan, summaries: &[FlowSummary]) -> String {
    let seeds = summaries.iter().map(|summary| summary.goodput_bits_per_second.samples).max().unwrap_or(0);
    let rows: Vec<[String; 5]> = summaries.iter().map(|summary| row(plan, summary)).collect();
    let heading = match seeds {
        1 => "Goodput in one run\n".to_owned(),
        _ => {
            format!("Goodput: mean of {seeds} seeds with 95 % interval; factors compare the same seeds\n")
        }
    };
    let axes = axes(summaries.iter()).into_iter().map(|axis| along(plan, summaries, axis));
    heading + &indented(&aligned(&rows, "lrl")) + &axes.collect::<String>() + &shares(plan, summaries)
}

/// A section about flows of many connections.
fn shares(plan: &Plan, summaries: &[FlowSummary]) -> String {
    let row = |summary: &FlowSummary| {
        let shares = summary.shares.as_ref()?;
        let goodput = |share: f64, rate: f64| format!("{share:.0} %: {}", bit_rate(rate));
        Some([
            name(plan, summary),
            plural(shares.connections, "connection"),
            goodput(10.0, shares.tenth_bits_per_second),
            goodput(50.0, shares.median_bits_per_second),
            goodput(90.0, shares.nine_tenths_bits_per_second),
            format!("{:.3}", shares.fairness_mean),
        ])
    };
    let rows: Vec<[String; 6]> = summaries.iter().filter_map(row).collect();
    if rows.is_empty() {
        return String::new();
    }
    let heading = "\nGoodput per connection (10th, 50th and 90th percentile); Jain's fairness index\n";
    heading.to_owned() + &indented(&aligned(&rows, "lrrrr"))
}

/// A section that compares along one axis.
fn along(plan: &Plan, summaries: &[FlowSummary], axis: &str) -> String {
    let row = |summary: &FlowSummary| {
        let against = &summary.along.iter().find(|along| along.axis == axis)?.against;
        let factor = match &against.goodput_factor {
            Some(it) => factor(it),
            None => format!("no factor ({})", why_no_factor(plan, summary.cell, against)?),
        };
        Some([name(plan, summary), factor])
    };
    let rows: Vec<[String; 2]> = summaries.iter().filter_map(row).collect();
    format!("\nCompared with {axis}, everything else equal\n{}", indented(&aligned(&rows, "ll")))
}

fn row(plan: &Plan, summary: &FlowSummary) -> [String; 5] {
    let goodput = &summary.goodput_bits_per_second;
    let interval = goodput.half_width().map(|half| format!("± {}", bit_rate(half))).unwrap_or_default();
    let factor = match (summary.factor(), missing_factor(plan, summary)) {
        (Some(it), _) => factor(it),
        (None, Some(why)) => format!("no factor ({why})"),
        (None, None) => "baseline".to_owned(),
    };
    [name(plan, summary), bit_rate(goodput.mean), interval, factor, rest(summary)]
}

/// The name that distinguishes this line from the others.
pub(crate) fn name(plan: &Plan, summary: &FlowSummary) -> String {
    let flows = plan.cells.first().map_or(1, |cell| cell.scenario.flows.len());
    match (plan.cells.len(), flows) {
        (1, 1) => summary.variant.clone(),
        (1, _) => format!("{} ({})", summary.flow, summary.variant),
        (_, 1) => label(plan, summary.cell),
        _ => format!("{}: {}", label(plan, summary.cell), summary.flow),
    }
}

/// Why a flow has no factor relative to its baseline: one of [`NO_FACTOR`].
pub(crate) fn missing_factor(plan: &Plan, summary: &FlowSummary) -> Option<&'static str> {
    why_no_factor(plan, summary.cell, summary.against.as_ref()?)
}

fn why_no_factor(plan: &Plan, cell: usize, against: &Comparison) -> Option<&'static str> {
    let seeds = |cell: usize| &plan.cells[cell].scenario.seeds;
    let why = NO_FACTOR[usize::from(seeds(cell) != seeds(against.cell))];
    against.goodput_factor.is_none().then_some(why)
}

fn factor(factor: &Estimate) -> String {
    let words = judgement(factor);
    let interval = match (factor.low, factor.high) {
        (Some(low), Some(high)) => format!(" [{low:.2}, {high:.2}]"),
        _ => String::new(),
    };
    format!("{:.2}x{interval} {words}", factor.mean).trim_end().to_owned()
}

/// The verdict about a factor.
pub(crate) fn judgement(factor: &Estimate) -> &'static str {
    match (factor.low, factor.high) {
        (Some(low), _) if low > 1.0 => "faster",
        (_, Some(high)) if high < 1.0 => "slower",
        (Some(_), Some(_)) => "no clear difference",
        _ => "",
    }
}

fn rest(summary: &FlowSummary) -> String {
    let mut parts = Vec::new();
    if let Some(completion) = &summary.completion_s {
        parts.push(format!("complete after {}", millis(completion.mean * 1e3)));
    }
    match summary.recovery_median_ms {
        Some(recovery) => parts.push(format!("recovered after {}", millis(recovery))),
        None if summary.handovers > 0 => parts.push("mostly not recovered".to_owned()),
        None => {}
    }
    parts.push(format!("{} retransmitted", count(summary.retransmissions_mean)));
    let timeouts = count(summary.timeouts_mean);
    parts.push(format!("{timeouts} timeout{}", if timeouts == "1" { "" } else { "s" }));
    parts.join(", ")
}
