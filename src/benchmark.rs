//! `seamline benchmark`: what handovers cost the kernel's TCP, and what helps.

mod available;

use crate::Outcome;
use crate::interrupt::Interrupt;
use crate::lab::prepare;
use crate::terminal::{Failure, note, print, print_results, progress};
use crate::words;
use available::Host;
use seamline_benchmark::matrix::Matrix;
use seamline_benchmark::remedy::{self, Remedy};
use seamline_benchmark::run::{Manner, RunError};
use seamline_benchmark::store::{Run, Store};
use seamline_benchmark::summary::{Cell, summarise};
use seamline_benchmark::{conduct, markdown, picture, text};
use seamline_scenario::atomic;
use seamline_wire::Duration;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
#[command(after_help = remedies())]
pub(crate) struct Arguments {
    /// Runs of each case; from six on the intervals hold at 95 %
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..=1000))]
    runs: u32,
    /// Some minutes in all: two cases of each remedy, one run of each
    #[arg(long, conflicts_with = "runs")]
    quick: bool,
    /// Only this remedy (see below); may be given for several
    #[arg(long, value_name = "NAME", value_parser = remedy)]
    remedy: Vec<&'static Remedy>,
    /// Only outages of this length; may be given for several
    #[arg(long, value_name = "TIME", value_parser = words::time)]
    outage: Vec<Duration>,
    /// So many runs at a time
    #[arg(long, short, value_name = "N", default_value = "1")]
    jobs: NonZeroUsize,
    /// Repeat a run up to so many times while the host is too busy to emulate it well
    #[arg(long, value_name = "N", default_value_t = 2)]
    retry: u32,
    /// Keep all runs in this folder, and what is there from before; write tables as Markdown and pictures into it
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Run nothing; show and draw again what is in the folder of --out
    #[arg(long, requires = "out", conflicts_with_all = ["quick"])]
    again: bool,
    /// No progress, no notes
    #[arg(long, short)]
    quiet: bool,
}

/// What stands below the options.
fn remedies() -> String {
    let lines = remedy::ALL.iter().map(|it| format!("  {:<16}{}\n", it.name, it.description));
    format!("Remedies:\n{}", lines.collect::<String>())
}

fn remedy(name: &str) -> Result<&'static Remedy, String> {
    remedy::find(name).ok_or_else(|| {
        let names: Vec<&str> = remedy::ALL.iter().map(|remedy| remedy.name).collect();
        format!("there is no such remedy; there are {}", names.join(", "))
    })
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let mut matrix = if arguments.quick { Matrix::quick() } else { Matrix::whole(arguments.runs) };
    if !arguments.remedy.is_empty() {
        matrix.remedies.clone_from(&arguments.remedy);
    }
    if !arguments.outage.is_empty() {
        matrix.outages_ms = arguments.outage.iter().map(|outage| outage.as_millis()).collect();
    }
    let opened = arguments.out.as_deref().map(Store::open).transpose();
    let (mut store, mut runs) = match opened.map_err(|error| Failure::Input(error.to_string()))? {
        Some((store, runs)) => (Some(store), runs),
        None => (None, Vec::new()),
    };
    if !arguments.again {
        measure(arguments, &mut matrix, &mut store, &mut runs)?;
    }
    let cells = summarise(&matrix.cases(), &runs);
    print_results(&text::text(&cells))?;
    match &arguments.out {
        Some(folder) => write(folder, &cells, &runs),
        None => Ok(()),
    }
}

/// Run what has not been run, and keep it.
fn measure(
    arguments: &Arguments,
    matrix: &mut Matrix,
    store: &mut Option<Store>,
    runs: &mut Vec<Run>,
) -> Outcome {
    // Becomes somebody who may make namespaces, before any other thread begins.
    let _state = prepare(arguments.quiet)?;
    let host = Host::examine().map_err(|error| Failure::Runtime(error.to_string()))?;
    matrix.remedies.retain(|remedy| match host.lacks(remedy) {
        None => true,
        Some(why) => {
            if !arguments.quiet {
                note("left out", format!("{}: {why}", remedy.name));
            }
            false
        }
    });
    let jobs: Vec<_> = matrix
        .jobs()
        .into_iter()
        .filter(|job| !runs.iter().any(|run| run.job == *job && run.doubts.is_empty()))
        .collect();
    let interrupt = Interrupt::listen()?;
    let bar = progress(jobs.len(), arguments.quiet);
    let manner =
        Manner { program: host.program.clone(), cgroup: host.cgroup.clone(), retries: arguments.retry };
    let outcome = conduct::conduct(jobs, &manner, arguments.jobs, interrupt.flag(), &mut |run| {
        bar.inc(1);
        if let Some(store) = store {
            store.keep(&run)?;
        }
        runs.push(run);
        Ok(())
    });
    bar.finish_and_clear();
    let doubtful = runs.iter().filter(|run| !run.doubts.is_empty()).count();
    if doubtful > 0 && !arguments.quiet {
        note(
            "warning",
            format!(
                "{doubtful} runs were badly emulated to the last and are left out: let the host do less meanwhile"
            ),
        );
    }
    outcome.map_err(|error| match error {
        RunError::Failed(why) => Failure::Runtime(why),
        RunError::Stopped => {
            let kept =
                if arguments.out.is_some() { "; what was run is kept, the same command goes on" } else { "" };
            Failure::Interrupted(format!("interrupted{kept}"), interrupt.exit_code())
        }
    })
}

fn write(folder: &Path, cells: &[Cell], runs: &[Run]) -> Outcome {
    let mut written = Vec::new();
    let pictures = picture::pictures(cells);
    for picture in &pictures {
        written.push(atomic::write(&folder.join(&picture.file), picture.svg.as_bytes())?);
    }
    let page = markdown::markdown(cells, runs, &pictures);
    written.push(atomic::write(&folder.join("handovers.md"), page.as_bytes())?);
    let lines = written.iter().map(|file| format!("  {}\n", file.display()));
    print(&format!("Written:\n{}", lines.collect::<String>()))
}
