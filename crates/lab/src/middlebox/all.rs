//! The middleboxes of a run: they begin one after the other, and end together.

use super::{Middlebox, placed, probe};
use crate::run::LabError;
use crate::stacks::Stacks;
use crate::system::{Namespace, Running, processes};
use seamline_experiment::live::Live;
use std::os::fd::AsFd;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// How long until commands are asked to end again.
const ASK_AGAIN: Duration = Duration::from_secs(1);
/// How long they have to end after that.
const GRACE: Duration = Duration::from_secs(2);

/// All middleboxes of a run. Their commands end with this value, which takes seconds if they ignore the request.
#[derive(Debug, Default)]
pub(crate) struct Middleboxes(Vec<Middlebox>);

impl Middleboxes {
    /// Their namespaces and interfaces; the agents that they replace are taken out of the network. The commands do not run yet.
    pub(crate) fn new(live: &mut Live<'_>, stacks: &Stacks) -> Result<Self, LabError> {
        let placed = placed(live.scenario(), &stacks.external_agents)?;
        let mut all = Vec::with_capacity(placed.len());
        for (agent, external) in placed {
            all.push(Middlebox::new(live, agent, external, stacks.version)?);
            live.take_out(agent);
        }
        Ok(Middleboxes(all))
    }

    /// Where they are.
    pub(crate) fn namespaces(&self) -> impl Iterator<Item = &Namespace> {
        self.0.iter().map(|it| &*it.namespace)
    }

    /// Each of them.
    pub(crate) fn each(&mut self) -> &mut [Middlebox] {
        &mut self.0
    }

    /// Begin the commands, and wait until packets pass all of them. The calling thread has to live for as long as they do. False after a
    /// request to stop.
    ///
    /// # Errors
    /// When a command cannot be started, ends, or lets nothing pass within ten seconds.
    pub(crate) fn begin(&mut self, stop: &AtomicBool) -> Result<bool, LabError> {
        for middlebox in &mut self.0 {
            if !middlebox.begin(stop)? {
                return Ok(false);
            }
        }
        if !self.0.is_empty() {
            probe::forget_all(self.0.iter().flat_map(|it| &it.outlets).map(|outlet| &outlet.interface))?;
        }
        Ok(true)
    }
}

impl Drop for Middleboxes {
    fn drop(&mut self) {
        let mut running: Vec<&mut Running> = self.0.iter_mut().filter_map(|it| it.running.as_mut()).collect();
        // Some end what they have open first, and at once when they are asked again.
        for _ in 0..2 {
            for command in &mut running {
                let _ = command.ask_all_to_end();
            }
            processes::wait_for(running.iter().map(|command| command.as_fd()), ASK_AGAIN);
        }
        if !running.is_empty() {
            // Those that are left, and what they have started themselves.
            let _ = processes::end_all(&self.namespaces().collect::<Vec<_>>(), GRACE);
        }
    }
}
