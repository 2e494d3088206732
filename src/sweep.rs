//! `seamline sweep FILE --out DIR`

use crate::Outcome;
use crate::engine::Engine;
use crate::estimate;
use crate::experiment::{BaselineOption, Overrides, Processors, print_report};
use crate::format::{Format, FormatOption};
use crate::run::load;
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
use seamline_scenario::Plan;
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

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let plan = load(&arguments.file, &arguments.overrides.to_settings())?;
    let baseline = arguments.baseline.of(&plan)?;
    targets::folder("--out", &arguments.out)?;
    let command = arguments.command();
    let provenance = provenance_of(&plan, command.clone());
    let only_flows = arguments.format.get() != Format::Json;
    let options =
        SweepOptions { out: arguments.out.clone(), shard: arguments.shard, add: arguments.add, only_flows };
    let interrupt = Interrupt::listen()?;
    let engine = Engine::of(&plan)?;
    if !arguments.quiet {
        let workers = arguments.processors.workers(plan.runs());
        engine.state_memory(&plan, workers);
        // How many of its runs are stored is known only later.
        if !has_lines(&arguments.out) {
            estimate::state(&plan, workers, |first| engine.try_out(first, interrupt.flag()));
        }
    }
    let reporter = ProgressReporter::new(arguments.quiet);
    let (stop, warn) = (interrupt.flag().clone(), warnings(arguments.quiet));
    let run_options = RunOptions { stop, warn, ..RunOptions::default() };
    let run = |job: Job| engine.record(&plan, job, &run_options);
    let work = || sweep_with(&plan, &provenance, &options, interrupt.flag(), &reporter, &run);
    let outcome = arguments.processors.run(plan.runs(), arguments.quiet, work)?;
    reporter.clear();
    let outcome = outcome.map_err(failure)?;
    if outcome.interrupted {
        return Err(interrupted(&outcome, &arguments.retyped(&command), interrupt.exit_code()));
    }
    show(&plan, arguments, baseline.as_ref(), outcome, provenance)
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
}

fn show(
    plan: &Plan,
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
    let Some(results) = outcome.results else {
        let stored = format!("{} of {} runs are stored in {}\n", outcome.stored, outcome.runs, out.display());
        let next = format!("When all shards are complete: {command}\n");
        let text = || headline(plan) + &stored + &next + &compacted;
        // No run is summarised yet.
        return format.print_rows(text, || Table::new("outcomes"));
    };
    let summary = summarise(plan, &results, baseline);
    let remarks = pages::remarks(plan, &results, &summary);
    if format.is_text() {
        // Of many cells the records take more memory than what is said of them.
        drop(results);
        let stored = format!("\nStored: {} runs in {}\n", outcome.stored, out.display());
        let text = headline(plan) + &verdicts(plan, &summary) + &compacted + &stored;
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
