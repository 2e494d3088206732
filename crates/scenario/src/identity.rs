//! What a cell is, in one number: everything its results depend on except the seed and the program.

use crate::document::Table;
use crate::files::Files;
use serde_json::Value as Json;
use std::fmt;
use std::path::PathBuf;

/// Keys of a scenario that change no result: names for people, which seeds are run (each run has its own),
/// and what is written beside the record.
const WITHOUT_EFFECT: [&str; 4] = ["title", "description", "seeds", "output"];

/// The identity of a cell: BLAKE3 over its keys and values in alphabetical order, and over the content of
/// every file it names. Two spellings of a quantity ("1 s", "1000 ms") are two cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Identity(blake3::Hash);

impl Identity {
    /// Of a cell's document, with the files that were read for it.
    pub(crate) fn of(root: &Table, inputs: &[PathBuf], files: &Files) -> Self {
        let mut document = root.to_json();
        document.retain(|key, _| !WITHOUT_EFFECT.contains(&key.as_str()));
        let mut hasher = blake3::Hasher::new();
        hasher.update(canonical(&Json::Object(document)).as_bytes());
        for path in inputs {
            hasher.update(files.content(path).as_bytes());
        }
        Identity(hasher.finalize())
    }

    /// Of several cells in their order.
    pub(crate) fn of_all(cells: impl Iterator<Item = Identity>) -> Self {
        let mut hasher = blake3::Hasher::new();
        cells.for_each(|cell| {
            hasher.update(cell.0.as_bytes());
        });
        Identity(hasher.finalize())
    }

    /// The key of the run of this cell under a seed by this version of the program.
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
