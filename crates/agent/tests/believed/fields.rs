//! The fields of a value, by what [`std::fmt::Debug`] prints of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;

/// By the names that lead to a field, what is in it. Elements of lists have no names of their own, but for the places of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fields(BTreeMap<String, Vec<String>>);

impl Fields {
    pub(crate) fn of(value: &impl Debug) -> Self {
        let mut fields: BTreeMap<String, Vec<String>> = BTreeMap::new();
        let mut names: Vec<String> = Vec::new();
        let mut places = 0;
        for line in format!("{value:#?}").lines() {
            let text = line.trim_start();
            let depth = (line.len() - text.len()) / 4;
            names.truncate(depth);
            if text.starts_with(['}', ']', ')']) {
                continue;
            }
            let (name, value) = text.split_once(": ").filter(|(name, _)| is_name(name)).unwrap_or(("", text));
            if name.is_empty() && names.last().is_some_and(|parent| parent == "slots") {
                names.push(places.to_string());
                places += 1;
            } else {
                names.push(name.to_owned());
            }
            fields.entry(path(&names)).or_default().push(value.trim_end_matches(',').to_owned());
        }
        Fields(fields)
    }

    /// Those that differ.
    pub(crate) fn changed(&self, other: &Fields) -> BTreeSet<String> {
        let names = self.names().chain(other.names());
        names.filter(|name| self.0.get(*name) != other.0.get(*name)).cloned().collect()
    }

    /// Those that differ; of the agent's part none where the connection begins, or is forgotten.
    pub(crate) fn became(&self, after: &Fields) -> BTreeSet<String> {
        let is_held = [self, after].map(|it| it.0.get("slots.0.held").is_some_and(|held| held != &["None"]));
        let counts = |name: &String| is_held == [true; 2] || !is_of_part(name);
        self.changed(after).into_iter().filter(counts).collect()
    }

    /// Those that hold something themselves, not only others.
    pub(crate) fn with_values(&self) -> impl Iterator<Item = &String> {
        let holds = |values: &Vec<String>| values.iter().any(|value| !value.ends_with(['{', '[', '(', '}']));
        self.0.iter().filter(move |(_, values)| holds(values)).map(|(name, _)| name)
    }

    fn names(&self) -> impl Iterator<Item = &String> {
        self.0.keys()
    }
}

/// Whether an agent's part in the attacked connection has it: that has the first place.
pub(crate) fn is_of_part(field: &str) -> bool {
    field.starts_with("slots.0.held.")
}

fn is_name(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

fn path(names: &[String]) -> String {
    let named: Vec<&str> = names.iter().map(String::as_str).filter(|name| !name.is_empty()).collect();
    named.join(".")
}
