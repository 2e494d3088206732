//! `seamline paper ID`

use crate::Outcome;
use crate::engine::{Engine, has_kernel};
use crate::experiment::{MOST_SEEDS, OutputOptions};
use crate::sweep::failure as results_failure;
use crate::targets;
use crate::terminal::{Failure, ProgressReporter, invalid, json, note, print};
use seamline_cli::interrupt::Interrupt;
use seamline_experiment::atomic;
use seamline_experiment::report::{Provenance, quoted};
use seamline_experiment::{Job, RunOptions};
use seamline_paper::beyond::{self, BeyondOutcome};
use seamline_paper::documents::Documents;
use seamline_paper::page::{self, PaperReport};
use seamline_paper::run::PaperError;
use seamline_paper::{ALL, Paper, PaperOptions, PaperOutcome, find, text};
use seamline_report::export::table::Table;
use seamline_results::sweep::sweep_with;
use seamline_results::{Error, SweepOptions};
use seamline_scenario::Plan;
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The paper; without one, all papers are listed
    paper: Option<String>,
    /// The directory of the results; stored runs are not repeated [default: paper-ID]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Seeds per grid cell [default: as many as decide the paper's claims, 5 to 40]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MOST_SEEDS))]
    seeds: Option<u32>,
    /// Length of a run [default: the paper's own]
    #[arg(long, value_name = "TIME")]
    duration: Option<String>,
    /// Do not try alternative readings where the paper is ambiguous
    #[arg(long)]
    no_readings: bool,
    /// Also run the paper's schemes on current networks, and map the effect of better or worse notifications
    #[arg(long)]
    beyond: bool,
    /// Run the grid cells of --beyond that do not need Seamline's own TCP over that of a Linux kernel in virtual time, e.g. linux-6.12
    #[arg(long, value_name = "STACK", requires = "beyond")]
    stack: Option<String>,
    #[command(flatten)]
    output: OutputOptions,
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let Some(id) = &arguments.paper else { return arguments.output.format.print_rows(all, papers) };
    let paper = find(id).ok_or_else(|| Failure::Input(format!("there is no paper \"{id}\"\n{}", all())))?;
    let usual = || PathBuf::from(format!("paper-{}", paper.id));
    let out = &arguments.out.clone().unwrap_or_else(usual);
    targets::folder("--out", out)?;
    arguments.stack.as_deref().map_or(Ok(()), has_kernel)?;
    let options = arguments.options(paper, out);
    let interrupt = Interrupt::listen()?;
    let reporter = ProgressReporter::new(arguments.output.quiet);
    let work = || {
        let outcome = seamline_paper::run(paper, &options, interrupt.flag(), &reporter)?;
        let single_runs = match outcome.interrupted {
            true => None,
            false => page::single_runs::runs(paper, &options, interrupt.flag())?,
        };
        let diagrams = match &single_runs {
            None => None,
            Some(_) => page::diagrams::diagrams(paper, &options, interrupt.flag())?,
        };
        let single_runs = single_runs.zip(diagrams);
        let asked = paper.beyond.as_ref().filter(|_| arguments.beyond && single_runs.is_some());
        let stop = interrupt.flag();
        let sweep = |plan: &Plan, provenance: &Provenance, options: &SweepOptions| {
            let run_options = RunOptions { stop: stop.clone(), ..RunOptions::default() };
            let Ok(engine) = Engine::of(plan) else {
                return Err(Error::Run("the kernel was removed meanwhile".to_owned()));
            };
            let run = |plan: &Plan, job: Job| engine.record(plan, job, &run_options);
            sweep_with(&plan.into(), provenance, options, stop, &reporter, &run)
        };
        let beyond = asked.map(|files| beyond::run(paper, files, &options, stop, &sweep));
        Ok((outcome, single_runs, beyond.transpose()?))
    };
    let done = arguments.output.processors.run(usize::MAX, arguments.output.quiet, work)?;
    reporter.clear();
    let (outcome, single_runs, beyond) = done.map_err(failure)?;
    let Some((single_runs, diagrams)) = single_runs.filter(|_| !matches!(beyond, Some(None))) else {
        let message = format!("interrupted; finished runs are kept\nresume: {}", options.command);
        return Err(Failure::Interrupted(message, interrupt.exit_code()));
    };
    let beyond = beyond.flatten();
    let mut report = page::report(paper, &outcome).map_err(failure)?;
    page::single_runs::add(&mut report, single_runs);
    page::diagrams::add(&mut report, diagrams);
    if let Some(found) = &beyond {
        page::beyond::add(&mut report, found);
        atomic::write(&options.out.join("beyond.json"), json(found)?.as_bytes())?;
    }
    show(paper, &outcome, &report, arguments, &options)?;
    beyond.map_or(Ok(()), |found| show_beyond(&found, arguments, &options))
}

fn all() -> String {
    let lines = ALL.iter().map(|paper| format!("  seamline paper {}    {}\n", paper.id, paper.summary));
    format!("Papers that can be reproduced:\n{}", lines.collect::<String>())
}

/// All papers as a table.
fn papers() -> Table {
    let papers = ALL.iter();
    Table::new("papers")
        .text("paper", papers.clone().map(|paper| paper.id.to_owned()))
        .text("summary", papers.map(|paper| paper.summary.to_owned()))
}

impl Arguments {
    fn options(&self, paper: &Paper, out: &Path) -> PaperOptions {
        let mut set: Vec<String> = self.seeds.map(|seeds| format!("seeds={seeds}")).into_iter().collect();
        set.extend(self.duration.as_ref().map(|duration| format!("duration={duration}")));
        let seeds = self.seeds.map(|seeds| format!(" --seeds {seeds}")).unwrap_or_default();
        let duration = self.duration.as_ref().map(|time| format!(" --duration {}", quoted(time)));
        let readings = if self.no_readings { " --no-readings" } else { "" };
        let beyond = if self.beyond { " --beyond" } else { "" };
        let stack = self.stack.as_ref().map(|name| format!(" --stack {}", quoted(name))).unwrap_or_default();
        let out_text = quoted(&out.display().to_string());
        let command = format!(
            "seamline paper {}{seeds}{}{readings}{beyond}{stack} --out {out_text}",
            paper.id,
            duration.unwrap_or_default()
        );
        PaperOptions {
            out: out.to_owned(),
            set,
            most_seeds: self.seeds,
            readings: !self.no_readings,
            stack: self.stack.clone(),
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
    let documents = Documents::of(paper).map_err(failure)?;
    let text = || {
        let written = format!("\nWritten:\n  {}\n  {}\n", page.display(), path.display());
        let tables =
            text::table_1(&documents) + &text::numbers(&documents, outcome) + &text::readings(outcome);
        format!("{tables}{}{written}Reproduce: {}\n", text::claims(outcome), options.command)
    };
    arguments.output.format.print(text, || text::claims_table(&outcome.claims), || Ok(json))?;
    if !arguments.output.quiet && outcome.claims.iter().any(|claim| claim.seeds == Some(1)) {
        note("warning", "one seed gives no interval: use --seeds 5 to decide the claims");
    }
    Ok(())
}

/// Print the results on current networks, which are written as JSON.
fn show_beyond(found: &BeyondOutcome, arguments: &Arguments, options: &PaperOptions) -> Outcome {
    let path = options.out.join("beyond.json");
    if !arguments.output.format.is_text() {
        return Ok(());
    }
    print(&format!("\n{}Written:\n  {}\n", beyond::text::beyond(found), path.display()))
}

/// Write the page with its figures and tables; returns its path.
fn write_page(report: &PaperReport, folder: &Path) -> Result<PathBuf, Failure> {
    let files = page::files(report)?;
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
