//! The results beyond the paper, as a section and tables.

use super::tables::{by_key, estimates};
use super::{seeds_of, table};
use crate::beyond::benefit::{Comparison, Map, Row};
use crate::beyond::conclusions::{ConclusionResult, Standing};
use crate::beyond::matrix::{Field, Matrix};
use crate::beyond::text::{interval, paragraph};
use crate::beyond::{BeyondOutcome, pictures};
use seamline_report::export::table::Table;
use seamline_report::paper::claims::bounds;
use seamline_report::paper::{Badge, Entry, Listing, PaperReport, Part, Section, Tone};

/// Add the results beyond the paper to its page, before the section on how much was run.
pub fn add(report: &mut PaperReport, found: &BeyondOutcome) {
    let last = report.sections.len().saturating_sub(1);
    report.sections.insert(last, section(found));
    let tables = [comparisons(&found.comparisons), maps(&found.maps), matrices(&found.matrices)];
    report.tables.extend(tables.into_iter().filter(|table| table.rows() > 0));
}

fn section(found: &BeyondOutcome) -> Section {
    let mut parts = vec![
        Part::Words(paragraph(&found.conclusions)),
        conclusions(&found.conclusions),
        Part::Caption(
            "These sentences were written after looking at results, unlike the claims of the paper; each is judged again \
             in every run, by the same rule. Gains in percent with their 95 % intervals, seed by seed."
                .to_owned(),
        ),
    ];
    for matrix in &found.matrices {
        parts.push(Part::Heading(matrix.of.title.clone()));
        parts.push(Part::Pictures(vec![pictures::of_matrix(matrix)]));
    }
    if !found.maps.is_empty() {
        let drawn = found.maps.iter().map(|map| pictures::picture(map, &found.baseline));
        parts.push(Part::Heading("How good the notices are".to_owned()));
        parts.push(Part::Pictures(drawn.collect()));
    }
    for comparison in &found.comparisons {
        parts.push(Part::Heading(comparison.of.title.clone()));
        parts.push(Part::Table(listing(comparison)));
    }
    parts.extend(found.over_kernel.iter().map(|it| Part::Caption(it.to_string())));
    parts.push(Part::Caption(sources(found)));
    Section { id: "beyond", title: format!("Beyond the paper: {}", found.title), parts }
}

fn sources(found: &BeyondOutcome) -> String {
    let files: Vec<&str> = found.provenance.iter().map(|from| from.scenario.as_str()).collect();
    let seeds = found.comparisons.iter().map(Comparison::seeds).chain(found.maps.iter().map(Map::seeds));
    let seeds = seeds.chain(found.matrices.iter().map(Matrix::seeds));
    format!(
        "{} of each cell. These files state the reason and source of every value: {}.",
        seeds_of(seeds),
        files.join(", ")
    )
}

impl From<Standing> for Badge {
    fn from(standing: Standing) -> Self {
        let tone = match standing {
            Standing::Holds => Tone::Good,
            Standing::NoLongerHolds => Tone::Bad,
            Standing::Inconclusive => Tone::Open,
        };
        Badge { words: standing.to_string(), tone }
    }
}

fn conclusions(conclusions: &[ConclusionResult]) -> Part {
    let rows = conclusions.iter().map(|it| {
        vec![
            Entry::Named(it.id.clone(), it.sentence.clone()),
            Entry::Plain(it.because.clone()),
            Entry::Badge(it.standing.into()),
            Entry::Plain(it.format_measured()),
            Entry::Plain(bounds(it.accept) + " %"),
        ]
    });
    table(&["Conclusion", "Reason", "Verdict", "Measured", "Accepted"], 3, rows)
}

fn listing(comparison: &Comparison) -> Listing {
    let conditions: Vec<&String> =
        comparison.rows.first().map_or(Vec::new(), |row| row.conditions.keys().rev().collect());
    let mut columns: Vec<String> = conditions.iter().map(|key| (*key).clone()).collect();
    columns.extend(["Scheme", "Goodput (Mbit/s)", "Relative to no scheme"].map(str::to_owned));
    let rows = comparison.rows.iter().map(|row| {
        let head =
            conditions.iter().map(|key| Entry::plain(row.conditions.get(*key).cloned().unwrap_or_default()));
        let rest = [
            Entry::Strong(row.scheme.clone()),
            Entry::Plain(interval(&row.goodput_megabits_per_second, 1)),
            Entry::Plain(row.factor.map_or("–".to_owned(), |factor| interval(&factor, 2))),
        ];
        head.chain(rest).collect()
    });
    Listing { words: conditions.len() + 1, columns, rows: rows.collect() }
}

/// A row for each cell of each comparison.
fn comparisons(comparisons: &[Comparison]) -> Table {
    let rows: Vec<(&Comparison, &Row)> =
        comparisons.iter().flat_map(|it| it.rows.iter().map(move |row| (it, row))).collect();
    let table = Table::new("beyond_comparisons")
        .text("network", rows.iter().map(|(it, _)| it.of.scenario.clone()))
        .text("scheme", rows.iter().map(|(_, row)| row.scheme.clone()));
    let table = by_key(table, rows.iter().map(|(_, row)| &row.conditions))
        .whole("seeds", rows.iter().map(|(_, row)| row.goodput_megabits_per_second.samples as u64));
    let names = ["goodput_bits_per_second", "goodput_low_bits_per_second", "goodput_high_bits_per_second"];
    let bits = rows.iter().map(|(_, row)| Some(row.goodput_megabits_per_second.map(|it| it * 1e6)));
    estimates(estimates(table, names, bits), FACTOR, rows.iter().map(|(_, row)| row.factor))
}

const FACTOR: [&str; 3] = ["factor", "factor_low", "factor_high"];

/// A row for each field of each map.
fn maps(maps: &[Map]) -> Table {
    let mut rows = Vec::new();
    for map in maps {
        for scheme in &map.schemes {
            for (y, row) in map.y.iter().zip(&scheme.factor) {
                rows.extend(map.x.iter().zip(row).map(|(x, factor)| (map, scheme, x, y, *factor)));
            }
        }
    }
    let table = Table::new("beyond_maps")
        .text("map", rows.iter().map(|(map, ..)| map.of.scenario.clone()))
        .text("scheme", rows.iter().map(|(_, scheme, ..)| scheme.scheme.clone()))
        .text("lead", rows.iter().map(|(_, _, x, ..)| (*x).clone()))
        .text("varied", rows.iter().map(|(_, _, _, y, _)| (*y).clone()));
    estimates(table, FACTOR, rows.iter().map(|(.., factor)| *factor))
}

/// A row for each field of each matrix.
fn matrices(matrices: &[Matrix]) -> Table {
    let mut rows = Vec::new();
    for matrix in matrices {
        for panel in &matrix.panels {
            for (row, fields) in matrix.rows.iter().zip(&panel.fields) {
                let fields = matrix.columns.iter().zip(fields);
                rows.extend(fields.map(|(column, field)| (matrix, panel, row, column, field)));
            }
        }
    }
    let reason = |matrix: &Matrix, field: &Field| match field {
        Field::Refused(reason) => matrix.reasons[*reason].clone(),
        _ => String::new(),
    };
    let table = Table::new("beyond_matrix")
        .text("matrix", rows.iter().map(|(matrix, ..)| matrix.of.scenario.clone()))
        .text("panel", rows.iter().map(|(_, panel, ..)| panel.name.clone()))
        .text("row", rows.iter().map(|(_, _, row, ..)| (*row).clone()))
        .text("scheme", rows.iter().map(|(.., column, _)| (*column).clone()));
    let names = ["gain_percent", "gain_low_percent", "gain_high_percent"];
    estimates(table, names, rows.iter().map(|(.., field)| field.gain().copied()))
        .text("refused", rows.iter().map(|(matrix, .., field)| reason(matrix, field)))
}
