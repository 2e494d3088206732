//! Router discovery, the same for all IPv6 protocols (RFC 6275 section 11.5).

use super::{Action, Actions, Setup};
use crate::agent_discovery::AgentDiscovery;
use seamline_wire::control::{Ipv6Control, RouterAdvertisement};
use seamline_wire::{Control, Instant, NodeId};

/// Follows the router that a mobile node uses, and knows the addresses it forms.
#[derive(Debug)]
pub(super) struct RouterDiscovery {
    /// The address that solicitations come from.
    node: NodeId,
    on_link: Vec<(NodeId, NodeId)>,
    discovery: AgentDiscovery,
    layer_2_triggers: bool,
}

impl RouterDiscovery {
    pub(super) fn new(setup: &Setup) -> Self {
        RouterDiscovery {
            node: setup.home_address,
            on_link: setup.on_link_addresses.clone(),
            discovery: AgentDiscovery::new(setup.movement_detection, setup.registered_with),
            layer_2_triggers: setup.layer_2_triggers,
        }
    }

    /// The address that the node forms from the prefix of a router (RFC 4862).
    pub(super) fn on_link_address(&self, router: NodeId) -> Option<NodeId> {
        self.on_link.iter().find(|(of, _)| *of == router).map(|(_, address)| *address)
    }

    /// Whether the node has moved to the router that it hears.
    pub(super) fn heard(&mut self, now: Instant, heard: &RouterAdvertisement, actions: &mut Actions) -> bool {
        self.discovery.heard(now, heard.router, heard.lifetime_s, actions)
    }

    /// The link layer reports that a link is up: solicit an advertisement.
    pub(super) fn link_up(&self, actions: &mut Actions) {
        if self.layer_2_triggers {
            let message = Control::Ipv6(Ipv6Control::RouterSolicitation);
            actions.push(Action::Send { from: self.node, to: NodeId::ALL_ROUTERS, message });
        }
    }
}
