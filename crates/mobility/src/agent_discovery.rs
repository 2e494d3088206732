//! Movement detection from advertisements (RFC 5944 section 2.4.2 for IPv4; RFC 6275 section 11.5 for IPv6).

use crate::protocol::{Action, Actions, Setup};
use seamline_wire::{Control, Duration, Instant, NodeId};

/// The rule of movement detection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum MovementDetection {
    /// As soon as another agent advertises (eager cell switching).
    #[default]
    Eager,
    /// When another agent advertises and the last advertisement of the current one has expired (lazy cell switching;
    /// the first algorithm of RFC 5944 section 2.4.2).
    Lazy,
}

#[derive(Clone, Copy, Debug)]
struct Heard {
    agent: NodeId,
    /// The expiry of its last advertisement.
    until: Instant,
}

/// Tracks the agent or router that a mobile node uses, and knows the addresses that it forms.
#[derive(Debug)]
pub(crate) struct AgentDiscovery {
    detection: MovementDetection,
    current: Option<Heard>,
    /// The address that solicitations come from.
    node: NodeId,
    /// By access router; under IPv4 there is none.
    on_link: Vec<(NodeId, NodeId)>,
    layer_2_triggers: bool,
}

impl AgentDiscovery {
    /// No advertisement has been received yet, but the node may know the agent it is registered with.
    pub(crate) fn new(setup: &Setup) -> Self {
        AgentDiscovery {
            detection: setup.movement_detection,
            current: setup.registered_with.map(|agent| Heard { agent, until: Instant::ZERO }),
            node: setup.home_address,
            on_link: setup.on_link_addresses.clone(),
            layer_2_triggers: setup.layer_2_triggers,
        }
    }
    /// The address that the node forms from the prefix of a router (RFC 4862).
    pub(crate) fn on_link_address(&self, router: NodeId) -> Option<NodeId> {
        self.on_link.iter().find(|(of, _)| *of == router).map(|(_, address)| *address)
    }
    /// The link layer reports that a link is up: solicit an advertisement, unless the node waits for one.
    pub(crate) fn link_up(&self, solicitation: Control, actions: &mut Actions) {
        if self.layer_2_triggers {
            let (from, to) = (self.node, NodeId::ALL_ROUTERS);
            actions.push(Action::Send { from, to, message: solicitation });
        }
    }
    /// The node has moved to this agent, as it knows without an advertisement. The next one of any agent counts.
    pub(crate) fn arrive(&mut self, now: Instant, agent: NodeId, actions: &mut Actions) {
        self.current = Some(Heard { agent, until: now });
        actions.push(Action::Moved { agent });
    }
    /// An advertisement of this agent with this lifetime in seconds was received. Returns whether the node has moved
    /// to it; under lazy switching other agents are ignored while the current one is valid.
    pub(crate) fn heard(
        &mut self,
        now: Instant,
        agent: NodeId,
        lifetime_s: u16,
        actions: &mut Actions,
    ) -> bool {
        actions.push(Action::Heard { agent });
        let has_moved = match self.current {
            Some(current) if current.agent == agent => false,
            Some(current) if self.detection == MovementDetection::Lazy && now < current.until => {
                return false;
            }
            _ => true,
        };
        actions.push(if has_moved { Action::Moved { agent } } else { Action::Stayed });
        self.current = Some(Heard { agent, until: now + Duration::from_secs(u64::from(lifetime_s)) });
        has_moved
    }
}
