//! The scenario file as a JSON Schema (draft-07), for editors that complete and check it.
//!
//! The readers under [`crate::schema`] decide what a scenario may say; this describes the same, key by key,
//! in the files beside this one. Tests hold the two together: every key that a reader asks for is described and
//! every described key is asked for, choices have the same names, and over many good and bad documents the schema
//! refuses nothing that the readers accept. What depends on several keys at once only the readers know.

mod agent;
mod flow;
mod link;
mod mobile;
mod moving;
mod schedule;
mod top;
mod words;

use serde_json::{Value, json};

/// The schema, indented, ending with a line break.
pub fn json_schema() -> String {
    serde_json::to_string_pretty(&top::scenario()).map(|text| text + "\n").unwrap_or_default()
}

/// A key, what it says, and what it takes.
type Key = (&'static str, Value);

fn key(name: &'static str, about: &str, takes: Value) -> Key {
    let mut takes = takes;
    if let Some(entries) = takes.as_object_mut() {
        entries.insert("description".to_owned(), about.into());
    }
    (name, takes)
}

/// A table with these keys and no others.
fn table(keys: Vec<Key>) -> Value {
    let properties: serde_json::Map<String, Value> =
        keys.into_iter().map(|(name, takes)| (name.to_owned(), takes)).collect();
    json!({ "type": "object", "properties": properties, "additionalProperties": false })
}

/// A table in which `selector` says which other keys there are, besides those that all kinds share.
fn table_of_kinds(selector: Key, shared: Vec<Key>, kinds: Vec<(&str, Vec<Key>)>) -> Value {
    let name = selector.0;
    let mut all: Vec<Key> = std::iter::once(selector).chain(shared.clone()).collect();
    let mut cases = Vec::new();
    for (kind, own) in kinds {
        let names: Vec<&str> =
            std::iter::once(name).chain(shared.iter().chain(&own).map(|(name, _)| *name)).collect();
        let own_keys: serde_json::Map<String, Value> =
            own.iter().map(|(name, takes)| ((*name).to_owned(), takes.clone())).collect();
        cases.push(json!({
            "if": { "properties": { name: { "const": kind } }, "required": [name] },
            "then": { "properties": own_keys, "propertyNames": { "enum": names } },
        }));
        own.into_iter().for_each(|key| merge(&mut all, key));
    }
    let mut schema = table(all);
    schema["allOf"] = cases.into();
    schema
}

/// What a key takes that kinds use differently, only the kind says.
fn merge(all: &mut Vec<Key>, (name, takes): Key) {
    match all.iter_mut().find(|(known, _)| *known == name) {
        None => all.push((name, takes)),
        Some((_, known)) if *known == takes => {}
        Some((_, known)) => *known = json!({ "description": known["description"] }),
    }
}
