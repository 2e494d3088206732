//! What can be wrong with a network.

use seamline_scenario::Diagnostics;
use std::fmt;

/// Why there is no such network, or no such socket in it. What happens to connections is a [`std::io::Error`].
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The scenario has errors.
    Scenario(Diagnostics),
    /// The scenario is not one network: it has a grid.
    Grid(usize),
    /// The network has no node of this name.
    Node(String),
    /// There is no such TCP.
    Options(String),
    /// Somebody listens there.
    PortInUse(u16),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Scenario(diagnostics) => f.write_str(diagnostics.list(false).trim_end()),
            Error::Grid(cells) => write!(
                f,
                "the scenario has {cells} grid cells\ntip: a network is one: set one value of each key of its grid"
            ),
            Error::Node(name) => write!(f, "the network has no node \"{name}\""),
            Error::Options(why) => f.write_str(why),
            Error::PortInUse(port) => write!(f, "the port {port} is in use"),
        }
    }
}

impl std::error::Error for Error {}
