//! `cargo xtask packetdrill [DIR]`: scripts that say what a TCP must do, run against our endpoint and against a kernel.
//!
//! The suites are fetched and not kept here (packetdrill is under the GPL). See CONTRIBUTING.md.

mod adapt;
mod changes;
mod execute;
mod expected;
mod fetch;
mod kernel;
mod outcome;
mod repeat;
mod sandbox;
mod suites;
mod summary;
mod tool;

pub(crate) use kernel::{GuestOptions, run_in_guest};

use crate::support::at;
use execute::Runner;
use outcome::Outcome;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use suites::Script;
use summary::Results;

/// Real time for a script against our endpoint, where time is virtual.
const LIMIT: Duration = Duration::from_secs(20);

/// What to run.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// A directory with clones of the suites: google-packetdrill, tcp-testsuite, linux [default: clone them].
    directory: Option<PathBuf>,
    /// The profile of our endpoint [default: that of the suite: freebsd for tcp-testsuite, linux for the others].
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// The variant of our endpoint [default: that of the congestion control that a script sets].
    #[arg(long, value_name = "NAME")]
    variant: Option<String>,
    /// The kernel to compare with: one that `seamline kernel build` has made.
    #[arg(long, value_name = "NAME", default_value = "linux-6.12")]
    kernel: String,
    /// Compare with no kernel.
    #[arg(long)]
    no_kernel: bool,
    /// Run only scripts whose name (suite/path) contains this text, and print the message of each failure.
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Scripts at a time.
    #[arg(short, long, value_name = "N", default_value_t = 2)]
    jobs: usize,
    /// Instead of comparing: run the scripts that the kernel passes so often again, and report those that do not pass every time.
    #[arg(long, value_name = "N", conflicts_with_all = ["no_kernel", "update"])]
    repeat: Option<usize>,
    /// With --repeat: how far an event may be from its time, in microseconds, whatever a script says.
    #[arg(long, value_name = "MICROSECONDS", default_value_t = 1000, requires = "repeat")]
    tolerance: u32,
    /// Write the failures to the list of expected failures.
    #[arg(long)]
    update: bool,
}

/// Run everything and print the result; whether it is as expected.
pub(crate) fn run(options: &Options) -> Result<bool, String> {
    tool::check_programs()?;
    let cache = cache()?;
    let google = fetch::locate(&suites::GOOGLE, options.directory.as_deref(), &cache)?;
    let program = tool::build_packetdrill(&google, &cache.join("build"))?;
    let scripts = collect(options, &cache)?;
    if let Some(times) = options.repeat {
        let repetition = repeat::Repetition { times, tolerance: options.tolerance };
        let guests = kernel::Guests::new(&options.kernel, &program, &cache, Some(options.tolerance))?;
        return repeat::run(repetition, scripts, |scripts| guests.run_all(scripts, options.jobs));
    }
    let object = tool::build_shared_object()?;
    let runner = Runner {
        program: program.clone(),
        subject: Some(execute::Subject {
            object,
            profile: options.profile.clone(),
            variant: options.variant.clone(),
        }),
        outputs: cache.join("outputs"),
        limit: LIMIT,
        tolerance: None,
    };
    let ours = runner.run_all(&scripts, options.jobs)?;
    let kernel = run_kernel(options, &program, &scripts, &cache);
    report(options, &Results { scripts, ours, kernel })
}

/// The kernel's outcomes, unless it cannot run.
fn run_kernel(options: &Options, program: &Path, scripts: &[Script], cache: &Path) -> Option<Vec<Outcome>> {
    if options.no_kernel {
        return None;
    }
    let guests = kernel::Guests::new(&options.kernel, program, cache, None);
    match guests.and_then(|guests| guests.run_all(scripts, options.jobs)) {
        Ok(outcomes) => Some(outcomes),
        Err(reason) => {
            println!("{}: not run: {reason}", options.kernel);
            None
        }
    }
}

/// Where fetched and built things are: next to what cargo builds.
fn cache() -> Result<PathBuf, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let target = own.parent().and_then(Path::parent).unwrap_or(Path::new("."));
    let cache = target.join("packetdrill");
    fs::create_dir_all(&cache).map_err(at(&cache))?;
    Ok(cache)
}

/// The scripts of all suites that are there.
fn collect(options: &Options, cache: &Path) -> Result<Vec<Script>, String> {
    let mut scripts = Vec::new();
    for suite in suites::ALL {
        match fetch::locate(suite, options.directory.as_deref(), cache) {
            Ok(place) => scripts.extend(suite.scripts(&place, &cache.join("adapted").join(suite.name))?),
            Err(reason) => println!("{}: skipped: {reason}", suite.name),
        }
    }
    if let Some(text) = &options.only {
        scripts.retain(|script| script.full_name().contains(text));
    }
    match scripts.is_empty() {
        true => Err("there is no such script".to_owned()),
        false => Ok(scripts),
    }
}

fn report(options: &Options, results: &Results) -> Result<bool, String> {
    print!("{}\n{}\n", results.table(), results.causes());
    if options.only.is_some() {
        results
            .scripts
            .iter()
            .zip(&results.ours)
            .for_each(|(script, outcome)| print_message(script, outcome));
    }
    let as_expected = if options.profile.is_none() && options.variant.is_none() {
        settle(options.update, &results.passed())?
    } else {
        println!("the list of expected failures is about the default profiles: not compared");
        true
    };
    println!("{}", results.last_line());
    Ok(as_expected)
}

fn print_message(script: &Script, outcome: &Outcome) {
    if let Outcome::Failed { message, .. } = outcome {
        println!("{}: {message}", script.full_name());
    }
}

/// Compare with the list of expected failures, or write it.
fn settle(update: bool, results: &[(String, bool)]) -> Result<bool, String> {
    let path = expected::path();
    let list = expected::load(&path)?;
    if update {
        adapt::write(&path, &expected::updated(&list, results))?;
        println!("{}: written", path.display());
        return Ok(true);
    }
    let differences = expected::compare(&list, results);
    differences
        .new
        .iter()
        .for_each(|name| println!("fails, and is not in the list of expected failures: {name}"));
    differences
        .fixed
        .iter()
        .for_each(|name| println!("passes, and is in the list of expected failures: {name}"));
    if !differences.fixed.is_empty() {
        println!("tip: `cargo xtask packetdrill --update` takes them out of the list");
    }
    Ok(differences.new.is_empty())
}
