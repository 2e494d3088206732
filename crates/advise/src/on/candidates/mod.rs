//! What is compared with today's hosts.

mod help;
mod settings;
mod tcp;

use super::question::PathQuestion;
use seamline_tcp::handover::Scheme;
use seamline_wire::Duration;
use serde::Serialize;

/// The profile of all hosts: that of flows which name none.
pub const PROFILE: &str = "linux-6.12";
/// What most hosts do today.
pub const TODAY: &str = "cubic";

/// The kinds of candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Group {
    /// What most hosts do today.
    Today,
    /// Another congestion control.
    Tcp,
    /// A setting of a host or of the bottleneck's queue.
    Setting,
    /// What this project installs: an agent at the gateway, or a handover scheme at the ends.
    Help,
    /// The best of several groups together.
    Combination,
}

/// How much it takes to install something. Of two that are as good, the one that takes less is advised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Demand {
    /// A setting of one host.
    OneEnd,
    /// A setting of the bottleneck's device.
    Bottleneck,
    /// A program on one host or gateway.
    Program,
    /// Settings or programs at two places.
    TwoPlaces,
    /// A kernel that no distribution ships.
    Kernel,
}

/// An agent on the path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentChange {
    /// Its kind.
    pub kind: &'static str,
    /// Further keys of its table, one per line.
    pub keys: &'static str,
    /// Further keys of the agent at the mobile router, when there is a second one.
    pub at_router: Option<&'static str>,
}

/// What differs from today's hosts.
#[derive(Clone, Debug, Default)]
pub struct Change {
    /// The variant of TCP.
    pub variant: Option<&'static str>,
    /// Keys of the flow's table `tcp`, with values as in a scenario.
    pub tcp: Vec<(&'static str, String)>,
    /// The queue of the bottleneck, as a line of a scenario.
    pub queue: Option<String>,
    /// An agent at the gateway.
    pub agent: Option<AgentChange>,
    /// A handover scheme at the ends.
    pub scheme: Option<&'static Scheme>,
    /// How long in advance the scheme is told of a handover.
    pub lead: Option<Duration>,
}

impl Change {
    /// Whether the sender's connection ends at the gateway.
    pub fn ends_at_gateway(&self) -> bool {
        let kind = self.agent.as_ref().and_then(|agent| seamline_agent::find(agent.kind));
        kind.is_some_and(|kind| kind.ends_connections)
    }

    /// Both together. They change different things.
    #[must_use]
    pub fn with(&self, other: &Change) -> Change {
        let mut tcp = self.tcp.clone();
        tcp.extend(other.tcp.iter().cloned());
        Change {
            variant: self.variant.or(other.variant),
            tcp,
            queue: self.queue.clone().or_else(|| other.queue.clone()),
            agent: self.agent.clone().or_else(|| other.agent.clone()),
            scheme: self.scheme.or(other.scheme),
            lead: self.lead.or(other.lead),
        }
    }
}

/// Something to compare with today's hosts.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub group: Group,
    /// Where it is installed.
    pub installed: String,
    /// How: the command or setting.
    pub how: String,
    /// How much that takes.
    pub demand: Demand,
    /// Whether it works only with the congestion control of today's hosts.
    pub only_today: bool,
    /// What it changes.
    pub change: Change,
}

/// Today's hosts.
pub fn today() -> Candidate {
    Candidate {
        name: TODAY.to_owned(),
        group: Group::Today,
        installed: "-".to_owned(),
        how: String::new(),
        demand: Demand::OneEnd,
        only_today: false,
        change: Change::default(),
    }
}

/// Everything to compare on this path, today's hosts first.
pub fn all(question: &PathQuestion) -> Vec<Candidate> {
    let mut all = vec![today()];
    all.extend(tcp::all(question));
    all.extend(settings::all(question));
    all.extend(help::all(question));
    all
}
