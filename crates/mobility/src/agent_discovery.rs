//! How a mobile node finds out from advertisements that it has moved (RFC 5944 section 2.4.2 for IPv4; RFC 6275
//! section 11.5 for IPv6).

use crate::protocol::{Action, Actions};
use seamline_wire::{Duration, Instant, NodeId};

/// When a mobile node takes what it hears for a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum MovementDetection {
    /// As soon as another agent is heard (eager cell switching).
    #[default]
    Eager,
    /// When another agent is heard and the last advertisement of the present one has run out (lazy cell
    /// switching; the first algorithm of RFC 5944 section 2.4.2).
    Lazy,
}

#[derive(Clone, Copy, Debug)]
struct Heard {
    agent: NodeId,
    /// When its last advertisement runs out.
    until: Instant,
}

/// Follows the agent that a mobile node uses.
#[derive(Debug)]
pub(crate) struct AgentDiscovery {
    detection: MovementDetection,
    current: Option<Heard>,
}

impl AgentDiscovery {
    /// Nothing has been heard yet, but the node may know the agent that it is registered with.
    pub(crate) fn new(detection: MovementDetection, agent: Option<NodeId>) -> Self {
        let current = agent.map(|agent| Heard { agent, until: Instant::ZERO });
        AgentDiscovery { detection, current }
    }
    /// An advertisement of this agent was heard, good for so many seconds. Whether the node has moved to it; another agent means
    /// nothing while the present one may still be there.
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
