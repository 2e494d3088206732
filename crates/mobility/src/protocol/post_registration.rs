//! Low-latency handoffs in Mobile IPv4 by post-registration (RFC 4881 section 4), between two foreign agents and triggered at
//! the target (section 4.1): when the link of a node comes up, its new agent asks the previous one for a tunnel, through
//! which packets come until the node has registered. The node itself does what Mobile IPv4 says, whenever it hears an
//! advertisement (section 4.4).
//!
//! Readings: the trigger comes when the link is up (L2-LU) and names the previous agent, and the previous agent keeps no
//! packets: what is sent between both triggers is lost. Not modelled: handoffs to a third agent (section 4.2).

use super::mobile_ipv4::{MobileIpv4, TRAITS};
use super::{Scheme, Traits};

/// Post-registration in the registry.
pub(super) static SCHEME: Scheme = Scheme {
    name: "mobile-ipv4-post-registration",
    summary: "Low-latency Mobile IPv4: a tunnel from the previous foreign agent until the node has registered",
    cite: "RFC 4881",
    traits: Traits { links_trigger_agents: true, ..TRAITS },
    build: |setup| Box::new(MobileIpv4::new(setup)),
};
