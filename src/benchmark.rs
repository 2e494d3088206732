//! `seamline benchmark`: what handovers cost the kernel's TCP, and what helps.

mod available;

use crate::Outcome;
use crate::format::FormatOption;
use crate::lab::prepare;
use crate::terminal::{Failure, list_written, note, print, progress};
use crate::words;
use available::Host;
use seamline_benchmark::case::{Job, Traffic};
use seamline_benchmark::matrix::Matrix;
use seamline_benchmark::measure::DEFINITION;
use seamline_benchmark::remedy::{self, Remedy};
use seamline_benchmark::run::{RunError, RunOptions};
use seamline_benchmark::store::{Run, Store};
use seamline_benchmark::summary::{Cell, summarise};
use seamline_benchmark::{jobs, markdown, picture, text};
use seamline_cli::interrupt::Interrupt;
use seamline_experiment::atomic;
use seamline_host::doctor::wrapped;
use seamline_lab::system::kernel_release;
use seamline_report::picture::{Picture, standalone};
use seamline_wire::Duration;
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
#[command(after_help = remedies())]
pub(crate) struct Arguments {
    /// Runs of each case; 95 % intervals need at least six runs
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..=1000))]
    runs: u32,
    /// Take a few minutes in total: two cases of each remedy, one run each
    #[arg(long, conflicts_with = "runs")]
    quick: bool,
    /// Only this remedy (see below); can be repeated
    #[arg(long, value_name = "NAME", value_parser = remedy)]
    remedy: Vec<&'static Remedy>,
    /// Only outages of this length; can be repeated
    #[arg(long, value_name = "TIME", value_parser = words::time)]
    outage: Vec<Duration>,
    /// Only this kind of traffic
    #[arg(long, value_name = "KIND")]
    traffic: Option<Kind>,
    /// Only cases without random packet loss
    #[arg(long)]
    no_random_loss: bool,
    /// Maximum number of runs at a time
    #[arg(long, short, value_name = "N", default_value = "1")]
    jobs: NonZeroUsize,
    /// How often to repeat a run for which the host was too busy
    #[arg(long, value_name = "N", default_value_t = 2)]
    retry: u32,
    /// Store all runs in this directory, next to earlier ones, with tables as Markdown and figures
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Run nothing; show the stored runs in the directory of --out and write their figures
    #[arg(long, requires = "out", conflicts_with_all = ["quick"])]
    again: bool,
    #[command(flatten)]
    format: FormatOption,
    /// Do not show progress and notes
    #[arg(long, short)]
    quiet: bool,
}

/// What connections do.
#[derive(Clone, Copy, Debug, clap::ValueEnum)]
enum Kind {
    /// A download without end
    Bulk,
    /// One response of 100 kB after the other
    Requests,
}

impl From<Kind> for Traffic {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Bulk => Traffic::Bulk,
            Kind::Requests => Traffic::Requests,
        }
    }
}

/// The text below the options.
fn remedies() -> String {
    // Narrow enough for a help of 80 columns, which would break longer lines without their indentation.
    let about = |it: &Remedy| wrapped(it.description, "", 60).join(&format!("\n{:18}", ""));
    let lines = remedy::ALL.iter().map(|it| format!("  {:<16}{}\n", it.name, about(it)));
    format!("Remedies:\n{}", lines.collect::<String>())
}

fn remedy(name: &str) -> Result<&'static Remedy, String> {
    remedy::find(name).ok_or_else(|| {
        let names: Vec<&str> = remedy::ALL.iter().map(|remedy| remedy.name).collect();
        format!("unknown remedy; choose one of {}", names.join(", "))
    })
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let outages_ms = arguments.outages_ms()?;
    let (mut store, kept) = match &arguments.out {
        Some(folder) if arguments.again => (None, Store::<Run>::read(folder)),
        Some(folder) => Store::open(folder)
            .map_or_else(|error| (None, Err(error)), |(store, runs)| (Some(store), Ok(runs))),
        None => (None, Ok(Vec::new())),
    };
    let mut runs = kept.map_err(|error| Failure::Input(error.to_string()))?;
    let kernel = (!arguments.again).then(kernel_release).transpose();
    let kernel =
        kernel.map_err(|error| Failure::Runtime(format!("cannot read the kernel's release: {error}")))?;
    let all = runs.len();
    runs.retain(|run| {
        run.definition == DEFINITION && kernel.as_ref().is_none_or(|kernel| run.kernel == *kernel)
    });
    let left_out = all - runs.len();
    if left_out > 0 && !arguments.quiet {
        note("note", format!("{left_out} kept runs are of another kernel or version and are not used"));
    }
    let counted = runs.len();
    let mut matrix = arguments.matrix(&runs, outages_ms);
    let measured =
        if arguments.again { Ok(()) } else { measure(arguments, &mut matrix, &mut store, &mut runs) };
    // What was run is shown, however it ended.
    let cells = summarise(&matrix.cases(), &runs);
    arguments.format.print_rows(|| text::text(&cells), || text::to_table(&cells))?;
    // The page may be of the runs that were left out; without a new one it stays as it is.
    let is_less = left_out > 0 && runs.len() == counted && !arguments.again;
    if let Some(folder) = arguments.out.as_ref().filter(|_| !is_less) {
        let written = write(folder, &summarise(&Matrix::of(&runs).cases(), &runs), &runs)?;
        if arguments.format.is_text() {
            print(&list_written(&written))?;
        }
    }
    measured
}

impl Arguments {
    /// The outages that are asked for, each once, in milliseconds.
    fn outages_ms(&self) -> Result<Vec<u64>, Failure> {
        let whole = |outage: &Duration| match outage.as_millis() {
            ms if Duration::from_millis(ms) == *outage && ms > 0 => Ok(ms),
            _ => Err(Failure::Input(format!(
                "--outage {outage}: whole milliseconds are possible, from 1 ms on"
            ))),
        };
        let outages: BTreeSet<u64> = self.outage.iter().map(whole).collect::<Result<_, _>>()?;
        Ok(outages.into_iter().collect())
    }

    /// What is asked for; where nothing is to be run, of what there are runs of.
    fn matrix(&self, runs: &[Run], outages_ms: Vec<u64>) -> Matrix {
        let mut matrix = match (self.again, self.quick) {
            (true, _) => Matrix::of(runs),
            (false, true) => Matrix::quick(),
            (false, false) => Matrix::whole(self.runs),
        };
        matrix.remedies.retain(|remedy| self.remedy.is_empty() || self.remedy.contains(remedy));
        if !outages_ms.is_empty() {
            matrix.outages_ms = outages_ms;
        }
        if let Some(traffic) = self.traffic {
            matrix.traffic = vec![traffic.into()];
        }
        if self.no_random_loss {
            matrix.loss = vec![false];
        }
        matrix
    }
}

/// Run what has not been run, and keep it.
fn measure(
    arguments: &Arguments,
    matrix: &mut Matrix,
    store: &mut Option<Store<Run>>,
    runs: &mut Vec<Run>,
) -> Outcome {
    // Obtains the right to make namespaces, before any other thread starts.
    let _state = prepare(arguments.quiet)?;
    // Removing labs and a cgroup takes seconds, and a second request to stop does not shorten it.
    let interrupt = Interrupt::listen_once()?;
    let host = Host::examine()?;
    matrix.remedies.retain(|remedy| match host.lacks(remedy) {
        None => true,
        Some(why) => {
            if !arguments.quiet {
                note("left out", format!("{}: {why}", remedy.name));
            }
            false
        }
    });
    let jobs: Vec<_> = matrix.jobs().into_iter().filter(|job| !is_done(runs, job)).collect();
    let bar = progress(jobs.len(), arguments.quiet);
    let options = RunOptions {
        program: host.program.clone(),
        host_program: host.host_program.clone().unwrap_or_default(),
        cgroup: host.cgroup.clone().ok(),
        retries: arguments.retry,
    };
    let outcome = jobs::run_all(jobs, &options, arguments.jobs, interrupt.flag(), &mut |ended| {
        bar.inc(1);
        match ended {
            Ok(run) => {
                if let Some(store) = store {
                    store.keep(&run)?;
                }
                runs.push(run);
            }
            Err(why) if !arguments.quiet => bar.suspend(|| note("warning", why)),
            Err(_) => {}
        }
        Ok(())
    });
    bar.finish_and_clear();
    let missing = matrix.jobs().iter().filter(|job| !is_done(runs, job)).count();
    if outcome.is_ok() && missing > 0 && !arguments.quiet {
        let tip = "reduce the load of the host, then repeat the same command with --out to try them again";
        note("warning", format!("the host was too busy for {missing} runs, which are left out: {tip}"));
    }
    let kept =
        if arguments.out.is_some() { "; finished runs are kept, and the same command continues" } else { "" };
    outcome.map_err(|error| failure(error, kept, &interrupt))
}

/// Of runs that have ended early. `kept` says what is kept when the user has stopped them.
pub(crate) fn failure(error: RunError, kept: &str, interrupt: &Interrupt) -> Failure {
    match error {
        RunError::Failed(why) => Failure::Runtime(why),
        RunError::Stopped => Failure::Interrupted(format!("interrupted{kept}"), interrupt.exit_code()),
    }
}

/// Whether there is a run that counts.
fn is_done(runs: &[Run], job: &Job) -> bool {
    runs.iter().any(|run| run.job == *job && run.warnings.is_empty())
}

fn write(folder: &Path, cells: &[Cell], runs: &[Run]) -> Result<Vec<PathBuf>, Failure> {
    let pictures = picture::pictures(cells);
    let page = markdown::markdown(cells, runs, &pictures);
    write_page(folder, "handovers.md", &page, &pictures)
}

/// Write a page and its pictures into a folder.
pub(crate) fn write_page(
    folder: &Path,
    name: &str,
    page: &str,
    pictures: &[Picture],
) -> Result<Vec<PathBuf>, Failure> {
    let mut written = Vec::new();
    for picture in pictures {
        let path = folder.join(format!("{}.svg", picture.name));
        written.push(atomic::write(&path, standalone(&picture.svg).as_bytes())?);
    }
    written.push(atomic::write(&folder.join(name), page.as_bytes())?);
    Ok(written)
}
