//! `seamline sweep FILE --out DIR`

mod in_parts;

use crate::Outcome;
use crate::engine::Engine;
use crate::estimate::{self, Costs};
use crate::experiment::{BaselineOption, Overrides, Processors, print_report};
use crate::format::{Format, FormatOption};
use crate::run::load_parts;
use crate::targets;
use crate::terminal::{Failure, ProgressReporter, note, print, print_results, program, warnings};
use in_parts::InParts;
use seamline_cli::fitted;
use seamline_cli::interrupt::Interrupt;
use seamline_experiment::pages;
use seamline_experiment::report::{Provenance, provenance_of, quoted};
use seamline_experiment::text::{headline, verdicts};
use seamline_experiment::{Baseline, CellResult, Comparisons, Job, RunOptions, summarise};
use seamline_report::export::table::Table;
use seamline_results::sweep::SweepOutcome;
use seamline_results::{Error, Shard, StoredRuns, SweepOptions, compact, has_lines, sweep_with};
use seamline_scenario::{Parts, Plan};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The scenario file
    file: PathBuf,
    #[command(flatten)]
    overrides: Overrides,
    #[command(flatten)]
    baseline: BaselineOption,
    /// The directory of the results; stored runs are not repeated
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Run only this part of the sweep, e.g. on one of several machines
    #[arg(long, value_name = "I/N")]
    shard: Option<Shard>,
    /// Allow the directory to hold results of other scenarios or versions, too
    #[arg(long)]
    add: bool,
    /// Also write one table for notebooks: DIR/runs.parquet
    #[arg(long)]
    compact: bool,
    #[command(flatten)]
    processors: Processors,
    #[command(flatten)]
    format: FormatOption,
    /// Do not show progress and warnings
    #[arg(long, short)]
    quiet: bool,
}

/// So many grid cells are run at a time. Text compares no more than these, unless a baseline is named, since nobody reads a line about each.
/// The help of `sweep` and what it prints have this number.
const PART: usize = 10_000;
/// So many of more grid cells than that are printed at a time.
const PRINTED_PART: usize = 1_000;

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let mut costs = Costs::default();
    let settings = arguments.overrides.to_settings();
    let parts = load_parts(&arguments.file, &settings, PART, &mut |scenario| costs.add(scenario))?;
    let baseline = arguments.baseline.of(&parts)?;
    targets::folder("--out", &arguments.out)?;
    let command = arguments.command();
    let provenance = provenance_of(parts.first(), command.clone());
    let only_flows = arguments.format.get() != Format::Json;
    let options =
        SweepOptions { out: arguments.out.clone(), shard: arguments.shard, add: arguments.add, only_flows };
    let interrupt = Interrupt::listen()?;
    let totals = parts.totals();
    let engine = Engine::with(totals.kernels.iter().map(String::as_str))?;
    if !arguments.quiet {
        arguments.state(&parts, &costs, &engine, &interrupt);
    }
    let reporter = ProgressReporter::new(arguments.quiet);
    let (stop, warn) = (interrupt.flag().clone(), warnings(arguments.quiet));
    let run_options = RunOptions { stop, warn, ..RunOptions::default() };
    let run = |plan: &Plan, job: Job| engine.record(plan, job, &run_options);
    let work = || sweep_with(&parts, &provenance, &options, interrupt.flag(), &reporter, &run);
    let outcome = arguments.processors.run(totals.runs(), arguments.quiet, work)?;
    reporter.clear();
    let outcome = outcome.map_err(failure)?;
    if outcome.interrupted {
        return Err(interrupted(&outcome, &arguments.retyped(&command), interrupt.exit_code()));
    }
    show(&parts, arguments, baseline.as_ref(), outcome, provenance, &interrupt)
}

impl Arguments {
    /// The command for the whole sweep.
    fn command(&self) -> String {
        let path = |path: &Path| quoted(&path.display().to_string());
        let add = if self.add { " --add" } else { "" };
        let settings = self.overrides.retyped() + &self.baseline.retyped();
        format!("{} sweep {}{settings} --out {}{add}", program(), path(&self.file), path(&self.out))
    }
    /// The command for this shard.
    fn retyped(&self, command: &str) -> String {
        let shard = self.shard.map(|shard| format!(" --shard {shard}")).unwrap_or_default();
        format!("{command}{shard}")
    }

    /// Whether the results of all grid cells are printed, however many there are.
    fn prints_all(&self) -> bool {
        self.baseline.is_named() || (self.shard.is_none() && !self.format.is_text())
    }

    fn state(&self, parts: &Parts<'_>, costs: &Costs, engine: &Engine, interrupt: &Interrupt) {
        let workers = self.processors.workers(parts.totals().runs());
        engine.state_memory(costs, workers);
        // How many of its runs are stored is known only later.
        if !has_lines(&self.out) {
            let try_out = |first: &Plan| engine.try_out(first, interrupt.flag());
            estimate::state(parts.first(), costs, parts.single().is_some(), workers, try_out);
        }
    }
}

fn show(
    parts: &Parts<'_>,
    arguments: &Arguments,
    baseline: Option<&Baseline>,
    mut outcome: SweepOutcome,
    provenance: Provenance,
    interrupt: &Interrupt,
) -> Outcome {
    let out = &arguments.out;
    let compacted = arguments.compact.then(|| compact(out)).transpose().map_err(failure)?;
    let compacted = compacted
        .map_or(String::new(), |(path, rows)| format!("\nWritten:\n  {} ({rows} rows)\n", path.display()));
    let headline = headline(parts.first(), parts.totals().cells.len());
    let end = format!(
        "{compacted}\nStored: {} runs in {}\nReproduce: {}\n",
        outcome.stored,
        out.display(),
        provenance.reproduce
    );
    let remarks = if let (Some(plan), Some(results)) = (parts.single(), outcome.results.take()) {
        show_whole(plan, arguments, results, baseline, provenance, (headline, end))?
    } else if outcome.is_complete() && arguments.prints_all() {
        show_in_parts(parts, arguments, baseline, provenance, (headline, end), interrupt)?
    } else {
        return show_counts(arguments, &outcome, headline, &compacted, &provenance.reproduce);
    };
    if !arguments.quiet {
        remarks.iter().for_each(|text| note("warning", text));
    }
    Ok(())
}

/// Print the results of all grid cells, which are in memory; text is between `around`. Returns what a reader should know about them.
fn show_whole(
    plan: &Plan,
    arguments: &Arguments,
    results: Vec<CellResult>,
    baseline: Option<&Baseline>,
    provenance: Provenance,
    around: (String, String),
) -> Result<Vec<String>, Failure> {
    let summary = summarise(plan, &results, baseline);
    if !arguments.format.is_text() {
        let report = pages::report(plan, results, &summary, provenance);
        print_report(&arguments.format, plan, &report, String::new)?;
        return Ok(report.warnings);
    }
    let remarks = pages::remarks(plan, &results, &summary);
    // Of many cells the records take more memory than what is said of them.
    drop(results);
    print_results(&fitted(&(around.0 + &verdicts(plan, &summary) + &around.1)))?;
    Ok(remarks)
}

/// The same for results that are read part by part.
fn show_in_parts(
    parts: &Parts<'_>,
    arguments: &Arguments,
    baseline: Option<&Baseline>,
    provenance: Provenance,
    around: (String, String),
    interrupt: &Interrupt,
) -> Result<Vec<String>, Failure> {
    let format = arguments.format.get();
    let command = match format {
        Format::Table => provenance.reproduce.clone(),
        Format::Csv => format!("{} --format csv", provenance.reproduce),
        Format::Json => format!("{} --format json", provenance.reproduce),
    };
    let check = || match interrupt.flag().load(Ordering::Relaxed) {
        true => Err(Failure::Interrupted(
            format!("interrupted; all runs are stored\nprint all results: {command}"),
            interrupt.exit_code(),
        )),
        false => Ok(()),
    };
    let mut in_parts = InParts {
        parts,
        stored: StoredRuns::new(parts, &arguments.out, format != Format::Json).map_err(failure)?,
        comparisons: Comparisons::new(parts, baseline),
        provenance,
        at_once: PRINTED_PART,
        check: &check,
    };
    let text = |text: &str| if arguments.format.is_text() { print(&fitted(text)) } else { Ok(()) };
    text(&around.0)?;
    let remarks = in_parts.print(format, &mut |text| print(text))?;
    text(&around.1)?;
    Ok(remarks)
}

/// Print only how many runs are stored.
fn show_counts(
    arguments: &Arguments,
    outcome: &SweepOutcome,
    headline: String,
    compacted: &str,
    command: &str,
) -> Outcome {
    let SweepOutcome { stored, runs, .. } = outcome;
    let next = match stored < runs {
        true => format!("When all shards are complete: {command}\n"),
        false => format!(
            "The results were not checked or compared, because there are more than 10,000 grid cells. To check and compare them: {command} --format csv\n"
        ),
    };
    let stored = format!("{stored} of {runs} runs are stored in {}\n", arguments.out.display());
    // No run is summarised yet.
    arguments.format.print_rows(|| headline + &stored + &next + compacted, || Table::new("outcomes"))
}

fn interrupted(outcome: &SweepOutcome, command: &str, code: u8) -> Failure {
    let SweepOutcome { stored, runs, .. } = outcome;
    Failure::Interrupted(format!("interrupted; {stored} of {runs} runs are stored\nresume: {command}"), code)
}

/// The failure for an error of stored results, with its exit code.
pub(crate) fn failure(error: Error) -> Failure {
    match &error {
        Error::Refused { .. } => Failure::Input(error.to_string()),
        // The unsaved lines are data, so they go to standard output.
        Error::Unstored { rescued: Err(lines), .. } => {
            print(lines).err().unwrap_or_else(|| Failure::Runtime(error.to_string()))
        }
        _ => Failure::Runtime(error.to_string()),
    }
}
