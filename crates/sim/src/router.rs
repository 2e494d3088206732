//! Forwarding by destination, or by the exit of the outermost tunnel.

use seamline_wire::{NodeId, Port};

/// A router: forwards at once, by destination. Queues belong to the links.
#[derive(Clone, Debug, Default)]
pub struct Router {
    routes: Vec<Option<Port>>,
    default: Option<Port>,
}

impl Router {
    /// A router without routes.
    pub fn new() -> Self {
        Self::default()
    }
    /// Packets to `destination` leave by `port`.
    pub fn set_route(&mut self, destination: NodeId, port: Port) {
        let place = destination.0 as usize;
        if self.routes.len() <= place {
            self.routes.resize(place + 1, None);
        }
        self.routes[place] = Some(port);
    }
    /// Packets without a route of their own leave by `port`.
    pub fn set_default(&mut self, port: Port) {
        self.default = Some(port);
    }
    /// One more than the largest destination with a route of its own.
    pub(crate) fn destinations(&self) -> usize {
        self.routes.len()
    }
    /// The port that leads to `destination`.
    #[inline]
    pub fn route(&self, destination: NodeId) -> Option<Port> {
        self.routes.get(destination.0 as usize).copied().flatten().or(self.default)
    }
}
