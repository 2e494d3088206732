//! Scenarios in a few lines, for the tests of several crates: each test states what matters to it.

#![allow(dead_code, reason = "not every test needs everything")]

use seamline_scenario::Plan;
use std::path::Path;

/// A scenario file as a plan, with settings as after `--set`.
pub(crate) fn plan(text: &str, overrides: &[&str]) -> Plan {
    let overrides: Vec<String> = overrides.iter().map(|&text| text.to_owned()).collect();
    Plan::new(Path::new("test.toml"), text.to_owned(), &overrides)
        .unwrap_or_else(|diagnostics| panic!("{}", diagnostics.render(false)))
}

/// A link between two nodes, and its other keys.
pub(crate) fn link(name: &str, ends: [&str; 2], keys: &str) -> String {
    between("link", name, ends, keys)
}

/// A flow from one node to another, and its other keys.
pub(crate) fn flow(name: &str, ends: [&str; 2], keys: &str) -> String {
    between("flow", name, ends, keys)
}

fn between(what: &str, name: &str, [from, to]: [&str; 2], keys: &str) -> String {
    format!("\n[[{what}]]\nname = \"{name}\"\nfrom = \"{from}\"\nto = \"{to}\"\n{keys}\n")
}
