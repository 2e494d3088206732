//! Congestion controls of other crates, each with the table of its parameters in a flow.

use super::with_historical;
use crate::keys::Keys;
use seamline_tcp::Parameters;
use seamline_tcp::cc::{self, Algorithm, NameTaken, OwnParameters};
use std::fmt;
use std::sync::{PoisonError, RwLock, RwLockReadGuard};

type FlowKeys = Keys<'static, Parameters>;

static ADDED: RwLock<Vec<Added>> = RwLock::new(Vec::new());

fn all() -> RwLockReadGuard<'static, Vec<Added>> {
    ADDED.read().unwrap_or_else(PoisonError::into_inner)
}

/// A congestion control of another crate, and the keys of its parameters.
pub struct Added {
    algorithm: &'static Algorithm,
    extend: Box<dyn Fn(FlowKeys) -> FlowKeys + Send + Sync>,
    version: Option<Box<dyn Fn() -> String + Send + Sync>>,
}

impl Added {
    /// With the keys of the flow's table that has its name. They set fields of `P`, which the congestion control gets by
    /// [`cc::OwnSet::get`].
    pub fn new<P>(
        algorithm: &'static Algorithm,
        keys: impl Fn() -> Keys<'static, P> + Send + Sync + 'static,
    ) -> Self
    where
        P: OwnParameters + Default,
    {
        let extend = move |all: FlowKeys| {
            all.part(algorithm.name, algorithm.summary, keys(), |it| it.congestion_control.own.get_mut::<P>())
        };
        Added { algorithm, extend: Box::new(extend), version: None }
    }

    /// With what its results depend on, for one that is not part of the program, such as the text of a script. It belongs to the
    /// identity of grid cells that use the congestion control.
    #[must_use]
    pub fn with_version(self, version: impl Fn() -> String + Send + Sync + 'static) -> Self {
        Added { version: Some(Box::new(version)), ..self }
    }
}

impl fmt::Debug for Added {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Added").field(&self.algorithm.name).finish()
    }
}

/// Add congestion controls of other crates, before any scenario that names them is read. They stay until the process ends.
///
/// # Errors
/// When a name [`is_taken`]; then none is added.
pub fn add(controls: Vec<Added>) -> Result<(), NameTaken> {
    if let Some(taken) = controls.iter().map(|it| it.algorithm.name).find(|name| is_taken(name)) {
        return Err(NameTaken(taken));
    }
    cc::add(controls.iter().map(|it| it.algorithm).collect())?;
    ADDED.write().unwrap_or_else(PoisonError::into_inner).extend(controls);
    Ok(())
}

/// Whether a congestion control or a variant has this name, or a key of flows.
pub fn is_taken(name: &str) -> bool {
    let whole = with_historical();
    let flow = whole.key("flow").and_then(|key| key.takes.table());
    cc::is_taken(name) || flow.is_some_and(|flow| flow.key(name).is_some())
}

/// Whether results depend on congestion controls that other crates have compiled into this program.
pub fn are_compiled() -> bool {
    all().iter().any(|added| added.version.is_none())
}

/// What results of the congestion control of this name depend on, when it was added and is not part of the program.
pub(crate) fn version(name: &str) -> Option<String> {
    let all = all();
    let version = all.iter().find(|added| added.algorithm.name == name)?.version.as_ref()?;
    Some(version())
}

/// The keys of flows with the tables of all that were added.
pub(super) fn extend(keys: FlowKeys) -> FlowKeys {
    all().iter().fold(keys, |keys, added| (added.extend)(keys))
}
