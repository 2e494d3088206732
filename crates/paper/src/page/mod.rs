//! A paper's outcome as a page with its pictures and tables, in the terms of `seamline-report`.

pub mod beyond;
pub mod diagrams;
mod figures;
mod readings;
pub mod single_runs;
mod tables;

use crate::bundled::Paper;
use crate::documents::{Deviation, Documents};
use crate::evaluate::ClaimResult;
use crate::features;
use crate::run::{PaperError, PaperOutcome, Part as Figure};
use crate::text::seeds_of;
use crate::verdict::Verdict;
use seamline_experiment::report::engine;
pub use seamline_report::paper::PaperReport;
use seamline_report::paper::{Entry, Listing, Part, Section, Tone};
use seamline_report::provenance::format_seeds;
use seamline_report::quantity::plural;
use seamline_report::{File, Provenance, ReportError};
use std::collections::BTreeSet;

/// The page of a paper. Further sections and tables may be added to it.
///
/// # Errors
/// When one of the paper's files is malformed.
pub fn report(paper: &Paper, outcome: &PaperOutcome) -> Result<PaperReport, PaperError> {
    let documents = Documents::of(paper)?;
    let mut sections = vec![figures::section(&documents, outcome)];
    sections.extend(table_1(&documents));
    sections.push(figures::numbers(&documents, outcome));
    sections.extend(readings::section(outcome));
    sections.push(silences(&documents.deviations.deviation));
    sections.push(runs(outcome));
    Ok(PaperReport {
        title: documents.claims.title.clone(),
        citation: documents.claims.cite.clone(),
        facts: facts(outcome),
        warnings: warnings(outcome).into_iter().chain(unlike_recorded(&documents, outcome)).collect(),
        claims: outcome.claims.clone(),
        sections,
        over_time: Vec::new(),
        tables: tables::tables(&documents, outcome),
        provenance: provenance(paper, outcome),
    })
}

/// The files of the page, the page last.
///
/// # Errors
/// When a table cannot be written in its format, which is a bug of this program.
pub fn files(report: &PaperReport) -> Result<Vec<File>, ReportError> {
    let mut files = report.files()?;
    // claims.json holds the claims with the cells behind them, for which a table has no place.
    files.retain(|file| file.name != "claims.json");
    Ok(files)
}

/// A table whose first columns, so many as `words`, hold text.
fn table(columns: &[&str], words: usize, rows: impl Iterator<Item = Vec<Entry>>) -> Part {
    let columns = columns.iter().map(|column| (*column).to_owned()).collect();
    Part::Table(Listing { columns, words, rows: rows.collect() })
}

fn facts(outcome: &PaperOutcome) -> String {
    let cells: usize = outcome.parts.iter().map(|part| part.cells).sum();
    let runs: usize = outcome.parts.iter().map(Figure::runs).sum();
    let seeds = seeds_of(outcome.parts.iter().map(|part| part.provenance.seeds.len()));
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
    let seeds = || outcome.parts.iter().map(|part| part.provenance.seeds.len());
    if seeds().any(|seeds| seeds < 2) {
        warnings.push("One seed gives no interval: use --seeds 5 to decide the claims.".to_owned());
    }
    let (some, nothing): (Vec<&ClaimResult>, Vec<&ClaimResult>) =
        outcome.claims.iter().partition(|claim| claim.measured.is_some());
    if !nothing.is_empty() && seeds().all(|seeds| seeds > 1) {
        let ids: Vec<&str> = nothing.iter().map(|claim| claim.id.as_str()).collect();
        warnings.push(format!("Nothing could be measured for {}; the findings say why.", ids.join(", ")));
    }
    let open = some.iter().filter(|claim| claim.verdict == Verdict::Inconclusive).count();
    if open > 0 && seeds().all(|seeds| (2..20).contains(&seeds)) {
        let are = if open == 1 { "claim is" } else { "claims are" };
        warnings.push(format!(
            "{open} {are} inconclusive because intervals are too wide: use --seeds 20 to narrow them."
        ));
    }
    warnings
}

/// Verdicts that are not those recorded with the paper. Only runs of the paper's own set-up are compared.
fn unlike_recorded(documents: &Documents, outcome: &PaperOutcome) -> Option<String> {
    let is_own = outcome.parts.iter().all(|part| part.provenance.overrides.is_empty());
    let differs = |claim: &&ClaimResult| documents.verdicts.get(&claim.id) != Some(&claim.verdict);
    let unlike = outcome.claims.iter().filter(|_| is_own).filter(differs);
    let unlike: Vec<String> = unlike.map(|claim| format!("{} ({})", claim.id, claim.verdict)).collect();
    (!unlike.is_empty())
        .then(|| format!("Not the verdicts that were recorded with the paper: {}.", unlike.join(", ")))
}

/// Table 1 of paper ehn-2004, for papers with a claim about it.
fn table_1(documents: &Documents) -> Option<Section> {
    documents.claims.claims_table("table1").then_some(())?;
    let rows = features::rows().into_iter().map(|(name, entries)| {
        let entries = entries.map(|compared| {
            let text = features::entry(compared);
            if compared.0 == compared.1 { Entry::Plain(text) } else { Entry::Judged(text, Tone::Bad) }
        });
        [Entry::plain(name)].into_iter().chain(entries).collect()
    });
    let [first, second, third, fourth] = features::TABLE_1_SYSTEMS;
    let listing = table(&["", first, second, third, fourth], 1, rows);
    let caption =
        "The traits that the schemes in this program declare; ✗ marks entries that differ from the paper.";
    Some(Section {
        id: "features",
        title: "Table 1: features of the schemes".to_owned(),
        parts: vec![listing, Part::Caption(caption.to_owned())],
    })
}

impl Figure {
    /// The number of its runs.
    pub fn runs(&self) -> usize {
        self.cells * self.provenance.seeds.len()
    }
}

/// How much was run for each part.
fn runs(outcome: &PaperOutcome) -> Section {
    let columns = ["Part", "Scenario", "Cells", "Seeds", "Length of a run", "Runs", "BLAKE3 of the scenario"];
    let seeds = |seeds: &[u64]| Entry::Plain(format!("{} ({})", seeds.len(), format_seeds(seeds)));
    let figures = outcome.parts.iter().map(|part| {
        vec![
            Entry::Strong(part.figure.clone()),
            Entry::Code(part.provenance.scenario.clone()),
            Entry::Plain(part.cells.to_string()),
            seeds(&part.provenance.seeds),
            Entry::Plain(format!("{} s", part.duration_s)),
            Entry::Plain(part.runs().to_string()),
            Entry::Code(part.provenance.scenario_blake3.chars().take(16).collect()),
        ]
    });
    let others = outcome.readings.iter().map(|reading| {
        let set: Vec<String> = reading.reading.set.iter().map(|set| format!("--set '{set}'")).collect();
        let cells = reading.runs / reading.seeds.len().max(1);
        vec![
            Entry::Plain(reading.reading.name()),
            Entry::Code(format!("{} {}", reading.reading.figures.join(", "), set.join(" "))),
            Entry::Plain(cells.to_string()),
            seeds(&reading.seeds),
            Entry::plain("the same"),
            Entry::Plain(reading.runs.to_string()),
            Entry::plain(""),
        ]
    });
    let parts = vec![table(&columns, 2, figures.chain(others))];
    Section { id: "runs", title: "How much was run".to_owned(), parts }
}

/// All silent points and how each was read, with the reasons.
fn silences(deviations: &[Deviation]) -> Section {
    let columns =
        ["The paper does not say", "Read as", "Reason", "Other readings tried", "Key of the scenario"];
    let rows = deviations.iter().map(|deviation| {
        let tried: Vec<String> =
            deviation.r#try.iter().map(|other| format!("{} ({})", other.reading, other.ground)).collect();
        let tried = if tried.is_empty() { "–".to_owned() } else { tried.join("; ") };
        vec![
            Entry::Named(deviation.id.clone(), deviation.silent.clone()),
            Entry::Plain(format!("{} ({})", deviation.reading, deviation.ground)),
            Entry::Plain(deviation.reason.clone()),
            Entry::Plain(tried),
            Entry::Code(deviation.key.clone()),
        ]
    });
    let caption = "In brackets is the ground of a reading: the paper's text, the history of its tools and standards, its own \
                   arithmetic, or a search over values. One found by search is never taken.";
    let parts = vec![table(&columns, 5, rows), Part::Caption(caption.to_owned())];
    Section { id: "silences", title: "How the paper's silent points were read, and why".to_owned(), parts }
}

/// The provenance of all figures together; the hash is that of their files one after another, as of `cat FILES | b3sum`.
fn provenance(paper: &Paper, outcome: &PaperOutcome) -> Provenance {
    let first = outcome.parts.first().map(|part| &part.provenance);
    let names: Vec<&str> = outcome.parts.iter().map(|part| part.provenance.scenario.as_str()).collect();
    let text: String = outcome.parts.iter().map(|part| part.provenance.scenario_text.as_str()).collect();
    let seeds: BTreeSet<u64> =
        outcome.parts.iter().flat_map(|part| part.provenance.seeds.iter().copied()).collect();
    Provenance {
        version: first.map(|from| from.version.clone()).unwrap_or_default(),
        engine: engine().to_owned(),
        revision: first.map(|from| from.revision.clone()).unwrap_or_default(),
        scenario: if names.is_empty() { format!("papers/{}", paper.name) } else { names.join(" ") },
        scenario_blake3: blake3::hash(text.as_bytes()).to_hex().to_string(),
        overrides: first.map(|from| from.overrides.clone()).unwrap_or_default(),
        seeds: seeds.into_iter().collect(),
        reproduce: first.map_or(String::new(), |from| from.reproduce.clone()),
        scenario_text: text,
    }
}
