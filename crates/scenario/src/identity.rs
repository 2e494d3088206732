//! The identity of a grid cell: a hash of everything its results depend on except the seed and the program.

use crate::document::Table;
use crate::files::Files;
use serde_json::Value as Json;
use std::fmt;
use std::path::PathBuf;

/// Keys that do not affect results: descriptive names, the choice of seeds (each run has its own), and additional
/// output files.
const WITHOUT_EFFECT: [&str; 4] = ["title", "description", "seeds", "output"];

/// The identity of a grid cell: BLAKE3 over its keys and values in alphabetical order, and over the content of every
/// file it names, and what was added to the registries and is no part of the program. Different spellings of a quantity ("1 s", "1000 ms") are different grid cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity(blake3::Hash);

impl Identity {
    /// The identity of a grid cell's document, with the files that were read for it, and the versions of what was added.
    pub(crate) fn of(root: &Table, inputs: &[PathBuf], files: &Files, versions: &[String]) -> Self {
        let mut document = root.to_json();
        document.retain(|key, _| !WITHOUT_EFFECT.contains(&key.as_str()));
        let mut hasher = blake3::Hasher::new();
        hasher.update(canonical(&Json::Object(document)).as_bytes());
        for path in inputs {
            hasher.update(files.content(path).as_bytes());
        }
        for version in versions {
            hasher.update(version.as_bytes());
        }
        Identity(hasher.finalize())
    }

    /// The identity of several grid cells in order.
    pub(crate) fn of_all(cells: impl Iterator<Item = Identity>) -> Self {
        let mut hasher = blake3::Hasher::new();
        cells.for_each(|cell| {
            hasher.update(cell.0.as_bytes());
        });
        Identity(hasher.finalize())
    }

    /// The key of a run: this grid cell, a seed and a version of the program.
    pub fn run_key(&self, seed: u64, engine: &str) -> String {
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.0.as_bytes()).update(&seed.to_le_bytes()).update(engine.as_bytes());
        short(hasher.finalize())
    }
}

/// 128 bits in hexadecimal.
impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&short(self.0))
    }
}

fn short(hash: blake3::Hash) -> String {
    hash.to_hex()[..32].to_owned()
}

/// JSON without spaces, the keys of every object in alphabetical order.
fn canonical(value: &Json) -> String {
    match value {
        Json::Object(entries) => {
            let mut entries: Vec<_> = entries.iter().collect();
            entries.sort_by_key(|(key, _)| *key);
            let entries: Vec<String> =
                entries.iter().map(|(key, value)| format!("{key:?}:{}", canonical(value))).collect();
            format!("{{{}}}", entries.join(","))
        }
        Json::Array(items) => {
            let items: Vec<String> = items.iter().map(canonical).collect();
            format!("[{}]", items.join(","))
        }
        other => other.to_string(),
    }
}
