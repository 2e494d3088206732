//! Follows mobile nodes: when what is addressed to one is sent to the cell that it is in.

use crate::build::{Places, node_id};
use crate::schema::Scenario;
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
    node: NodeId,
    /// The node of its home agent; without one, routes follow it and it tells itself when it is reachable.
    home_agent: Option<NodeId>,
    /// The base station of the cell that it is in; none while it moves.
    base_station: Option<NodeId>,
    /// The base station that what is addressed to it is sent to.
    bound_to: Option<NodeId>,
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
        let base_stations: Vec<NodeId> =
            scenario.cells.iter().map(|cell| node_id(cell.base_station)).collect();
        let all = scenario.mobiles.iter().zip(&places.mobiles).map(|(mobile, places)| {
            let protocol = mobile.protocol.as_ref();
            let base_station = base_stations[mobile.cells[0]];
            let home_agent = protocol.map(|spec| node_id(spec.home_agent));
            let is_bound = protocol.is_some_and(|spec| spec.registered_at_start);
            Mobile {
                element: places.node,
                node: node_id(mobile.node),
                home_agent,
                base_station: Some(base_station),
                bound_to: if is_bound { Some(base_station) } else { home_agent },
            }
        });
        Mobiles { all: all.collect(), base_stations }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// A handover begins: if it is a mobile node's, it leaves its cell.
    pub(super) fn left(&mut self, at: ElementId) {
        if let Some(mobile) = self.all.iter_mut().find(|mobile| mobile.element == at) {
            mobile.base_station = None;
        }
    }

    /// The place of the mobile node that an event concerns, and what it means for it.
    pub(super) fn note(&mut self, at: ElementId, event: MobilityEvent) -> Option<(usize, News)> {
        let concerns = |mobile: &Mobile| match event {
            MobilityEvent::BindingChanged { home_address, .. } => mobile.node == home_address,
            _ => mobile.element == at,
        };
        let place = self.all.iter().position(concerns)?;
        let mobile = &mut self.all[place];
        match event {
            MobilityEvent::MovementDetected { .. } => return Some((place, News::MovementDetected)),
            MobilityEvent::RegistrationAccepted { .. } => return Some((place, News::Registered)),
            MobilityEvent::CellEntered { cell } => {
                mobile.base_station = Some(self.base_stations[cell as usize]);
            }
            MobilityEvent::BindingChanged { care_of_address, .. } => {
                mobile.bound_to = care_of_address.or(mobile.home_agent);
            }
            _ => return None,
        }
        let is_reachable = mobile.base_station.is_some() && mobile.bound_to == mobile.base_station;
        is_reachable.then_some((place, News::Reachable))
    }
}
