//! Shared by `run`, `demo` and `lab`: options, running, and showing results.

use crate::Outcome;
use crate::engine::Engine;
use crate::estimate::{self, Costs};
use crate::files::FileOptions;
use crate::format::FormatOption;
use crate::run_progress::RunProgress;
use crate::targets;
use crate::terminal::{Failure, list_written, note, program, warnings};
use clap::{Args, ValueEnum};
use seamline_cli::interrupt::Interrupt;
use seamline_experiment::atomic::remove_unfinished;
use seamline_experiment::pages;
use seamline_experiment::report::{Provenance, ResultDocument, provenance_of, quoted};
use seamline_experiment::run::Advance;
use seamline_experiment::text::{headline, tables, verdicts};
use seamline_experiment::{Baseline, CellResult, FlowSummary, Incomplete, RunOptions, summarise};
use seamline_report::Report;
use seamline_report::export::table::outcomes;
use seamline_report::quantity::plural;
use seamline_scenario::{Parts, Plan};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// With more grid cells than this, tables are only shown on request. The help of [`Table::Auto`] has this number.
const MOST_TABLES: usize = 6;

/// Changes to the scenario.
#[derive(Clone, Debug, Args)]
pub(crate) struct Overrides {
    /// Run this many seeds (1, 2, ... n) instead of the scenario's
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) seeds: Option<u32>,
    /// Set a key of the scenario, e.g. link.space.rate="20 Mbit/s" or grid.flow.main.variant='["vegas"]';
    /// can be repeated
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) set: Vec<String>,
    /// TCP of all flows that name no other: that of a Linux kernel in virtual time, e.g. linux-6.12, or seamline
    #[arg(long, value_name = "STACK")]
    pub(crate) stack: Option<String>,
}

/// The number of processors to use.
#[derive(Clone, Debug, Args)]
pub(crate) struct Processors {
    /// Number of processors to use, one run on each. With at least two processors per run, `run` and `demo` also divide each run of a
    /// large network among several [default: all]
    #[arg(long, short, value_name = "N")]
    jobs: Option<NonZeroUsize>,
}

fn processors() -> usize {
    std::thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

impl Processors {
    /// Whether more than one run at a time was requested.
    #[cfg(target_os = "linux")]
    pub(crate) fn are_many(&self) -> bool {
        self.jobs.is_some_and(|jobs| jobs.get() > 1)
    }

    /// How many run at a time.
    pub(crate) fn workers(&self, runs: usize) -> usize {
        let most = processors().min(runs).max(1);
        self.jobs.map_or(most, NonZeroUsize::get).min(most)
    }

    /// How many processors each of so many runs may use.
    fn threads(&self, runs: usize) -> usize {
        self.jobs.map_or(usize::MAX, NonZeroUsize::get).min(processors()) / self.workers(runs)
    }

    /// Do parallel work of at most this many runs. More workers than runs or processors would only take time to start.
    pub(crate) fn run<T: Send>(
        &self,
        runs: usize,
        quiet: bool,
        work: impl FnOnce() -> T + Send,
    ) -> Result<T, Failure> {
        let workers = self.workers(runs);
        if let Some(jobs) = self.jobs.filter(|jobs| jobs.get() > workers && !quiet) {
            let processors = processors();
            let why = if runs < processors { plural(runs, "run") } else { plural(processors, "processor") };
            note("note", format!("--jobs {jobs}: {workers} at a time, for there are only {why}"));
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(workers);
        let pool = pool.build()?;
        Ok(pool.install(work))
    }
}

/// Output and processor options of commands that answer a question.
#[derive(Clone, Debug, Args)]
pub(crate) struct OutputOptions {
    #[command(flatten)]
    pub(crate) format: FormatOption,
    #[command(flatten)]
    pub(crate) processors: Processors,
    /// Do not show progress and notes
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// The maximum number of seeds; each keeps its records until the end.
pub(crate) const MOST_SEEDS: i64 = 10_000;

/// What results are compared with.
#[derive(Clone, Debug, Args)]
pub(crate) struct BaselineOption {
    /// Compare each grid cell with the one that differs in this key only, e.g. agent.station.kind=none [default: the
    /// grid cell with the first scheme, or without schemes the first grid cell; also the value none of every key that has it]
    #[arg(long, value_name = "KEY=VALUE")]
    baseline: Option<String>,
}

impl BaselineOption {
    /// The baseline, if one is named.
    pub(crate) fn of(&self, parts: &Parts<'_>) -> Result<Option<Baseline>, Failure> {
        let read = |text: &String| Baseline::new(parts, text);
        self.baseline.as_ref().map(read).transpose().map_err(Failure::Input)
    }

    /// Whether one is named.
    pub(crate) fn is_named(&self) -> bool {
        self.baseline.is_some()
    }

    /// This option as command-line text.
    pub(crate) fn retyped(&self) -> String {
        self.baseline.as_ref().map(|text| format!(" --baseline {}", quoted(text))).unwrap_or_default()
    }
}

/// Options of every experiment.
#[derive(Clone, Debug, Args)]
pub(crate) struct Options {
    #[command(flatten)]
    pub(crate) overrides: Overrides,
    #[command(flatten)]
    pub(crate) baseline: BaselineOption,
    #[command(flatten)]
    pub(crate) processors: Processors,
    #[command(flatten)]
    pub(crate) format: FormatOption,
    #[command(flatten)]
    pub(crate) files: FileOptions,
    /// Write a report into this directory: a page with figures, and all data as CSV, JSON and Parquet. Writes only the
    /// page if the name ends in .html
    #[arg(long, value_name = "DIR")]
    pub(crate) report: Option<PathBuf>,
    /// Grid cells for which to show a table of the first run
    #[arg(long, value_name = "WHICH", value_enum, default_value_t = Table::Auto)]
    pub(crate) table: Table,
    /// Do not show progress and warnings
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

/// Grid cells for which to show a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Table {
    /// All, if there are at most 6
    Auto,
    /// All
    All,
    /// The first
    First,
    /// None
    None,
}

impl Options {
    fn check_targets(&self) -> Outcome {
        self.report.as_deref().map_or(Ok(()), |place| targets::report("--report", place))?;
        self.files.check()
    }
}

impl Overrides {
    /// The `--set` arguments, with `--seeds` as one of them.
    pub(crate) fn to_settings(&self) -> Vec<String> {
        let mut overrides = self.set.clone();
        overrides.extend(self.stack.as_ref().map(|stack| format!("stack={stack:?}")));
        overrides.extend(self.seeds.map(|seeds| format!("seeds={seeds}")));
        overrides
    }

    /// These options as command-line text, as far as they change results.
    pub(crate) fn retyped(&self) -> String {
        let seeds = self.seeds.map(|seeds| format!(" --seeds {seeds}")).unwrap_or_default();
        let set: String = self.set.iter().map(|set| format!(" --set {}", quoted(set))).collect();
        let stack =
            self.stack.as_ref().map(|stack| format!(" --stack {}", quoted(stack))).unwrap_or_default();
        seeds + &stack + &set
    }
}

/// Run a plan in the simulator and report the results. `command` is the command to reproduce them: `run FILE`.
pub(crate) fn run_and_report(plan: &Plan, options: &Options, command: &str, files: RunOptions) -> Outcome {
    let engine = Engine::of(plan)?;
    run_and_report_with(plan, options, command, files, |files, finished| {
        if !options.quiet {
            let workers = options.processors.workers(plan.runs());
            let costs = Costs::of(plan);
            engine.state_memory(&costs, workers);
            estimate::state(plan, &costs, true, workers, |first| engine.try_out(first, &files.stop));
        }
        let results =
            options.processors.run(plan.runs(), options.quiet, || engine.run(plan, files, finished));
        results.map_err(|failure| Incomplete::nothing(plan, failure))?
    })
}

/// The results of all runs, or an incomplete part of them.
pub(crate) type Results = Result<Vec<CellResult>, Incomplete<Failure>>;

/// Run a plan with `engine`, which calls its second argument after each run, and report the results. If they are
/// incomplete, report why.
pub(crate) fn run_and_report_with(
    plan: &Plan,
    options: &Options,
    command: &str,
    files: RunOptions,
    engine: impl FnOnce(&RunOptions, &(dyn Fn() + Sync)) -> Results,
) -> Outcome {
    options.check_targets()?;
    let baseline = options.baseline.of(&plan.into())?;
    let retyped = options.overrides.retyped() + &options.baseline.retyped();
    let provenance = provenance_of(plan, format!("{} {command}{retyped}", program()));
    let cells_over_time = if options.report.is_some() { pages::CELLS_OVER_TIME } else { 0 };
    let interrupt = Interrupt::listen_and(remove_unfinished)?;
    let stop = interrupt.flag().clone();
    let (provenance_text, warn) = (provenance.to_string(), warnings(options.quiet));
    let threads = options.processors.threads(plan.runs());
    let files = RunOptions { provenance: provenance_text, cells_over_time, threads, stop, warn, ..files };
    let bar = Arc::new(RunProgress::new(plan, options.quiet));
    let advance = Advance(Some(Arc::new({
        let bar = bar.clone();
        move |advanced| bar.advanced(advanced)
    })));
    let results = engine(&RunOptions { advance, ..files }, &|| bar.finished_one());
    bar.clear();
    let (results, incomplete) = match results {
        Ok(results) => (results, None),
        Err(mut incomplete) => (std::mem::take(&mut incomplete.results), Some(incomplete)),
    };
    let seeds = results.first().map_or(Vec::new(), |result| result.runs.iter().map(|run| run.seed).collect());
    let is_partial = incomplete.as_ref().is_some_and(|incomplete| incomplete.left_out > 0);
    // There may be something to show, and something to say after it.
    if incomplete.is_none() || !results.is_empty() {
        let page = options.report.as_deref().filter(|_| !is_partial);
        let summary = summarise(plan, &results, baseline.as_ref());
        show(plan, results, &summary, options, page, provenance)?;
    }
    incomplete
        .map_or(Ok(()), |incomplete| Err(incomplete_failure(plan, incomplete, &seeds, options, &interrupt)))
}

/// Why the results are not all that was asked for. `seeds` have been through every cell.
fn incomplete_failure(
    plan: &Plan,
    incomplete: Incomplete<Failure>,
    seeds: &[u64],
    options: &Options,
    interrupt: &Interrupt,
) -> Failure {
    if incomplete.left_out == 0
        && let Some(error) = incomplete.unwritten.first()
    {
        return Failure::Runtime(format!(
            "{error}\ntip: choose another directory with --pcapng, --events, --parquet, --xplot or --iperf3"
        ));
    }
    let (runs, all) = (plan.runs() - incomplete.left_out, plan.runs());
    let shown: Vec<String> = seeds.iter().map(u64::to_string).collect();
    let what = match shown.is_empty() {
        true => "no seed has completed every grid cell, so there is nothing to compare".to_owned(),
        false => format!("results of the seeds that completed every grid cell: {}", shown.join(", ")),
    };
    if let Some(failure) = incomplete.failure {
        if !options.quiet && runs > 0 {
            note("note", format!("a run failed after {runs} of {all} runs; {what}"));
        }
        return failure;
    }
    let mut message = format!("interrupted after {runs} of {all} runs; {what}\n");
    if options.files.are_written(plan) {
        message += "files of unfinished runs are removed\n";
    }
    if !incomplete.files.is_empty() {
        message += &list_written(&incomplete.files);
    }
    message += "tip: seamline sweep keeps every finished run and resumes";
    Failure::Interrupted(message, interrupt.exit_code())
}

/// Report the results of a plan, write the report to `page` if there is to be one, and print it. A report that cannot be
/// written fails after everything is printed.
fn show(
    plan: &Plan,
    mut results: Vec<CellResult>,
    summary: &[FlowSummary],
    options: &Options,
    page: Option<&Path>,
    provenance: Provenance,
) -> Outcome {
    let mut files: Vec<PathBuf> =
        results.iter_mut().flat_map(|result| std::mem::take(&mut result.files)).collect();
    let report = pages::report(plan, results, summary, provenance);
    let page = page.map(|place| pages::write(&report, place)).transpose();
    let failure = page.map(|page| files.extend(page)).map_err(Failure::from);
    let text = || {
        let tables = headline(plan, plan.cells.len()) + &wanted_tables(plan, &report, options.table);
        let reproduce = format!("\nReproduce: {}\n", report.provenance.reproduce);
        tables + &verdicts(plan, summary) + &written(&files) + &reproduce
    };
    print_report(&options.format, plan, &report, text)?;
    if !options.quiet {
        report.warnings.iter().for_each(|text| note("warning", text));
    }
    failure
}

/// Print a report: as `text`, as the table of its outcomes, or as the result document.
pub(crate) fn print_report(
    format: &FormatOption,
    plan: &Plan,
    report: &Report,
    text: impl FnOnce() -> String,
) -> Outcome {
    let document = || ResultDocument::new(plan, report).to_json();
    format.print(text, || outcomes(report), || Ok(document()?))
}

/// The tables that are wanted; `Auto` says how to see them where there are many.
fn wanted_tables(plan: &Plan, report: &Report, which: Table) -> String {
    let cells = report.cells.len();
    let shown = match which {
        Table::All => cells,
        Table::Auto if cells <= MOST_TABLES => cells,
        Table::First => 1,
        Table::Auto | Table::None => 0,
    };
    let mut text = tables(plan, report, shown, seamline_cli::columns().unwrap_or(usize::MAX));
    if shown < cells && which == Table::Auto {
        text += "(many grid cells: --table all shows a table of each)\n\n";
    }
    text
}

fn written(files: &[PathBuf]) -> String {
    if files.is_empty() { String::new() } else { format!("\n{}", list_written(files)) }
}
