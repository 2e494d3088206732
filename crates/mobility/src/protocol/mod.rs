//! Mobility protocols at the mobile node. One file per protocol, one entry in [`ALL`].
//!
//! A protocol hears what [`Happened`], and answers with [`Action`]s, which the
//! [`crate::MobileNode`] carries out in the order given. It never holds the node: sending by the cell that the node
//! is in, and telling the host, are the node's.

use crate::agent_discovery::MovementDetection;
use seamline_wire::control::{BindingStatus, ReplyCode};
use seamline_wire::{Control, Duration, Instant, NodeId, Tunnel};
use std::fmt::Debug;

mod fmipv6;
mod hmipv6;
mod mobile_ipv4;
mod mobile_ipv6;
mod nemo;
mod router_discovery;

pub use mobile_ipv4::MobileIpv4;

/// What a protocol hears of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Happened<'a> {
    /// A control message has arrived over the air.
    Message(&'a Control),
    /// The link layer of the node tells that a link is up (Link_Up of IEEE 802.21).
    LinkUp,
    /// The time of [`Protocol::wake_at`] has come.
    Wake,
}

/// What a protocol wants done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Send a message by the cell that the node is in; in none, it is not sent.
    Send {
        /// Source address.
        from: NodeId,
        /// Destination address.
        to: NodeId,
        /// What it says.
        message: Control,
    },
    /// Note that an advertisement was heard.
    Heard {
        /// Whose.
        agent: NodeId,
    },
    /// The node is where it was: its host may hear of a link that is up.
    Stayed,
    /// The node has moved: its host hears of it.
    Moved {
        /// The agent that it heard there.
        agent: NodeId,
    },
    /// A registration is in force.
    Registered {
        /// The care-of address.
        care_of_address: NodeId,
        /// Whether it is for a move, and not renewed: its host hears of it.
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

/// Where actions go; reused.
#[derive(Debug, Default)]
pub struct Actions(Vec<Action>);

impl Actions {
    /// Ask for an action.
    pub fn push(&mut self, action: Action) {
        self.0.push(action);
    }
    /// Take what has been asked for, in order.
    pub(crate) fn drain(&mut self) -> impl Iterator<Item = Action> {
        self.0.drain(..)
    }
}

/// A mobility protocol at a mobile node.
pub trait Protocol: Debug + Send {
    /// Something happened.
    fn on(&mut self, now: Instant, happened: Happened<'_>, actions: &mut Actions);
    /// When [`Happened::Wake`] is wanted.
    fn wake_at(&self) -> Option<Instant>;
    /// The tunnels through IPv6 that begin at the node for what comes from this address.
    fn tunnels(&self, source: NodeId) -> Upwards {
        let _ = source;
        Upwards::default()
    }
}

/// Tunnels that a packet leaves through, innermost first.
pub type Upwards = [Option<Tunnel>; 2];

/// What every protocol is set up with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The address that the node keeps wherever it is.
    pub home_address: NodeId,
    /// The node that its home agent is on, where the protocol has one.
    pub home_agent: Option<NodeId>,
    /// When it takes what it hears for a move.
    pub movement_detection: MovementDetection,
    /// The lifetime that it asks for, in seconds.
    pub registration_lifetime_s: u16,
    /// How long it waits for the first reply.
    pub registration_retransmission: Duration,
    /// Whether a new link is asked for an advertisement at once.
    pub layer_2_triggers: bool,
    /// The agent that it is registered with from the start.
    pub registered_with: Option<NodeId>,
    /// By access router, the address that the node forms from its prefix.
    pub on_link_addresses: Vec<(NodeId, NodeId)>,
    /// The mobility anchor point, and the address that the node has on its network.
    pub regional_address: Option<(NodeId, NodeId)>,
}

/// Who takes part in a protocol besides the mobile node, and what it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traits {
    /// A home agent keeps the binding.
    pub home_agent: Participation,
    /// A mobility anchor point keeps one near the node.
    pub mobility_anchor_point: Participation,
    /// What base stations run.
    pub base_station: BaseStation,
    /// It keeps hosts behind the mobile node reachable too.
    pub carries_networks: bool,
    /// The access router that a node has left sends after it what comes for its previous care-of address, and what was kept.
    pub previous_router_forwards: bool,
}

/// Whether somebody takes part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Participation {
    /// Always.
    Needed,
    /// If the scenario has one.
    Possible,
    /// Never.
    None,
}

/// What a base station runs for a protocol.
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
pub static ALL: &[&Scheme] =
    &[&mobile_ipv4::SCHEME, &mobile_ipv6::SCHEME, &fmipv6::SCHEME, &hmipv6::SCHEME, &nemo::SCHEME];

/// The protocol of this name.
pub fn find(name: &str) -> Option<&'static Scheme> {
    ALL.iter().copied().find(|scheme| scheme.name == name)
}
