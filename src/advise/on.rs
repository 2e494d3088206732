//! `seamline advise --on RECORDING`

use super::{Arguments, failure, write_files};
use crate::Outcome;
use crate::targets;
use crate::terminal::{Failure, ProgressReporter, json, note, program};
use seamline_advise::Watch;
use seamline_advise::on::{
    PathAdvice, PathInput, PathQuestion, advise_on, advised_scenario, forest_of, format_path_advice,
    seeds_for, to_table, todays_scenario,
};
use seamline_cli::interrupt::Interrupt;
use seamline_experiment::report::quoted;
use seamline_report::picture::standalone;
use seamline_results::sweep::Progress;
use std::path::Path;

/// Options that describe a recorded path.
#[derive(Debug, clap::Args)]
pub(super) struct PathOptions {
    /// Instead of two links: a recording of the path of the host. The answer is how much each TCP, each setting, and each agent or
    /// handover scheme of this project gains on it. Give several recordings if they complete each other, e.g. capacity and delay
    #[arg(
        long,
        value_name = "RECORDING",
        conflicts_with_all = ["from", "to", "interruption", "stay", "at", "lead", "forward", "variant", "profile", "stack", "kernel", "no_check"]
    )]
    on: Vec<String>,
    /// With --on: the format of the recording (seamline recording show --help) [default: recognized by its content]
    #[arg(long = "as", value_name = "FORMAT", requires = "on")]
    read_as: Option<String>,
    /// With --on: the rate of the bottleneck, if the recording has none
    #[arg(long, value_name = "RATE", requires = "on")]
    rate: Option<String>,
    /// With --on: the round-trip time without queueing, if the recording has none
    #[arg(long, value_name = "TIME", requires = "on")]
    round_trip: Option<String>,
    /// With --on: the share of packets lost at random, if the recording has none [default: none]
    #[arg(long, value_name = "SHARE", requires = "on")]
    loss: Option<String>,
    /// With --on: the size of the queue at the bottleneck, or a queue as in a scenario [default: one bandwidth-delay product]
    #[arg(long, value_name = "AMOUNT", requires = "on")]
    queue: Option<String>,
}

impl PathOptions {
    pub(super) fn is_asked(&self) -> bool {
        !self.on.is_empty()
    }
}

pub(super) fn run(arguments: &Arguments) -> Outcome {
    let quiet = arguments.output.quiet;
    let question =
        PathQuestion::read(&words(arguments)).map_err(|error| Failure::Input(error.to_string()))?;
    arguments.out.as_deref().map_or(Ok(()), |out| targets::folder("--out", out))?;
    let seeds = seeds_for(&question);
    if !quiet && !arguments.output.format.is_text() {
        let read = question.path.recordings.iter();
        read.for_each(|it| note("note", format!("{} read as {}: {}", it.file, it.format, it.summary)));
    }
    let interrupt = Interrupt::listen()?;
    let reporter = ProgressReporter::new(quiet);
    let watch = Watch {
        stop: interrupt.flag(),
        begins: &|runs| reporter.begins(runs),
        finished: &|| reporter.finished_one(),
    };
    let work = || advise_on(&question, watch);
    let advice = arguments.output.processors.run(usize::MAX, quiet, work)?;
    reporter.clear();
    let advice = advice.map_err(|error| failure(error, &interrupt))?;
    let json = json(&advice)?;
    let text = || format!("{}\nReproduce: {}\n", format_path_advice(&advice), retyped(arguments, seeds));
    let printed = arguments.output.format.print(text, || to_table(&advice), || Ok(json.clone()));
    // The files are written even when standard output is closed.
    let write = |folder: &Path| write(folder, &question, &advice, &json, quiet);
    arguments.out.as_deref().map_or(Ok(()), write).and(printed)
}

fn words(arguments: &Arguments) -> PathInput<'_> {
    let path = &arguments.path;
    PathInput {
        files: path.on.iter().map(String::as_str).collect(),
        format: path.read_as.as_deref(),
        rate: path.rate.as_deref(),
        round_trip: path.round_trip.as_deref(),
        loss: path.loss.as_deref(),
        queue: path.queue.as_deref(),
        file: arguments.file.as_deref(),
        horizon: arguments.horizon.as_deref(),
        upload: arguments.upload,
        seeds: arguments.seeds,
    }
}

fn write(folder: &Path, question: &PathQuestion, advice: &PathAdvice, json: &str, quiet: bool) -> Outcome {
    let files = [
        ("advice.svg", Some(standalone(&forest_of(advice).svg))),
        ("advice.json", Some(json.to_owned())),
        ("today.toml", Some(todays_scenario(question, advice))),
        ("advised.toml", advised_scenario(question, advice)),
    ];
    write_files(folder, files, quiet)
}

/// The command as it would be typed again, as far as it changes the answer.
fn retyped(arguments: &Arguments, seeds: u32) -> String {
    let path = &arguments.path;
    let recordings = path.on.iter().map(|file| ("on", Some(file)));
    let further = [
        ("as", path.read_as.as_ref()),
        ("rate", path.rate.as_ref()),
        ("round-trip", path.round_trip.as_ref()),
        ("loss", path.loss.as_ref()),
        ("queue", path.queue.as_ref()),
        ("file", arguments.file.as_ref()),
        ("horizon", arguments.horizon.as_ref()),
    ];
    let given =
        recordings.chain(further).filter_map(|(name, value)| Some(format!(" --{name} {}", quoted(value?))));
    let upload = if arguments.upload { " --upload" } else { "" };
    format!("{} advise{}{upload} --seeds {seeds}", program(), given.collect::<String>())
}
