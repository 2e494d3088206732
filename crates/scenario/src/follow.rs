//! Running a world in which routes follow the mobile nodes that have no mobility protocol.

use crate::build::{Part, Places, add_routes};
use crate::routes::whereabouts_at_start;
use crate::schema::Scenario;
use seamline_mobility::{Movement, Stay};
use seamline_sim::{Observer, World};
use seamline_wire::Instant;
use std::collections::VecDeque;

/// A route change to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Change {
    at: Instant,
    /// Place of the mobile node.
    mobile: usize,
    /// Place of the cell that it is in from then on.
    cell: usize,
}

/// Runs a world and changes its routes on the way. At the end of each move of a mobile node without a
/// protocol all routes lead to its new cell; what is due at that very time has gone the old way.
#[derive(Debug)]
pub(crate) struct Runner<'a> {
    scenario: &'a Scenario,
    places: &'a Places,
    whereabouts: Vec<usize>,
    changes: VecDeque<Change>,
}

impl<'a> Runner<'a> {
    pub(crate) fn new(scenario: &'a Scenario, places: &'a Places, movements: &[Movement]) -> Self {
        let mut changes = Vec::new();
        for (mobile, (spec, movement)) in scenario.mobiles.iter().zip(movements).enumerate() {
            if spec.protocol.is_none() {
                let change = |stay: &Stay| Change { at: stay.from, mobile, cell: stay.cell.0 as usize };
                changes.extend(movement.stays().iter().skip(1).map(change));
            }
        }
        changes.sort_unstable();
        Runner { scenario, places, whereabouts: whereabouts_at_start(scenario), changes: changes.into() }
    }

    /// Run until everything due up to and including `end` has happened.
    pub(crate) fn run_until<O: Observer>(&mut self, world: &mut World<Part, O>, end: Instant) {
        while let Some(change) = self.changes.pop_front_if(|change| change.at <= end) {
            world.run_until(change.at);
            self.whereabouts[change.mobile] = change.cell;
            add_routes(self.scenario, &self.whereabouts, world, self.places);
        }
        world.run_until(end);
    }
}
