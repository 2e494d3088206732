//! Mobile IPv4 with simultaneous bindings (RFC 5944 sections 3.3 and 3.8.2, the S bit; for IPv6
//! draft-elmalki-mobileip-bicasting-v6 extends fast handovers likewise): after a move the home agent keeps the binding of
//! the previous agent for a time, and sends a copy of each packet to both. A node that hears both, or goes back soon,
//! loses nothing. The mobile node drops what has come over the other link already ([`crate::MobileNode`]).

use super::mobile_ipv4::{MobileIpv4, TRAITS};
use super::{Participation, Scheme, Traits};

/// Simultaneous bindings in the registry.
pub(super) static SCHEME: Scheme = Scheme {
    name: "mobile-ipv4-simultaneous-bindings",
    summary: "Mobile IPv4 whose home agent sends copies to the previous agent, too, for a time after a move (bicasting)",
    cite: "RFC 5944",
    traits: Traits { simultaneous_bindings: Participation::Needed, ..TRAITS },
    build: |setup| Box::new(MobileIpv4::new(setup)),
};
