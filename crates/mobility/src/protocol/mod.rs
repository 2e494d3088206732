//! Mobility protocols at the mobile node. One file per protocol, one entry in [`ALL`].
//!
//! A protocol receives a [`ProtocolEvent`] and answers with [`Action`]s, which the [`crate::MobileNode`] applies in order.
//! It never holds the node: the node itself sends packets through its radio cell and notifies the host.

use crate::agent_discovery::MovementDetection;
use crate::movement::CellId;
use seamline_wire::control::{BindingStatus, ReplyCode};
use seamline_wire::{Control, Duration, Instant, NodeId, Tunnel};
use std::fmt::Debug;

mod fmipv6;
mod fmipv6_predictive;
mod hmipv6;
mod mobile_ipv4;
mod mobile_ipv6;
mod nemo;
mod post_registration;
mod pre_registration;
mod route_optimization;
mod simultaneous_bindings;

/// An event for a protocol.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ProtocolEvent<'a> {
    /// A control message has arrived over the air.
    Message(&'a Control),
    /// The link layer of the node reports that a link is up (Link_Up of IEEE 802.21).
    LinkUp,
    /// The link layer expects to lose the link (Link_Going_Down of IEEE 802.21).
    LinkGoingDown {
        /// The radio cell that it is going to move to, if there is one.
        next: Option<CellId>,
        /// The predicted time until the link is lost.
        within: Duration,
    },
    /// A packet of a host has come through a tunnel that ends at the node.
    Tunneled {
        /// Its source, inside the tunnel.
        source: NodeId,
    },
    /// The time of [`Protocol::wake_at`] has come.
    Wake,
}

/// An action requested by a protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Send a message through the current radio cell; without one it is not sent.
    Send {
        /// Source address.
        from: NodeId,
        /// Destination address.
        to: NodeId,
        /// Its content.
        message: Control,
    },
    /// An advertisement was received.
    Heard {
        /// Its sender.
        agent: NodeId,
    },
    /// The node has not moved: its host may be notified of a link that is up.
    Stayed,
    /// The node has moved: its host is notified.
    Moved {
        /// The mobility agent that advertises there.
        agent: NodeId,
    },
    /// A registration is in force.
    Registered {
        /// The care-of address.
        care_of_address: NodeId,
        /// Whether it is for a move rather than a renewal; for a move the host is notified.
        after_move: bool,
    },
    /// A registration was refused.
    Refused {
        /// Why.
        code: ReplyCode,
    },
    /// A binding was refused.
    BindingRefused {
        /// Why.
        status: BindingStatus,
    },
}

/// The reusable queue of actions.
#[derive(Debug, Default)]
pub struct Actions(Vec<Action>);

impl Actions {
    /// Request an action.
    pub fn push(&mut self, action: Action) {
        self.0.push(action);
    }
    /// Take the requested actions in order.
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = Action> {
        self.0.drain(..)
    }
}

/// A mobility protocol at a mobile node.
pub trait Protocol: Debug + Send {
    /// Something happened.
    fn on(&mut self, now: Instant, happened: ProtocolEvent<'_>, actions: &mut Actions);
    /// When [`ProtocolEvent::Wake`] is due.
    fn wake_at(&self) -> Option<Instant>;
    /// The tunnels through IPv6 that begin at the node for what comes from this address.
    fn tunnels(&self, source: NodeId) -> Upwards {
        let _ = source;
        Upwards::default()
    }
    /// The address to send packets of this source to this destination from, with a Home Address option instead of
    /// tunnels (RFC 6275 section 11.3.1); `None` when they go through the tunnels.
    fn direct_from(&self, source: NodeId, destination: NodeId) -> Option<NodeId> {
        let _ = (source, destination);
        None
    }
}

/// Tunnels that a packet leaves through, innermost first.
pub type Upwards = [Option<Tunnel>; 2];

/// The setup of a protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The address that the node keeps wherever it is.
    pub home_address: NodeId,
    /// The node of its home agent, if the protocol has one.
    pub home_agent: Option<NodeId>,
    /// The rule of movement detection.
    pub movement_detection: MovementDetection,
    /// The requested lifetime in seconds; 65535 means unlimited.
    pub registration_lifetime_s: u16,
    /// The timeout for the first reply; it doubles with each retransmission. In Mobile IPv4 not less than a second (RFC
    /// 5944 section 3.6.3), unless an experiment requires it.
    pub registration_retransmission: Duration,
    /// Whether an advertisement is solicited on a new link at once, instead of waiting for one.
    pub layer_2_triggers: bool,
    /// The agent that it is registered with initially; the home agent when it starts at home.
    pub registered_with: Option<NodeId>,
    /// By access router, the address that the node forms from its prefix.
    pub on_link_addresses: Vec<(NodeId, NodeId)>,
    /// The mobility anchor point, and the address that the node has on its network.
    pub regional_address: Option<(NodeId, NodeId)>,
    /// How long the home agent sends packets to the previous agent, too, after a registration with another; zero: not at
    /// all.
    pub simultaneous_bindings: Duration,
    /// The nodes it exchanges packets with that accept its care-of address ([`crate::Correspondent`]).
    pub correspondents: Vec<NodeId>,
}

/// The participants of a protocol besides the mobile node, and its requirements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traits {
    /// A home agent keeps the binding.
    pub home_agent: Participation,
    /// A mobility anchor point keeps one near the node.
    pub mobility_anchor_point: Participation,
    /// The home agent keeps several bindings for a time.
    pub simultaneous_bindings: Participation,
    /// What base stations run.
    pub base_station: BaseStation,
    /// Correspondents keep one ([`crate::Correspondent`]).
    pub correspondents: Participation,
    /// Agents at base stations are notified of nodes whose link comes up (layer 2 triggers).
    pub links_trigger_agents: bool,
    /// It keeps hosts behind the mobile node reachable too.
    pub carries_networks: bool,
    /// The previous access router forwards buffered packets and those for the previous care-of address.
    pub previous_router_forwards: bool,
}

/// Whether a participant is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Participation {
    /// Always.
    Needed,
    /// If the scenario has one.
    Possible,
    /// Never.
    None,
}

/// The role of a base station in a protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BaseStation {
    /// A foreign agent ([`crate::ForeignAgent`]), whose address is the care-of address.
    ForeignAgent,
    /// An access router ([`crate::AccessRouter`]), from whose prefix the node forms its care-of address.
    AccessRouter,
}

/// A registered protocol.
#[derive(Clone, Copy, Debug)]
pub struct Scheme {
    /// Its name in scenarios.
    pub name: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// Where it is specified.
    pub cite: &'static str,
    /// Who takes part.
    pub traits: Traits,
    /// Builds it for one mobile node.
    pub build: fn(&Setup) -> Box<dyn Protocol>,
}

/// Every protocol.
pub static ALL: &[&Scheme] = &[
    &mobile_ipv4::SCHEME,
    &simultaneous_bindings::SCHEME,
    &pre_registration::SCHEME,
    &post_registration::SCHEME,
    &mobile_ipv6::SCHEME,
    &route_optimization::SCHEME,
    &fmipv6::SCHEME,
    &fmipv6_predictive::SCHEME,
    &hmipv6::SCHEME,
    &nemo::SCHEME,
];

/// The protocol of this name.
pub fn find(name: &str) -> Option<&'static Scheme> {
    ALL.iter().copied().find(|scheme| scheme.name == name)
}
