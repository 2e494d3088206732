//! `seamline advise --from LINK --to LINK`, and `seamline advise --on RECORDING`

#[cfg_attr(target_os = "linux", path = "advise/check.rs")]
#[cfg_attr(not(target_os = "linux"), path = "advise/no_check.rs")]
mod check;
mod on;

use crate::Outcome;
use crate::estimate;
use crate::experiment::{MOST_SEEDS, OutputOptions};
use crate::targets;
use crate::terminal::{Failure, ProgressReporter, invalid, json, note, program};
use clap::ArgGroup;
use seamline_advise::kernel::{KernelRun, RunOverKernel, first_over_kernel};
use seamline_advise::{
    Advice, AdviseError, Question, QuestionInput, Watch, format_advice, picture, presets, scenario, to_table,
};
use seamline_cli::interrupt::Interrupt;
use seamline_experiment::atomic;
use seamline_experiment::report::quoted;
use seamline_experiment::run_seed;
use seamline_report::picture::standalone;
use seamline_results::sweep::Progress;
use seamline_scenario::schema::Scenario;
use std::fmt::Write;
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
#[command(after_long_help = links(), group = ArgGroup::new("traffic").required(true).multiple(true).args(["file", "horizon", "on"]))]
pub(crate) struct Arguments {
    #[command(flatten)]
    path: on::PathOptions,
    /// The link that the host is on: a name (see below), optionally changed ("geo, loss=1 %"), or "rate=20 Mbit/s,
    /// round_trip=60 ms, loss=0.01 %, queue=50 packets"; `recording=FILE` takes a recording, with its own rate and
    /// round-trip time where it has them
    #[arg(long, value_name = "LINK", required_unless_present = "on")]
    from: Option<String>,
    /// The link that it may hand over to, in the same form
    #[arg(long, value_name = "LINK", required_unless_present = "on")]
    to: Option<String>,
    /// How long no packets pass, at the handover and again at the return
    #[arg(long, value_name = "TIME", required_unless_present = "on")]
    interruption: Option<String>,
    /// Time from the handover until the host must leave the new link, including the interruption; or forever
    #[arg(long, value_name = "TIME", default_value = "forever")]
    stay: String,
    /// Size of the file that the host transfers; the result is its completion time
    #[arg(long, value_name = "SIZE")]
    file: Option<String>,
    /// Instead of --file: use a flow without end; the result is the data that it delivers within this time [with --on,
    /// default: 30 s, or half of a shorter recording]
    #[arg(long, value_name = "TIME")]
    horizon: Option<String>,
    /// The host sends instead of receiving. Both directions of a link have the same parameters
    #[arg(long)]
    upload: bool,
    /// Time from the start of the flow to the handover [default: ten round trips of the old link]
    #[arg(long, value_name = "TIME")]
    at: Option<String>,
    /// How long in advance schemes that need it are notified of a handover [default: a round trip of the slower link]
    #[arg(long, value_name = "TIME")]
    lead: Option<String>,
    /// How much data base stations buffer for the host while it is away, and then forward [default: none; it is lost]
    #[arg(long, value_name = "AMOUNT")]
    forward: Option<String>,
    /// Number of seeds (1, 2, ... n) [default: 10; with --on as many as take less than about a minute, 6 to 20]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=MOST_SEEDS))]
    seeds: Option<u32>,
    /// The variant of TCP (seamline list variants)
    #[arg(long, value_name = "NAME", default_value = "cubic")]
    variant: String,
    /// The profile of TCP (seamline list profiles)
    #[arg(long, value_name = "NAME", default_value = "linux")]
    profile: String,
    /// Write the figure (SVG), the answer (JSON) and its scenario, if the transfer completes after the handover, into this
    /// directory; with --on the scenarios of today's hosts and of what is advised
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Make all runs with the TCP of this kernel, in virtual time, e.g. linux-6.12, instead of simulating it; where a scheme
    /// needs it, a host has the TCP of this program. It takes hundreds of times as long
    #[arg(long, value_name = "STACK", conflicts_with_all = ["kernel", "no_check", "profile"])]
    stack: Option<String>,
    /// Check the answer with the TCP of this kernel, in virtual time [default: the newest that is built, if there is one]
    #[arg(long, value_name = "NAME", conflicts_with = "no_check")]
    kernel: Option<String>,
    /// Do not check the answer against a kernel
    #[arg(long)]
    no_check: bool,
    #[command(flatten)]
    output: OutputOptions,
}

/// The links that have names, for the long help.
fn links() -> String {
    let mut text = String::from("Links by name:\n");
    for preset in presets::ALL {
        let _ = writeln!(text, "  {}: {}\n      [{}]", preset.name, preset.keys, preset.source);
    }
    text
}

/// Seeds of a handover.
const SEEDS: u32 = 10;

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    if arguments.path.is_asked() {
        return on::run(arguments);
    }
    // A kernel that is missing is reported before anything runs.
    let (kernel, stack) = (check::kernel(arguments)?, check::stack(arguments)?);
    let question = Question::read(&arguments.words(stack.as_ref().map(check::name)))
        .map_err(|error| Failure::Input(error.to_string()))?;
    arguments.out.as_deref().map_or(Ok(()), |out| targets::folder("--out", out))?;
    let searched = seamline_advise::effort(&question).seeds;
    if searched < question.seeds as usize && !arguments.output.quiet {
        let what = format!("the simulation is long, so bounds are searched with {searched} seeds");
        note("note", format!("{what}; a smaller file or a shorter horizon is quicker"));
    }
    if !arguments.output.quiet {
        let links = [&question.from, &question.to];
        links.iter().filter_map(|link| link.recording.as_ref()).for_each(|read| note("note", read));
    }
    let interrupt = Interrupt::listen()?;
    let over_kernel = stack.as_ref().map(|kernel| {
        let stop = interrupt.flag();
        move |run: &KernelRun, shortened| check::over_kernel(run, kernel, stop, shortened)
    });
    if !arguments.output.quiet {
        let first = seamline_advise::first_run(&question).map_err(|error| failure(error, &interrupt))?;
        let runs = seamline_advise::most_runs(&question);
        let try_out = |duration| match &over_kernel {
            None => run_seed(&Scenario { duration, ..first.clone() }, 1, interrupt.flag()),
            Some(run) => run(&first_over_kernel(&question), Some(duration)).ok()?,
        };
        estimate::state_runs(&first, runs, arguments.output.processors.workers(runs), try_out);
    }
    let reporter = ProgressReporter::new(arguments.output.quiet);
    let watch = Watch {
        stop: interrupt.flag(),
        begins: &|runs| reporter.begins(runs),
        finished: &|| reporter.finished_one(),
    };
    let over_kernel = over_kernel.as_ref().map(|over_kernel| |run: &KernelRun| over_kernel(run, None));
    let over_kernel = over_kernel.as_ref().map(|run| run as &RunOverKernel<'_>);
    let work = || seamline_advise::advise(&question, watch, over_kernel);
    let advice = arguments.output.processors.run(usize::MAX, arguments.output.quiet, work)?;
    reporter.clear();
    let mut advice = advice.map_err(|error| failure(error, &interrupt))?;
    if let Some(kernel) = kernel {
        advice.checked = check::check(&question, &advice, &kernel, arguments, &interrupt)?;
    }
    let json = json(&advice)?;
    let text = || format!("{}\nReproduce: {}\n", format_advice(&advice), arguments.retyped());
    let printed = arguments.output.format.print(text, || to_table(&advice), || Ok(json.clone()));
    // The files are written even when standard output is closed.
    let write = |folder: &PathBuf| write(folder, &question, &advice, &json, arguments.output.quiet);
    arguments.out.as_ref().map_or(Ok(()), write).and(printed)
}

fn write(folder: &Path, question: &Question, advice: &Advice, json: &str, quiet: bool) -> Outcome {
    let files = [
        ("advice.svg", Some(standalone(&picture(question, advice).svg))),
        ("advice.json", Some(json.to_owned())),
        ("scenario.toml", scenario::to_keep(question, advice)),
    ];
    write_files(folder, files, quiet)
}

/// Write what there is of the files of an answer.
fn write_files(
    folder: &Path,
    files: impl IntoIterator<Item = (&'static str, Option<String>)>,
    quiet: bool,
) -> Outcome {
    for (name, content) in files {
        let Some(content) = content else { continue };
        let path = folder.join(name);
        atomic::write(&path, content.as_bytes())?;
        if !quiet {
            note("written", path.display());
        }
    }
    Ok(())
}

fn failure(error: AdviseError, interrupt: &Interrupt) -> Failure {
    match error {
        AdviseError::Input(error) => Failure::Input(error.to_string()),
        AdviseError::Scenario(diagnostics) => invalid(&diagnostics),
        AdviseError::Run(why) => Failure::Runtime(why),
        AdviseError::Interrupted => Failure::Interrupted(
            "interrupted; an incomplete set of runs gives no advice".to_owned(),
            interrupt.exit_code(),
        ),
    }
}

impl Arguments {
    fn words<'a>(&'a self, stack: Option<&'a str>) -> QuestionInput<'a> {
        QuestionInput {
            from: self.from.as_deref().unwrap_or_default(),
            to: self.to.as_deref().unwrap_or_default(),
            interruption: self.interruption.as_deref().unwrap_or_default(),
            stay: &self.stay,
            file: self.file.as_deref(),
            horizon: self.horizon.as_deref(),
            upload: self.upload,
            at: self.at.as_deref(),
            lead: self.lead.as_deref(),
            forward: self.forward.as_deref(),
            seeds: self.seeds.unwrap_or(SEEDS),
            variant: &self.variant,
            profile: &self.profile,
            stack,
        }
    }

    /// The command as it would be typed again, as far as it changes the answer.
    fn retyped(&self) -> String {
        let needed = [
            ("from", self.from.as_ref()),
            ("to", self.to.as_ref()),
            ("interruption", self.interruption.as_ref()),
            ("stay", Some(&self.stay)),
            ("file", self.file.as_ref()),
            ("horizon", self.horizon.as_ref()),
            ("at", self.at.as_ref()),
            ("lead", self.lead.as_ref()),
            ("forward", self.forward.as_ref()),
            ("variant", Some(&self.variant)),
            ("profile", Some(&self.profile).filter(|_| self.stack.is_none())),
            ("kernel", self.kernel.as_ref()),
            ("stack", self.stack.as_ref()),
        ];
        let given =
            needed.into_iter().filter_map(|(name, value)| Some(format!(" --{name} {}", quoted(value?))));
        let upload = if self.upload { " --upload" } else { "" };
        let no_check = if self.no_check { " --no-check" } else { "" };
        let seeds = self.seeds.unwrap_or(SEEDS);
        format!("{} advise{}{no_check}{upload} --seeds {seeds}", program(), given.collect::<String>())
    }
}
