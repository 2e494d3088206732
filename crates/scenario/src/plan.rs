//! Expand a file and its overrides into the validated grid cells of an experiment.

use crate::codes::Code;
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::document::{Table, Value, parse};
use crate::files::Files;
use crate::grid::{Grid, Point, Role};
use crate::identity::Identity;
use crate::reader::Context;
use crate::schema::{self, Needs, Scenario};
use crate::source::{SourceId, Sources};
use crate::{overrides, path};
use std::collections::BTreeSet;
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
        let mut sources = Sources::new(path, text);
        let ids: Vec<SourceId> = overrides.iter().map(|text| sources.add_override(text.clone())).collect();
        let (mut root, mut complaints) = parse(SourceId::FILE, &sources.get(SourceId::FILE).text);
        let toml_is_valid = complaints.is_empty();
        let mut grid = Grid::take(&mut root, &mut complaints);
        for id in ids {
            overrides::apply(&sources, id, &mut root, &mut grid, &mut complaints);
        }
        let points = grid.points().unwrap_or_else(|complaint| {
            complaints.push(complaint);
            Vec::new()
        });
        let mut refused = Vec::new();
        let leaves_out = leaves_out_refused.then_some(&mut refused);
        let cells = read_cells(&sources, &root, needs, points, &mut complaints, leaves_out);
        if !toml_is_valid {
            // A missing key may be unreadable, and an unknown key may be in the wrong table.
            complaints.retain(|complaint| !matches!(complaint.code, Code::Missing | Code::UnknownKey));
        }
        complaints.extend(schema::refusals(cells.iter().map(|cell| &cell.scenario)));
        match Diagnostics::new(&sources, complaints) {
            Some(diagnostics) => Err(diagnostics),
            None => Ok(Plan {
                sources,
                base: serde_json::Value::Object(root.to_json()),
                axes: grid.names(),
                cells,
                refused,
            }),
        }
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

/// Whether an error is the incompatibility of two values that are each valid alone.
fn is_refusal(complaint: &Diagnostic) -> bool {
    matches!(complaint.code, Code::RefusedPair | Code::Conflict)
}

fn read_cells(
    sources: &Sources,
    root: &Table,
    needs: Needs,
    points: Vec<Point<'_>>,
    complaints: &mut Vec<Diagnostic>,
    mut refused: Option<&mut Vec<RefusedCell>>,
) -> Vec<Cell> {
    let files = Files::default();
    let mut cells: Vec<Cell> = Vec::with_capacity(points.len());
    let mut refusals = Vec::new();
    let mut named: BTreeSet<Diagnostic> = complaints.iter().cloned().collect();
    for point in points {
        let known = complaints.len();
        let cell = read_cell(sources, &files, root, needs, &point, complaints);
        // Most grid cells have the same errors.
        let fresh = complaints.split_off(known);
        if let Some(refused) = refused.as_mut().filter(|_| !fresh.is_empty() && fresh.iter().all(is_refusal))
        {
            let mut reasons: Vec<String> = fresh.iter().map(|complaint| complaint.label.clone()).collect();
            reasons.dedup();
            refused.push(RefusedCell { values: named_values(&point), reasons });
            refusals.extend(fresh);
            continue;
        }
        complaints.extend(fresh.into_iter().filter(|new| named.insert(new.clone())));
        if let Some(mut cell) = cell {
            cell.scenario.share(cells.last().map(|before| &before.scenario));
            cells.push(cell);
        }
    }
    if cells.is_empty() {
        complaints.extend(refusals);
    }
    cells
}

fn read_cell(
    sources: &Sources,
    files: &Files,
    root: &Table,
    needs: Needs,
    point: &Point<'_>,
    complaints: &mut Vec<Diagnostic>,
) -> Option<Cell> {
    let mut root = root.clone();
    for (variable, value) in point.iter().filter(|(variable, _)| variable.role != Role::Names) {
        if let Err(complaint) = path::set(&mut root, &variable.path, variable.span, (*value).clone()) {
            complaints.push(complaint);
        }
    }
    let context = Context::new(sources, files);
    let scenario = schema::read(&context, &root, needs);
    let inputs = context.inputs();
    complaints.extend(context.into_complaints());
    let scenario = scenario?;
    let identity = Identity::of(&root, &inputs, files, &schema::added::versions(&scenario));
    Some(Cell { values: named_values(point), scenario, identity })
}

/// The values at a point of the grid that are part of its name.
fn named_values(point: &Point<'_>) -> Vec<(String, Value)> {
    let named = point.iter().filter(|(variable, _)| variable.role != Role::SetsUnnamed);
    let mut values: Vec<(String, Value)> =
        named.map(|(variable, value)| (variable.path.clone(), value.value.clone())).collect();
    values.shrink_to_fit();
    values
}
