//! Control messages: what nodes of the network report to each other.
//!
//! The messages of Mobile IPv4 (RFC 5944), an error of ICMP (RFC 792), in [`Ipv6Control`] those of mobility in IPv6, and in [`RecoveryMessage`] those of agents
//! about a TCP connection. [`crate::codec::message`] writes them as bytes. Authentication extensions (RFC 5944 section 3.5)
//! are not carried, because the nodes of a scenario trust each other.

mod fast_handover;
mod ipv6;
mod recovery;
mod return_routability;

pub use fast_handover::{
    HandoverAcknowledge, HandoverInitiate, ProxyRouterAdvertisement, ProxyRouterSolicitation,
};
pub use ipv6::{
    BindingAcknowledgement, BindingFlags, BindingStatus, BindingUpdate, Ipv6Control, RouterAdvertisement,
};

pub use recovery::{MissingBytes, RecoveryMessage, SequenceRange, SequenceRanges};
pub use return_routability::{CorrespondentAcknowledgement, CorrespondentUpdate, Test, TestInit};

use crate::packet::{NodeId, Packet, TransportPort};
use crate::sequence::SequenceNumber;
use crate::time::Instant;
use std::fmt;

/// A control message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Control {
    /// "I am an agent": ICMP Router Advertisement with the Mobility Agent Advertisement Extension.
    AgentAdvertisement(AgentAdvertisement),
    /// "Is there an agent?": ICMP Router Solicitation (RFC 5944 section 2.2).
    AgentSolicitation,
    /// "I am here": Registration Request (RFC 5944 section 3.3).
    RegistrationRequest(RegistrationRequest),
    /// The answer to it: Registration Reply (RFC 5944 section 3.4).
    RegistrationReply(RegistrationReply),
    /// "I could not deliver this": ICMP Destination Unreachable with the code for a host (RFC 792).
    HostUnreachable(UndeliveredSegment),
    /// "Which agent is at this access point?": Proxy Router Solicitation (RFC 4881 section 3.3).
    ProxyAgentSolicitation(u32),
    /// The answer to it: Proxy Router Advertisement (RFC 4881 section 3.3), the advertisement of the agent at this access
    /// point.
    ProxyAgentAdvertisement(u32, AgentAdvertisement),
    /// "This node is here now": Handoff Request (RFC 4881 section 4.5).
    HandoffRequest(HandoffRequest),
    /// The answer to it: Handoff Reply (RFC 4881 section 4.6).
    HandoffReply(HandoffReply),
    /// A message between IPv6 nodes.
    Ipv6(Ipv6Control),
    /// What the agents at the ends of a link report to each other about a connection.
    Recovery(RecoveryMessage),
}

/// An Agent Advertisement (RFC 5944 section 2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct AgentAdvertisement {
    /// The address of the agent on the link that it is heard on (Router Address).
    pub agent: NodeId,
    /// For how long the advertisement is good if no other follows, in seconds.
    pub lifetime_s: u16,
    /// Messages since the agent began; after 65535 comes 256 (RFC 5944 section 2.3.2).
    pub sequence: u16,
    /// The longest registration that the agent accepts, in seconds; 65535 is without end.
    pub registration_lifetime_s: u16,
    /// What the agent offers.
    pub flags: AgentFlags,
    /// The foreign agent care-of address that it offers, if any.
    pub care_of_address: Option<NodeId>,
}

/// The segment that an ICMP error quotes: its IP header and its first eight bytes (RFC 792).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct UndeliveredSegment {
    /// Its sender, to whom the error goes.
    pub source: NodeId,
    /// Whom it was for.
    pub destination: NodeId,
    /// Its source port.
    pub source_port: TransportPort,
    /// Its destination port.
    pub destination_port: TransportPort,
    /// Its sequence number.
    pub sequence: SequenceNumber,
    /// Bytes of the whole IP packet.
    pub wire_bytes: u32,
}

impl From<&Packet> for UndeliveredSegment {
    fn from(packet: &Packet) -> Self {
        UndeliveredSegment {
            source: packet.source,
            destination: packet.destination,
            source_port: packet.source_port,
            destination_port: packet.destination_port,
            sequence: packet.segment.sequence,
            wire_bytes: packet.wire_bytes,
        }
    }
}

/// A Registration Request (RFC 5944 section 3.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct RegistrationRequest {
    /// What is asked for.
    pub flags: RequestFlags,
    /// For how long, in seconds: zero deregisters, 65535 is without end.
    pub lifetime_s: u16,
    /// The address that the mobile node keeps wherever it is.
    pub home_address: NodeId,
    /// The agent that keeps the binding.
    pub home_agent: NodeId,
    /// Where the tunnel shall end; the home address when the mobile node is at home.
    pub care_of_address: NodeId,
    /// Distinguishes requests and protects against replays.
    pub identification: Identification,
}

/// A Registration Reply (RFC 5944 section 3.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct RegistrationReply {
    /// What came of the request.
    pub code: ReplyCode,
    /// For how long the registration is good, in seconds.
    pub lifetime_s: u16,
    /// As in the request.
    pub home_address: NodeId,
    /// As in the request.
    pub home_agent: NodeId,
    /// The low half as in the request; the high half likewise, or the home agent's time when the two
    /// clocks do not agree.
    pub identification: Identification,
}

/// A Handoff Request of a new to the previous foreign agent (RFC 4881 section 4.5), triggered at the target (the N flag).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct HandoffRequest {
    /// How long the tunnel shall last, in seconds.
    pub lifetime_s: u16,
    /// The node that has moved.
    pub home_address: NodeId,
    /// Distinguishes requests.
    pub identification: Identification,
}

/// A Handoff Reply (RFC 4881 section 4.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct HandoffReply {
    /// Zero: the tunnel is there. Anything else: why not.
    pub code: u8,
    /// How long the tunnel lasts, in seconds.
    pub lifetime_s: u16,
    /// As in the request.
    pub home_address: NodeId,
    /// As in the request.
    pub identification: Identification,
}

impl HandoffReply {
    /// The node is not known here.
    pub const UNKNOWN_NODE: u8 = 1;
}

/// The Identification field: with timestamps, the sender's time in the format of NTP (RFC 5944 section
/// 5.7.1, RFC 5905 section 6), here since the start of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Identification(pub u64);

impl Identification {
    /// The time `now`.
    pub const fn at(now: Instant) -> Self {
        const SECOND: u64 = 1_000_000_000;
        let (seconds, nanos) = (now.as_nanos() / SECOND, now.as_nanos() % SECOND);
        Identification((seconds << 32) | ((nanos << 32) / SECOND))
    }
    /// The part that a reply always repeats.
    pub const fn low(self) -> u32 {
        self.0 as u32
    }
    /// Whole seconds.
    pub const fn seconds(self) -> u32 {
        (self.0 >> 32) as u32
    }
}

bits! {
    /// What an agent offers: the first byte of the flags of RFC 5944 section 2.1.1.
    #[derive(Debug)]
    AgentFlags(u8):
    /// R: registration through this agent is required, even with a co-located care-of address.
    REGISTRATION_REQUIRED = 0x80;
    /// B: busy, no registrations of further mobile nodes.
    BUSY = 0x40;
    /// H: it is a home agent on this link.
    HOME_AGENT = 0x20;
    /// F: it is a foreign agent on this link.
    FOREIGN_AGENT = 0x10;
}

bits! {
    /// What a registration request asks for (RFC 5944 section 3.3).
    #[derive(Debug)]
    RequestFlags(u8):
    /// S: keep the bindings that there are, and send a copy of each packet to every one.
    SIMULTANEOUS_BINDINGS = 0x80;
}

/// What came of a registration request (RFC 5944 section 3.4): 0 and 1 accept it, 64 to 127 are refusals
/// by the foreign agent, 128 to 192 by the home agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct ReplyCode(pub u8);

impl ReplyCode {
    /// Registration accepted.
    pub const ACCEPTED: ReplyCode = ReplyCode(0);
    /// Foreign agent: requested lifetime too long; the reply says how long is possible.
    pub const LIFETIME_TOO_LONG: ReplyCode = ReplyCode(69);
    /// Foreign agent: invalid care-of address.
    pub const INVALID_CARE_OF_ADDRESS: ReplyCode = ReplyCode(77);
    /// Foreign agent: the home agent did not answer in time.
    pub const REGISTRATION_TIMEOUT: ReplyCode = ReplyCode(78);
    /// Home agent: administratively prohibited.
    pub const PROHIBITED: ReplyCode = ReplyCode(129);
    /// Home agent: the identification is not newer than the last, or the clocks do not agree.
    pub const IDENTIFICATION_MISMATCH: ReplyCode = ReplyCode(133);
    /// Home agent: the request names another one.
    pub const UNKNOWN_HOME_AGENT: ReplyCode = ReplyCode(136);

    /// Whether the request was granted.
    pub const fn is_accepted(self) -> bool {
        self.0 <= 1
    }
    /// What it means, in the words of the RFC.
    pub const fn meaning(self) -> &'static str {
        match self {
            ReplyCode(0) => "registration accepted",
            ReplyCode(1) => "registration accepted, but simultaneous mobility bindings unsupported",
            Self::LIFETIME_TOO_LONG => "requested lifetime too long",
            Self::INVALID_CARE_OF_ADDRESS => "invalid care-of address",
            Self::REGISTRATION_TIMEOUT => "registration timeout",
            Self::PROHIBITED => "administratively prohibited",
            Self::IDENTIFICATION_MISMATCH => "registration identification mismatch",
            Self::UNKNOWN_HOME_AGENT => "unknown home agent address",
            ReplyCode(64..=127) => "denied by the foreign agent",
            _ => "denied by the home agent",
        }
    }
}

impl fmt::Display for ReplyCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (code {})", self.meaning(), self.0)
    }
}

impl Control {
    /// Bytes of the whole IP packet that carries the message.
    pub fn wire_bytes(&self) -> u32 {
        const IPV4: u32 = 20;
        const ICMP: u32 = 8;
        const UDP: u32 = 8;
        const QUOTED: u32 = 8;
        const ROUTER_ADDRESS: u32 = 8;
        const EXTENSION: u32 = 8;
        const ADDRESS: u32 = 4;
        // An extension with an address of 48 bits (RFC 4881 section 9).
        const LINK_LAYER_ADDRESS: u32 = 9;
        let behind_ipv4 = match self {
            Control::Ipv6(message) => return message.wire_bytes(),
            Control::AgentAdvertisement(advertisement) => {
                let care_of = if advertisement.care_of_address.is_some() { ADDRESS } else { 0 };
                ICMP + ROUTER_ADDRESS + EXTENSION + care_of
            }
            Control::AgentSolicitation => ICMP,
            Control::HostUnreachable(_) => ICMP + IPV4 + QUOTED,
            Control::ProxyAgentSolicitation(_) => ICMP + LINK_LAYER_ADDRESS,
            Control::ProxyAgentAdvertisement(..) => {
                ICMP + ROUTER_ADDRESS + EXTENSION + ADDRESS + LINK_LAYER_ADDRESS
            }
            Control::RegistrationRequest(_) => UDP + 24,
            Control::RegistrationReply(_) => UDP + 20,
            // With the link-layer address of the node.
            Control::HandoffRequest(_) | Control::HandoffReply(_) => UDP + 24 + LINK_LAYER_ADDRESS,
            Control::Recovery(message) => UDP + message.length() as u32,
        };
        IPV4 + behind_ipv4
    }
}
