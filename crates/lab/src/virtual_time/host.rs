//! The host's side: a guest for every run.

use super::job::{Answer, Files, GuestJob, Task, from_bytes, to_bytes};
use super::output::{Follower, take_files};
use super::processor::Processor;
use crate::run::LabError;
use crate::shell::{Shell, ShellSession};
use crate::stacks::Stacks;
use seamline_experiment::atomic::WriteError;
use seamline_experiment::report::quoted;
use seamline_experiment::summary::label;
use seamline_experiment::{CellResult, FinishedRun, Incomplete, Job, RunOptions, run_each};
use seamline_kernel::Kernel;
use seamline_kernel::guest::{Ended, Glance, Guest, GuestError, MEMORY, Running, Shared};
use seamline_scenario::Plan;
use std::env;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::sync::atomic::Ordering;

/// The argument that makes the program the first process of a guest.
pub const WORD: &str = "guest";

/// What a program or its kernel says when there is no memory left.
const NO_MEMORY: [&str; 3] = ["memory allocation of", "Out of memory", "deadlocked on memory"];

static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// Guests run this program, whose main function calls [`serve`](super::serve()), in place of the program of this process. For libraries in
/// other programs; only the first call counts.
pub fn serve_by(program: PathBuf) {
    let _ = PROGRAM.set(program);
}

/// Run a plan, each run in a guest, on as many processors as rayon's pool has.
///
/// # Errors
/// As for [`crate::run`]; and when a guest fails.
pub fn run(
    plan: &Plan,
    stacks: &Stacks,
    kernel: &Kernel,
    options: &RunOptions,
    finished: &(dyn Fn() + Sync),
) -> Result<Vec<CellResult>, Incomplete<LabError>> {
    let named = stacks.named_in(plan.clone());
    run_each(&named, options, finished, |job| run_job(plan, job, stacks, kernel, options))
}

/// Run one job of a plan in a guest. `None` when it was stopped.
///
/// # Errors
/// As for [`run`].
pub fn run_job(
    plan: &Plan,
    job: Job,
    stacks: &Stacks,
    kernel: &Kernel,
    options: &RunOptions,
) -> Result<Option<FinishedRun>, LabError> {
    run_task(plan, job, stacks, kernel, options, Task::Run)
}

/// Run one job of a plan whose scenario names this kernel, in a guest. `None` when it was stopped.
///
/// # Errors
/// When the guest fails, or its kernel lacks something.
pub fn run_nodes(
    plan: &Plan,
    job: Job,
    kernel: &Kernel,
    options: &RunOptions,
) -> Result<Option<FinishedRun>, LabError> {
    run_task(plan, job, &Stacks::default(), kernel, options, Task::Nodes)
}

/// Run one job of a plan as a task of a guest.
fn run_task(
    plan: &Plan,
    job: Job,
    stacks: &Stacks,
    kernel: &Kernel,
    options: &RunOptions,
    task: fn(Job) -> Task,
) -> Result<Option<FinishedRun>, LabError> {
    let seed = plan.cells[job.cell].scenario.seeds[job.seed];
    let (mut guest, _processor) = boot(kernel, plan, stacks, options, task(job), seed)?;
    let what = || match plan.cells.len() {
        1 => format!("the run with seed {seed}"),
        _ => format!("the run with seed {seed} of {}", label(plan, job.cell)),
    };
    let answer =
        wait(&mut guest, options, &what, &mut || {}).map_err(|error| error_with_output(error, &guest));
    let Some(answer) = answer? else { return Ok(None) };
    let Answer::Run(answer) = answer? else { return Ok(None) };
    let (record, series) = *answer;
    let mut run = FinishedRun { record, series, files: Vec::new(), unwritten: Vec::new() };
    for taken in files(&guest, options) {
        match taken {
            Ok(file) => run.files.push(file),
            Err(error) => run.unwritten.push(error),
        }
    }
    Ok(Some(run))
}

/// Run a command in the network of a plan's first cell, under its first seed, in a guest. What it prints is passed on.
/// `None` when it was stopped.
///
/// # Errors
/// As for [`crate::shell`]; and when the guest fails.
pub fn shell(
    plan: &Plan,
    stacks: &Stacks,
    it: &Shell,
    kernel: &Kernel,
    options: &RunOptions,
) -> Result<Option<ShellSession>, LabError> {
    let seed = plan.cells[0].scenario.seeds[0];
    let (mut guest, _processor) = boot(kernel, plan, stacks, options, Task::Shell(it.clone()), seed)?;
    let mut output = Follower::new(&guest.path(Shared::StandardOutput), io::stdout())?;
    let mut error = Follower::new(&guest.path(Shared::StandardError), io::stderr())?;
    let words = it.command.iter().map(|word| quoted(&word.to_string_lossy()));
    let command = words.collect::<Vec<_>>().join(" ");
    let what = || command.clone();
    let answer = wait(&mut guest, options, &what, &mut || {
        output.pass_on();
        error.pass_on();
    });
    let Some(answer) = answer? else { return Ok(None) };
    let Answer::Shell(session) = answer? else { return Ok(None) };
    let files = files(&guest, options).into_iter().collect::<Result<Vec<_>, _>>();
    let files = files.map_err(|error| LabError::Failed(error.to_string()))?;
    Ok(Some(ShellSession { files, ..*session }))
}

fn boot(
    kernel: &Kernel,
    plan: &Plan,
    stacks: &Stacks,
    options: &RunOptions,
    task: Task,
    seed: u64,
) -> io::Result<(Running, Option<Processor>)> {
    let mut sources = plan.sources.iter();
    let file = sources.next();
    let job = GuestJob {
        folder: env::current_dir()?,
        file: file.map(|file| PathBuf::from(&file.name)).unwrap_or_default(),
        text: file.map(|file| file.text.clone()).unwrap_or_default(),
        settings: sources.map(|setting| setting.text.clone()).collect(),
        duration_ns: plan.cells[task.cell()].scenario.duration.as_nanos(),
        leaves_out_refused: !plan.refused.is_empty(),
        stacks: stacks.clone(),
        files: Files {
            kinds: folders(options).into_iter().map(|(kind, _)| kind.to_owned()).collect(),
            cells_over_time: options.cells_over_time,
            provenance: options.provenance.clone(),
        },
        modules: kernel.modules.clone(),
        seed,
        task,
    };
    let processor = Processor::take();
    let guest = Guest {
        image: &kernel.image,
        program: &PROGRAM.get().cloned().map_or_else(env::current_exe, Ok)?,
        words: vec![WORD.to_owned()],
        job: &to_bytes(&job)?,
        processor: processor.as_ref().map(Processor::number),
    };
    Ok((guest.boot()?, processor))
}

/// Wait for a guest's answer. `None` when it was stopped. `what` is what it runs; `follow` is called again and again, and once it has ended.
fn wait(
    guest: &mut Running,
    options: &RunOptions,
    what: &dyn Fn() -> String,
    follow: &mut dyn FnMut(),
) -> Result<Option<Result<Answer, LabError>>, LabError> {
    let mut is_still = false;
    let ended = guest.wait(&mut |glance| {
        follow();
        if glance.stands_still && !std::mem::replace(&mut is_still, true) {
            (options.warn.0)(&stands_still(glance, &what()));
        }
        !options.stop.load(Ordering::Relaxed)
    });
    follow();
    match ended {
        Ok(Ended::Stopped) => Ok(None),
        Ok(Ended::Complete) => {
            let answer = from_bytes(&fs::read(guest.path(Shared::Result))?)?;
            Ok(Some(match answer {
                Answer::Failed(failed) => Err(failed.into_error(|| guest.no_room())),
                answer => Ok(answer),
            }))
        }
        Err(GuestError::Host(error)) => Err(error.into()),
        Err(error) => Err(LabError::Failed(error.to_string())),
    }
}

/// What a guest has printed that gave no answer belongs to the error.
fn error_with_output(error: LabError, guest: &Running) -> LabError {
    let printed = fs::read_to_string(guest.path(Shared::StandardError)).unwrap_or_default();
    match error {
        LabError::Failed(why) if lacks_memory(&why) || lacks_memory(&printed) => LabError::Failed(format!(
            "a run needs more memory than the {} MB of its guest\n\
                 tip: raise `output.interval`, or lower `duration`, the `count` of flows, or `tcp.receive_buffer`",
            MEMORY >> 20
        )),
        LabError::Failed(why) => LabError::Failed(format!("{why}\n{printed}").trim_end().to_owned()),
        other => other,
    }
}

/// Whether a guest that said this has ended for lack of memory.
fn lacks_memory(words: &str) -> bool {
    NO_MEMORY.iter().any(|it| words.contains(it))
}

fn stands_still(glance: Glance, what: &str) -> String {
    format!(
        "virtual time stands still at {}: something in the guest computes or polls without ever waiting, and time only passes while all wait; it runs {what}",
        glance.now
    )
}

/// The folders that the options want files in, each with the name of its kind.
fn folders(options: &RunOptions) -> Vec<(&'static str, PathBuf)> {
    let mut options = options.clone();
    options.folders().into_iter().filter_map(|(kind, folder)| Some((kind, folder.take()?))).collect()
}

/// The files that a run has written, moved to where the options want them.
fn files(guest: &Running, options: &RunOptions) -> Vec<Result<PathBuf, WriteError>> {
    let output = guest.path(Shared::Output);
    folders(options).iter().flat_map(|(kind, to)| take_files(&output.join(kind), to)).collect()
}

#[cfg(test)]
mod tests {
    use super::lacks_memory;

    #[test]
    fn a_lack_of_memory_is_recognized() {
        // Of our program, and of Linux 6.12.
        assert!(lacks_memory("memory allocation of 1612800000 bytes failed\nnote: run with"));
        assert!(lacks_memory("Out of memory: Killed process 1 (program) total-vm:1051236kB"));
        assert!(!lacks_memory("No space left on device"));
    }
}
