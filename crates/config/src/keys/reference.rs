//! Tables of keys as a page of reference, as a list for a terminal, and as dotted paths.

use super::shape::{KeyShape, Shape, TableShape};
use std::collections::BTreeSet;

/// A table with its title; each is visited once.
struct Page<'s> {
    title: String,
    about: &'s str,
    keys: Vec<&'s KeyShape>,
}

/// The table at a dotted path and the tables in it, each before those inside of it.
fn pages<'s>(
    (title, path): (&str, &str),
    table: &'s TableShape,
    seen: &mut BTreeSet<&'static str>,
    found: &mut Vec<Page<'s>>,
) {
    let kinds = || table.keys.iter().flat_map(|key| key.kinds.iter().map(move |kind| (key.name, kind)));
    found.push(Page { title: title.to_owned(), about: table.about, keys: table.keys.iter().collect() });
    for (selector, kind) in kinds().filter(|(_, kind)| !kind.table.keys.is_empty()) {
        let title = format!("{title}, `{selector} = \"{}\"`", kind.choice.name);
        found.push(Page { title, about: kind.choice.about, keys: kind.table.keys.iter().collect() });
    }
    for key in table.keys.iter().chain(kinds().flat_map(|(_, kind)| &kind.table.keys)) {
        let Some(inner) = key.takes.table() else { continue };
        if inner.definition.is_none_or(|name| seen.insert(name)) {
            let path = if path.is_empty() { key.name.to_owned() } else { format!("{path}.{}", key.name) };
            let title = match (path.contains('.'), inner.key("name").is_some()) {
                (true, _) => format!("`{path}`"),
                (false, true) => format!("`[[{path}]]`"),
                (false, false) => format!("`[{path}]`"),
            };
            pages((&title, &path), inner, seen, found);
        }
    }
}

/// A page in Markdown with all keys, table by table.
pub fn reference_page(title: &str, root: &TableShape) -> String {
    let mut found = Vec::new();
    pages((title, ""), root, &mut BTreeSet::new(), &mut found);
    let mut page = String::new();
    for Page { title, about, keys } in found {
        page += &format!("\n## {title}\n\n");
        if !about.is_empty() {
            page += &format!("{}.\n\n", capital(about));
        }
        page += "| key | value | default | meaning |\n|---|---|---|---|\n";
        for key in &keys {
            let default = match (&key.default, key.is_required) {
                (_, true) => "required".to_owned(),
                (Some(default), _) => format!("`{default}`"),
                (None, _) => String::new(),
            };
            page += &format!("| `{}` | {} | {default} | {} |\n", key.name, cell(&key.takes), key.about);
        }
        for key in &keys {
            let Some(choices) = key.takes.choices() else { continue };
            if choices.iter().all(|choice| choice.about.is_empty()) {
                continue;
            }
            page += &format!("\nValues of `{}`:\n\n", key.name);
            for choice in choices {
                let cite = if choice.cite.is_empty() { String::new() } else { format!(" ({})", choice.cite) };
                page += &format!("- `\"{}\"`: {}{cite}\n", choice.name, choice.about);
            }
        }
    }
    page
}

fn capital(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// Choices that are described below the table are not repeated in it.
fn cell(shape: &Shape) -> String {
    match shape.choices() {
        Some(choices) if choices.iter().any(|choice| !choice.about.is_empty()) => {
            "a name, see below".to_owned()
        }
        _ => shape.text(),
    }
}

/// All keys for a terminal, table by table.
pub fn key_list(title: &str, root: &TableShape) -> String {
    let mut found = Vec::new();
    pages((title, ""), root, &mut BTreeSet::new(), &mut found);
    let mut text = String::new();
    for Page { title, keys, .. } in found {
        let width = keys.iter().map(|key| key.name.len()).max().unwrap_or(0);
        text += &format!("{}\n", title.replace('`', ""));
        for key in keys {
            let default = key.default.as_ref().map(|it| format!(" (default: {it})")).unwrap_or_default();
            let required = if key.is_required { " (required)" } else { "" };
            text += &format!("  {:<width$}  {}{default}{required}\n", key.name, key.about);
        }
        text += "\n";
    }
    text
}

/// The dotted path of every key that takes a value, as `--set` has it, with its meaning. `NAME` is the name of a table.
pub fn key_paths(root: &TableShape) -> Vec<(String, &'static str)> {
    let mut paths = Vec::new();
    add_paths("", root, &mut paths);
    paths.sort();
    paths.dedup_by(|one, other| one.0 == other.0);
    paths
}

fn add_paths(prefix: &str, table: &TableShape, paths: &mut Vec<(String, &'static str)>) {
    for key in &table.keys {
        let path = format!("{prefix}{}", key.name);
        match key.takes.table() {
            Some(inner) if inner.key("name").is_some() => add_paths(&format!("{path}.NAME."), inner, paths),
            Some(inner) => add_paths(&format!("{path}."), inner, paths),
            None if matches!(key.takes, Shape::Other(..)) && key.name == "grid" => {}
            None => paths.push((path, key.about)),
        }
        key.kinds.iter().for_each(|kind| add_paths(prefix, &kind.table, paths));
    }
}
