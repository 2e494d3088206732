//! `seamline parity [SCENARIO]`

mod draws;
mod first_difference;

use crate::Outcome;
use crate::experiment::Overrides;
use crate::format::FormatOption;
use crate::kernel;
use crate::lab::{end_escaped_from, external_agent, failure as lab_failure, prepare};
use crate::run::load;
use crate::terminal::{Failure, invalid, json, list_written, note, program, progress, warnings};
use seamline_cli::interrupt::Interrupt;
use seamline_experiment::atomic;
use seamline_experiment::report::{engine, quoted};
use seamline_kernel::Kernel;
use seamline_lab::LabError;
use seamline_lab::parity::runs::{ParityOptions, count, measure};
use seamline_lab::parity::{
    Arm, Parity, ScenarioParity, compare, differences, markdown, picture, suite, text,
};
use seamline_report::picture::standalone;
use seamline_scenario::Plan;
use seamline_tcp::profile::{self, Profile};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// A scenario file, or the name of a bundled one; all bundled ones by default. FILE.differences.toml next to FILE.toml
    /// lists known differences
    scenario: Option<String>,
    #[command(flatten)]
    overrides: Overrides,
    /// Run fewer grid cells, seeds and seconds, in about a minute, for a check after every change
    #[arg(long, conflicts_with_all = ["scenario", "seeds", "set"])]
    quick: bool,
    /// The kernel to compare with, in virtual time [default: the newest that is built]
    #[arg(long, value_name = "NAME")]
    kernel: Option<String>,
    /// Compare with the kernel of this host, in real time: takes hours instead of minutes; results differ slightly every time
    #[arg(long, conflicts_with = "kernel")]
    real: bool,
    /// In real time, how often to repeat a run for which the host was too busy
    #[arg(long, value_name = "N", default_value_t = 2)]
    retry: u32,
    /// Maximum number of runs at a time [default: the number of processors; in real time 1]
    #[arg(long, short, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    /// In the lab, run a shell command in place of an agent of the scenario, between the interfaces wired0 and wireless0; can be
    /// repeated
    #[arg(long, value_name = "AGENT=COMMAND", requires = "scenario")]
    agent: Vec<String>,
    /// Compare segment by segment instead: for the first seed of each grid cell, show the first segment that the simulator and the
    /// kernel send differently, and the state of both before it
    #[arg(long, conflicts_with_all = ["real", "json", "format", "out", "again", "agent"])]
    first_difference: bool,
    #[command(flatten)]
    format: FormatOption,
    /// Write the tables as Markdown, the numbers as JSON and a figure of each scenario into this directory
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Run nothing; write tables and figures again from the results in the directory of --out, with the currently known differences
    #[arg(long, requires = "out", conflicts_with_all = ["quick", "seeds", "set", "agent"])]
    again: bool,
    /// Do not show progress and notes
    #[arg(long, short)]
    quiet: bool,
}

/// What is compared: names and plans, and the known differences.
struct Work {
    plans: Vec<(String, Plan)>,
    known: Vec<differences::Difference>,
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let kernel = if arguments.again { None } else { arguments.kernel()? };
    let Work { plans, known } = arguments.work(kernel.as_ref())?;
    let external_agents: Vec<_> =
        arguments.agent.iter().map(|text| external_agent(text)).collect::<Result<_, _>>()?;
    if let (true, Some(folder)) = (arguments.again, &arguments.out) {
        let mut parity = read(&folder.join("parity.json"))?;
        let known = differences::of_kernel(known, &parity.kernel);
        parity.differences = differences::judge(known, &parity.scenarios, parity.is_whole);
        return arguments.show(&parity);
    }
    if let (true, Some(kernel)) = (arguments.first_difference, &kernel) {
        return first_difference::run(&plans, kernel, arguments.quiet);
    }
    let state = kernel.is_none().then(|| prepare(arguments.quiet)).transpose()?;
    let interrupt = Interrupt::listen()?;
    let options = ParityOptions {
        external_agents: external_agents.clone(),
        at_a_time: arguments.at_a_time(kernel.is_some()),
        kernel,
        retries: arguments.retry,
        stop: interrupt.flag().clone(),
        warn: warnings(arguments.quiet),
    };
    let bar = progress(plans.iter().map(|(_, plan)| count(plan)).sum(), arguments.quiet);
    let mut scenarios = Vec::new();
    let mut kernel = String::new();
    let mut escaped = Ok(());
    for (name, plan) in &plans {
        let cells = measure(plan, state.as_ref(), &options, &|| bar.inc(1));
        // In guests, everything ends with them.
        if state.is_some() {
            escaped = escaped.and(end_escaped_from(&external_agents));
        }
        let cells = cells.map_err(|error| failure(error, &interrupt))?;
        let runs = cells.iter().flat_map(|cell| &cell.runs[Arm::Kernel as usize]);
        kernel =
            runs.filter_map(|run| run.emulation.as_ref()).next_back().map_or(kernel, |it| it.kernel.clone());
        let title = plan.cells.first().and_then(|cell| cell.scenario.title.clone());
        scenarios.push(ScenarioParity {
            name: name.clone(),
            title: title.unwrap_or_else(|| name.clone()),
            cells: cells.iter().map(compare::cell).collect(),
            repeated: cells.iter().map(|cell| cell.repeated).sum(),
            left_out: cells.into_iter().flat_map(|cell| cell.left_out).collect(),
        });
    }
    bar.finish_and_clear();
    let are_whole =
        !arguments.quick && arguments.overrides.set.is_empty() && arguments.overrides.seeds.is_none();
    let known = differences::of_kernel(known, &kernel);
    let differences = differences::judge(known, &scenarios, are_whole);
    let parity = Parity {
        engine: engine().to_owned(),
        kernel,
        reproduce: arguments.retyped(),
        is_whole: are_whole,
        scenarios,
        differences,
    };
    arguments.show(&parity).and(escaped)
}

/// The profile of a kernel, where there is one, given its release such as `6.12.117`.
fn profile_of(release: &str) -> Option<&'static Profile> {
    let mut numbers = release.split('.');
    let (major, minor) = (numbers.next()?, numbers.next()?);
    profile::find(&format!("linux-{major}.{minor}"))
}

impl Arguments {
    fn work(&self, kernel: Option<&Kernel>) -> Result<Work, Failure> {
        let bundled: Vec<&suite::Bundled> = match &self.scenario {
            None => suite::ALL.iter().filter(|it| !self.quick || it.quick.is_some()).collect(),
            Some(name) => suite::ALL.iter().filter(|it| it.name == name).collect(),
        };
        let read = |text: &str, name: &str| {
            differences::read(text).map_err(|error| Failure::Input(format!("{name}: {error}")))
        };
        if let (Some(file), true) = (&self.scenario, bundled.is_empty()) {
            return self.work_of(Path::new(file), read);
        }
        let plans = bundled.into_iter().map(|it| {
            let quick = it.quick.filter(|_| self.quick).unwrap_or_default();
            let mut settings: Vec<String> = quick.iter().map(|&set| set.to_owned()).collect();
            let profile = kernel.and_then(|kernel| profile_of(&kernel.release));
            settings.extend(profile.map(|it| format!("flow.download.profile={:?}", it.name)));
            settings.extend(self.overrides.to_settings());
            let plan = Plan::new(Path::new(&format!("{}.toml", it.name)), it.text.to_owned(), &settings);
            plan.map(|plan| (it.name.to_owned(), plan)).map_err(|it| invalid(&it))
        });
        let known = read(suite::DIFFERENCES, "differences.toml")?;
        Ok(Work { plans: plans.collect::<Result<_, _>>()?, known })
    }

    fn work_of(
        &self,
        file: &Path,
        read: impl Fn(&str, &str) -> Result<Vec<differences::Difference>, Failure>,
    ) -> Result<Work, Failure> {
        let plan = load(file, &self.overrides.to_settings())?;
        let next_to = file.with_extension("differences.toml");
        let known = match std::fs::read_to_string(&next_to) {
            Ok(text) => read(&text, &next_to.display().to_string())?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(Failure::Input(format!("cannot read {}: {error}", next_to.display()))),
        };
        let name = file.file_stem().map_or(String::new(), |stem| stem.to_string_lossy().into_owned());
        Ok(Work { plans: vec![(name, plan)], known })
    }

    /// The kernel in virtual time, unless the host's is to be used.
    fn kernel(&self) -> Result<Option<Kernel>, Failure> {
        if self.real {
            return Ok(None);
        }
        kernel::find(self.kernel.as_deref()).map(Some).map_err(|failure| match failure {
            Failure::Input(missing) => Failure::Input(format!(
                "{missing}\ntip: --real compares with the kernel of this host, in real time"
            )),
            failure => failure,
        })
    }

    fn at_a_time(&self, is_virtual: bool) -> NonZeroUsize {
        let all = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        self.jobs.unwrap_or(if is_virtual { all } else { NonZeroUsize::MIN })
    }

    fn retyped(&self) -> String {
        let scenario = self.scenario.as_ref().map(|name| format!(" {}", quoted(name))).unwrap_or_default();
        let quick = if self.quick { " --quick" } else { "" };
        let out = self.out.as_ref().map(|out| format!(" --out {}", quoted(&out.display().to_string())));
        let agents: String = self.agent.iter().map(|text| format!(" --agent {}", quoted(text))).collect();
        let overrides = self.overrides.retyped();
        let real = if self.real { " --real" } else { "" };
        let kernel =
            self.kernel.as_ref().map(|name| format!(" --kernel {}", quoted(name))).unwrap_or_default();
        let out = out.unwrap_or_default();
        format!("{} parity{scenario}{quick}{overrides}{agents}{kernel}{real}{out}", program())
    }

    fn show(&self, parity: &Parity) -> Outcome {
        let written = self.out.as_deref().map(|folder| write(parity, folder)).transpose()?;
        let text = || {
            let written = written.map(|files| format!("\n{}", list_written(&files)));
            text::text(parity) + &written.unwrap_or_default()
        };
        self.format.print(text, || text::to_table(parity), || json(parity))?;
        let left_out: usize = parity.scenarios.iter().map(|scenario| scenario.left_out.len()).sum();
        if left_out > 0 && !self.quiet {
            let tip = "if the host was too busy, reduce its load or raise --retry";
            note("warning", format!("{left_out} runs are left out for the reasons given; {tip}"));
        }
        Ok(())
    }
}

fn read(path: &Path) -> Result<Parity, Failure> {
    let text = std::fs::read_to_string(path);
    let text = text.map_err(|error| Failure::Input(format!("cannot read {}: {error}", path.display())))?;
    serde_json::from_str(&text).map_err(|error| Failure::Input(format!("{}: {error}", path.display())))
}

fn write(parity: &Parity, folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let pictures: Vec<String> =
        parity.scenarios.iter().map(|scenario| format!("parity-{}.svg", scenario.name)).collect();
    let mut written = Vec::new();
    for (scenario, name) in parity.scenarios.iter().zip(&pictures) {
        written.push(atomic::write(&folder.join(name), standalone(&picture::picture(scenario)).as_bytes())?);
    }
    let page = markdown::markdown(parity, &pictures);
    written.push(atomic::write(&folder.join("parity.md"), page.as_bytes())?);
    written.push(atomic::write(&folder.join("parity.json"), json(parity)?.as_bytes())?);
    Ok(written)
}

fn failure(error: LabError, interrupt: &Interrupt) -> Failure {
    match error {
        LabError::Stopped => Failure::Interrupted(error.to_string(), interrupt.exit_code()),
        error => lab_failure(error),
    }
}
