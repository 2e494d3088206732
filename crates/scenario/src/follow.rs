//! Running a world in which routes follow the mobile nodes that have no mobility protocol, and base stations see who is there.

use crate::build::{Part, Places, add_routes, addresses};
use crate::routes::whereabouts_at_start;
use crate::schema::{AgentPlace, Scenario};
use seamline_agent::Agent;
use seamline_mobility::{DepartedBuffer, Movement, Stay};
use seamline_sim::{ElementId, Observer, World};
use seamline_wire::Instant;
use std::collections::VecDeque;

/// What happens to a mobile node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    /// It can be reached in the cell.
    Arrives,
    /// It has left the cell, and its link there is gone.
    Leaves,
    /// What agents elsewhere know of it arrives at those of the cell.
    IsHandedOver,
}

/// A change to come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Change {
    at: Instant,
    what: What,
    /// Place of the mobile node.
    mobile: usize,
    /// Place of the cell.
    cell: usize,
    /// Which of its stays begins, or ends.
    stay: usize,
    /// Whether it can be reached elsewhere by then.
    is_elsewhere: bool,
}

/// Runs a world and changes its routes on the way. At the end of each move of a mobile node without a
/// protocol all routes lead to its new cell; what is due at that very time has gone the old way. What base stations keep
/// for departed nodes is handed to them, and back, at the same times. With a protocol of fast handovers base stations only see
/// whose link is gone or back; where the node is it tells them itself.
#[derive(Debug)]
pub struct Runner<'a> {
    scenario: &'a Scenario,
    places: &'a Places,
    whereabouts: Vec<usize>,
    /// By mobile node: the cells that it stays in, in turn.
    stays: Vec<Vec<usize>>,
    changes: VecDeque<Change>,
}

impl<'a> Runner<'a> {
    /// A runner of the world that was built from this scenario.
    pub fn new(scenario: &'a Scenario, places: &'a Places, movements: &[Movement]) -> Self {
        let mut changes = Vec::new();
        for (mobile, (spec, movement)) in scenario.mobiles.iter().zip(movements).enumerate() {
            if spec.protocol.as_ref().is_none_or(|spec| spec.scheme.traits.previous_router_forwards) {
                changes.extend(changes_of(mobile, movement));
            }
        }
        let keeps = |change: &Change| places.cells[change.cell].departed.is_some();
        changes.retain(|change| change.what == What::Arrives || keeps(change));
        changes.extend(hand_overs(scenario, movements));
        // Stable: at one time a node arrives before its old link is gone, and what is sent after it finds it.
        changes.sort_by_key(|change| change.at);
        let cells = |movement: &Movement| movement.stays().iter().map(|stay| stay.cell.0 as usize).collect();
        let stays = movements.iter().map(cells).collect();
        let whereabouts = whereabouts_at_start(scenario);
        Runner { scenario, places, whereabouts, stays, changes: changes.into() }
    }

    /// Run until everything due up to and including `end` has happened.
    pub fn run_until<O: Observer>(&mut self, world: &mut World<Part, O>, end: Instant) {
        while let Some(at) = self.changes.front().map(|change| change.at).filter(|at| *at <= end) {
            world.run_until(at);
            // All of one time, before anything is sent by what only some of them have changed.
            while let Some(change) = self.changes.pop_front_if(|change| change.at == at) {
                self.apply(change, world);
            }
        }
        world.run_until(end);
    }

    /// When it stops the world next.
    pub fn next_change(&self) -> Option<Instant> {
        self.changes.front().map(|change| change.at)
    }

    fn apply<O: Observer>(&mut self, change: Change, world: &mut World<Part, O>) {
        match change.what {
            What::Leaves => self.leave(change, world),
            What::IsHandedOver => self.hand_over(change, world),
            What::Arrives if self.tells_base_stations(change.mobile) => {
                self.reach(change.mobile, &[change.cell], world);
            }
            What::Arrives => {
                self.whereabouts[change.mobile] = change.cell;
                add_routes(self.scenario, &self.whereabouts, world, self.places);
                self.reach(change.mobile, &self.scenario.mobiles[change.mobile].cells, world);
            }
        }
    }

    fn tells_base_stations(&self, mobile: usize) -> bool {
        self.scenario.mobiles[mobile].protocol.is_some()
    }

    fn leave<O: Observer>(&self, change: Change, world: &mut World<Part, O>) {
        let addresses = addresses::own(self.scenario, change.mobile);
        let cell = &self.places.cells[change.cell];
        let Some(down) = world.link_mut(cell.down) else { return };
        let waited = down.withdraw(change.at, |packet| addresses.contains(&packet.next_destination()));
        world.rearm(cell.down);
        if let Some((element, buffer)) = buffer(cell.departed, world) {
            buffer.depart(&addresses, waited);
            if change.is_elsewhere && !self.tells_base_stations(change.mobile) {
                buffer.reach(&addresses);
            }
            world.rearm(element);
        }
    }

    /// From agents of the same kind at the cells that a node has been in to those at this one. What is known where it was last
    /// comes last, and takes the place of what others still have: they may have learned of a connection anew, from packets that
    /// came late.
    fn hand_over<O: Observer>(&self, change: Change, world: &mut World<Part, O>) {
        let addresses = addresses::own(self.scenario, change.mobile);
        let care_of_address = addresses::away(self.scenario, change.mobile, change.cell);
        let agents = || self.scenario.agents.iter().zip(&self.places.agents);
        let at = |cell: usize| agents().filter(move |(spec, _)| spec.at == AgentPlace::Cell(cell));
        for (new, to) in at(change.cell).filter(|(spec, _)| spec.hand_over.is_some()) {
            for (old, from) in self.left_before(change).into_iter().flat_map(at) {
                if new.kind.map(|kind| kind.name) != old.kind.map(|kind| kind.name) {
                    continue;
                }
                let moved = agent(*from, world).map(|(_, agent)| agent.hand_out(&addresses));
                if let (Some(mut moved), Some((element, agent))) = (moved, agent(*to, world)) {
                    moved.iter_mut().for_each(|moved| moved.follow(&addresses, care_of_address));
                    agent.take_in(moved);
                    world.rearm(element);
                }
            }
        }
    }

    /// The other cells that a node has been in before a stay, the one that it was in last at the end.
    fn left_before(&self, change: Change) -> Vec<usize> {
        let mut left = Vec::new();
        for cell in self.stays[change.mobile][..change.stay].iter().rev() {
            if *cell != change.cell && !left.contains(cell) {
                left.push(*cell);
            }
        }
        left.reverse();
        left
    }

    /// A node can be reached as far as the base stations of these cells see.
    fn reach<O: Observer>(&self, mobile: usize, cells: &[usize], world: &mut World<Part, O>) {
        let addresses = addresses::own(self.scenario, mobile);
        for cell in cells {
            if let Some((element, buffer)) = buffer(self.places.cells[*cell].departed, world) {
                buffer.reach(&addresses);
                world.rearm(element);
            }
        }
    }
}

/// Of one node: first all arrivals, then all departures, each in the order of time.
fn changes_of(mobile: usize, movement: &Movement) -> impl Iterator<Item = Change> + '_ {
    let stays = movement.stays();
    let arrives = move |(stay, it): (usize, &Stay)| {
        let cell = it.cell.0 as usize;
        Change { at: it.from, what: What::Arrives, mobile, cell, stay, is_elsewhere: false }
    };
    let leaves = move |(place, stay): (usize, &Stay)| {
        let is_elsewhere = stays.get(place + 1).is_some_and(|next| next.from <= stay.link_until);
        Change { at: stay.link_until, what: What::Leaves, is_elsewhere, ..arrives((place, stay)) }
    };
    // It begins in its first cell, and what never happens needs no stop.
    let departures = stays.iter().enumerate().filter(|(_, stay)| stay.link_until < Instant::MAX);
    stays.iter().enumerate().skip(1).map(arrives).chain(departures.map(leaves))
}

/// The arrivals of what agents know of each node, while it is there.
fn hand_overs(scenario: &Scenario, movements: &[Movement]) -> Vec<Change> {
    let mut all = Vec::new();
    for spec in &scenario.agents {
        let (AgentPlace::Cell(cell), Some(delay), Some(_)) = (spec.at, spec.hand_over, spec.kind) else {
            continue;
        };
        for (mobile, movement) in movements.iter().enumerate() {
            // What arrives when the node is gone again stays where it is.
            let stays = movement.stays().iter().enumerate().skip(1);
            let arrivals = stays.filter(|(_, it)| it.cell.0 as usize == cell && it.from + delay < it.until);
            all.extend(arrivals.map(|(stay, it)| Change {
                at: it.from + delay,
                what: What::IsHandedOver,
                mobile,
                cell,
                stay,
                is_elsewhere: false,
            }));
        }
    }
    all
}

fn agent<O: Observer>(
    place: Option<ElementId>,
    world: &mut World<Part, O>,
) -> Option<(ElementId, &mut Box<dyn Agent>)> {
    let element = place?;
    match world.machine_mut(element)? {
        Part::Agent(agent) => Some((element, agent)),
        _ => None,
    }
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
