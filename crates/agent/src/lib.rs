//! Help for TCP inside the network: agents beside a wireless link, at the base station or at a mobile router. One file per
//! agent, one entry in [`ALL`].
//!
//! An agent is a machine with a wired and a wireless port ([`WIRED`], [`WIRELESS`]) that every packet between the two
//! passes. What it keeps of each TCP connection is a [`Connection`]; [`Connections`] holds them, finds the one that a packet
//! belongs to, and forwards untouched whatever belongs to none: packets in tunnels (unless it is to look inside), control messages, and connections for
//! which there is no room. Most agents do not rely on having seen a connection begin; one that must lets others pass, too.
//!
//! On real packets an agent gets what [`seamline_wire::codec::decode_complete`] takes in, and the messages of other agents. Everything
//! else is opaque to it and passes by, byte for byte: fragments, encrypted and damaged packets, extension headers, TCP options that a
//! segment has no field for. Whoever passes an opaque packet by, and can read which connection it belongs to, tells the agent so
//! ([`Agent::on_opaque`]); unless it does, an agent that splits connections may split one whose SYN was opaque and is repeated without what made
//! it so, and a split connection to which an opaque packet belongs stalls. What comes out of an agent as it went in leaves as the bytes
//! that it came as.

mod after_timeout;
mod connection;
mod connections;
mod eln_ack;
mod exit;
mod guard;
mod heard;
mod key;
#[cfg(feature = "keys")]
pub mod keys;
mod listed;
mod moved;
mod obtcp;
mod parameters;
mod passed;
mod ranges;
mod snoop;
mod split;
mod store;
mod ways;

pub use connection::{Connection, ConnectionMaker};
pub use connections::{Admission, Connections, Limits, Place};
pub use eln_ack::{Bits, ElnAckParameters};
pub use exit::{Counters, Exit};
pub use key::{ConnectionKey, Side};
pub use moved::Moved;
pub use obtcp::{MOST_GAPS, ObtcpParameters, Role};
pub use parameters::Parameters;
pub use passed::PassedSyn;
pub use snoop::SnoopParameters;
pub use split::{AgentTcp, Handshake, SplitParameters};

use seamline_tcp::handover::Traits;
use seamline_wire::{Instant, Machine, NodeId, Outbox, Port};

/// To and from the wired side, where the fixed host is.
pub const WIRED: Port = Port(0);
/// To and from the wireless side, where the mobile node is.
pub const WIRELESS: Port = Port(1);

/// A machine beside a wireless link that helps the connections over it.
pub trait Agent: Machine {
    /// What it has done.
    fn counters(&self) -> Counters;
    /// A packet of this connection passes that the agent cannot take in, but whose addresses and ports can be read. A connection that the
    /// agent would split is left alone while it is known, or for three minutes if there is no room; one that it has split is
    /// reset at both ends, for neither knows the numbers of the other. Other kinds do nothing.
    ///
    /// Not for packets whose checksums are wrong, or later fragments: their ports are not to be relied on. No sequence number is checked, so
    /// whoever can forge packets of a split connection can end it.
    fn on_opaque(&mut self, _now: Instant, _key: ConnectionKey, _out: &mut Outbox) {}
    /// The mobile nodes with these addresses have left: forget their connections, and hand them out.
    fn hand_out(&mut self, addresses: &[NodeId]) -> Vec<Moved>;
    /// Connections from the agent at another base station, of nodes that are here now. They take the place of what has been
    /// learned of them here; those for which there is no room come to their end. Wake the machine after this.
    fn take_in(&mut self, moved: Vec<Moved>);
}

/// A registered kind of agent.
#[derive(Clone, Copy, Debug)]
pub struct Kind {
    /// Its name in scenarios.
    pub name: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// Where it is specified.
    pub cite: &'static str,
    /// What it supports and needs, in the words of paper ehn-2004.
    pub traits: Traits,
    /// It ends each connection and begins another: so it must see the handshake, and what the ends tell each other beside the bytes
    /// (marks of handovers, notifications of losses) ends there, too. Nor can it help inside of tunnels
    /// ([`Parameters::inside_tunnels`]): it sends also before anything has come back from a side and shown which tunnels lead there.
    pub ends_connections: bool,
    /// Makes its part in each connection.
    pub connection: fn(&Parameters) -> ConnectionMaker,
}

impl Kind {
    /// The agent, as a machine in a simulated network.
    pub fn build(&self, parameters: &Parameters) -> Box<dyn Agent> {
        let connections = Connections::new(parameters.limits, (self.connection)(parameters));
        Box::new(match (self.ends_connections, parameters.inside_tunnels) {
            (true, _) => connections.ending_connections(),
            (false, true) => connections.helping_inside_tunnels(),
            (false, false) => connections,
        })
    }
}

/// What an agent supports and needs that mends losses beside the air by reading TCP headers there.
const BESIDE_THE_AIR: Traits = Traits {
    supports_handover: false,
    robust_to_bit_errors: true,
    supports_encrypted_traffic: false,
    needs_intermediate_node: true,
    keeps_end_to_end_semantics: false,
    robust_to_long_disconnection: false,
    acknowledgments_may_take_another_path: false,
    needs_prediction: false,
};

/// Every kind of agent.
pub static ALL: &[&Kind] = &[&eln_ack::KIND, &snoop::KIND, &split::KIND, &obtcp::KIND];

/// The kind of this name.
pub fn find(name: &str) -> Option<&'static Kind> {
    ALL.iter().copied().find(|kind| kind.name == name)
}
