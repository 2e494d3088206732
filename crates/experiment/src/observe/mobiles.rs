//! Follows mobile nodes: when what is addressed to one is sent to the cell that it is in.

use seamline_scenario::build::{Places, addresses, node_id};
use seamline_scenario::schema::Scenario;
use seamline_sim::ElementId;
use seamline_wire::{MobilityEvent, NodeId};

/// What an event means for the handovers of a mobile node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum News {
    /// It found out that it has moved.
    MovementDetected,
    /// It knows that its registration is in force.
    Registered,
    /// What is addressed to it is sent to the cell that it is in.
    Reachable,
}

#[derive(Debug)]
struct Mobile {
    element: ElementId,
    /// Its address and those that anchors bind it to in turn, the last of which is a care-of address: from the one that
    /// correspondents use, with where each is bound to.
    bound: Vec<(NodeId, Option<NodeId>)>,
    /// Its addresses in cells, with where the access routers of those tunnel what comes for them.
    forwarded: Vec<(NodeId, Option<NodeId>)>,
    /// With a home agent, the node of that: there the mobile node is at home.
    home: Option<NodeId>,
    /// By cell, the address that it is reachable at there.
    care_of_addresses: Vec<NodeId>,
    /// The cell that it is in; none while it moves.
    cell: Option<usize>,
}

impl Mobile {
    fn bindings(&self) -> impl Iterator<Item = &(NodeId, Option<NodeId>)> {
        self.bound.iter().chain(&self.forwarded)
    }

    /// Whether what is addressed to it is sent to the cell that it is in. Without a protocol routes follow it.
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
        let forwarded = self.forwarded.iter().find(|(address, _)| *address == at);
        at = forwarded.and_then(|(_, to)| *to).unwrap_or(at);
        let at_home = at == *first && self.home == Some(base_stations[cell]);
        at == self.care_of_addresses[cell] || at_home
    }
}

/// All mobile nodes of a run.
#[derive(Debug, Default)]
pub(super) struct Mobiles {
    all: Vec<Mobile>,
    /// By cell.
    base_stations: Vec<NodeId>,
}

impl Mobiles {
    pub(super) fn new(scenario: &Scenario, places: &Places) -> Self {
        let mobiles = scenario.mobiles.iter().zip(&places.mobiles).enumerate();
        let all = mobiles.map(|(place, (mobile, places))| {
            let cells = 0..scenario.cells.len();
            Mobile {
                element: places.node,
                bound: bindings_at_start(scenario, place),
                forwarded: forwarded_at_start(scenario, place),
                home: mobile.protocol.as_ref().and_then(|protocol| protocol.home_agent).map(node_id),
                care_of_addresses: cells.map(|cell| addresses::care_of(scenario, place, cell)).collect(),
                cell: Some(mobile.cells[0]),
            }
        });
        let base_stations = scenario.cells.iter().map(|cell| node_id(cell.base_station)).collect();
        Mobiles { all: all.collect(), base_stations }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// A handover begins: if it is a mobile node's, it leaves its cell.
    pub(super) fn left(&mut self, at: ElementId) {
        if let Some(mobile) = self.all.iter_mut().find(|mobile| mobile.element == at) {
            mobile.cell = None;
        }
    }

    /// The place of the mobile node that an event concerns, and what it means for it.
    pub(super) fn note(&mut self, at: ElementId, event: MobilityEvent) -> Option<(usize, News)> {
        let concerns = |mobile: &Mobile| match event {
            MobilityEvent::BindingChanged { home_address, .. } => {
                mobile.bindings().any(|(address, _)| *address == home_address)
            }
            _ => mobile.element == at,
        };
        let place = self.all.iter().position(concerns)?;
        let mobile = &mut self.all[place];
        match event {
            MobilityEvent::MovementDetected { .. } => return Some((place, News::MovementDetected)),
            MobilityEvent::RegistrationAccepted { after_move: true, .. } => {
                return Some((place, News::Registered));
            }
            MobilityEvent::CellEntered { cell } => mobile.cell = Some(cell as usize),
            MobilityEvent::BindingChanged { home_address, care_of_address } => {
                let mut bindings = mobile.bound.iter_mut().chain(&mut mobile.forwarded);
                bindings.find(|(address, _)| *address == home_address)?.1 = care_of_address;
            }
            _ => return None,
        }
        mobile.is_reachable(&self.base_stations).then_some((place, News::Reachable))
    }
}

/// The addresses whose access routers may be told of moves. Nothing is tunnelled when the run begins.
fn forwarded_at_start(scenario: &Scenario, place: usize) -> Vec<(NodeId, Option<NodeId>)> {
    let mobile = &scenario.mobiles[place];
    let protocol = mobile.protocol.as_ref();
    let tells = protocol.is_some_and(|spec| spec.scheme.traits.previous_router_forwards);
    let cells = mobile.cells.iter().filter(|_| tells);
    cells.map(|cell| (addresses::on_link(scenario, place, *cell), None)).collect()
}

/// The addresses that anchors keep bindings for, and what they are bound to when the run begins.
fn bindings_at_start(scenario: &Scenario, place: usize) -> Vec<(NodeId, Option<NodeId>)> {
    let mobile = &scenario.mobiles[place];
    addresses::bindings(scenario, place)
        .into_iter()
        .map(|(_, address, bound_to)| {
            let registered = mobile.protocol.as_ref().is_some_and(|protocol| protocol.registered_at_start);
            (address, bound_to.filter(|_| registered))
        })
        .collect()
}
