//! A paper's outcome as text for a terminal.

use crate::documents::Documents;
use crate::evaluate::ClaimResult;
use crate::features;
use crate::figures::{Bars, Gains, Layout};
use crate::quantity::Quantity;
use crate::run::{PaperOutcome, ReadingResult};
use seamline_report::export::table::Table;
use seamline_report::paper::claims::bounds;
use seamline_report::paper::{tally, tally_with_readings};
use seamline_report::quantity::plural;
use seamline_report::statistics::Estimate;
use seamline_report::text_table::TextTable;
use std::collections::BTreeSet;

/// Claim by claim: what the paper says, what was measured, its interval, the verdict.
pub fn claims(outcome: &PaperOutcome) -> String {
    let mut text = String::new();
    for claim in &outcome.claims {
        text += &format!("{:<4} {}\n", claim.id, claim.statement);
        text += &format!(
            "     paper {}   ours {}   accepted {}   => {}\n",
            claim.format_published(""),
            measured(claim),
            bounds(claim.accept),
            claim.verdict
        );
        text += &format!("     {}; {}\n", claim.aggregate, claim.r#where);
        let lines = claim.below_verdict().into_iter().map(|line| wrapped(&line));
        text.extend(lines);
        if !claim.note.is_empty() {
            text += &wrapped(&claim.note);
        }
        text.push('\n');
    }
    text += &format!("{}{}\n", tally(&outcome.claims), over_seeds(outcome));
    text + &tally_with_readings(&outcome.claims).map_or(String::new(), |line| line + "\n")
}

/// A row for each claim; the unit of its numbers has a column.
pub fn claims_table(claims: &[ClaimResult]) -> Table {
    let rows = || claims.iter();
    let bound = |place: usize| rows().map(move |claim| claim.accept[place]);
    Table::new("claims")
        .text("claim", rows().map(|claim| claim.id.clone()))
        .text("statement", rows().map(|claim| claim.statement.clone()))
        .text("where", rows().map(|claim| claim.r#where.clone()))
        .text("published", rows().map(|claim| claim.format_published("")))
        .text("unit", rows().map(|claim| claim.unit.to_owned()))
        .estimate("measured", "", rows().map(ClaimResult::estimate))
        .real("accept_low", bound(0))
        .real("accept_high", bound(1))
        .text("verdict", rows().map(|claim| claim.verdict.to_string()))
}

/// The number of seeds that the claims were measured with.
fn over_seeds(outcome: &PaperOutcome) -> String {
    if outcome.readings.is_empty() {
        return format!(" ({})", seeds(&outcome.claims));
    }
    let others: Vec<ClaimResult> =
        outcome.readings.iter().flat_map(|reading| reading.claims.iter().cloned()).collect();
    format!(" ({}; other readings {})", seeds(&outcome.claims), seeds(&others))
}

/// Lines of at most 110 letters, indented.
pub(crate) fn wrapped(words: &str) -> String {
    let mut lines = vec![String::from("    ")];
    for word in words.split_whitespace() {
        if lines.last().is_some_and(|line| line.len() + word.len() > 110) {
            lines.push(String::from("    "));
        }
        if let Some(line) = lines.last_mut() {
            line.push(' ');
            line.push_str(word);
        }
    }
    lines.join("\n") + "\n"
}

fn measured(claim: &ClaimResult) -> String {
    match (claim.measured, claim.ci95) {
        // A count, or runs that are all alike.
        (Some(mean), Some([low, high])) if high - low < 1e-6 * mean.abs().max(1e-300) => {
            format!("{}", (mean * 1e3).round() / 1e3)
        }
        // An index between 0 and 1.
        (Some(mean), Some([low, high])) if claim.unit.is_empty() && high <= 1.0 => {
            format!("{mean:.4} [{low:.4}, {high:.4}]")
        }
        (Some(mean), Some([low, high])) => format!("{mean:.1} [{low:.1}, {high:.1}]"),
        (Some(mean), None) => format!("{mean:.1} (one seed: no interval)"),
        (None, _) => "nothing".to_owned(),
    }
}

/// The means that are drawn, a table for each figure.
pub fn numbers(documents: &Documents, outcome: &PaperOutcome) -> String {
    let tables = documents.figures.layouts().map(|layout| table(documents, layout, outcome));
    tables.chain(documents.figures.gains.iter().map(|figure| gains(figure, outcome))).collect()
}

/// The gains of a figure, a column for each value of its axis.
fn gains(figure: &Gains, outcome: &PaperOutcome) -> String {
    let drawn = figure.lines(&outcome.records);
    let mut text = format!("{}: {}\n", figure.title, figure.measured());
    for line in drawn {
        let entries = line.points.iter().map(|(at, value)| format!("  {at}: {:.1}", value.mean));
        text += &format!("  {:16}{}\n", line.name, entries.collect::<String>());
    }
    text + "\n"
}

fn table(documents: &Documents, layout: Layout<'_>, outcome: &PaperOutcome) -> String {
    let figure = layout.figure;
    let Bars { groups, series, bars } = Bars::of(documents, layout, &figure.flow, outcome);
    let digits = if figure.quantity == Quantity::Fairness { 4 } else { 1 };
    let rows = series.iter().enumerate().map(|(row, name)| {
        let entry = |group: &Vec<Option<(Estimate, _)>>| {
            group[row].as_ref().map_or(String::new(), |(rate, _)| format!("{:.digits$}", rate.mean))
        };
        std::iter::once(name.clone()).chain(bars.iter().map(entry)).collect()
    });
    let table = TextTable::new("lr", std::iter::once(String::new()).chain(groups)).with(rows);
    format!("{}: flow {}, {}\n{}\n", figure.title, figure.flow, figure.quantity.unit(), table.to_text())
}

/// The claims under other readings: the numbers, each with the sign of its verdict.
pub fn readings(outcome: &PaperOutcome) -> String {
    let tried = outcome.claims_with_readings();
    if tried.is_empty() {
        return String::new();
    }
    let head = tried.iter().map(|claim| [claim.id.as_str(), claim.unit].join(" ").trim_end().to_owned());
    let mut rows = vec![row(format!("as taken ({})", seeds(&outcome.claims)), &tried, &outcome.claims)];
    if !outcome.taken_over_their_seeds.is_empty() {
        let same = &outcome.taken_over_their_seeds;
        rows.push(row(format!("as taken ({}, like the others)", seeds(same)), &tried, same));
    }
    rows.extend(outcome.readings.iter().map(|ReadingResult { reading, claims, .. }| {
        row(format!("{} ({}, {})", reading.name(), reading.ground, seeds(claims)), &tried, claims)
    }));
    let table = TextTable::new("lr", std::iter::once(String::new()).chain(head)).with(rows);
    let signs = "✓ reproduced, ≈ direction only, ✗ not reproduced, ? inconclusive, † measured in another way";
    format!("Claims under other readings of the paper's silent points ({signs}):\n{}\n", table.to_text())
}

/// How many seeds these were measured with.
fn seeds(claims: &[ClaimResult]) -> String {
    seeds_of(claims.iter().filter_map(|claim| claim.seeds))
}

/// `5 seeds`, or `3 to 5 seeds` where they differ.
pub(crate) fn seeds_of(counts: impl Iterator<Item = usize>) -> String {
    let counts: BTreeSet<usize> = counts.collect();
    match (counts.first(), counts.last()) {
        (Some(least), Some(most)) if least < most => format!("{least} to {most} seeds"),
        (Some(count), _) => plural(*count, "seed"),
        _ => "no seeds".to_owned(),
    }
}

/// A column for each claim of `tried`; a dash where this reading does not decide it.
fn row(name: String, tried: &[&ClaimResult], claims: &[ClaimResult]) -> Vec<String> {
    let measured = |wanted: &&ClaimResult| {
        let found = claims.iter().find(|claim| claim.id == wanted.id);
        let words = found.and_then(|claim| {
            let mark = claim.mark_of_other_measure(wanted);
            Some(format!("{:.1}{mark} {}", claim.measured?, claim.verdict.tone().sign()))
        });
        words.unwrap_or_else(|| "-".to_owned())
    };
    std::iter::once(name).chain(tried.iter().map(measured)).collect()
}

/// Table 1 of paper ehn-2004, for a paper with a claim about it.
pub fn table_1(documents: &Documents) -> String {
    if !documents.claims.claims_table("table1") {
        return String::new();
    }
    format!("Table 1, from the traits that the schemes declare:\n\n{}\n", features::table_1())
}
