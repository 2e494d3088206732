//! What other crates add to the registries: congestion controls, handover schemes and agents, each with the table of its parameters.

use super::with_historical;
use crate::keys::Keys;
use crate::schema::Scenario;
use seamline_agent::Kind;
use seamline_tcp::Parameters;
use seamline_tcp::cc::{self, Algorithm, NameTaken, OwnParameters};
use seamline_tcp::handover::{self, Scheme};
use seamline_wire::registry::refuse_taken;
use std::fmt;
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

type FlowKeys = Keys<'static, Parameters>;
type AgentKeys = Keys<'static, seamline_agent::Parameters>;

static ADDED: RwLock<Vec<Added>> = RwLock::new(Vec::new());

fn all() -> RwLockReadGuard<'static, Vec<Added>> {
    ADDED.read().unwrap_or_else(PoisonError::into_inner)
}

/// An entry of a registry, and the keys of its parameters: the table that has its name, of a flow or of an agent. The keys set fields of
/// a `P`, which the entry gets by [`cc::OwnSet::get`].
pub struct Added {
    entry: Entry,
    version: Option<Box<dyn Fn() -> String + Send + Sync>>,
}

enum Entry {
    CongestionControl(&'static Algorithm, Box<dyn Fn(FlowKeys) -> FlowKeys + Send + Sync>),
    Scheme(&'static Scheme, Box<dyn Fn(FlowKeys) -> FlowKeys + Send + Sync>),
    Agent(&'static Kind, Box<dyn Fn(AgentKeys) -> AgentKeys + Send + Sync>),
}

impl Added {
    /// A congestion control.
    pub fn new<P: OwnParameters + Default>(
        algorithm: &'static Algorithm,
        keys: impl Fn() -> Keys<'static, P> + Send + Sync + 'static,
    ) -> Self {
        let extend = move |all: FlowKeys| {
            all.part(algorithm.name, algorithm.summary, keys(), |it| it.congestion_control.own.get_mut::<P>())
        };
        Added { entry: Entry::CongestionControl(algorithm, Box::new(extend)), version: None }
    }

    /// A handover scheme.
    pub fn scheme<P: OwnParameters + Default>(
        scheme: &'static Scheme,
        keys: impl Fn() -> Keys<'static, P> + Send + Sync + 'static,
    ) -> Self {
        let extend = move |all: FlowKeys| {
            all.part(scheme.name, scheme.summary, keys(), |it| it.handover.own.get_mut::<P>())
        };
        Added { entry: Entry::Scheme(scheme, Box::new(extend)), version: None }
    }

    /// An agent.
    pub fn agent<P: OwnParameters + Default>(
        kind: &'static Kind,
        keys: impl Fn() -> Keys<'static, P> + Send + Sync + 'static,
    ) -> Self {
        let extend =
            move |all: AgentKeys| all.part(kind.name, kind.summary, keys(), |it| it.own.get_mut::<P>());
        Added { entry: Entry::Agent(kind, Box::new(extend)), version: None }
    }

    /// With what its results depend on, for one that is not part of the program, such as the text of a script. It belongs to the
    /// identity of grid cells that use it.
    #[must_use]
    pub fn with_version(self, version: impl Fn() -> String + Send + Sync + 'static) -> Self {
        Added { version: Some(Box::new(version)), ..self }
    }

    fn name(&self) -> &'static str {
        match &self.entry {
            Entry::CongestionControl(it, _) => it.name,
            Entry::Scheme(it, _) => it.name,
            Entry::Agent(it, _) => it.name,
        }
    }

    fn is_used_in(&self, scenario: &Scenario) -> bool {
        let mut flows = scenario.flows.iter();
        match &self.entry {
            Entry::CongestionControl(it, _) => {
                flows.any(|flow| flow.variant.congestion_control.name == it.name)
            }
            Entry::Scheme(it, _) => flows.any(|flow| flow.handover.is_some_and(|used| used.name == it.name)),
            Entry::Agent(it, _) => {
                scenario.agents.iter().any(|agent| agent.kind.is_some_and(|used| used.name == it.name))
            }
        }
    }
}

impl fmt::Debug for Added {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Added").field(&self.name()).finish()
    }
}

/// Add entries, before any scenario that names them is read. They stay until the process ends.
///
/// # Errors
/// When a name [`is_taken`]; then none is added.
pub fn add(entries: Vec<Added>) -> Result<(), NameTaken> {
    refuse_taken(entries.iter().map(Added::name), is_taken)?;
    for added in &entries {
        match added.entry {
            Entry::CongestionControl(it, _) => cc::add(&[it])?,
            Entry::Scheme(it, _) => handover::add(&[it])?,
            Entry::Agent(it, _) => seamline_agent::add(&[it])?,
        }
    }
    ADDED.write().unwrap_or_else(PoisonError::into_inner).extend(entries);
    Ok(())
}

/// Whether anything in a registry has this name, or a key of flows or agents.
pub fn is_taken(name: &str) -> bool {
    let whole = with_historical();
    let has_key = |table: &str| {
        let table = whole.key(table).and_then(|key| key.takes.table());
        table.is_some_and(|table| table.key(name).is_some())
    };
    let is_registered =
        cc::is_taken(name) || handover::find(name).is_some() || seamline_agent::find(name).is_some();
    is_registered || name == super::agent::NONE.0 || has_key("flow") || has_key("agent")
}

/// Whether there are any.
pub fn are_any() -> bool {
    !all().is_empty() || !cc::added().is_empty()
}

/// Whether results depend on code that other crates have compiled into this program.
pub fn are_compiled() -> bool {
    all().iter().any(|added| added.version.is_none())
}

/// What results of a scenario depend on that was added and is not part of the program.
pub(crate) fn versions(scenario: &Scenario) -> Vec<String> {
    let all = all();
    let used = all.iter().filter(|added| added.is_used_in(scenario));
    used.filter_map(|added| added.version.as_ref()).map(|version| version()).collect()
}

/// The keys of flows with the tables of all that were added.
pub(super) fn extend(keys: FlowKeys) -> FlowKeys {
    all().iter().fold(keys, |keys, added| match &added.entry {
        Entry::CongestionControl(_, extend) | Entry::Scheme(_, extend) => extend(keys),
        Entry::Agent(..) => keys,
    })
}

/// The keys of agents with the tables of all that were added.
pub(super) fn extend_agents(keys: AgentKeys) -> AgentKeys {
    all().iter().fold(keys, |keys, added| match &added.entry {
        Entry::Agent(_, extend) => extend(keys),
        _ => keys,
    })
}
