//! Congestion controls of other crates, each with the table of its parameters in a flow.

use super::with_historical;
use crate::keys::Keys;
use seamline_tcp::Parameters;
use seamline_tcp::cc::{self, AddError, Algorithm, OwnParameters};
use std::fmt;
use std::sync::OnceLock;

type FlowKeys = Keys<'static, Parameters>;

static ADDED: OnceLock<Vec<Added>> = OnceLock::new();

/// A congestion control of another crate, and the keys of its parameters.
pub struct Added {
    algorithm: &'static Algorithm,
    extend: Box<dyn Fn(FlowKeys) -> FlowKeys + Send + Sync>,
}

impl Added {
    /// With the keys of the flow's table that has its name. The type `P` must belong to this congestion control alone, which gets
    /// its value by [`cc::OwnSet::get`].
    pub fn new<P>(algorithm: &'static Algorithm, keys: fn() -> Keys<'static, P>) -> Self
    where
        P: OwnParameters + Default,
    {
        let extend = move |all: FlowKeys| {
            all.part(algorithm.name, algorithm.summary, keys(), |it| it.congestion_control.own.get_mut::<P>())
        };
        Added { algorithm, extend: Box::new(extend) }
    }
}

impl fmt::Debug for Added {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Added").field(&self.algorithm.name).finish()
    }
}

/// Add congestion controls of other crates, once and before any scenario is read.
///
/// # Errors
/// When a name [`is_taken`], or when some have been added before.
pub fn add(controls: Vec<Added>) -> Result<(), AddError> {
    if let Some(taken) = controls.iter().map(|it| it.algorithm.name).find(|name| is_taken(name)) {
        return Err(AddError::NameTaken(taken));
    }
    cc::add(controls.iter().map(|it| it.algorithm).collect())?;
    ADDED.set(controls).map_err(|_| AddError::Twice)
}

/// Whether a congestion control or a variant has this name, or a key of flows.
pub fn is_taken(name: &str) -> bool {
    let whole = with_historical();
    let flow = whole.key("flow").and_then(|key| key.takes.table());
    cc::is_taken(name) || flow.is_some_and(|flow| flow.key(name).is_some())
}

/// The keys of flows with the tables of all that were added.
pub(super) fn extend(keys: FlowKeys) -> FlowKeys {
    ADDED.get().into_iter().flatten().fold(keys, |keys, added| (added.extend)(keys))
}
