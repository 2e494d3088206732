//! The verdict in sentences: which scheme was faster than which, and how certain that is.

use super::verdict::{NO_FACTOR, judgement, missing_factor, name};
use crate::summary::FlowSummary;
use seamline_report::quantity::{bit_rate, plural};
use seamline_report::statistics::Estimate;
use seamline_report::summary::axes;
use seamline_scenario::plan::Plan;
use std::collections::BTreeMap;
use std::fmt::Write;

/// One sentence for each verdict about each baseline, the fastest first, one for unclear differences, and one for
/// each reason of a missing factor; then one for each value of each additional axis.
pub fn sentences(plan: &Plan, summaries: &[FlowSummary]) -> Vec<String> {
    let baselines: Vec<&FlowSummary> = summaries.iter().filter(|summary| summary.against.is_none()).collect();
    let mut compared: BTreeMap<(usize, &str), Vec<&FlowSummary>> = BTreeMap::new();
    for summary in summaries {
        if let Some(with) = compared_with(summary) {
            compared.entry(with).or_default().push(summary);
        }
    }
    let mut sentences = Vec::new();
    for baseline in baselines {
        let Some(others) = compared.get(&(baseline.cell, baseline.flow.as_str())) else {
            sentences.push(alone(plan, baseline));
            continue;
        };
        for verdict in ["faster", "slower"] {
            sentences.extend(differing(plan, baseline, others, verdict));
        }
        sentences.extend(unclear_difference(plan, baseline, others));
        sentences.extend(NO_FACTOR.iter().filter_map(|why| without_factor(plan, baseline, others, why)));
    }
    sentences.extend(axes(summaries.iter()).into_iter().flat_map(|axis| along(plan, summaries, axis)));
    sentences
}

/// `agent.station.kind = snoop reached 4.61 to 5.02 times the goodput of none, everything else equal: faster in 4 of 4
/// comparisons.`
fn along(plan: &Plan, summaries: &[FlowSummary], axis: &str) -> Vec<String> {
    let (key, base) = axis.rsplit_once(" = ").unwrap_or((axis, "the baseline"));
    let mut by_value: Vec<(String, Vec<Estimate>)> = Vec::new();
    let mut places = BTreeMap::new();
    for summary in summaries {
        let along = summary.along.iter().find(|along| along.axis == axis);
        let Some(factor) = along.and_then(|along| along.against.goodput_factor) else { continue };
        let values = &plan.cells[summary.cell].values;
        let value =
            values.iter().find(|(path, _)| path == key).map_or(String::new(), |(_, it)| it.to_string());
        let place = *places.entry(value.clone()).or_insert(by_value.len());
        if place == by_value.len() {
            by_value.push((value, Vec::new()));
        }
        by_value[place].1.push(factor);
    }
    let sentence = |(value, factors): &(String, Vec<Estimate>)| {
        let range = range(factors);
        format!(
            "{key} = {value} reached {range} times the goodput of {base}, everything else equal{}.",
            tally(factors)
        )
    };
    by_value.iter().map(sentence).collect()
}

/// The smallest and the largest of the means, once if they are the same.
fn range(factors: &[Estimate]) -> String {
    let ends = factors
        .iter()
        .fold((f64::INFINITY, 0.0_f64), |(low, high), it| (low.min(it.mean), high.max(it.mean)));
    let (low, high) = (format!("{:.2}", ends.0), format!("{:.2}", ends.1));
    if low == high { low } else { format!("{low} to {high}") }
}

/// `: faster in 3, no clear difference in 1 of 4 comparisons`; nothing for one seed.
fn tally(factors: &[Estimate]) -> String {
    let count = |verdict: &str| factors.iter().filter(|factor| judgement(factor) == verdict).count();
    let counted = ["faster", "slower", "no clear difference"].map(|verdict| (verdict, count(verdict)));
    let parts =
        counted.iter().filter(|(_, count)| *count > 0).map(|(verdict, n)| format!("{verdict} in {n}"));
    match parts.collect::<Vec<_>>().join(", ") {
        parts if parts.is_empty() => parts,
        parts => format!(": {parts} of {}", plural(factors.len(), "comparison")),
    }
}

fn compared_with(summary: &FlowSummary) -> Option<(usize, &str)> {
    summary.against.as_ref().map(|against| (against.cell, against.flow.as_str()))
}

fn alone(plan: &Plan, summary: &FlowSummary) -> String {
    let goodput = &summary.goodput_bits_per_second;
    let interval = goodput.half_width().map(|half| format!(" ± {}", bit_rate(half))).unwrap_or_default();
    format!("{} reached {}{interval}.", name(plan, summary), bit_rate(goodput.mean))
}

/// `cubic was faster than newreno: 1.21 times its goodput (1.06 to 1.38).`
fn differing(plan: &Plan, baseline: &FlowSummary, others: &[&FlowSummary], verdict: &str) -> Option<String> {
    let factor = |summary: &&FlowSummary| summary.factor().copied();
    let mut selected: Vec<&FlowSummary> = others.to_vec();
    selected.retain(|summary| judged(summary) == Some(verdict));
    selected.sort_by(|one, other| {
        let (one, other) = (factor(one).map_or(1.0, |f| f.mean), factor(other).map_or(1.0, |f| f.mean));
        if verdict == "faster" { other.total_cmp(&one) } else { one.total_cmp(&other) }
    });
    let mut text = String::new();
    for (index, summary) in selected.iter().enumerate() {
        let Some(factor) = factor(summary) else { continue };
        let _ = match index {
            0 => write!(text, "{} was {verdict} than {}: ", name(plan, summary), name(plan, baseline)),
            _ => write!(text, "; {}: ", name(plan, summary)),
        };
        let _ = write!(text, "{:.2} times its goodput", factor.mean);
        if let (Some(low), Some(high)) = (factor.low, factor.high) {
            let _ = write!(text, " ({low:.2} to {high:.2})");
        }
    }
    (!text.is_empty()).then(|| text + ".")
}

fn judged(summary: &FlowSummary) -> Option<&'static str> {
    summary.factor().map(judgement)
}

/// `No clear difference from newreno: sack, westwood+.`
fn unclear_difference(plan: &Plan, baseline: &FlowSummary, others: &[&FlowSummary]) -> Option<String> {
    let unclear = |summary: &FlowSummary| {
        judged(summary).is_some_and(|verdict| !matches!(verdict, "faster" | "slower"))
    };
    let selected = others.iter().filter(|summary| unclear(summary));
    let names: Vec<String> = selected.map(|summary| name(plan, summary)).collect();
    let samples = baseline.goodput_bits_per_second.samples;
    match (names.is_empty(), samples) {
        (true, _) => None,
        (_, 1) => Some(format!(
            "One seed cannot show whether {} differ from {}.",
            names.join(", "),
            name(plan, baseline)
        )),
        _ => Some(format!("No clear difference from {}: {}.", name(plan, baseline), names.join(", "))),
    }
}

/// `vegas has no factor relative to newreno: the goodput of a run is zero.`
fn without_factor(plan: &Plan, baseline: &FlowSummary, others: &[&FlowSummary], why: &str) -> Option<String> {
    let selected = others.iter().filter(|summary| missing_factor(plan, summary) == Some(why));
    let names: Vec<String> = selected.map(|summary| name(plan, summary)).collect();
    let have = match names.len() {
        0 => return None,
        1 => "has",
        _ => "have",
    };
    Some(format!("{} {have} no factor relative to {}: {why}.", names.join(", "), name(plan, baseline)))
}
