//! What grid cells are read from: a file with its overrides, its grid apart.

use super::{Cell, Plan, RefusedCell};
use crate::codes::Code;
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::document::{Table, Value, parse};
use crate::files::Files;
use crate::grid::{Grid, Point, Role};
use crate::identity::Identity;
use crate::reader::Context;
use crate::schema::{self, Needs};
use crate::source::{SourceId, Sources};
use crate::{overrides, path};
use std::collections::BTreeSet;
use std::path::Path;

/// The document of an experiment. Input files are read once, however often its grid cells are.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) sources: Sources,
    /// The common part of all grid cells.
    pub(super) root: Table,
    pub(super) grid: Grid,
    files: Files,
    needs: Needs,
}

/// What reading grid cells finds besides them.
#[derive(Debug, Default)]
pub(super) struct Findings {
    complaints: Vec<Diagnostic>,
    /// Most grid cells have the same errors.
    known: BTreeSet<Diagnostic>,
    /// Grid cells with incompatible values, if they are left out.
    refused: Option<Vec<RefusedCell>>,
    refusals: Vec<Diagnostic>,
    toml_is_invalid: bool,
}

impl Findings {
    /// Nothing yet. Grid cells with incompatible values are errors, unless they are left out.
    pub(super) fn new(leaves_out_refused: bool) -> Self {
        Findings { refused: leaves_out_refused.then(Vec::new), ..Findings::default() }
    }

    /// The grid cells that were left out.
    pub(super) fn refused(self) -> Vec<RefusedCell> {
        self.refused.unwrap_or_default()
    }

    /// All errors, if there are some. Without any grid cell that is valid, those of the refused ones are errors.
    pub(super) fn errors(&mut self, sources: &Sources, cells: usize) -> Option<Diagnostics> {
        let mut complaints = std::mem::take(&mut self.complaints);
        if cells == 0 {
            complaints.append(&mut self.refusals);
        }
        if self.toml_is_invalid {
            // A missing key may be unreadable, and an unknown key may be in the wrong table.
            complaints.retain(|complaint| !matches!(complaint.code, Code::Missing | Code::UnknownKey));
        }
        Diagnostics::new(sources, complaints)
    }

    /// Add errors of all grid cells together.
    pub(super) fn extend(&mut self, complaints: impl IntoIterator<Item = Diagnostic>) {
        self.complaints.extend(complaints);
    }

    /// Take the errors of a grid cell. Returns whether it is left out.
    fn take(&mut self, point: &Point<'_>, errors: Vec<Diagnostic>) -> bool {
        if let Some(refused) =
            self.refused.as_mut().filter(|_| !errors.is_empty() && errors.iter().all(is_refusal))
        {
            let mut reasons: Vec<String> = errors.iter().map(|complaint| complaint.label.clone()).collect();
            reasons.dedup();
            refused.push(RefusedCell { values: named_values(point), reasons });
            self.refusals.extend(errors);
            return true;
        }
        self.complaints.extend(errors.into_iter().filter(|new| self.known.insert(new.clone())));
        false
    }
}

/// Whether an error is the incompatibility of two values that are each valid alone.
fn is_refusal(complaint: &Diagnostic) -> bool {
    matches!(complaint.code, Code::RefusedPair | Code::Conflict)
}

impl Document {
    pub(super) fn new(
        path: &Path,
        text: String,
        overrides: &[String],
        needs: Needs,
        findings: &mut Findings,
    ) -> Self {
        let mut sources = Sources::new(path, text);
        let ids: Vec<SourceId> = overrides.iter().map(|text| sources.add_override(text.clone())).collect();
        let (mut root, mut complaints) = parse(SourceId::FILE, &sources.get(SourceId::FILE).text);
        findings.toml_is_invalid = !complaints.is_empty();
        let mut grid = Grid::take(&mut root, &mut complaints);
        for id in ids {
            overrides::apply(&sources, id, &mut root, &mut grid, &mut complaints);
        }
        findings.known.extend(complaints.iter().cloned());
        findings.complaints = complaints;
        Document { sources, root, grid, files: Files::default(), needs }
    }

    /// The grid cells at some points of the grid.
    pub(super) fn cells(&self, points: impl Iterator<Item = usize>, findings: &mut Findings) -> Vec<Cell> {
        let mut cells: Vec<Cell> = Vec::with_capacity(points.size_hint().0);
        for place in points {
            let point = self.grid.point(place);
            let (cell, errors) = self.cell(&point);
            if findings.take(&point, errors) {
                continue;
            }
            if let Some(mut cell) = cell {
                cell.scenario.share(cells.last().map(|before| &before.scenario));
                cells.push(cell);
            }
        }
        cells
    }

    /// A plan of some of the grid cells.
    pub(super) fn plan(&self, cells: Vec<Cell>, refused: Vec<RefusedCell>) -> Plan {
        Plan {
            sources: self.sources.clone(),
            base: serde_json::Value::Object(self.root.to_json()),
            axes: self.grid.names(),
            cells,
            refused,
        }
    }

    /// The grid cell at a point, and its errors.
    fn cell(&self, point: &Point<'_>) -> (Option<Cell>, Vec<Diagnostic>) {
        let mut root = self.root.clone();
        let mut errors = Vec::new();
        for (variable, value) in point.iter().filter(|(variable, _)| variable.role != Role::Names) {
            let set = path::set(&mut root, &variable.path, variable.span, (*value).clone());
            errors.extend(set.err());
        }
        let context = Context::new(&self.sources, &self.files);
        let scenario = schema::read(&context, &root, self.needs);
        let inputs = context.inputs();
        errors.extend(context.into_complaints());
        let cell = scenario.map(|scenario| {
            let versions = schema::added::versions(&scenario);
            let identity = Identity::of(&root, &inputs, &self.files, &versions);
            Cell { values: named_values(point), scenario, identity }
        });
        (cell, errors)
    }
}

/// The values at a point of the grid that are part of its name.
pub(super) fn named_values(point: &Point<'_>) -> Vec<(String, Value)> {
    let named = point.iter().filter(|(variable, _)| variable.role != Role::SetsUnnamed);
    let mut values: Vec<(String, Value)> =
        named.map(|(variable, value)| (variable.path.clone(), value.value.clone())).collect();
    values.shrink_to_fit();
    values
}
