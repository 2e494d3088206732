//! Expand a file and its overrides into the validated grid cells of an experiment.

mod document;
mod parts;

pub use parts::{Brief, Parts, Totals};

use crate::diagnostics::Diagnostics;
use crate::document::Value;
use crate::identity::Identity;
use crate::schema::{Needs, Scenario};
use crate::source::Sources;
use document::{Document, Findings};
use std::path::Path;

/// An experiment; every grid cell is valid.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The source texts.
    pub sources: Sources,
    /// The common part of all grid cells: the document with its overrides, without its grid.
    pub base: serde_json::Value,
    /// The axes of the grid, each with the keys that vary together, as named in [`Cell::values`].
    pub axes: Vec<Vec<String>>,
    /// Its grid cells in grid order; one when there is no grid.
    pub cells: Vec<Cell>,
    /// The invalid grid cells that [`Plan::without_refused`] left out; otherwise empty.
    pub refused: Vec<RefusedCell>,
}

/// A grid cell whose values are incompatible.
#[derive(Clone, Debug)]
pub struct RefusedCell {
    /// The values that the grid set, as in [`Cell::values`].
    pub values: Vec<(String, Value)>,
    /// The reasons, without duplicates.
    pub reasons: Vec<String>,
}

/// A grid cell: one point of the grid. (A radio cell is a [`CellSpec`](crate::schema::CellSpec).)
#[derive(Clone, Debug)]
pub struct Cell {
    /// The values that the grid set, by dotted key.
    pub values: Vec<(String, Value)>,
    /// The complete scenario of the grid cell.
    pub scenario: Scenario,
    /// Its identity among all grid cells of all plans.
    pub identity: Identity,
}

impl Plan {
    /// Read a scenario's text with `--set` arguments. `path` names it in messages; relative paths start from its
    /// folder.
    ///
    /// # Errors
    /// All errors of the scenario.
    pub fn new(path: &Path, text: String, overrides: &[String]) -> Result<Self, Diagnostics> {
        Plan::read(path, text, overrides, false, Needs::Flows)
    }

    /// Like [`Plan::new`], but grid cells with incompatible values are left out and listed, for grids that explore
    /// which combinations are valid.
    ///
    /// # Errors
    /// All other errors of the scenario.
    pub fn without_refused(path: &Path, text: String, overrides: &[String]) -> Result<Self, Diagnostics> {
        Plan::read(path, text, overrides, true, Needs::Flows)
    }

    /// Like [`Plan::new`], for a network in which something else than flows communicates: it may have none.
    ///
    /// # Errors
    /// All errors of the scenario.
    pub fn network(path: &Path, text: String, overrides: &[String]) -> Result<Self, Diagnostics> {
        Plan::read(path, text, overrides, false, Needs::Network)
    }

    fn read(
        path: &Path,
        text: String,
        overrides: &[String],
        leaves_out_refused: bool,
        needs: Needs,
    ) -> Result<Self, Diagnostics> {
        let mut findings = Findings::new(leaves_out_refused);
        let document = Document::new(path, text, overrides, needs, &mut findings);
        Parts::read(document, findings, usize::MAX, &mut |_| {}).map(Parts::into_first)
    }

    /// The identity of the plan: the identities of all its grid cells. Seeds do not count.
    pub fn identity(&self) -> Identity {
        Identity::of_all(self.cells.iter().map(|cell| cell.identity))
    }

    /// The same plan, with a handshake on all connections, as real ones have.
    #[must_use]
    pub fn with_handshakes(&self) -> Self {
        let mut plan = self.clone();
        let flows = plan.cells.iter_mut().flat_map(|cell| &mut cell.scenario.flows);
        flows.for_each(|flow| flow.handshake = true);
        plan
    }

    /// The number of runs.
    pub fn runs(&self) -> usize {
        self.cells.iter().map(|cell| cell.scenario.seeds.len()).sum()
    }
}
