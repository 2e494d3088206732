//! Which cell of one result is which of the other, and what differs between them.

use super::Difference;
use crate::error::Error;
use crate::load::{ResultCell, Results};
use seamline_experiment::record::RunRecord;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// A cell that both have, with the runs of the seeds that both have.
#[derive(Debug)]
pub(super) struct Pair<'a> {
    /// What the grids set.
    pub(super) cell: Vec<(String, Value)>,
    /// The runs of A and B, seed by seed.
    pub(super) runs: Vec<(&'a RunRecord, &'a RunRecord)>,
}

/// The cells that both have, and notes on the others. A key that varies in one and is fixed in the
/// other counts with its fixed value.
///
/// # Errors
/// When there is no such cell, or none with a seed in common.
pub(super) fn pairs<'a>(a: &'a Results, b: &'a Results) -> Result<(Vec<Pair<'a>>, Vec<String>), Error> {
    let keys = varied(a, b);
    let describe = |results: &'a Results, cell: &'a ResultCell| -> Vec<(String, Value)> {
        let value = |key: &str| cell.values.get(key).cloned().or_else(|| fixed(results, key));
        keys.iter().map(|key| (key.clone(), value(key).unwrap_or_default())).collect()
    };
    let others: BTreeMap<String, &ResultCell> =
        b.cells.iter().map(|cell| (written(&describe(b, cell)), cell)).collect();
    let mut matched = BTreeSet::new();
    let mut pairs = Vec::new();
    for cell in &a.cells {
        let description = describe(a, cell);
        let name = written(&description);
        let Some(other) = others.get(&name) else { continue };
        matched.insert(name);
        let runs = cell.runs.iter().filter_map(|(seed, run)| Some((run, other.runs.get(seed)?)));
        pairs.push(Pair { cell: description, runs: runs.collect() });
    }
    if matched.is_empty() {
        let grid = |results| grid(results, &keys, &describe);
        let reason = format!("no cell in common: {} has {}; {} has {}", a.name, grid(a), b.name, grid(b));
        return Err(Error::refused(reason, "cells are compared when their grids set the same values"));
    }
    let found = pairs.len();
    pairs.retain(|pair| !pair.runs.is_empty());
    if pairs.is_empty() {
        let reason = format!("no seed in common: {} has {}; {} has {}", a.name, seeds(a), b.name, seeds(b));
        return Err(Error::refused(reason, "runs are compared seed by seed; run both with the same seeds"));
    }
    let mut notes = Vec::new();
    for (results, matched) in [(a, matched.len()), (b, matched.len())] {
        if results.cells.len() > matched {
            notes.push(format!("{} cells are only in {}", results.cells.len() - matched, results.name));
        }
    }
    if pairs.len() < found {
        notes.push(format!("{} cells have no seed in common", found - pairs.len()));
    }
    Ok((pairs, notes))
}

/// The keys that vary in either.
fn varied(a: &Results, b: &Results) -> BTreeSet<String> {
    a.cells.iter().chain(&b.cells).flat_map(|cell| cell.values.keys().cloned()).collect()
}

/// The value of a dotted key that does not vary.
fn fixed(results: &Results, key: &str) -> Option<Value> {
    flattened(results.scenario.as_ref()?).remove(key)
}

fn written(description: &[(String, Value)]) -> String {
    description.iter().map(|(key, value)| format!("{key}={value}\n")).collect()
}

fn grid<'a>(
    results: &'a Results,
    keys: &BTreeSet<String>,
    describe: &dyn Fn(&'a Results, &'a ResultCell) -> Vec<(String, Value)>,
) -> String {
    let axis = |key: &String| {
        let values: BTreeSet<String> = results
            .cells
            .iter()
            .flat_map(|cell| describe(results, cell))
            .filter(|(known, _)| known == key)
            .map(|(_, value)| if value.is_null() { "nothing".to_owned() } else { value.to_string() })
            .collect();
        format!("{key} = {}", values.into_iter().collect::<Vec<_>>().join(" or "))
    };
    keys.iter().map(axis).collect::<Vec<_>>().join(", ")
}

fn seeds(results: &Results) -> String {
    let seeds: BTreeSet<u64> = results.cells.iter().flat_map(|cell| cell.runs.keys().copied()).collect();
    match (seeds.first(), seeds.last()) {
        (Some(first), Some(last)) if (last - first) as usize + 1 == seeds.len() => {
            format!("{first} to {last}")
        }
        _ => seeds.iter().map(u64::to_string).collect::<Vec<_>>().join(", "),
    }
}

/// The keys that differ between the scenarios, except those that vary. Unknown keys are not reported as different.
pub(super) fn scenario_differences(a: &Results, b: &Results) -> Vec<Difference> {
    let (Some(first), Some(second)) = (&a.scenario, &b.scenario) else { return Vec::new() };
    let (first, second) = (flattened(first), flattened(second));
    let varied = varied(a, b);
    let keys: BTreeSet<&String> = first.keys().chain(second.keys()).collect();
    let differs = keys
        .into_iter()
        .filter(|key| first.get(*key) != second.get(*key) && !varied.contains(*key) && *key != "seeds");
    let difference = |key: &String| Difference {
        key: key.clone(),
        a: first.get(key).cloned(),
        b: second.get(key).cloned(),
    };
    differs.map(difference).collect()
}

/// A scenario as dotted keys and values, as `--set` takes them: tables in lists by name.
fn flattened(scenario: &Value) -> BTreeMap<String, Value> {
    let mut all = BTreeMap::new();
    flatten(scenario, String::new(), &mut all);
    all
}

fn flatten(value: &Value, path: String, all: &mut BTreeMap<String, Value>) {
    let below = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    match value {
        Value::Object(entries) => {
            entries.iter().for_each(|(key, value)| flatten(value, below(key), all));
        }
        Value::Array(items) if items.iter().any(Value::is_object) => {
            for (place, item) in items.iter().enumerate() {
                let name = item.get("name").or_else(|| item.get("kind")).and_then(Value::as_str);
                flatten(item, below(name.unwrap_or(&(place + 1).to_string())), all);
            }
        }
        other => drop(all.insert(path, other.clone())),
    }
}
