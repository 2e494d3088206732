//! Reachability: radio cells, nodes that move between them, and the protocol that sends their packets after
//! them, all as machines ([`seamline_wire::Machine`]).
//!
//! A [`Movement`] says when a mobile node is in which cell: by a timetable, at a fixed interval, or because it
//! follows a [`Trajectory`] through cells that are discs. A [`Coverage`] stands at the far end of a cell's
//! air, in both directions, and lets pass what is sent to or by a node that is there. A [`MobileNode`] has a
//! [`protocol`] that keeps it reachable. Machines know each other from packets only: in Mobile IPv4 (RFC 5944) the
//! mobile node, the [`ForeignAgent`] at a base station and the [`HomeAgent`]; in the protocols of IPv6 the mobile node, the
//! [`AccessRouter`] at a base station and one or two [`MobilityAnchor`]s, whose tunnels end at the mobile node itself, and
//! with route optimization a [`Correspondent`] in front of each host that exchanges packets with it.
//!
//! ```text
//!            home agent           foreign agent   downlink   Coverage   mobile node
//! sender ---- router ===tunnel=== base station ------------>    |    -------> TCP
//!    ^                                 |       <------------    |    <-------
//!    `---------------------------------'          uplink
//! ```
//!
//! What is sent to the mobile node goes to the home agent and from there through a tunnel to the foreign
//! agent; what the mobile node sends goes straight to its destination (triangular routing). What is on its
//! way to a cell when the node leaves it, or is sent there until the home agent knows better, is lost
//! ([`seamline_wire::DropCause::LeftCell`]).
//!
//! Every random choice (an order of cells, the phase of advertisements) draws from a stream of its own, so
//! that all schemes of a comparison meet the same movements and the same advertisements.

mod access_router;
mod advertiser;
mod agent_discovery;
mod binding_cache;
mod bindings;
mod correspondence;
mod correspondent;
mod coverage;
mod departed;
mod duplicates;
mod foreign_agent;
mod handoff_tunnels;
mod handover_preparation;
mod home_agent;
mod layer_2;
mod lifetime;
mod mobile_node;
mod mobility_anchor;
mod movement;
mod ports;
pub mod protocol;
mod ranges;
mod registration;
mod retransmission;
mod send;
mod trajectory;
mod update_list;
mod visitors;
mod waypoints;

pub use access_router::{AccessRouter, AccessRouterConfig};
pub use advertiser::AdvertisementConfig;
pub use agent_discovery::MovementDetection;
pub use correspondent::Correspondent;
pub use coverage::{Coverage, CoverageConfig, EdgeLoss, InFlightUpwards};
pub use departed::{DepartedBuffer, KeptAtMost};
pub use foreign_agent::{ForeignAgent, ForeignAgentConfig};
pub use home_agent::{HomeAgent, HomeAgentConfig};
pub use layer_2::{Layer2Config, Phase, Spread};
pub use mobile_node::{MobileNode, MobileNodeConfig};
pub use mobility_anchor::MobilityAnchor;
pub use movement::{CellId, Move, Movement, MovementError, Order, Period, Stay};
pub use ports::{AgentPorts, AnchorPorts};
pub use trajectory::{Leg, Position, Trajectory};
pub use waypoints::{Change, Disc};
