//! `seamline paper ID --out DIR`

mod beyond;

use crate::Outcome;
use crate::experiment::{MOST_SEEDS, OutputOptions};
use crate::sweep::failure as results_failure;
use crate::terminal::{Failure, Told, invalid, json, note, print};
use seamline_cli::interrupt::Interrupt;
use seamline_experiment::atomic;
use seamline_experiment::report::quoted;
use seamline_paper::documents::Documents;
use seamline_paper::page::{self, PaperReport};
use seamline_paper::run::PaperError;
use seamline_paper::{ALL, Paper, PaperOptions, PaperOutcome, find, text};
use std::path::{Path, PathBuf};

/// Seeds for other readings of silent points, unless fewer are asked for.
const SEEDS_FOR_READINGS: u32 = 3;

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The paper; without one, all of them are named
    paper: Option<String>,
    /// The folder of the results; what is there already is not run again
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Seeds for each cell, in place of the paper's five
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MOST_SEEDS))]
    seeds: Option<u32>,
    /// Length of a run, in place of the paper's own
    #[arg(long, value_name = "TIME")]
    duration: Option<String>,
    /// Do not try other readings of what the paper leaves open
    #[arg(long)]
    no_readings: bool,
    /// Run the paper's schemes on networks of today too, and map what better or worse notices do
    #[arg(long)]
    beyond: bool,
    #[command(flatten)]
    output: OutputOptions,
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let Some(id) = &arguments.paper else { return print(&all()) };
    let paper = find(id).ok_or_else(|| Failure::Input(format!("there is no paper \"{id}\"\n{}", all())))?;
    let out = arguments.out.as_ref().ok_or_else(|| {
        Failure::Input(format!(
            "where should the results go?\ntip: seamline paper {} --out paper-{}",
            paper.id, paper.id
        ))
    })?;
    let options = arguments.options(paper, out);
    let interrupt = Interrupt::listen()?;
    let told = Told::new(arguments.output.quiet);
    let work = || {
        let outcome = seamline_paper::run(paper, &options, interrupt.flag(), &told)?;
        let single_runs = match outcome.interrupted {
            true => None,
            false => page::single_runs::runs(paper, &options, interrupt.flag())?,
        };
        let asked = paper.beyond.as_ref().filter(|_| arguments.beyond && single_runs.is_some());
        let beyond = asked.map(|files| beyond::run(paper, files, &options, interrupt.flag(), &told));
        Ok((outcome, single_runs, beyond.transpose()?))
    };
    let done = arguments.output.processors.run(work)?;
    told.clear();
    let (outcome, single_runs, beyond) = done.map_err(failure)?;
    let Some(single_runs) = single_runs.filter(|_| !matches!(beyond, Some(None))) else {
        let message = format!("interrupted; finished runs are kept\nresume: {}", options.command);
        return Err(Failure::Interrupted(message, interrupt.exit_code()));
    };
    let beyond = beyond.flatten();
    let mut report = page::report(paper, &outcome).map_err(failure)?;
    page::single_runs::add(&mut report, single_runs);
    if let Some(found) = &beyond {
        page::beyond::add(&mut report, found);
    }
    show(paper, &outcome, &report, arguments, &options)?;
    beyond.map_or(Ok(()), |found| beyond::show(&found, arguments, &options))
}

fn all() -> String {
    let lines =
        ALL.iter().map(|paper| format!("  seamline paper {} --out DIR    {}\n", paper.id, paper.summary));
    format!("Papers that can be reproduced:\n{}", lines.collect::<String>())
}

impl Arguments {
    fn options(&self, paper: &Paper, out: &Path) -> PaperOptions {
        let mut set: Vec<String> = self.seeds.map(|seeds| format!("seeds={seeds}")).into_iter().collect();
        set.extend(self.duration.as_ref().map(|duration| format!("duration={duration}")));
        let seeds_for_readings = self.seeds.unwrap_or(SEEDS_FOR_READINGS).min(SEEDS_FOR_READINGS);
        let seeds = self.seeds.map(|seeds| format!(" --seeds {seeds}")).unwrap_or_default();
        let duration = self.duration.as_ref().map(|time| format!(" --duration {}", quoted(time)));
        let readings = if self.no_readings { " --no-readings" } else { "" };
        let beyond = if self.beyond { " --beyond" } else { "" };
        let out_text = quoted(&out.display().to_string());
        let command = format!(
            "seamline paper {}{seeds}{}{readings}{beyond} --out {out_text}",
            paper.id,
            duration.unwrap_or_default()
        );
        PaperOptions {
            out: out.to_owned(),
            set,
            set_for_readings: vec![format!("seeds={seeds_for_readings}")],
            readings: !self.no_readings,
            command,
        }
    }
}

fn show(
    paper: &Paper,
    outcome: &PaperOutcome,
    report: &PaperReport,
    arguments: &Arguments,
    options: &PaperOptions,
) -> Outcome {
    let json = json(&outcome.claims)?;
    let path = options.out.join("claims.json");
    atomic::write(&path, json.as_bytes())?;
    let page = write_page(report, &options.out)?;
    if arguments.output.json {
        return print(&json);
    }
    let documents = Documents::of(paper).map_err(failure)?;
    let mut words = text::table_1(&documents) + &text::numbers(&documents, outcome);
    words += &text::readings(outcome);
    words += &text::claims(outcome);
    words +=
        &format!("\nWritten:\n  {}\n  {}\nReproduce: {}\n", page.display(), path.display(), options.command);
    print(&words)?;
    if !arguments.output.quiet && outcome.claims.iter().any(|claim| claim.seeds == Some(1)) {
        note("warning", "one seed has no interval: --seeds 5 decides the claims");
    }
    Ok(())
}

/// Write the page with its pictures and tables; returns its path.
fn write_page(report: &PaperReport, folder: &Path) -> Result<PathBuf, Failure> {
    let files = page::files(report).map_err(|error| Failure::Runtime(error.to_string()))?;
    let mut written = folder.to_owned();
    for file in &files {
        written = folder.join(&file.name);
        atomic::write(&written, &file.bytes)?;
    }
    Ok(written)
}

fn failure(error: PaperError) -> Failure {
    match error {
        PaperError::Scenario(diagnostics) => invalid(&diagnostics),
        PaperError::Results(error) => results_failure(error),
        file @ PaperError::File { .. } => Failure::Runtime(file.to_string()),
    }
}
