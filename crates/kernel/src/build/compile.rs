//! Compiling the kernel.

use super::work::Work;
use super::{Plan, Progress};
use crate::{Error, process};
use std::fs;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// The number of files that a kernel of the list is compiled from.
const ABOUT: usize = 1000;

/// Compile the image; what an earlier call has compiled is used. With modules to build, also what they need.
///
/// # Errors
/// When the compiler fails: the last errors, and where the log is.
pub(super) fn compile(
    work: &Work,
    plan: &Plan,
    stop: &AtomicBool,
    progress: &dyn Progress,
) -> Result<(), Error> {
    let log = work.log("compile")?;
    let mut make = work.make();
    make.arg(format!("-j{}", plan.jobs)).arg("linux");
    if !plan.modules.is_empty() {
        make.arg("modules");
    }
    let mut files = count_objects(&work.objects());
    progress.compiled(files, ABOUT.max(files));
    let mut line = |line: &str| {
        if line.starts_with("  CC ") {
            files += 1;
            progress.compiled(files, ABOUT.max(files));
        }
    };
    if process::run(&mut make, &log, stop, &mut line)? {
        return Ok(());
    }
    Err(Error::Failed(format!(
        "the kernel does not compile:\n{}the log is {}; the same command continues",
        process::errors_in(&log),
        log.display()
    )))
}

/// The objects below a folder.
fn count_objects(folder: &Path) -> usize {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let count = |path: &Path| match path.is_dir() {
        true => count_objects(path),
        false => usize::from(path.extension().is_some_and(|it| it == "o")),
    };
    entries.map(|entry| count(&entry.path())).sum()
}
