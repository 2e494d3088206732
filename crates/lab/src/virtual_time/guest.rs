//! The guest's side: the lab, as the first process of a guest.

use super::job::{Answer, GuestJob, Task, from_bytes, to_bytes};
use crate::run::{LabError, run_job, run_nodes};
use crate::shell::shell;
use crate::system::StateDirectory;
use seamline_experiment::RunOptions;
use seamline_kernel::guest::Shared;
use seamline_kernel::guest::inside::{self, Start};
use seamline_scenario::Plan;
use seamline_wire::Duration;
use seamline_wire::random::Stream;
use std::env;
use std::fs;
use std::io;

/// Do the job of this guest, and end the guest. To be called first of all, in a process that a guest has started.
///
/// # Errors
/// When this process is not the first one of a guest, or there is no way to answer.
pub fn serve() -> io::Result<()> {
    inside::begin()?;
    let job: GuestJob = from_bytes(&fs::read(Shared::Job.in_guest())?)?;
    inside::prepare(&Start { entropy: entropy(job.seed), modules: &job.modules })?;
    let answer = answer(&job).unwrap_or_else(|error| Answer::Failed(error.into()));
    inside::end(&to_bytes(&answer)?)
}

/// What the kernel has for randomness: the same in all cells of a grid, as every other random stream.
fn entropy(seed: u64) -> [u8; inside::ENTROPY] {
    let mut stream = Stream::new(seed, "kernel");
    let mut bytes = [0; inside::ENTROPY];
    bytes.chunks_mut(8).for_each(|chunk| chunk.copy_from_slice(&stream.bits().to_le_bytes()));
    bytes
}

fn answer(job: &GuestJob) -> Result<Answer, LabError> {
    env::set_current_dir(&job.folder)?;
    let read = if job.leaves_out_refused { Plan::without_refused } else { Plan::new };
    let plan = read(&job.file, job.text.clone(), &job.settings);
    // The host has read it before.
    let mut plan = plan.map_err(|diagnostics| LabError::Refused(diagnostics.render(false)))?;
    plan.cells[job.task.cell()].scenario.duration = Duration::from_nanos(job.duration_ns);
    let output = Shared::Output.in_guest();
    let mut options = RunOptions {
        cells_over_time: job.files.cells_over_time,
        provenance: job.files.provenance.clone(),
        ..RunOptions::default()
    };
    for (kind, folder) in options.folders() {
        *folder = job.files.kinds.iter().any(|wanted| wanted == kind).then(|| output.join(kind));
    }
    Ok(match &job.task {
        Task::Run(run) => Answer::of_run(run_job(&plan, *run, &job.stacks, None, &options)),
        Task::Nodes(run) => Answer::of_run(run_nodes(&plan, *run, &options)),
        Task::Shell(it) => {
            let state = StateDirectory::at(&output.join("state"))?;
            Answer::of_shell(shell(&plan, &job.stacks, it, &state, &options))
        }
    })
}
