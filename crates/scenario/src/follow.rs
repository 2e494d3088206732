//! Run a world: routes follow mobile nodes without a mobility protocol, and base stations learn which nodes they
//! serve.

use crate::build::{Part, Places, add_routes, addresses, change_cell, node_id};
use crate::routes::{Routes, whereabouts_at_start};
use crate::schema::protocol::ProtocolSpec;
use crate::schema::{AgentPlace, Scenario};
use seamline_agent::Agent;
use seamline_mobility::{DepartedBuffer, Movement, Stay};
use seamline_sim::{ElementId, Observer, World};
use seamline_wire::{Instant, NodeId};
use std::borrow::Borrow;
use std::collections::VecDeque;

/// A kind of change for a mobile node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ChangeKind {
    /// It becomes reachable in the radio cell.
    Arrives,
    /// It has left the radio cell, and its link there is down.
    Leaves,
    /// The agents of the radio cell receive the state that agents elsewhere have about it.
    IsHandedOver,
}

/// A scheduled change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Change {
    at: Instant,
    what: ChangeKind,
    /// The index of the mobile node.
    mobile: usize,
    /// The index of the radio cell.
    cell: usize,
    /// The index of the stay that begins or ends.
    stay: usize,
    /// Whether it is reachable elsewhere by then.
    is_elsewhere: bool,
}

/// Runs a world and changes its routes during the run. At the end of each move of a mobile node without a protocol,
/// all routes switch to its new radio cell; packets due at that very time still take the old path. The buffers of
/// base stations for departed nodes are switched on and off at the same times. With a fast-handover protocol, base
/// stations only see whether a link is down or up; the node itself notifies them of its new location.
///
/// It borrows the scenario and the places of its elements, or shares them.
#[derive(Debug)]
pub struct Runner<S, P> {
    scenario: S,
    places: P,
    whereabouts: Vec<usize>,
    /// The routes of the world, once they have changed.
    routes: Option<Routes>,
    /// By mobile node: the radio cells of its stays, in order.
    stays: Vec<Vec<usize>>,
    changes: VecDeque<Change>,
    threads: usize,
}

impl<S: Borrow<Scenario>, P: Borrow<Places>> Runner<S, P> {
    /// Create a runner for the world that was built from this scenario.
    pub fn new(scenario: S, places: P, movements: &[Movement]) -> Self {
        let (changes, whereabouts) = {
            let (scenario, places) = (scenario.borrow(), places.borrow());
            (changes(scenario, places, movements), whereabouts_at_start(scenario))
        };
        let cells = |movement: &Movement| movement.stays().iter().map(|stay| stay.cell.0 as usize).collect();
        let stays = movements.iter().map(cells).collect();
        Runner { scenario, places, whereabouts, routes: None, stays, changes, threads: 1 }
    }

    /// Let the world run on up to so many threads ([`World::run_on`]); one without this.
    pub fn use_threads(&mut self, threads: usize) {
        self.threads = threads;
    }

    /// Process all events up to and including `end`.
    pub fn run_until<O: Observer>(&mut self, world: &mut World<Part, O>, end: Instant) {
        self.run_while(world, end, &mut |_| true);
    }

    /// The same while `goes_on`, which is asked every few milliseconds of processor time and may look how far the world is; whether the
    /// run has reached `end`.
    pub fn run_while<O: Observer>(
        &mut self,
        world: &mut World<Part, O>,
        end: Instant,
        goes_on: &mut dyn FnMut(&World<Part, O>) -> bool,
    ) -> bool {
        while let Some(at) = self.changes.front().map(|change| change.at).filter(|at| *at <= end) {
            if !world.run_on(self.threads, at, goes_on) {
                return false;
            }
            // Apply all changes of one time before any packet is sent.
            while let Some(change) = self.changes.pop_front_if(|change| change.at == at) {
                self.apply(change, world);
            }
        }
        world.run_on(self.threads, end, goes_on)
    }

    /// The time of the next change.
    pub fn next_change(&self) -> Option<Instant> {
        self.changes.front().map(|change| change.at)
    }

    fn apply<O: Observer>(&mut self, change: Change, world: &mut World<Part, O>) {
        match change.what {
            ChangeKind::Leaves => self.leave(change, world),
            ChangeKind::IsHandedOver => self.hand_over(change, world),
            ChangeKind::Arrives if self.notifies_base_stations(change.mobile) => {
                self.reach(change.mobile, &[change.cell], world);
                self.trigger_agent(change, world);
            }
            ChangeKind::Arrives => {
                self.follow(change.mobile, change.cell, world);
                self.reach(change.mobile, &self.scenario.borrow().mobiles[change.mobile].cells, world);
            }
        }
    }

    /// All routes switch to the radio cell that a mobile node is in now.
    fn follow<O: Observer>(&mut self, mobile: usize, cell: usize, world: &mut World<Part, O>) {
        let (scenario, places) = (self.scenario.borrow(), self.places.borrow());
        let routes = self.routes.get_or_insert_with(|| Routes::of(scenario, &self.whereabouts));
        self.whereabouts[mobile] = cell;
        if !change_cell(scenario, routes, (mobile, cell), world, places) {
            *routes = Routes::of(scenario, &self.whereabouts);
            add_routes(scenario, routes, world, places);
        }
    }

    fn notifies_base_stations(&self, mobile: usize) -> bool {
        self.scenario.borrow().mobiles[mobile].protocol.is_some()
    }

    /// The foreign agent of a radio cell is notified of a node whose link comes up, and of its previous agent.
    fn trigger_agent<O: Observer>(&self, change: Change, world: &mut World<Part, O>) {
        let mobile = &self.scenario.borrow().mobiles[change.mobile];
        let is_triggered = |spec: &ProtocolSpec| spec.scheme.traits.links_trigger_agents;
        if !mobile.protocol.as_ref().is_some_and(is_triggered) {
            return;
        }
        let previous = change.stay.checked_sub(1).map(|stay| self.stays[change.mobile][stay]);
        if let (Some(previous), Some(element)) = (previous, self.places.borrow().cells[change.cell].agent)
            && let Some(Part::ForeignAgent(agent)) = world.machine_mut(element)
        {
            agent.link_up(node_id(mobile.node), node_id(self.scenario.borrow().cells[previous].base_station));
            world.rearm(element);
        }
    }

    fn leave<O: Observer>(&self, change: Change, world: &mut World<Part, O>) {
        let addresses = self.own_addresses(change.mobile);
        let cell = &self.places.borrow().cells[change.cell];
        let Some(down) = world.link_mut(cell.down) else { return };
        let waited = down.withdraw(change.at, |packet| addresses.contains(&packet.next_destination()));
        world.rearm(cell.down);
        if let Some((element, buffer)) = buffer(cell.departed, world) {
            buffer.depart(&addresses, waited);
            if change.is_elsewhere && !self.notifies_base_stations(change.mobile) {
                buffer.reach(&addresses);
            }
            world.rearm(element);
        }
    }

    /// Move state from agents of the same kind in earlier radio cells to those in this one. The state of the last
    /// radio cell is moved last and replaces older state, which other agents may have created again from late
    /// packets.
    fn hand_over<O: Observer>(&self, change: Change, world: &mut World<Part, O>) {
        let addresses = self.own_addresses(change.mobile);
        let care_of_address = addresses::away(self.scenario.borrow(), change.mobile, change.cell);
        let agents = || self.scenario.borrow().agents.iter().zip(&self.places.borrow().agents);
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

    /// All addresses of a mobile node and of what is behind it.
    fn own_addresses(&self, mobile: usize) -> Vec<NodeId> {
        addresses::own(self.scenario.borrow(), &self.places.borrow().networks, mobile)
    }

    /// The other radio cells that a node was in before a stay; the latest is last.
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

    /// Mark a node as reachable at the base stations of these radio cells.
    fn reach<O: Observer>(&self, mobile: usize, cells: &[usize], world: &mut World<Part, O>) {
        let addresses = self.own_addresses(mobile);
        for cell in cells {
            if let Some((element, buffer)) = buffer(self.places.borrow().cells[*cell].departed, world) {
                buffer.reach(&addresses);
                world.rearm(element);
            }
        }
    }
}

/// Everything that changes during the run, in order.
fn changes(scenario: &Scenario, places: &Places, movements: &[Movement]) -> VecDeque<Change> {
    let mut changes = Vec::new();
    for (mobile, (spec, movement)) in scenario.mobiles.iter().zip(movements).enumerate() {
        // Agents that are triggered are told of arrivals only; their base stations keep nothing.
        let concerns = |spec: &ProtocolSpec, what: ChangeKind| {
            let traits = &spec.scheme.traits;
            let is_arrival = what == ChangeKind::Arrives;
            traits.previous_router_forwards || (traits.links_trigger_agents && is_arrival)
        };
        let all = changes_of(mobile, movement);
        changes.extend(
            all.filter(|change| {
                spec.protocol.as_ref().is_none_or(|protocol| concerns(protocol, change.what))
            }),
        );
    }
    let keeps = |change: &Change| places.cells[change.cell].departed.is_some();
    changes.retain(|change| change.what == ChangeKind::Arrives || keeps(change));
    changes.extend(hand_overs(scenario, movements));
    // A stable sort: at equal times a node arrives before its old link goes down, so forwarded packets reach it.
    changes.sort_by_key(|change| change.at);
    changes.into()
}

/// The changes of one node: all arrivals by time, then all departures by time.
fn changes_of(mobile: usize, movement: &Movement) -> impl Iterator<Item = Change> + '_ {
    let stays = movement.stays();
    let arrives = move |(stay, it): (usize, &Stay)| {
        let cell = it.cell.0 as usize;
        Change { at: it.from, what: ChangeKind::Arrives, mobile, cell, stay, is_elsewhere: false }
    };
    let leaves = move |(place, stay): (usize, &Stay)| {
        let is_elsewhere = stays.get(place + 1).is_some_and(|next| next.from <= stay.link_until);
        Change { at: stay.link_until, what: ChangeKind::Leaves, is_elsewhere, ..arrives((place, stay)) }
    };
    // The node starts in its first radio cell, and events that never happen need no stop.
    let departures = stays.iter().enumerate().filter(|(_, stay)| stay.link_until < Instant::MAX);
    stays.iter().enumerate().skip(1).map(arrives).chain(departures.map(leaves))
}

/// The arrivals of agent state for each node, while it is there.
fn hand_overs(scenario: &Scenario, movements: &[Movement]) -> Vec<Change> {
    let mut all = Vec::new();
    for spec in &scenario.agents {
        let (AgentPlace::Cell(cell), Some(delay), Some(_)) = (spec.at, spec.hand_over, spec.kind) else {
            continue;
        };
        for (mobile, movement) in movements.iter().enumerate() {
            // State that arrives after the node has left stays where it is.
            let stays = movement.stays().iter().enumerate().skip(1);
            let arrivals = stays.filter(|(_, it)| it.cell.0 as usize == cell && it.from + delay < it.until);
            all.extend(arrivals.map(|(stay, it)| Change {
                at: it.from + delay,
                what: ChangeKind::IsHandedOver,
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
