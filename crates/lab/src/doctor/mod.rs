//! What this host has for live experiments, and what mends what is missing. Everything is tried, on threads and in namespaces
//! that end with the trial; nothing of the host is changed.

mod host;
mod lab;
mod mobile;
mod render;
mod sender;
mod split;

pub use render::table;

use std::fmt;

/// What something is needed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// Without it the lab does not run.
    Required,
    /// Without it the lab runs, less well.
    Recommended,
    /// The daemon for hosts that move does not run without it.
    Mobile,
    /// `seamline sender` needs it, or `seamline mobile` where it freezes.
    Sender,
    /// `seamline agent split` does not run without it.
    Split,
    /// A handy companion.
    Optional,
}

impl fmt::Display for Need {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Need::Required => "Required by the lab",
            Need::Recommended => "Recommended for the lab",
            Need::Mobile => "Required by seamline mobile",
            Need::Sender => "Needed by seamline sender, and by seamline mobile with freeze = true",
            Need::Split => "Required by seamline agent split",
            Need::Optional => "Handy companions, optional",
        })
    }
}

/// Why nothing is known of what is made inside of namespaces where none can be had.
const NOT_TRIED: &str = "cannot be tried without a network namespace";

/// One thing that a host can have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Feature {
    /// What it is called.
    pub name: &'static str,
    /// How much it is needed.
    pub need: Need,
    /// What for.
    pub purpose: &'static str,
    /// Whether it is there.
    pub available: bool,
    /// What was found, or why it cannot be had.
    pub found: String,
    /// When it is missing: what mends it, each with the host it is for.
    pub remedies: Vec<(&'static str, String)>,
}

impl Feature {
    /// `tried` says what was found or why it failed.
    pub fn new(need: Need, name: &'static str, purpose: &'static str, tried: Result<String, String>) -> Self {
        let available = tried.is_ok();
        let found = tried.unwrap_or_else(|why| why);
        Feature { name, need, purpose, available, found, remedies: Vec::new() }
    }

    /// What to do where it is missing: each remedy with the host it is for.
    #[must_use]
    pub fn mended_by(mut self, remedies: &[(&'static str, &str)]) -> Self {
        if self.found.starts_with(NOT_TRIED) {
            self.remedies.push(("first", "network namespaces (see there)".to_owned()));
        } else if !self.available {
            self.remedies.extend(remedies.iter().map(|(host, remedy)| (*host, (*remedy).to_owned())));
        }
        self
    }
}

/// Look at everything. Call it while the process has a single thread: without root's rights it becomes root in a user
/// namespace of its own, as the lab does, and stays there. Takes about a second.
pub fn examine() -> Vec<Feature> {
    let state_folder = lab::state_folder();
    let privileges = crate::system::privileges::obtain();
    let mut features = lab::features(privileges);
    features.push(state_folder);
    features.extend(host::features());
    features.extend(mobile::features());
    features.extend(sender::features());
    features.extend(split::features());
    features.sort_by_key(|feature| feature.need);
    features
}

/// Whether the lab can run.
pub fn can_run(features: &[Feature]) -> bool {
    features.iter().all(|feature| feature.available || feature.need != Need::Required)
}

#[cfg(test)]
mod tests;
