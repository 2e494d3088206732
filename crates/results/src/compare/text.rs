//! A comparison as text.

use super::{Comparison, Difference, Measure, Row, Verdict};
use seamline_report::export::table::Table;
use seamline_report::quantity::{bit_rate, millis};
use seamline_report::text_table::TextTable;
use serde_json::Value;

/// What differs, a line for each flow of each cell, and whether there is a difference.
pub fn to_text(comparison: &Comparison) -> String {
    let Comparison { a, b, rows, .. } = comparison;
    let mut text = format!("A: {a}\nB: {b}\n\n");
    text += &differing(comparison);
    let pairs = rows.iter().map(|row| row.pairs).max().unwrap_or(0);
    let seeds = if pairs == 1 { "one seed" } else { &format!("{pairs} seeds") };
    text += &format!(
        "\nMeans over {seeds}; B minus A with its 95 % interval, and B divided by A, seed by seed\n"
    );
    let table = TextTable::new("lrrlrl", ["", "A", "B", "B - A", "B / A", ""]).with(rows.iter().map(columns));
    text += &table.to_text();
    text + "\n" + &conclusion(rows)
}

fn differing(comparison: &Comparison) -> String {
    let Comparison { differences, same_cells, .. } = comparison;
    if differences.is_empty() {
        let text = match same_cells {
            Some(true) => "The scenarios and the program are the same.",
            Some(false) => {
                "No key differs, but the content behind a grid label or of a referenced file does."
            }
            None => "No key of the scenarios differs, and the program is the same.",
        };
        return format!("{text}\n");
    }
    let word = |value: &Option<Value>| value.as_ref().map_or("(absent)".to_owned(), plain);
    let lines: String = differences
        .iter()
        .map(|Difference { key, a, b }| format!("  {key}: {} -> {}\n", word(a), word(b)))
        .collect();
    format!("What differs:\n{lines}")
}

fn columns(row: &Row) -> Vec<String> {
    let words = |value: f64| match row.measure {
        Measure::GoodputBitsPerSecond if value < 0.0 => format!("-{}", bit_rate(-value)),
        Measure::GoodputBitsPerSecond => bit_rate(value),
        Measure::CompletionS if value < 0.0 => format!("-{}", millis(-value * 1e3)),
        Measure::CompletionS => millis(value * 1e3),
    };
    let sign = if row.difference.mean > 0.0 { "+" } else { "" };
    let interval = row.difference.half_width().map(|half| format!(" ± {}", words(half))).unwrap_or_default();
    vec![
        name(row),
        words(row.a),
        words(row.b),
        format!("{sign}{}{interval}", words(row.difference.mean)),
        row.factor.map(|factor| format!("{:.3}x", factor.mean)).unwrap_or_default(),
        meaning(row).to_owned(),
    ]
}

/// A row for each flow of each cell and each measure; numbers are in the unit that the name of the measure ends in.
pub fn to_table(comparison: &Comparison) -> Table {
    let rows = || comparison.rows.iter();
    let cell = |row: &Row| {
        row.cell.iter().map(|(key, value)| format!("{key} = {}", plain(value))).collect::<Vec<_>>()
    };
    Table::new("comparison")
        .text("cell", rows().map(|row| cell(row).join(", ")))
        .text("flow", rows().map(|row| row.flow.clone()))
        .text("measure", rows().map(|row| row.measure.name().to_owned()))
        .whole("pairs", rows().map(|row| row.pairs as u64))
        .real("a_mean", rows().map(|row| Some(row.a)))
        .real("b_mean", rows().map(|row| Some(row.b)))
        .estimate("difference", "", rows().map(|row| Some(row.difference)))
        .estimate("factor", "", rows().map(|row| row.factor))
        .text("verdict", rows().map(|row| meaning(row).to_owned()))
}

/// A value without quotation marks.
pub(crate) fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

fn name(row: &Row) -> String {
    let cell: Vec<String> = row.cell.iter().map(|(key, value)| format!("{key} = {}", plain(value))).collect();
    let measure = match row.measure {
        Measure::GoodputBitsPerSecond => "goodput",
        Measure::CompletionS => "duration",
    };
    let place = if cell.is_empty() { String::new() } else { format!("{}: ", cell.join(", ")) };
    format!("{place}{} {measure}", row.flow)
}

const IDENTICAL: &str = "identical";
const ONE_SEED: &str = "one seed is not enough";
const FASTER: &str = "B is faster";
const SLOWER: &str = "B is slower";

/// What a row means for B.
fn meaning(row: &Row) -> &'static str {
    match (row.verdict, row.measure) {
        (Verdict::Identical, _) => IDENTICAL,
        (Verdict::NoClearDifference, _) => "no clear difference",
        (Verdict::OnePair, _) => ONE_SEED,
        (Verdict::Higher, Measure::GoodputBitsPerSecond) | (Verdict::Lower, Measure::CompletionS) => FASTER,
        (Verdict::Lower, Measure::GoodputBitsPerSecond) | (Verdict::Higher, Measure::CompletionS) => SLOWER,
    }
}

/// Whether there is a difference.
fn conclusion(rows: &[Row]) -> String {
    let count = |wanted: &str| rows.iter().filter(|row| meaning(row) == wanted).count();
    let (faster, slower) = (count(FASTER), count(SLOWER));
    let (identical, one_pair) = (count(IDENTICAL), count(ONE_SEED));
    let all = rows.len();
    let of =
        |count: usize| if all == 1 { String::new() } else { format!(" in {count} of {all} comparisons") };
    let text = match (faster, slower) {
        _ if identical == all => "No difference: all runs give the same results.".to_owned(),
        _ if one_pair + identical == all => {
            "The runs differ, but one seed cannot show whether that is by chance: use --seeds 10.".to_owned()
        }
        (0, 0) => "No clear difference: it is within the variation between seeds.".to_owned(),
        (faster, 0) => format!("There is a difference: B is faster{}.", of(faster)),
        (0, slower) => format!("There is a difference: B is slower{}.", of(slower)),
        (faster, slower) => {
            format!("There are differences: B is faster{}, slower in {slower}.", of(faster))
        }
    };
    // One in twenty at 95 %.
    let by_chance = (all - identical) / 20;
    let caution = if faster + slower > 0 && by_chance > 0 {
        format!(" (Of this many comparisons at the 95 % level, about {by_chance} differ by chance.)")
    } else {
        String::new()
    };
    text + &caution + "\n"
}
