//! What moves to the agent at the next base station when a mobile node does.

use crate::connection::Connection;
use crate::guard::Guard;
use crate::key::ConnectionKey;
use crate::ways::Ways;
use seamline_wire::NodeId;

/// A connection on its way from one agent to another, with all that is kept of it (the handoff of Snoop, section 4 of the
/// paper of 1995).
#[derive(Debug)]
pub struct Moved<A = NodeId> {
    pub(crate) key: ConnectionKey<A>,
    pub(crate) connection: Box<dyn Connection>,
    pub(crate) ways: Ways,
    pub(crate) guard: Option<Box<Guard>>,
}

impl Moved {
    /// The mobile node has left these care-of addresses for another one, or is at home (`None`): what is kept goes there, in the same
    /// tunnels otherwise. If it comes from home, where no tunnel was, what is kept is sent without one until a packet shows the new way. The new access router knows that address, and the transfer of contexts names the old ones (RFC 4067).
    pub fn follow(&mut self, left: &[NodeId], care_of_address: Option<NodeId>) {
        self.ways.follow(left, care_of_address);
    }
}
