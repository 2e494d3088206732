//! Baselines that a user names: a key of the grid and the value to compare with.

use seamline_config::document::Value;
use seamline_scenario::Parts;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// What the grid sets in a grid cell.
type Settings = [(String, Value)];

/// The value that stands for "no help" on any axis.
const NONE: &str = "none";

/// Compares each grid cell with the grid cell that has this value on its axis, and otherwise the same values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Baseline {
    key: String,
    value: String,
    /// The keys that vary together with the key, including itself.
    axis: Vec<String>,
}

impl Baseline {
    /// Read `KEY=VALUE`.
    ///
    /// # Errors
    /// When the key is no axis of the grid, or the value is not on it. The message lists what is.
    pub fn new(parts: &Parts<'_>, text: &str) -> Result<Self, String> {
        let Some((key, value)) = text.split_once('=') else {
            return Err(format!("--baseline {text:?} should be KEY=VALUE\n{}", tip(parts)));
        };
        let (key, value) = (key.trim(), value.trim().trim_matches(['"', '\'']));
        let key = key.strip_prefix("grid.").unwrap_or(key);
        let values = values(parts, key);
        if values.is_empty() {
            return Err(format!("--baseline: the grid does not vary {key:?}\n{}", tip(parts)));
        }
        if !values.iter().any(|known| known == value) {
            return Err(format!("--baseline: {value:?} is not a value of {key} in the grid\n{}", tip(parts)));
        }
        Ok(Baseline::of(parts, key, value))
    }

    fn of(parts: &Parts<'_>, key: &str, value: &str) -> Self {
        let axis = parts.first().axes.iter().find(|axis| axis.iter().any(|known| known == key));
        Baseline { key: key.to_owned(), value: value.to_owned(), axis: axis.cloned().unwrap_or_default() }
    }

    /// One for each axis of the grid that has the value `none`.
    pub(crate) fn without_help(parts: &Parts<'_>) -> Vec<Self> {
        let has_none = |key: &&String| all_values(parts, key).any(|value| value == NONE);
        let keys = parts.first().axes.iter().filter_map(|axis| axis.iter().find(has_none));
        keys.map(|key| Baseline::of(parts, key, NONE)).collect()
    }

    /// For each grid cell the one that it is compared with.
    pub(crate) fn cells(&self, parts: &Parts<'_>) -> Vec<Option<usize>> {
        let is_baseline = |set: &Settings| {
            set.iter().any(|(key, value)| *key == self.key && value.to_string() == self.value)
        };
        let is_on_axis = |key: &str| self.axis.iter().any(|known| known == key);
        let mut cells = first_that_agree(parts, is_on_axis, is_baseline);
        // Of several rows of an axis with the same value, a cell that is one of them is its own baseline.
        for (place, _) in parts.values().enumerate().filter(|(_, set)| is_baseline(set)) {
            cells[place] = Some(place);
        }
        cells
    }
}

impl fmt::Display for Baseline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} = {}", self.key, self.value)
    }
}

/// For each grid cell the first of those chosen that has the same values, apart from the keys that `is_ignored` names.
pub(crate) fn first_that_agree(
    parts: &Parts<'_>,
    is_ignored: impl Fn(&str) -> bool,
    is_chosen: impl Fn(&Settings) -> bool,
) -> Vec<Option<usize>> {
    // Grids may be large, so of the other values there is a hash.
    let others = |set: &Settings| {
        let mut hasher = blake3::Hasher::new();
        for (key, value) in set.iter().filter(|(key, _)| !is_ignored(key)) {
            hasher.update(format!("{key}={value}\0").as_bytes());
        }
        *hasher.finalize().as_bytes()
    };
    let mut first = BTreeMap::new();
    for (place, set) in parts.values().enumerate().filter(|(_, set)| is_chosen(set)) {
        first.entry(others(&set)).or_insert(place);
    }
    parts.values().map(|set| first.get(&others(&set)).copied()).collect()
}

/// The values of a key in the grid, in grid order.
fn all_values(parts: &Parts<'_>, key: &str) -> impl Iterator<Item = String> {
    let of =
        move |set: &Settings| set.iter().find(|(known, _)| known == key).map(|(_, value)| value.to_string());
    parts.values().filter_map(move |set| of(&set))
}

/// The same without duplicates.
fn values(parts: &Parts<'_>, key: &str) -> Vec<String> {
    let mut known = BTreeSet::new();
    all_values(parts, key).filter(|value| known.insert(value.clone())).collect()
}

fn tip(parts: &Parts<'_>) -> String {
    let axes = &parts.first().axes;
    let known = axes.iter().flatten().map(|key| format!("\n  {key}: {}", values(parts, key).join(", ")));
    match axes.is_empty() {
        true => "tip: there is no grid; --set \"grid.KEY=[...]\" varies a key".to_owned(),
        false => format!("tip: the grid varies{}", known.collect::<String>()),
    }
}
