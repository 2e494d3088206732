//! `seamline kernel`: Linux kernels for experiments in virtual time.

mod build;
mod list;

use crate::Outcome;
use crate::terminal::{Failure, print};
use seamline_kernel::check::{Finding, check};
use seamline_kernel::{Error, Kernel, Store};

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Build a kernel from the distribution's source package, a tarball or a tree; an interrupted build continues
    Build(build::Arguments),
    /// List the kernels that were built
    List(list::Arguments),
    /// Check that a kernel is usable, and boot it
    Check {
        /// Its name, such as linux-6.12 [default: all]
        name: Option<String>,
    },
    /// Remove a kernel and the files left from its build
    Remove {
        /// Its name, such as linux-6.12
        name: String,
    },
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let store = Store::open().map_err(failure)?;
    match &arguments.command {
        Command::Build(arguments) => build::run(&store, arguments),
        Command::List(arguments) => list::run(&store, arguments),
        Command::Check { name } => examine(&store, name.as_deref()),
        Command::Remove { name } => remove(&store, name),
    }
}

/// The kernel of this name, or the newest.
///
/// # Errors
/// When there is none; the message names the command that builds one.
pub(crate) fn find(name: Option<&str>) -> Result<Kernel, Failure> {
    let store = Store::open().map_err(failure)?;
    let found = name.map_or_else(|| store.newest(), |name| store.find(name));
    found.map_err(|missing| Failure::Input(missing.to_string()))
}

fn failure(error: Error) -> Failure {
    match error {
        Error::Input(message) => Failure::Input(message),
        other => Failure::Runtime(other.to_string()),
    }
}

fn remove(store: &Store, name: &str) -> Outcome {
    if store.remove(name).map_err(failure)? {
        return Ok(());
    }
    let missing = store.find(name).err().map(|it| it.to_string()).unwrap_or_default();
    let first = missing.lines().next().unwrap_or_default();
    Err(Failure::Input(format!("{first}\ntip: seamline kernel list shows all")))
}

fn line(finding: &Finding) -> String {
    match &finding.result {
        Ok(found) => format!("  ok    {}: {found}\n", finding.what),
        Err(wrong) => format!("  BAD   {}: {}\n", finding.what, wrong.replace('\n', "\n        ")),
    }
}

fn examine(store: &Store, name: Option<&str>) -> Outcome {
    let kernels = match name {
        Some(name) => vec![store.find(name).map_err(|it| Failure::Input(it.to_string()))?],
        None => store.list(),
    };
    if kernels.is_empty() {
        let missing = store.newest().err().map(|it| it.to_string());
        return Err(Failure::Input(missing.unwrap_or_default()));
    }
    let program = std::env::current_exe()?;
    let mut bad = Vec::new();
    for kernel in kernels {
        let findings = check(&kernel, &program);
        let lines: String = findings.iter().map(line).collect();
        print(&format!("{}\n{lines}", kernel.name))?;
        if findings.iter().any(|it| it.result.is_err()) {
            bad.push(kernel.name);
        }
    }
    match bad.first() {
        None => Ok(()),
        Some(first) => Err(Failure::Runtime(format!(
            "not usable: {}\ntip: seamline kernel remove {first}, then build it again",
            bad.join(", ")
        ))),
    }
}
