//! Tables that stand for several: where they name a group of nodes, there is a link, a radio cell or an agent for each of them, called
//! `name-1`, `name-2` and so on.

use super::group::End;
use crate::codes::Code;
use crate::document::Node;
use crate::keys::{Shape, Takes, index_of};
use crate::reader::{Reader, text};
use crate::units::Complaint;
use seamline_mobility::Position;
use std::collections::BTreeMap;
use std::ops::Range;

/// One of those that a table stands for.
pub(super) trait Member {
    /// Its own name, and that of its table where that stands for several.
    fn names(&self) -> (&str, Option<&str>);
}

/// The name of one of those that the table `name` stands for.
pub(super) fn member(name: &str, index: usize) -> String {
    format!("{name}-{}", index + 1)
}

/// Read tables, each of which becomes one or several; `None` when one of them is wrong, which has been noted.
pub(super) fn read_all<V: Member>(
    kind: &'static str,
    tables: Vec<Reader<'_>>,
    read: impl Fn(usize, Reader<'_>) -> Option<Vec<V>>,
) -> Option<Vec<V>> {
    let found: Vec<Option<Vec<V>>> =
        tables.iter().enumerate().map(|(place, table)| read(place, table.clone())).collect();
    refuse_shared_names(kind, &tables, &found);
    Some(found.into_iter().collect::<Option<Vec<_>>>()?.into_iter().flatten().collect())
}

/// The names of a table's members may equal those of another table or of its members: their records and random streams would be
/// the same.
fn refuse_shared_names<V: Member>(kind: &str, tables: &[Reader<'_>], read: &[Option<Vec<V>>]) {
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for (place, (table, members)) in tables.iter().zip(read).enumerate() {
        let mut table = table.clone();
        let written = |table: &mut Reader<'_>| table.node("name").and_then(|name| text(name).ok());
        let own = written(&mut table);
        for member in members.iter().flatten() {
            let (name, _) = member.names();
            let earlier = *places.entry(name).or_insert(place);
            let other = written(&mut tables[earlier].clone());
            // Two tables with one name have been noted already.
            if earlier != place && other != own {
                table.what = format!("{kind} \"{}\"", own.unwrap_or_default());
                table.refuse_value("name", shared_name(kind, name, other.as_deref()));
                break;
            }
        }
    }
}

fn shared_name(kind: &str, name: &str, other: Option<&str>) -> Complaint {
    let label = match other {
        Some(other) if other != name => {
            format!("{} {kind} of \"{other}\" is called \"{name}\"", article(kind))
        }
        _ => format!("another {kind} is called \"{name}\""),
    };
    let tip = format!(
        "{kind}s of a group are called NAME-1, NAME-2 and so on: choose a name that no other {kind} has"
    );
    Complaint::new(label).code(Code::NameTaken).tip(tip)
}

fn article(kind: &str) -> &'static str {
    if kind.starts_with('a') { "an" } else { "a" }
}

/// What a name stands for: one, or all of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Members {
    /// Their indices among all of their kind.
    pub(super) range: Range<usize>,
    /// Whether it is the name of a table that stands for several.
    pub(super) is_group: bool,
}

/// A name of one of these, or of a table that stands for several of them; messages call it a `kind`.
pub(super) fn members<'a, V: Member>(kind: &'static str, all: &'a [V]) -> Takes<'a, Members> {
    let names = || all.iter().map(V::names);
    let one = index_of(kind, names().map(|(name, _)| name).collect());
    let mut groups: BTreeMap<&str, Range<usize>> = BTreeMap::new();
    for (index, (_, group)) in names().enumerate() {
        if let Some(group) = group {
            groups.entry(group).or_insert(index..index).end = index + 1;
        }
    }
    let single = names().filter(|(_, group)| group.is_none()).map(|(name, _)| name);
    let tables = index_of(kind, groups.keys().copied().chain(single).collect());
    let read = move |node: &Node| {
        let group = text(node).ok().and_then(|name| groups.get(name.as_str()).cloned());
        match (group, one.read(node)) {
            (Some(range), _) => Ok(Members { range, is_group: true }),
            (None, Ok(index)) => Ok(Members { range: index..index + 1, is_group: false }),
            // Suggest names of tables: there may be thousands of members.
            (None, Err(complaint)) => Err(tables.read(node).err().unwrap_or(complaint)),
        }
    };
    Takes::new(Shape::Text, read, |_| None)
}

/// The position so many places after the first.
pub(super) fn spaced(first: Position, spacing: Option<Position>, place: f64) -> Position {
    let spacing = spacing.unwrap_or(Position { x: 0.0, y: 0.0 });
    Position { x: first.x + place * spacing.x, y: first.y + place * spacing.y }
}

/// Refuse a spacing where there is nothing to space.
pub(super) fn refuse_spacing(reader: &mut Reader<'_>, end: Option<End>, key: &str) {
    if reader.has("spacing") && end.is_some_and(|end| !end.is_group()) {
        let label = format!("`{key}` names a single node, and `spacing` is for groups");
        let tip = format!("leave it out, or name a group in `{key}`");
        reader.refuse_value("spacing", Complaint::conflict(label).tip(tip));
    }
}
