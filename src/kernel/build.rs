//! `seamline kernel build`

use super::failure;
use super::list::file_names;
use crate::Outcome;
use crate::terminal::{Failure, note, print};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use seamline_cli::interrupt::Interrupt;
use seamline_cli::moves_cursor;
use seamline_experiment::report::quoted;
use seamline_kernel::build::{Built, Plan, Progress, Stage, build, source};
use seamline_kernel::{Error, Store};
use std::io;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// The version, such as 6.12; with --source the name of the result [default: the version in its Makefile]
    #[arg(value_name = "VERSION")]
    kernel: Option<String>,
    /// Build this tree (it is not changed) or this tarball, instead of the distribution's package
    #[arg(long, value_name = "PATH", conflicts_with_all = ["suite", "allow_unsigned"])]
    source: Option<PathBuf>,
    /// Look at this suite of the configured mirrors only, such as trixie-backports [default: the host's own, then newer ones]
    #[arg(long, value_name = "SUITE")]
    suite: Option<String>,
    /// Also build the modules in this directory, such as a congestion control; can be repeated
    #[arg(long, value_name = "DIR")]
    module: Vec<PathBuf>,
    /// Timer interrupts per second (HZ), the resolution of the kernel's TCP timers
    #[arg(long, value_name = "HZ", default_value = "1000", value_parser = ["250", "1000"])]
    hz: String,
    /// Compile this many files at a time [default: the number of processors]
    #[arg(long, short, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    /// Keep the source and the objects, so that building again is quick
    #[arg(long)]
    keep_source: bool,
    /// Use suites that no key of this host verifies; this trusts the mirror and the network
    #[arg(long)]
    allow_unsigned: bool,
    /// Do not show progress and notes
    #[arg(long, short)]
    quiet: bool,
}

pub(super) fn run(store: &Store, arguments: &Arguments) -> Outcome {
    let plan = arguments.plan().map_err(failure)?;
    let interrupt = Interrupt::listen()?;
    let follower = Follower::new(arguments.quiet);
    let built = build(store, &plan, interrupt.flag(), &follower);
    follower.bar.finish_and_clear();
    match built {
        Ok(built) => show(&built, &plan),
        Err(Error::Interrupted) => {
            let message = format!("interrupted; what was done is kept\nresume: {}", command());
            Err(Failure::Interrupted(message, interrupt.exit_code()))
        }
        Err(error) => Err(failure(error)),
    }
}

/// The command as it was given.
fn command() -> String {
    let arguments = std::env::args().skip(1).map(|argument| format!(" {}", quoted(&argument)));
    format!("seamline{}", arguments.collect::<String>())
}

impl Arguments {
    fn plan(&self) -> Result<Plan, Error> {
        let (name, source) = source(self.kernel.as_deref(), self.source.as_deref(), self.suite.as_deref())?;
        let processors = || thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        Ok(Plan {
            name,
            source,
            modules: self.module.clone(),
            hz: self.hz.parse().unwrap_or(1000),
            jobs: self.jobs.unwrap_or_else(processors),
            keep_source: self.keep_source,
            allow_unsigned: self.allow_unsigned,
        })
    }
}

fn show(built: &Built, plan: &Plan) -> Outcome {
    let kernel = &built.kernel;
    let state = if built.existed { " exists already" } else { "" };
    let modules: String = file_names(&kernel.modules).iter().map(|name| format!(", {name}")).collect();
    print(&format!(
        "{}{state}: Linux {}, {} Hz, {:.1} MB{modules}\n  {}\n",
        kernel.name,
        kernel.release,
        kernel.hz,
        kernel.size as f64 / 1e6,
        kernel.image.display()
    ))?;
    if built.failed_modules.is_empty() {
        return Ok(());
    }
    Err(Failure::Runtime(format!(
        "{}\n{} was built without it\ntip: correct the module and repeat the command; the kernel is not compiled again",
        built.failed_modules.join("\n").trim_end(),
        plan.name
    )))
}

/// Shows the progress of a build on standard error, if that is a terminal.
struct Follower {
    bar: ProgressBar,
    quiet: bool,
}

impl Follower {
    fn new(quiet: bool) -> Self {
        if quiet || !moves_cursor(&io::stderr()) {
            return Follower { bar: ProgressBar::hidden(), quiet };
        }
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        bar.enable_steady_tick(Duration::from_millis(200));
        Follower { bar, quiet }
    }
}

impl Progress for Follower {
    fn stage(&self, stage: Stage) {
        let template = match stage {
            Stage::Compile => "{msg:10} {wide_bar} {pos} of about {len} files, {eta} left",
            _ => "{msg:10} {spinner} {elapsed}",
        };
        self.bar.reset();
        self.bar.set_message(stage.to_string());
        if let Ok(style) = ProgressStyle::with_template(template) {
            self.bar.set_style(style);
        }
    }
    fn compiled(&self, files: usize, about: usize) {
        self.bar.set_length(about as u64);
        self.bar.set_position(files as u64);
    }
    fn note(&self, text: &str) {
        if !self.quiet {
            self.bar.suspend(|| note("note", text));
        }
    }
}
