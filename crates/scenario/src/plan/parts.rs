//! Experiments of very many grid cells, of which few are in memory at a time.

use super::document::{Document, Findings, named_values};
use super::{Cell, Plan};
use crate::diagnostics::Diagnostics;
use crate::document::Value;
use crate::identity::Identity;
use crate::schema::{Needs, Scenario, Unapplied};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// An experiment in parts, each a plan of its own; all grid cells of all parts are valid.
#[derive(Debug)]
pub struct Parts<'a> {
    /// All grid cells, or the first where parts are read one by one.
    first: Cow<'a, Plan>,
    totals: Totals,
    /// What the parts are read from, and how many grid cells a part has; `None` if there is only one.
    parts: Option<(Document, usize)>,
}

/// What is known of all grid cells of an experiment at any time.
#[derive(Clone, Debug, Default)]
pub struct Totals {
    /// The grid cells in order.
    pub cells: Vec<Brief>,
    /// The names of the kernels whose TCP they have.
    pub kernels: BTreeSet<String>,
}

/// A grid cell without its scenario.
#[derive(Clone, Debug)]
pub struct Brief {
    /// Its identity.
    pub identity: Identity,
    /// Its seeds.
    pub seeds: Arc<[u64]>,
}

impl Totals {
    fn add(&mut self, cells: &[Cell]) {
        for Cell { scenario, identity, .. } in cells {
            let before = self.cells.last().map(|before| &before.seeds);
            let seeds = match before.filter(|seeds| seeds[..] == scenario.seeds[..]) {
                Some(seeds) => Arc::clone(seeds),
                None => scenario.seeds.clone().into(),
            };
            self.cells.push(Brief { identity: *identity, seeds });
            if let Some(name) = scenario.kernel().filter(|name| !self.kernels.contains(*name)) {
                self.kernels.insert(name.to_owned());
            }
        }
    }

    /// The number of runs.
    pub fn runs(&self) -> usize {
        self.cells.iter().map(|cell| cell.seeds.len()).sum()
    }

    /// The identity of all grid cells together.
    pub fn identity(&self) -> Identity {
        Identity::of_all(self.cells.iter().map(|cell| cell.identity))
    }
}

impl Parts<'static> {
    /// Read a scenario like [`Plan::new`], in parts of at most so many grid cells. `each` gets every grid cell once, in order.
    ///
    /// # Errors
    /// All errors of the scenario.
    pub fn new(
        path: &Path,
        text: String,
        overrides: &[String],
        most: usize,
        each: &mut dyn FnMut(&Scenario),
    ) -> Result<Self, Diagnostics> {
        let mut findings = Findings::new(false);
        let document = Document::new(path, text, overrides, Needs::Flows, &mut findings);
        Parts::read(document, findings, most.max(1), each)
    }

    pub(super) fn read(
        document: Document,
        mut findings: Findings,
        most: usize,
        each: &mut dyn FnMut(&Scenario),
    ) -> Result<Self, Diagnostics> {
        let points = document.grid.size().unwrap_or_else(|complaint| {
            findings.extend([complaint]);
            0
        });
        let (mut first, mut totals, mut unapplied) = (Vec::new(), Totals::default(), Unapplied::default());
        for begin in (0..points).step_by(most) {
            let mut cells = document.cells(begin..points.min(begin.saturating_add(most)), &mut findings);
            totals.add(&cells);
            for cell in &cells {
                unapplied.add(&cell.scenario);
                each(&cell.scenario);
            }
            if begin == 0 {
                if points > most {
                    // It is read again with its part.
                    cells.truncate(1);
                }
                first = cells;
            }
        }
        findings.extend(unapplied.refusals());
        if let Some(diagnostics) = findings.errors(&document.sources, totals.cells.len()) {
            return Err(diagnostics);
        }
        let first = document.plan(first, findings.refused());
        let parts = (points > most).then_some((document, most));
        Ok(Parts { first: Cow::Owned(first), totals, parts })
    }

    pub(super) fn into_first(self) -> Plan {
        self.first.into_owned()
    }
}

impl<'a> From<&'a Plan> for Parts<'a> {
    /// A plan as a single part.
    fn from(plan: &'a Plan) -> Self {
        let mut totals = Totals::default();
        totals.add(&plan.cells);
        Parts { first: Cow::Borrowed(plan), totals, parts: None }
    }
}

impl Parts<'_> {
    /// A plan with the first grid cell, if there is any. It has no others, unless there is only one part.
    pub fn first(&self) -> &Plan {
        &self.first
    }

    /// What all parts come to.
    pub fn totals(&self) -> &Totals {
        &self.totals
    }

    /// The plan, if there is only one part.
    pub fn single(&self) -> Option<&Plan> {
        self.parts.is_none().then_some(&self.first)
    }

    /// Which grid cells each part has, in order.
    pub fn ranges(&self) -> impl Iterator<Item = Range<usize>> {
        let cells = self.totals.cells.len();
        let most = self.parts.as_ref().map_or(cells.max(1), |(_, most)| *most);
        (0..cells).step_by(most).map(move |begin| begin..cells.min(begin + most))
    }

    /// What the grid sets in each grid cell, in order, by dotted key ([`Cell::values`]).
    pub fn values(&self) -> impl Iterator<Item = Cow<'_, [(String, Value)]>> {
        (0..self.totals.cells.len()).map(|place| match &self.parts {
            None => Cow::Borrowed(&self.first.cells[place].values[..]),
            Some((document, _)) => Cow::Owned(named_values(&document.grid.point(place))),
        })
    }

    /// The part with the grid cells of one of the [ranges](Parts::ranges), which is read now unless it is the only one.
    pub fn part(&self, cells: Range<usize>) -> Cow<'_, Plan> {
        match &self.parts {
            None => Cow::Borrowed(&self.first),
            Some((document, _)) => Cow::Owned(self.read_again(document, cells)),
        }
    }

    /// A plan with these grid cells, in this order, which are read now unless there is only one part.
    pub fn plan_of(&self, places: &[usize]) -> Plan {
        match &self.parts {
            None => {
                let cells = places.iter().map(|&place| self.first.cells[place].clone()).collect();
                Plan { cells, ..(*self.first).clone() }
            }
            Some((document, _)) => self.read_again(document, places.iter().copied()),
        }
    }

    /// What is found was found when everything was read for the first time.
    fn read_again(&self, document: &Document, places: impl Iterator<Item = usize> + Clone) -> Plan {
        let read = document.cells(places.clone(), &mut Findings::new(false));
        let identities = places.map(|place| self.totals.cells[place].identity);
        assert!(identities.eq(read.iter().map(|cell| cell.identity)), "a document does not change");
        document.plan(read, Vec::new())
    }
}
