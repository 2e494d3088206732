//! Movement detection from advertisements (RFC 5944 section 2.4.2 for IPv4; RFC 6275 section 11.5 for IPv6).

use crate::protocol::{Action, Actions};
use seamline_wire::{Duration, Instant, NodeId};

/// The rule of movement detection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum MovementDetection {
    /// As soon as another agent advertises (eager cell switching).
    #[default]
    Eager,
    /// When another agent advertises and the last advertisement of the current one has expired (lazy cell switching;
    /// the first algorithm of RFC 5944 section 2.4.2).
    Lazy,
}

#[derive(Clone, Copy, Debug)]
struct Heard {
    agent: NodeId,
    /// The expiry of its last advertisement.
    until: Instant,
}

/// Tracks the agent that a mobile node uses.
#[derive(Debug)]
pub(crate) struct AgentDiscovery {
    detection: MovementDetection,
    current: Option<Heard>,
}

impl AgentDiscovery {
    /// No advertisement has been received yet, but the node may know the agent it is registered with.
    pub(crate) fn new(detection: MovementDetection, agent: Option<NodeId>) -> Self {
        let current = agent.map(|agent| Heard { agent, until: Instant::ZERO });
        AgentDiscovery { detection, current }
    }
    /// An advertisement of this agent with this lifetime in seconds was received. Returns whether the node has moved
    /// to it; under lazy switching other agents are ignored while the current one is valid.
    pub(crate) fn heard(
        &mut self,
        now: Instant,
        agent: NodeId,
        lifetime_s: u16,
        actions: &mut Actions,
    ) -> bool {
        actions.push(Action::Heard { agent });
        let has_moved = match self.current {
            Some(current) if current.agent == agent => false,
            Some(current) if self.detection == MovementDetection::Lazy && now < current.until => {
                return false;
            }
            _ => true,
        };
        actions.push(if has_moved { Action::Moved { agent } } else { Action::Stayed });
        self.current = Some(Heard { agent, until: now + Duration::from_secs(u64::from(lifetime_s)) });
        has_moved
    }
}
