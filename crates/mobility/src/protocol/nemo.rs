//! NEMO Basic Support (RFC 3963): a mobile router keeps a whole network reachable through the tunnel between it and its home
//! agent; the hosts behind it know nothing. Updates do not name the network, which the home agent knows (implicit mode,
//! section 5.2).

use super::mobile_ipv6::{MobileIpv6, TRAITS};
use super::{Scheme, Traits};
use seamline_wire::control::BindingFlags;

/// NEMO Basic Support in the registry.
pub(super) static SCHEME: Scheme = Scheme {
    name: "nemo",
    summary: "NEMO Basic Support: a mobile router and its home agent carry the traffic of a whole network through a tunnel",
    cite: "RFC 3963",
    traits: Traits { carries_networks: true, ..TRAITS },
    build: |setup| {
        Box::new(MobileIpv6::new(setup, BindingFlags::HOME_REGISTRATION | BindingFlags::MOBILE_ROUTER))
    },
};
