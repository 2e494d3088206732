//! A paper's outcome as a page with its pictures and tables: what `seamline-report` shows, in the terms it understands.

pub mod beyond;
mod claims;
mod figures;
mod over_time;
mod readings;
mod silences;
pub mod single_runs;
mod tables;

use crate::bundled::Paper;
use crate::documents::Documents;
use crate::features;
use crate::run::{PaperError, PaperOutcome, Part as Figure};
use crate::verdict::Verdict;
use seamline_experiment::report::ENGINE;
use seamline_experiment::statistics::Estimate;
pub use seamline_report::paper::PaperReport;
use seamline_report::paper::{Badge, Entry, Listing, Part, Section, Tone};
use seamline_report::provenance::format_seeds;
use seamline_report::{File, Provenance, ReportError};
use std::collections::BTreeSet;

/// The page of a paper. Further sections and tables may be added to it.
///
/// # Errors
/// When one of the paper's files is not as it should be.
pub fn report(paper: &Paper, outcome: &PaperOutcome) -> Result<PaperReport, PaperError> {
    let documents = Documents::of(paper)?;
    let mut sections = vec![figures::section(&documents, outcome)];
    sections.extend(table_1(&documents));
    sections.push(figures::numbers(&documents, outcome));
    sections.extend(readings::section(&documents, outcome));
    sections.push(silences::section(&documents.deviations));
    sections.push(runs(outcome));
    Ok(PaperReport {
        title: documents.claims.title.clone(),
        citation: documents.claims.cite.clone(),
        facts: facts(outcome),
        warnings: warnings(outcome),
        claims: claims::claims(&documents, outcome),
        sections,
        over_time: Vec::new(),
        tables: tables::tables(&documents, outcome),
        provenance: provenance(paper, outcome),
    })
}

/// The files of the page, the page last.
///
/// # Errors
/// When a table cannot be written in its format, which is a fault of this program.
pub fn files(report: &PaperReport) -> Result<Vec<File>, ReportError> {
    let mut files = report.files()?;
    // claims.json holds the claims with the cells behind them, for which a table has no place.
    files.retain(|file| file.name != "claims.json");
    Ok(files)
}

impl From<Verdict> for Badge {
    fn from(verdict: Verdict) -> Self {
        let tone = match verdict {
            Verdict::Reproduced => Tone::Good,
            Verdict::DirectionOnly => Tone::Partly,
            Verdict::NotReproduced => Tone::Bad,
            Verdict::Inconclusive => Tone::Open,
        };
        Badge { words: verdict.to_string(), tone }
    }
}

/// A mean and its interval as claims keep them.
fn measured(mean: f64, ci95: Option<[f64; 2]>, seeds: Option<usize>) -> Estimate {
    let [low, high] = ci95.map_or([None, None], |ends| ends.map(Some));
    Estimate { mean, low, high, samples: seeds.unwrap_or(1) }
}

/// Bounds as numbers; an open end is infinite.
fn bounds([low, high]: [Option<f64>; 2]) -> (f64, f64) {
    (low.unwrap_or(f64::NEG_INFINITY), high.unwrap_or(f64::INFINITY))
}

fn plural(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

/// `5 seeds`, or `3 to 5 seeds` where they differ.
fn seeds_of(counts: impl Iterator<Item = usize>) -> String {
    let counts: BTreeSet<usize> = counts.collect();
    match (counts.first(), counts.last()) {
        (Some(least), Some(most)) if least < most => format!("{least} to {most} seeds"),
        (Some(count), _) => plural(*count, "seed"),
        _ => "no seeds".to_owned(),
    }
}

fn facts(outcome: &PaperOutcome) -> String {
    let cells: usize = outcome.parts.iter().map(|part| part.cells).sum();
    let runs: usize = outcome.parts.iter().map(Figure::runs).sum();
    let seeds = seeds_of(outcome.parts.iter().map(|part| part.seeds.len()));
    let lengths = || outcome.parts.iter().map(|part| part.duration_s);
    let (least, most) = (lengths().fold(f64::INFINITY, f64::min), lengths().fold(0.0, f64::max));
    let length = if least < most { format!("{least} to {most} s") } else { format!("{most} s") };
    let others = match outcome.readings.len() {
        0 => String::new(),
        count => format!(
            "; {} over {} each",
            plural(count, "other reading"),
            seeds_of(outcome.readings.iter().map(|reading| reading.seeds.len()))
        ),
    };
    format!("{}, {seeds} each: {} of {length}{others}", plural(cells, "cell"), plural(runs, "run"))
}

fn warnings(outcome: &PaperOutcome) -> Vec<String> {
    let mut warnings = Vec::new();
    let changed = outcome.parts.first().map(|part| &part.provenance.overrides[..]).unwrap_or_default();
    let changed: Vec<&str> =
        changed.iter().map(String::as_str).filter(|set| !set.starts_with("seeds=")).collect();
    if !changed.is_empty() {
        warnings.push(format!("This is not the paper's set-up: it was run with {}.", changed.join(", ")));
    }
    if outcome.parts.iter().any(|part| part.seeds.len() < 2) {
        warnings.push(
            "One seed has no interval, so nothing can be told: --seeds 5 decides the claims.".to_owned(),
        );
    }
    let nothing: Vec<&str> = outcome
        .claims
        .iter()
        .filter(|claim| claim.measured.is_none())
        .map(|claim| claim.id.as_str())
        .collect();
    if !nothing.is_empty() && outcome.parts.iter().all(|part| part.seeds.len() > 1) {
        warnings
            .push(format!("Nothing could be measured for {}: what was found says why.", nothing.join(", ")));
    }
    let open = outcome
        .claims
        .iter()
        .filter(|claim| claim.verdict == Verdict::Inconclusive && claim.measured.is_some())
        .count();
    let few = outcome.parts.iter().all(|part| (2..20).contains(&part.seeds.len()));
    if open > 0 && few {
        let are = if open == 1 { "claim is" } else { "claims are" };
        warnings
            .push(format!("{open} {are} left open by intervals that are too wide: --seeds 20 narrows them."));
    }
    warnings
}

/// Table 1 of paper ehn-2004, for papers that claim something about it.
fn table_1(documents: &Documents) -> Option<Section> {
    documents.claims.claims_table("table1").then_some(())?;
    let mut columns = vec![String::new()];
    columns.extend(features::TABLE_1_SYSTEMS.map(str::to_owned));
    let rows = features::rows().into_iter().map(|(name, entries)| {
        let entries = entries.map(|compared| {
            let text = features::entry(compared);
            if compared.0 == compared.1 { Entry::Plain(text) } else { Entry::Judged(text, Tone::Bad) }
        });
        [Entry::plain(name)].into_iter().chain(entries).collect()
    });
    let listing = Listing { columns, words: 1, rows: rows.collect() };
    let caption = "What the schemes in the program say of themselves; ✗ marks an entry that the paper has the other way round.";
    Some(Section {
        id: "features",
        title: "Table 1: features of the schemes".to_owned(),
        parts: vec![Part::Table(listing), Part::Caption(caption.to_owned())],
    })
}

impl Figure {
    /// How many runs it took.
    pub fn runs(&self) -> usize {
        self.cells * self.seeds.len()
    }
}

/// How much was run for each part.
fn runs(outcome: &PaperOutcome) -> Section {
    let columns = ["Part", "Scenario", "Cells", "Seeds", "Length of a run", "Runs", "BLAKE3 of the scenario"];
    let figures = outcome.parts.iter().map(|part| {
        vec![
            Entry::Strong(part.figure.clone()),
            Entry::Code(part.provenance.scenario.clone()),
            Entry::Plain(part.cells.to_string()),
            Entry::Plain(format!("{} ({})", part.seeds.len(), format_seeds(&part.seeds))),
            Entry::Plain(format!("{} s", part.duration_s)),
            Entry::Plain(part.runs().to_string()),
            Entry::Code(part.provenance.scenario_blake3.chars().take(16).collect()),
        ]
    });
    let others = outcome.readings.iter().map(|reading| {
        let set: Vec<String> = reading.reading.set.iter().map(|set| format!("--set '{set}'")).collect();
        let cells = reading.runs / reading.seeds.len().max(1);
        vec![
            Entry::Plain(format!("{}: {}", reading.deviation.id, reading.reading.reading)),
            Entry::Code(format!("{} {}", reading.deviation.figures.join(", "), set.join(" "))),
            Entry::Plain(cells.to_string()),
            Entry::Plain(format!("{} ({})", reading.seeds.len(), format_seeds(&reading.seeds))),
            Entry::plain("the same"),
            Entry::Plain(reading.runs.to_string()),
            Entry::plain(""),
        ]
    });
    let rows = figures.chain(others).collect();
    let listing = Listing { columns: columns.map(str::to_owned).to_vec(), words: 2, rows };
    Section { id: "runs", title: "How much was run".to_owned(), parts: vec![Part::Table(listing)] }
}

/// Of all figures together: their files one after another, as `cat FILES | b3sum` sees them.
fn provenance(paper: &Paper, outcome: &PaperOutcome) -> Provenance {
    let first = outcome.parts.first().map(|part| &part.provenance);
    let names: Vec<&str> = outcome.parts.iter().map(|part| part.provenance.scenario.as_str()).collect();
    let text: String = outcome.parts.iter().map(|part| part.text.as_str()).collect();
    let seeds: BTreeSet<u64> = outcome.parts.iter().flat_map(|part| part.seeds.iter().copied()).collect();
    Provenance {
        version: first.map(|from| from.version.clone()).unwrap_or_default(),
        engine: ENGINE.to_owned(),
        revision: first.map(|from| from.revision.clone()).unwrap_or_default(),
        scenario: if names.is_empty() { format!("papers/{}", paper.name) } else { names.join(" ") },
        scenario_blake3: blake3::hash(text.as_bytes()).to_hex().to_string(),
        overrides: first.map(|from| from.overrides.clone()).unwrap_or_default(),
        seeds: seeds.into_iter().collect(),
        reproduce: first.map_or(String::new(), |from| from.reproduce.clone()),
        scenario_text: text,
    }
}
