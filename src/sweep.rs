//! `seamline sweep FILE --out DIR`

use crate::Outcome;
use crate::engine::Engine;
use crate::estimate::{self, Costs};
use crate::experiment::{BaselineOption, Overrides, Processors, print_report};
use crate::format::{Format, FormatOption};
use crate::run::load_parts;
use crate::targets;
use crate::terminal::{Failure, ProgressReporter, note, print, print_results, program, warnings};
use seamline_cli::fitted;
use seamline_cli::interrupt::Interrupt;
use seamline_experiment::pages;
use seamline_experiment::report::{Provenance, provenance_of, quoted};
use seamline_experiment::text::{headline, verdicts};
use seamline_experiment::{Baseline, summarise};
use seamline_experiment::{Job, RunOptions};
use seamline_report::export::table::Table;
use seamline_results::sweep::SweepOutcome;
use seamline_results::{Error, Shard, SweepOptions, compact, has_lines, sweep_with};
use seamline_scenario::{Parts, Plan};
use std::path::{Path, PathBuf};

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

/// Text compares no more grid cells than this, unless a baseline is named, since nobody reads a line about each. Of a larger grid, so many
/// are in memory at a time. The help of `sweep` and what it prints have this number.
const PART: usize = 10_000;

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let mut costs = Costs::default();
    let settings = arguments.overrides.to_settings();
    let most = if arguments.compares_all() { usize::MAX } else { PART };
    let parts = load_parts(&arguments.file, &settings, most, &mut |scenario| costs.add(scenario))?;
    let baseline = parts.single().and_then(|plan| arguments.baseline.of(plan).transpose()).transpose()?;
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
    show(&parts, arguments, baseline.as_ref(), outcome, provenance)
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

    /// Whether all results are compared, however many there are.
    fn compares_all(&self) -> bool {
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
    outcome: SweepOutcome,
    provenance: Provenance,
) -> Outcome {
    let Arguments { out, format, .. } = arguments;
    let command = provenance.reproduce.clone();
    let compacted = arguments.compact.then(|| compact(out)).transpose().map_err(failure)?;
    let compacted = compacted
        .map_or(String::new(), |(path, rows)| format!("\nWritten:\n  {} ({rows} rows)\n", path.display()));
    let headline = || headline(parts.first(), parts.totals().cells.len());
    let (Some(plan), Some(results)) = (parts.single(), outcome.results) else {
        let SweepOutcome { stored, runs, .. } = outcome;
        let next = match stored < runs {
            true => format!("When all shards are complete: {command}\n"),
            false => format!(
                "The results were not checked or compared, because there are more than 10,000 grid cells. To check and compare them: {command} --format csv\n"
            ),
        };
        let stored = format!("{stored} of {runs} runs are stored in {}\n", out.display());
        let text = || headline() + &stored + &next + &compacted;
        // No run is summarised yet.
        return format.print_rows(text, || Table::new("outcomes"));
    };
    let summary = summarise(plan, &results, baseline);
    let remarks = pages::remarks(plan, &results, &summary);
    if format.is_text() {
        // Of many cells the records take more memory than what is said of them.
        drop(results);
        let stored = format!("\nStored: {} runs in {}\n", outcome.stored, out.display());
        let text = headline() + &verdicts(plan, &summary) + &compacted + &stored;
        print_results(&fitted(&(text + &format!("Reproduce: {command}\n"))))?;
    } else {
        print_report(format, plan, &pages::report(plan, results, &summary, provenance), String::new)?;
    }
    if !arguments.quiet {
        remarks.iter().for_each(|text| note("warning", text));
    }
    Ok(())
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
