//! The kinds of agents that a bridge has.

use seamline_agent::{ObtcpParameters, Parameters, Role, find};
use seamline_bridge::Settings;

/// By the names that the command has for them.
pub(crate) const KINDS: [&str; 4] = ["snoop", "eln-ack", "obtcp-bs", "obtcp-mr"];

/// Of one of these, with what else is set of it.
pub(crate) fn settings(name: &str, parameters: Parameters) -> Settings {
    let (name, role) = match name {
        "obtcp-bs" => ("obtcp", Role::BaseStation),
        "obtcp-mr" => ("obtcp", Role::MobileRouter),
        name => (name, Role::MobileRouter),
    };
    let obtcp = ObtcpParameters { role, ..parameters.obtcp };
    Settings::new(find(name).expect("it is there"), Parameters { obtcp, ..parameters })
}
