//! Running a world in which routes follow the mobile nodes that have no mobility protocol.

use crate::build::{Part, Places, add_routes, node_id};
use crate::routes::whereabouts_at_start;
use crate::schema::Scenario;
use seamline_mobility::{DepartedBuffer, Movement};
use seamline_sim::{ElementId, Observer, World};
use seamline_wire::Instant;
use std::collections::VecDeque;

/// What happens to a mobile node, and in which order at one time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    /// It has left the cell, and its link there is gone.
    Leaves,
    /// It can be reached in the cell.
    Arrives,
}

/// A change to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Change {
    at: Instant,
    what: What,
    /// Place of the mobile node.
    mobile: usize,
    /// Place of the cell.
    cell: usize,
    /// Whether it can be reached elsewhere by then.
    is_elsewhere: bool,
}

/// Runs a world and changes its routes on the way. At the end of each move of a mobile node without a
/// protocol all routes lead to its new cell; what is due at that very time has gone the old way. What base stations keep
/// for departed nodes is handed to them, and back, at the same times.
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
                changes.extend(changes_of(mobile, movement));
            }
        }
        let keeps = |change: &Change| places.cells[change.cell].departed.is_some();
        changes.retain(|change| change.what == What::Arrives || keeps(change));
        changes.sort_unstable();
        Runner { scenario, places, whereabouts: whereabouts_at_start(scenario), changes: changes.into() }
    }

    /// Run until everything due up to and including `end` has happened.
    pub(crate) fn run_until<O: Observer>(&mut self, world: &mut World<Part, O>, end: Instant) {
        while let Some(change) = self.changes.pop_front_if(|change| change.at <= end) {
            world.run_until(change.at);
            match change.what {
                What::Leaves => self.leave(change, world),
                What::Arrives => {
                    self.whereabouts[change.mobile] = change.cell;
                    add_routes(self.scenario, &self.whereabouts, world, self.places);
                    self.reach(change.mobile, world);
                }
            }
        }
        world.run_until(end);
    }

    fn leave<O: Observer>(&self, change: Change, world: &mut World<Part, O>) {
        let node = node_id(self.scenario.mobiles[change.mobile].node);
        let cell = &self.places.cells[change.cell];
        let Some(down) = world.link_mut(cell.down) else { return };
        let waited = down.withdraw(change.at, |packet| packet.next_destination() == node);
        world.rearm(cell.down);
        if let Some((element, buffer)) = buffer(cell.departed, world) {
            buffer.depart(node, waited);
            if change.is_elsewhere {
                buffer.reach(node);
            }
            world.rearm(element);
        }
    }

    fn reach<O: Observer>(&self, mobile: usize, world: &mut World<Part, O>) {
        let mobile = &self.scenario.mobiles[mobile];
        for cell in &mobile.cells {
            if let Some((element, buffer)) = buffer(self.places.cells[*cell].departed, world) {
                buffer.reach(node_id(mobile.node));
                world.rearm(element);
            }
        }
    }
}

fn changes_of(mobile: usize, movement: &Movement) -> impl Iterator<Item = Change> + '_ {
    let stays = movement.stays();
    stays.iter().enumerate().flat_map(move |(place, stay)| {
        let cell = stay.cell.0 as usize;
        let arrives = Change { at: stay.from, what: What::Arrives, mobile, cell, is_elsewhere: false };
        let is_elsewhere = stays.get(place + 1).is_some_and(|next| next.from <= stay.link_until);
        let leaves = Change { at: stay.link_until, what: What::Leaves, is_elsewhere, ..arrives };
        // It begins in its first cell, and what never happens needs no stop.
        let both = [(place > 0, arrives), (stay.link_until < Instant::MAX, leaves)];
        both.into_iter().filter_map(|(happens, change)| happens.then_some(change))
    })
}

fn buffer<O: Observer>(
    place: Option<ElementId>,
    world: &mut World<Part, O>,
) -> Option<(ElementId, &mut DepartedBuffer)> {
    let element = place?;
    match world.machine_mut(element)? {
        Part::Departed(buffer) => Some((element, buffer)),
        _ => None,
    }
}
