//! The results beyond a paper as text for a terminal.

use super::BeyondOutcome;
use super::benefit::{Comparison, Map, SchemeMap};
use super::conclusions::{ConclusionResult, Standing};
use super::matrix::{Field, Matrix, Panel, is_sure};
use crate::text::wrapped;
use seamline_experiment::statistics::Estimate;
use seamline_report::picture::matrix::signed;

/// Tables, maps, conclusions.
pub fn beyond(outcome: &BeyondOutcome) -> String {
    let mut text = String::from("Beyond the paper\n\n");
    text += &outcome.comparisons.iter().map(comparison).collect::<String>();
    text += &outcome.maps.iter().map(|it| map(it, &outcome.baseline)).collect::<String>();
    text += &outcome.matrices.iter().map(matrix).collect::<String>();
    text + &conclusions(&outcome.conclusions)
}

fn comparison(it: &Comparison) -> String {
    let mut text = format!(
        "{}: goodput, Mbit/s; over that without a scheme, seed by seed ({} with 95 % intervals)\n",
        it.of.title,
        seeds(it.seeds())
    );
    let wide = it.rows.iter().map(|row| row.scheme.len()).max().unwrap_or(0).max(7) + 2;
    for row in &it.rows {
        let conditions: Vec<String> =
            row.conditions.values().rev().map(|value| format!("{value:<10}")).collect();
        text += &format!(
            "  {}{:<wide$}{:<24}{}\n",
            conditions.concat(),
            row.scheme,
            interval(&row.goodput_megabits_per_second, 1),
            row.factor.map_or("-".to_owned(), |factor| interval(&factor, 2) + "x"),
        );
    }
    text + "\n"
}

fn map(it: &Map, baseline: &str) -> String {
    let mut text = format!(
        "{}: goodput over that without a scheme ({})\n{}",
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
    let wide = it.of.y_axis.len().max(own.scheme.len()) + 2;
    let mut text = format!("  {:<wide$}{}\n  {:<wide$}", own.scheme, it.of.x_axis, it.of.y_axis);
    text += &it.x.iter().map(|column| format!("{column:>8}")).collect::<String>();
    text.push('\n');
    for (row, factors) in it.y.iter().zip(&own.factor) {
        text += &format!("  {row:<wide$}");
        for factor in factors {
            text += &factor.map_or(format!("{:>8}", "-"), |factor| format!("{:>8.2}", factor.mean));
        }
        text.push('\n');
    }
    text
}

fn matrix(it: &Matrix) -> String {
    let mut text = format!(
        "{}: gain in goodput over no help at all, % ({}; in parentheses where the interval includes zero)\n",
        it.of.title,
        seeds(it.seeds())
    );
    text += &it.panels.iter().map(|own| panel(it, own)).collect::<String>();
    for (number, reason) in it.reasons.iter().enumerate() {
        text += &wrapped(&format!("refused {}: {reason}", number + 1));
    }
    text + "\n"
}

fn panel(it: &Matrix, own: &Panel) -> String {
    let wide = it.rows.iter().map(String::len).max().unwrap_or(0).max(own.name.len()) + 2;
    let columns: Vec<usize> = it.columns.iter().map(|column| column.len().max(8) + 1).collect();
    let mut text = format!("  {:<wide$}", own.name);
    text += &it.columns.iter().zip(&columns).map(|(name, wide)| format!("{name:>wide$}")).collect::<String>();
    text.push('\n');
    for (row, fields) in it.rows.iter().zip(&own.fields) {
        text += &format!("  {row:<wide$}");
        for (field, wide) in fields.iter().zip(&columns) {
            text += &format!("{:>wide$}", in_words(field));
        }
        text.push('\n');
    }
    text
}

/// A field as text.
fn in_words(field: &Field) -> String {
    match field {
        Field::Gain(gain) if is_sure(gain) => signed(gain.mean),
        Field::Gain(gain) => format!("({})", signed(gain.mean)),
        Field::Refused(reason) => format!("refused {}", reason + 1),
        Field::Nothing => "-".to_owned(),
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
