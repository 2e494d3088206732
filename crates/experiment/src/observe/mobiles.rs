//! Tracks mobile nodes: when packets addressed to a node are sent to the radio cell it is in.

use seamline_scenario::build::{Places, addresses, node_id};
use seamline_scenario::schema::Scenario;
use seamline_sim::ElementId;
use seamline_wire::{MobilityEvent, NodeId};
use std::collections::BTreeMap;

/// The progress of a mobile node's handover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// The node has detected its movement.
    MovementDetected,
    /// The node knows that its registration is in force.
    Registered,
    /// Packets addressed to the node are sent to the radio cell it is in.
    Reachable,
}

#[derive(Debug)]
struct Mobile {
    /// The chain of addresses and their bindings: from the address that correspondents use, through those that
    /// anchors bind it to, to the last, a care-of address.
    bound: Vec<(NodeId, Option<NodeId>)>,
    /// Its addresses in radio cells, with the tunnel destination that the access routers there use for it; a router that
    /// keeps its packets is a destination, too.
    forwarded: Vec<(NodeId, Option<NodeId>)>,
    /// The correspondents that accept its care-of address, with that which they send to.
    correspondents: Vec<(ElementId, Option<NodeId>)>,
    /// Further care-of addresses that its home agent sends copies to.
    further: Vec<NodeId>,
    /// The node of its home agent, if any; the mobile node is at home there.
    home: Option<NodeId>,
    /// By radio cell that it may come to, with a mobility protocol: the address at which it is reachable there.
    care_of_addresses: BTreeMap<usize, NodeId>,
    /// The radio cell it is in; `None` while it moves.
    cell: Option<usize>,
}

impl Mobile {
    fn bindings(&self) -> impl Iterator<Item = &(NodeId, Option<NodeId>)> {
        self.bound.iter().chain(&self.forwarded)
    }

    /// Whether packets addressed to it are sent to the radio cell it is in. Without a mobility protocol, routes
    /// follow it.
    fn is_reachable(&self, base_stations: &[NodeId]) -> bool {
        let Some(cell) = self.cell else { return false };
        let Some((first, _)) = self.bound.first() else { return true };
        let mut at = *first;
        for (address, bound_to) in &self.bound {
            match bound_to {
                Some(next) if *address == at => at = *next,
                _ => break,
            }
        }
        // From the previous access router to the next, which may keep packets until the node is there.
        for _ in 0..2 {
            let forwarded = self.forwarded.iter().find(|(address, _)| *address == at);
            at = forwarded.and_then(|(_, to)| *to).unwrap_or(at);
        }
        let at_home = at == *first && self.home == Some(base_stations[cell]);
        let Some(&care_of_address) = self.care_of_addresses.get(&cell) else { return false };
        let is_behind = |bound: &(_, Option<NodeId>)| bound.1.is_some_and(|to| to != care_of_address);
        let is_sent_there = at == care_of_address || at_home || self.further.contains(&care_of_address);
        is_sent_there && !self.correspondents.iter().any(is_behind)
    }
}

/// All mobile nodes of a run.
#[derive(Debug, Default)]
pub(super) struct Mobiles {
    all: Vec<Mobile>,
    /// By element of a mobile node, and by address that has bindings: the index of the mobile node.
    of_element: BTreeMap<ElementId, usize>,
    of_address: BTreeMap<NodeId, usize>,
    /// By cell.
    base_stations: Vec<NodeId>,
}

impl Mobiles {
    pub(super) fn new(scenario: &Scenario, places: &Places) -> Self {
        let correspondents: Vec<ElementId> = places.correspondents.iter().flatten().copied().collect();
        let all = scenario.mobiles.iter().enumerate().map(|(index, mobile)| {
            let bound = bindings_at_start(scenario, index);
            let cells = mobile.cells.iter().filter(|_| !bound.is_empty());
            let care_of = |cell: &usize| (*cell, addresses::care_of(scenario, index, *cell));
            Mobile {
                care_of_addresses: cells.map(care_of).collect(),
                bound,
                forwarded: forwarded_at_start(scenario, index),
                correspondents: correspondents.iter().map(|element| (*element, None)).collect(),
                further: Vec::new(),
                home: mobile.protocol.as_ref().and_then(|protocol| protocol.home_agent).map(node_id),
                cell: Some(mobile.cells[0]),
            }
        });
        let base_stations = scenario.cells.iter().map(|cell| node_id(cell.base_station)).collect();
        let all: Vec<Mobile> = all.collect();
        let mut of_address = BTreeMap::new();
        for (index, mobile) in all.iter().enumerate() {
            for (address, _) in mobile.bindings() {
                of_address.entry(*address).or_insert(index);
            }
        }
        let elements = places.mobiles.iter().enumerate();
        let of_element = elements.map(|(index, places)| (places.node, index)).collect();
        Mobiles { all, of_element, of_address, base_stations }
    }

    /// The number of mobile nodes.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// A handover starts. If it is a mobile node's, the node leaves its radio cell.
    pub(super) fn left(&mut self, at: ElementId) {
        if let Some(index) = self.of_element.get(&at) {
            self.all[*index].cell = None;
        }
    }

    /// The index of the mobile node that an event concerns, and its handover progress.
    pub(super) fn note(&mut self, at: ElementId, event: MobilityEvent) -> Option<(usize, Progress)> {
        let index = *match event {
            MobilityEvent::BindingChanged { home_address, .. }
            | MobilityEvent::BindingAdded { home_address, .. } => self.of_address.get(&home_address),
            _ => self.of_element.get(&at),
        }?;
        let mobile = &mut self.all[index];
        match event {
            MobilityEvent::MovementDetected { .. } => return Some((index, Progress::MovementDetected)),
            MobilityEvent::RegistrationAccepted { after_move: true, .. } => {
                return Some((index, Progress::Registered));
            }
            MobilityEvent::CellEntered { cell } => mobile.cell = Some(cell as usize),
            MobilityEvent::BindingChanged { care_of_address, .. }
                if let Some(bound) = mobile.correspondents.iter_mut().find(|(of, _)| *of == at) =>
            {
                bound.1 = care_of_address;
            }
            MobilityEvent::BindingAdded { home_address, care_of_address } => {
                let newest = mobile.bound.iter_mut().find(|(address, _)| *address == home_address)?;
                mobile.further.extend(newest.1.replace(care_of_address));
            }
            MobilityEvent::BindingChanged { home_address, care_of_address } => {
                mobile.further.clear();
                let mut bindings = mobile.bound.iter_mut().chain(&mut mobile.forwarded);
                bindings.find(|(address, _)| *address == home_address)?.1 = care_of_address;
            }
            _ => return None,
        }
        mobile.is_reachable(&self.base_stations).then_some((index, Progress::Reachable))
    }
}

/// The addresses whose access routers may receive updates. No tunnel exists when the run begins.
fn forwarded_at_start(scenario: &Scenario, index: usize) -> Vec<(NodeId, Option<NodeId>)> {
    let mobile = &scenario.mobiles[index];
    let protocol = mobile.protocol.as_ref();
    let notifies = protocol.is_some_and(|spec| spec.scheme.traits.previous_router_forwards);
    let cells = mobile.cells.iter().filter(|_| notifies);
    cells.map(|cell| (addresses::on_link(scenario, index, *cell), None)).collect()
}

/// The addresses that anchors keep bindings for, and their bindings when the run begins.
fn bindings_at_start(scenario: &Scenario, index: usize) -> Vec<(NodeId, Option<NodeId>)> {
    let mobile = &scenario.mobiles[index];
    addresses::bindings(scenario, index)
        .into_iter()
        .map(|(_, address, bound_to)| {
            let registered = mobile.protocol.as_ref().is_some_and(|protocol| protocol.registered_at_start);
            (address, bound_to.filter(|_| registered))
        })
        .collect()
}
