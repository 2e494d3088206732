//! What this host has for live experiments and daemons, and how to get what is missing. Each check tries the feature, on threads and in
//! namespaces that end with it; nothing of the host is changed.
//!
//! A command adds the checks of its own, e.g. those of the lab, and shows the [`table`].

mod mobile;
mod program;
mod render;
mod sender;
mod split;

pub use program::program;
pub use render::{json, table, wrapped};

use crate::namespace::Namespace;
use crate::netlink::interfaces::bring_up_loopback;
use std::io;

/// What a feature is needed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// The lab does not run without it.
    Required,
    /// The lab runs less well without it.
    Recommended,
    /// `seamline-host mobile` does not run without it.
    Mobile,
    /// eBPF programs need it: those of `seamline-host sender`, and of `seamline-host mobile` with `freeze = true`.
    Sender,
    /// `seamline-host agent split` does not run without it.
    Split,
    /// A useful tool.
    Optional,
}

impl Need {
    /// All needs with their names in JSON and their headings, in the order of tables.
    const ALL: [(Need, &str, &str); 6] = [
        (Need::Required, "required", "Required by the lab"),
        (Need::Recommended, "recommended", "Recommended for the lab"),
        (Need::Mobile, "mobile", "Required by seamline-host mobile"),
        (Need::Sender, "sender", "Required by seamline-host sender, and by mobile with freeze = true"),
        (Need::Split, "split", "Required by seamline-host agent split"),
        (Need::Optional, "optional", "Optional tools"),
    ];

    /// Its name in JSON.
    pub fn name(self) -> &'static str {
        Need::ALL.iter().find(|(need, ..)| *need == self).map_or("", |(_, name, _)| name)
    }
}

/// Found instead of a result where no network namespace can be created.
pub const NOT_TRIED: &str = "cannot be tried without a network namespace";

/// A feature of a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feature {
    /// Its name.
    pub name: &'static str,
    /// What it is needed for, and how much.
    pub need: Need,
    /// What it does there.
    pub purpose: &'static str,
    /// Whether the host has it.
    pub available: bool,
    /// What was found, or why it is not available.
    pub found: String,
    /// How to get it when it is missing: each remedy with the kind of host it is for.
    pub remedies: Vec<(&'static str, String)>,
}

impl Feature {
    /// A feature that was tried: `result` is what was found, or why it failed.
    pub fn new(
        need: Need,
        name: &'static str,
        purpose: &'static str,
        result: Result<String, String>,
    ) -> Self {
        let available = result.is_ok();
        let found = result.unwrap_or_else(|why| why);
        Feature { name, need, purpose, available, found, remedies: Vec::new() }
    }

    /// With what to do where it is missing: each remedy with the kind of host it is for.
    #[must_use]
    pub fn fixed_by(mut self, remedies: &[(&'static str, &str)]) -> Self {
        if self.found.starts_with(NOT_TRIED) {
            self.remedies.push(("first", "network namespaces (see there)".to_owned()));
        } else if !self.available {
            self.remedies.extend(remedies.iter().map(|(host, remedy)| (*host, (*remedy).to_owned())));
        }
        self
    }
}

/// Try what `seamline-host` needs. Takes about a second.
pub fn examine() -> Vec<Feature> {
    [mobile::features(), sender::features(), split::features()].concat()
}

/// The names of all features of a need that are missing, separated by commas; empty when there are none.
pub fn missing(features: &[Feature], need: Need) -> String {
    let missing = features.iter().filter(|feature| feature.need == need && !feature.available);
    missing.map(|feature| feature.name).collect::<Vec<_>>().join(", ")
}

/// A namespace with a loopback interface that is up.
///
/// # Errors
/// When the process may not create one.
pub fn namespace_with_loopback() -> io::Result<Namespace> {
    let namespace = Namespace::new()?;
    bring_up_loopback(&namespace)?;
    Ok(namespace)
}

/// Try something in a namespace of its own; what was found on success.
fn in_a_namespace(task: impl FnOnce() -> io::Result<()> + Send, found: &str) -> Result<String, String> {
    let tried = namespace_with_loopback().and_then(|namespace| namespace.within(task));
    tried.map(|()| found.to_owned()).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests;
