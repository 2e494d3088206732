//! What of agents can be set.

use crate::connections::Limits;
use crate::eln_ack::ElnAckParameters;
use crate::obtcp::ObtcpParameters;
use crate::snoop::SnoopParameters;
use crate::split::SplitParameters;

/// The parameters of all agents; each reads its own and the limits.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parameters {
    /// What an agent may hold.
    pub limits: Limits,
    /// Whether it helps segments inside of plain tunnels, IP in IP (RFC 2003, RFC 2473), of mobility protocols; otherwise they
    /// pass untouched. A kind that ends connections ([`crate::Kind::ends_connections`]) lets them pass in any case.
    pub inside_tunnels: bool,
    /// Of ELN-ACK.
    pub eln_ack: ElnAckParameters,
    /// Of Snoop.
    pub snoop: SnoopParameters,
    /// Of split connections.
    pub split: SplitParameters,
    /// Of obTCP.
    pub obtcp: ObtcpParameters,
}
