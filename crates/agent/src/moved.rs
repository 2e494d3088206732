//! What moves to the agent at the next base station when a mobile node does.

use crate::connection::Connection;
use crate::key::ConnectionKey;

/// A connection on its way from one agent to another, with all that is kept of it (the handoff of Snoop, section 4 of the
/// paper of 1995).
#[derive(Debug)]
pub struct Moved {
    pub(crate) key: ConnectionKey,
    pub(crate) connection: Box<dyn Connection>,
}
