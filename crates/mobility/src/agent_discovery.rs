//! How a mobile node finds out from advertisements that it has moved (RFC 5944 section 2.4.2).

use seamline_wire::control::AgentAdvertisement;
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
    /// An advertisement was heard: whether it means that the node has moved.
    pub(crate) fn heard(&mut self, now: Instant, advertisement: &AgentAdvertisement) -> bool {
        let until = now + Duration::from_secs(u64::from(advertisement.lifetime_s));
        let heard = Heard { agent: advertisement.agent, until };
        let stays = match (self.current, self.detection) {
            (None, _) => false,
            (Some(current), _) if current.agent == heard.agent => {
                self.current = Some(heard);
                return false;
            }
            (Some(_), MovementDetection::Eager) => false,
            (Some(current), MovementDetection::Lazy) => now < current.until,
        };
        if !stays {
            self.current = Some(heard);
        }
        !stays
    }
}
