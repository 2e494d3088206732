//! The results beyond a paper as text for a terminal.

use super::BeyondOutcome;
use super::benefit::{Comparison, Map, SchemeMap};
use super::conclusions::{ConclusionResult, Standing};
use super::matrix::{Field, Matrix, Panel, is_sure};
use crate::text::wrapped;
use seamline_experiment::statistics::Estimate;
use seamline_report::picture::matrix::signed;
use seamline_report::text_table::{TextTable, aligned, indented};

/// Tables, maps, conclusions.
pub fn beyond(outcome: &BeyondOutcome) -> String {
    let mut text = String::from("Beyond the paper\n\n");
    text += &outcome.over_kernel.iter().map(|it| wrapped(&it.to_string()) + "\n").collect::<String>();
    text += &outcome.comparisons.iter().map(comparison).collect::<String>();
    text += &outcome.maps.iter().map(|it| map(it, &outcome.baseline)).collect::<String>();
    text += &outcome.matrices.iter().map(matrix).collect::<String>();
    text + &conclusions(&outcome.conclusions)
}

fn comparison(it: &Comparison) -> String {
    let text = format!(
        "{}: goodput, Mbit/s; relative to no scheme, seed by seed ({} with 95 % intervals)\n",
        it.of.title,
        seeds(it.seeds())
    );
    let rows: Vec<Vec<String>> = it
        .rows
        .iter()
        .map(|row| {
            let factor = row.factor.map_or("-".to_owned(), |factor| interval(&factor, 2) + "x");
            let numbers = [row.scheme.clone(), interval(&row.goodput_megabits_per_second, 1), factor];
            row.conditions.values().rev().cloned().chain(numbers).collect()
        })
        .collect();
    text + &indented(&aligned(&rows, "l")) + "\n"
}

fn map(it: &Map, baseline: &str) -> String {
    let mut text = format!(
        "{}: goodput relative to no scheme ({})\n{}",
        it.of.title,
        seeds(it.seeds()),
        wrapped(&it.of.note)
    );
    for own in it.schemes.iter().filter(|own| own.scheme != baseline) {
        text += &scheme_map(it, own);
    }
    text + "\n"
}

fn scheme_map(it: &Map, own: &SchemeMap) -> String {
    let number = |factor: &Option<Estimate>| factor.map_or("-".to_owned(), |it| format!("{:.2}", it.mean));
    let rows = it.y.iter().zip(&own.factor);
    let rows =
        rows.map(|(row, factors)| std::iter::once(row.clone()).chain(factors.iter().map(number)).collect());
    let head = std::iter::once(it.of.y_axis.clone()).chain(it.x.iter().cloned());
    format!("  {}: {}\n{}", own.scheme, it.of.x_axis, TextTable::new("lr", head).with(rows).to_text())
}

fn matrix(it: &Matrix) -> String {
    let mut text = format!(
        "{}: gain in goodput over no help, % ({}; in parentheses where the interval includes zero)\n",
        it.of.title,
        seeds(it.seeds())
    );
    text += &it.panels.iter().map(|own| panel(it, own)).collect::<String>();
    for (number, reason) in it.reasons.iter().enumerate() {
        text += &wrapped(&format!("not supported {}: {reason}", number + 1));
    }
    text + "\n"
}

fn panel(it: &Matrix, own: &Panel) -> String {
    let rows = it.rows.iter().zip(&own.fields);
    let rows =
        rows.map(|(row, fields)| std::iter::once(row.clone()).chain(fields.iter().map(field_text)).collect());
    let head = std::iter::once(&own.name).chain(&it.columns);
    TextTable::new("lr", head).with(rows).to_text()
}

/// A field as text.
fn field_text(field: &Field) -> String {
    match field {
        Field::Gain(gain) if is_sure(gain) => signed(gain.mean),
        Field::Gain(gain) => format!("({})", signed(gain.mean)),
        Field::Refused(reason) => format!("not supported {}", reason + 1),
        Field::Value(_) | Field::Nothing => "-".to_owned(),
    }
}

pub(super) fn seeds(count: usize) -> String {
    if count == 1 { "one seed".to_owned() } else { format!("{count} seeds") }
}

pub(crate) fn interval(value: &Estimate, digits: usize) -> String {
    match (value.low, value.high) {
        (Some(low), Some(high)) => format!("{:.digits$} [{low:.digits$}, {high:.digits$}]", value.mean),
        _ => format!("{:.digits$}", value.mean),
    }
}

/// The sentences as a paragraph, and a line for each.
pub fn conclusions(conclusions: &[ConclusionResult]) -> String {
    let mut text = String::from("What to conclude:\n");
    text += &wrapped(&paragraph(conclusions));
    text.push('\n');
    for it in conclusions {
        text += &format!("  {:<18} {:<17} {}\n", it.id, it.standing.to_string(), it.format_measured());
        text += &wrapped(&it.because);
    }
    text + "\n"
}

/// The sentences one after the other; those that no longer hold are marked.
pub fn paragraph(conclusions: &[ConclusionResult]) -> String {
    let sentences = conclusions.iter().map(|it| match it.standing {
        Standing::Holds => it.sentence.clone(),
        other => format!("{} [{other}]", it.sentence),
    });
    sentences.collect::<Vec<_>>().join(" ")
}
