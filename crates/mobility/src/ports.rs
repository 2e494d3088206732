//! The ports of machines with the same role under IPv4 and IPv6, so that both are connected alike.

use seamline_wire::Port;

/// The ports of a mobility agent at a base station: [`crate::ForeignAgent`] and [`crate::AccessRouter`].
#[derive(Clone, Copy, Debug)]
pub struct AgentPorts;

impl AgentPorts {
    /// To and from the router of the base station.
    pub const NETWORK: Port = Port(0);
    /// To the downlink, and from the uplink.
    pub const AIR: Port = Port(1);
    /// What is for others on the same node leaves by this port.
    pub const NODE: Port = Port(2);
    /// The messages of fast handovers for the node leave through this port, to the buffer for departed nodes.
    pub const DEPARTED: Port = Port(3);
}

/// The ports of an anchor next to its router: [`crate::HomeAgent`] and [`crate::MobilityAnchor`].
#[derive(Clone, Copy, Debug)]
pub struct AnchorPorts;

impl AnchorPorts {
    /// To and from the router: what is addressed to mobile nodes, or to addresses that are served here, comes in here.
    pub const NETWORK: Port = Port(0);
    /// What is addressed to the node itself comes in here.
    pub const LOCAL: Port = Port(1);
    /// What is for others on the same node leaves by this port.
    pub const NODE: Port = Port(2);
    /// The home network: packets to mobile nodes at home leave through this port.
    pub const HOME: Port = Port(3);
}
