//! Help for TCP inside the network: agents at one end of a wireless link, in the base station or a mobile router.
//!
//! To add an agent, write its file, add its [`Kind`] to [`ALL`], its name to [`SIMULATED_ONLY`] and its parameters to [`Parameters`] here,
//! and its key table to `keys.rs`.
//!
//! An agent is a machine with a wired and a wireless port ([`WIRED`], [`WIRELESS`]); every packet between the two passes through it. Its
//! state for a TCP connection is a [`Connection`]. [`Connections`] holds them, finds the one that a packet belongs to, and forwards
//! everything else untouched: packets in tunnels (unless configured to look inside), control messages, and connections for which there is no
//! room. Most agents need not see the start of a connection; one that does lets other connections pass.
//!
//! On real packets an agent gets what [`seamline_wire::codec::decode_complete`] takes in, and the messages of other agents. Everything
//! else is opaque to it and is forwarded byte for byte: fragments, encrypted and damaged packets, extension headers, TCP options that a
//! segment has no field for. A packet that leaves an agent unchanged leaves as the bytes that came in.

mod after_timeout;
mod connection;
mod connections;
mod eln_ack;
mod exit;
mod fairness;
mod flow;
mod guard;
mod heard;
mod key;
#[cfg(feature = "keys")]
pub mod keys;
mod listed;
mod m_tcp;
mod obtcp;
mod offered;
mod passed;
mod ranges;
mod round_trip;
mod snoop;
mod split;
mod store;
mod ways;
mod wtcp;

pub use connection::{Connection, ConnectionMaker};
pub use connections::{Admission, Amounts, Connections, Limits, Moved, Numbers, Owner, Place, Shares};
pub use eln_ack::{Bits, ElnAckParameters};
pub use exit::{Counters, Exit};
pub use fairness::FairnessParameters;
pub use flow::{Losses, Measurements};
pub use key::{ConnectionKey, End, Side};
pub use m_tcp::MTcpParameters;
pub use obtcp::{ObtcpParameters, Role};
pub use passed::PassedSyn;
pub use snoop::SnoopParameters;
pub use split::{AgentTcp, Handshake, SplitParameters};
pub use wtcp::WtcpParameters;

use seamline_tcp::cc::{NameTaken, OwnSet};
use seamline_tcp::handover::Traits;
use seamline_wire::registry::Registry;
use seamline_wire::{Machine, NodeId, Port};
use std::fmt::{self, Debug};

/// To and from the wired side, where the fixed host is.
pub const WIRED: Port = Port(0);
/// To and from the wireless side, where the mobile node is.
pub const WIRELESS: Port = Port(1);

/// A machine at the end of a wireless link that helps the connections over it.
pub trait Agent: Machine {
    /// What it has done.
    fn counters(&self) -> Counters;
    /// The mobile nodes with these addresses have left: forget their connections, and return them.
    fn hand_out(&mut self, addresses: &[NodeId]) -> Vec<Moved>;
    /// Take over connections from the agent at another base station, of nodes that are here now. They replace what was learned of them
    /// here; those for which there is no room are ended. Wake the machine after this.
    fn take_in(&mut self, moved: Vec<Moved>);
}

/// The parameters of all agents; each reads its own and the limits.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// Limits of every kind.
    pub limits: Limits,
    /// Whether it helps segments inside plain tunnels, IP in IP (RFC 2003, RFC 2473), of mobility protocols; otherwise they pass
    /// untouched. A kind that ends connections ([`Kind::ends_connections`]) always lets them pass.
    pub inside_tunnels: bool,
    /// ELN-ACK.
    pub eln_ack: ElnAckParameters,
    /// Snoop.
    pub snoop: SnoopParameters,
    /// Split connections.
    pub split: SplitParameters,
    /// TCP spoofing.
    pub spoofing: SplitParameters,
    /// obTCP.
    pub obtcp: ObtcpParameters,
    /// M-TCP.
    pub m_tcp: MTcpParameters,
    /// WTCP.
    pub wtcp: WtcpParameters,
    /// Fairness control at a mobile router.
    pub fairness: FairnessParameters,
    /// Those that other crates add.
    pub own: OwnSet,
}

impl Default for Parameters {
    fn default() -> Self {
        Parameters {
            limits: Limits::default(),
            inside_tunnels: false,
            eln_ack: ElnAckParameters::default(),
            snoop: SnoopParameters::default(),
            split: SplitParameters::default(),
            spoofing: SplitParameters::spoofing(),
            obtcp: ObtcpParameters::default(),
            m_tcp: MTcpParameters::default(),
            wtcp: WtcpParameters::default(),
            fairness: FairnessParameters::default(),
            own: OwnSet::default(),
        }
    }
}

/// A registered kind of agent.
#[derive(Clone, Copy)]
pub struct Kind {
    /// Its name in scenarios.
    pub name: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// Where it is specified.
    pub cite: &'static str,
    /// What it supports and needs, by the criteria of paper ehn-2004.
    pub traits: Traits,
    /// It terminates each connection and opens another. So it must see the handshake, and signals between the ends other than the bytes
    /// (handover marks, loss notifications) stop there. It cannot work inside tunnels ([`Parameters::inside_tunnels`]), because it sends
    /// before a packet from that side has shown which tunnels lead there.
    pub ends_connections: bool,
    /// `seamline-host agent` has it; otherwise it is for simulations only. One that runs on real hosts changes nothing but what its scheme
    /// says, whatever it has not seen of a connection.
    pub runs_on_real_hosts: bool,
    /// The parameters of its split connections, if it ends connections by splitting them.
    pub split: Option<fn(&mut Parameters) -> &mut SplitParameters>,
    /// How many packets of a connection it keeps at most.
    pub kept_packets: fn(&Parameters) -> u32,
    /// Bytes of further state that it may need per connection.
    pub state_bytes: usize,
    /// How its state for a connection is made.
    pub connection: &'static MakeConnection,
}

/// Makes the maker of an agent's state for connections, from its parameters.
pub type MakeConnection = dyn Fn(&Parameters) -> ConnectionMaker + Sync;

impl Debug for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Kind").field(&self.name).finish()
    }
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

/// Traits of an agent that repairs losses next to the air link by reading TCP headers.
pub const AT_THE_AIR_LINK: Traits = Traits {
    supports_handover: false,
    robust_to_bit_errors: true,
    supports_encrypted_traffic: false,
    needs_intermediate_node: true,
    keeps_end_to_end_semantics: false,
    robust_to_long_disconnection: false,
    acknowledgments_may_take_another_path: false,
    needs_prediction: false,
};

/// Every kind of agent of this crate.
pub static ALL: &[&Kind] = &[
    &eln_ack::KIND,
    &snoop::KIND,
    &split::KIND,
    &split::SPOOFING,
    &obtcp::KIND,
    &m_tcp::KIND,
    &wtcp::KIND,
    &fairness::KIND,
];

/// Those that work between two interfaces of a real host, which has a TCP of its own. A program that uses only these does not contain
/// Seamline's.
pub static ON_REAL_BRIDGES: &[&Kind] = &[&eln_ack::KIND, &snoop::KIND, &obtcp::KIND];

/// Those of [`ALL`] that run in simulations only, with what to use on real hosts instead. Names, so that programs for real hosts need
/// not contain them.
pub static SIMULATED_ONLY: &[(&str, &str)] = &[
    ("spoofing", "on real hosts `agent split` acknowledges early, too"),
    ("m-tcp", "on the mobile host, `seamline-host mobile` freezes senders"),
    ("wtcp", "`agent snoop` repairs losses over the air on real hosts"),
    ("fairness", "on real hosts a queue discipline such as `cake` shares a link"),
];

static ADDED: Registry<Kind> = Registry::new(|kind| kind.name);

/// Add kinds of other crates, before any scenario that names them is read. They stay until the process ends. Their parameters are in
/// [`Parameters::own`].
///
/// # Errors
/// When a name is that of another kind; then none is added.
pub fn add(kinds: &[&'static Kind]) -> Result<(), NameTaken> {
    ADDED.add(kinds, |name| find(name).is_some())
}

/// Every kind, those of other crates last.
pub fn all() -> impl Iterator<Item = &'static Kind> {
    ALL.iter().chain(ADDED.all()).copied()
}

/// The kind of this name.
pub fn find(name: &str) -> Option<&'static Kind> {
    all().find(|kind| kind.name == name)
}

#[cfg(test)]
#[test]
fn the_lists_for_programs_on_real_hosts_agree_with_that_of_all() {
    let names = |kinds: &[&'static Kind]| kinds.iter().map(|kind| kind.name).collect::<Vec<_>>();
    let on_bridges: Vec<&Kind> =
        ALL.iter().copied().filter(|kind| kind.runs_on_real_hosts && !kind.ends_connections).collect();
    assert_eq!(names(&on_bridges), names(ON_REAL_BRIDGES));
    let simulated: Vec<&Kind> = ALL.iter().copied().filter(|kind| !kind.runs_on_real_hosts).collect();
    assert_eq!(names(&simulated), SIMULATED_ONLY.iter().map(|(name, _)| *name).collect::<Vec<_>>());
}
