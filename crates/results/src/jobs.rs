//! The runs of all grid cells of an experiment, with their keys.

use crate::store::key;
use seamline_experiment::Job;
use seamline_scenario::plan::Brief;

/// The runs of these grid cells.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Jobs<'a>(pub(crate) &'a [Brief]);

impl<'a> Jobs<'a> {
    /// All of them, in grid order.
    pub(crate) fn all(self) -> impl Iterator<Item = Job> + use<'a> {
        let cells = self.0.iter().enumerate();
        cells.flat_map(|(cell, it)| (0..it.seeds.len()).map(move |seed| Job { cell, seed }))
    }
    /// The key of one.
    pub(crate) fn key(self, job: Job) -> String {
        let Brief { identity, seeds } = &self.0[job.cell];
        key(*identity, seeds[job.seed])
    }
}
