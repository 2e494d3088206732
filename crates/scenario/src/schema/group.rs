//! `[[group]]`: nodes that are alike, `host-1` to `host-200`; and the ends of links and flows, which may be groups.

use crate::codes::Code;
use crate::document::Node;
use crate::keys::{Keys, Shape, Takes, index_of, table, whole};
use crate::reader::{Reader, text};
use crate::units::Complaint;
use std::collections::BTreeSet;

/// A group has so many nodes at most.
const MOST: i64 = 10_000;
/// A scenario has so many nodes at most, with those of groups.
const MOST_NODES: usize = 20_000;

/// The nodes of a scenario, those of groups behind those that are named.
#[derive(Debug, Default)]
pub(super) struct Nodes {
    pub(super) names: Vec<String>,
    groups: Vec<Group>,
}

/// The name and the number of nodes.
pub(super) type Options = (Option<String>, Option<usize>);

pub(super) fn keys<'a>() -> Keys<'a, Options> {
    table! { Options;
        .definition("group");
        .name("group", "Name of the nodes; they are called NAME-1, NAME-2 and so on", |it: &mut Options| &mut it.0);
        required count (1): whole(1, MOST), "Number of nodes";
    }
}

#[derive(Debug)]
struct Group {
    name: String,
    first: usize,
    count: usize,
}

impl Nodes {
    /// Read the groups; wrong ones are noted and left out. If there are too many nodes, none is returned, so that references to
    /// them cause no further errors.
    pub(super) fn read(reader: &mut Reader<'_>, names: Vec<String>) -> Self {
        let mut total = names.len();
        if total > MOST_NODES {
            reader.refuse_value("nodes", too_many(total));
        }
        let mut nodes = Nodes { names, groups: Vec::new() };
        for table in super::optional_named_tables(reader, "group") {
            nodes.read_group(table, &mut total);
        }
        if total > MOST_NODES { Nodes { names: Vec::new(), groups: Vec::new() } } else { nodes }
    }

    /// Nodes count in `total` even where they are too many to be kept.
    fn read_group(&mut self, mut table: Reader<'_>, total: &mut usize) {
        let mut options = Options::default();
        keys().read(&mut table, &mut options);
        if let (Some(name), Some(count)) = options {
            let fitted = *total <= MOST_NODES;
            *total += count;
            if *total <= MOST_NODES {
                self.add(&mut table, name, count);
            } else if fitted {
                table.refuse_value("count", too_many(*total));
            }
        }
        table.finish();
    }

    fn add(&mut self, table: &mut Reader<'_>, name: String, count: usize) {
        let members: Vec<String> = (1..=count).map(|number| format!("{name}-{number}")).collect();
        let own = || std::iter::once(&name).chain(&members);
        let taken: BTreeSet<&String> = self.names.iter().collect();
        let node = own().find(|name| taken.contains(name)).map(|taken| ("node", taken));
        let named = |name: &&String| self.groups.iter().any(|group| group.name == **name);
        // Two groups with one name have been noted already.
        let group = || members.iter().find(named).map(|taken| ("group", taken));
        if let Some((kind, taken)) = node.or_else(group) {
            let complaint = Complaint::new(format!("a {kind} is called \"{taken}\"")).code(Code::NameTaken);
            table.refuse_value("name", complaint);
        }
        self.groups.push(Group { name, first: self.names.len(), count });
        self.names.extend(members);
    }

    /// The groups, each with the names of its nodes.
    pub(super) fn groups(&self) -> impl Iterator<Item = (&str, &[String])> {
        self.groups.iter().map(|it| (it.name.as_str(), &self.names[it.first..it.first + it.count]))
    }

    /// The node or group of a name.
    fn end(&self, node: &Node) -> Result<End, Complaint> {
        if self.names.is_empty() {
            return Err(Complaint::noted_elsewhere());
        }
        let name = text(node)?;
        if let Some(group) = self.groups.iter().find(|group| group.name == name) {
            return Ok(End { first: group.first, count: group.count, is_group: true });
        }
        let groups = self.groups.iter().map(|group| &group.name);
        // A group that shares its name with a node has been refused.
        let known = self.names.iter().chain(groups).map(String::as_str).collect();
        index_of("node", known).read(node).map(|first| End { first, count: 1, is_group: false })
    }

    /// The name of a node or a group.
    pub(super) fn one_or_group(&self) -> Takes<'_, End> {
        Takes::new(Shape::Text, |node| self.end(node), |_| None)
    }

    /// The keys `from` and `to`.
    pub(super) fn ends(&self, from: &'static str, to: &'static str) -> Keys<'_, Named> {
        table! { Named;
            required from: self.one_or_group(), from;
            required to: self.one_or_group(), to;
        }
    }
}

/// The ends that a table names.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Named {
    from: Option<End>,
    to: Option<End>,
}

impl Named {
    /// The two ends of a link or a flow; `None` when something is wrong, which has been noted.
    pub(super) fn resolve(self, reader: &mut Reader<'_>, what: &str) -> Option<Ends> {
        let ends = Ends { from: self.from?, to: self.to? };
        let complaint = if ends.pairs().any(|[from, to]| from == to) {
            Complaint::new(format!("a {what} needs two different ends"))
        } else if ends.from.is_group && ends.to.is_group && !ends.are_even() {
            let label = format!("{} nodes cannot be paired with {}", ends.from.count, ends.to.count);
            let tip = "give both groups the same `count`, or one a multiple of the other's";
            Complaint::conflict(label).tip(tip)
        } else {
            return Some(ends);
        };
        reader.refuse_value("to", complaint);
        None
    }
}

fn too_many(total: usize) -> Complaint {
    let label = format!("that makes {total} nodes; at most {MOST_NODES} fit, in groups and by name");
    Complaint::out_of_bounds(label).tip("name fewer nodes, or give groups a smaller `count`")
}

/// A node, or a group of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct End {
    first: usize,
    count: usize,
    is_group: bool,
}

impl End {
    /// The nodes.
    pub(super) fn nodes(self) -> std::ops::Range<usize> {
        self.first..self.first + self.count
    }
    /// Whether it is a group, if only of one node.
    pub(super) fn is_group(self) -> bool {
        self.is_group
    }
}

/// The ends of what stands between two nodes, or between each node of a group and another: of two groups of equal size the nodes are
/// joined in pairs; those of a larger group are spread over a smaller one in turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ends {
    from: End,
    to: End,
}

impl Ends {
    /// How many pairs of nodes there are.
    pub fn count(&self) -> usize {
        self.from.count.max(self.to.count)
    }
    /// The indices of the two nodes of a pair; after the last pair they start over.
    pub fn pair(&self, place: usize) -> [usize; 2] {
        [self.from, self.to].map(|end| end.first + place % end.count)
    }
    /// All pairs.
    pub fn pairs(&self) -> impl Iterator<Item = [usize; 2]> + use<> {
        let ends = *self;
        (0..ends.count()).map(move |place| ends.pair(place))
    }
    /// Whether a node is at either end.
    pub fn contains(&self, node: usize) -> bool {
        [self.from, self.to].iter().any(|end| end.nodes().contains(&node))
    }
    /// Whether each node of one end has equally many of the other.
    fn are_even(&self) -> bool {
        let [few, many] = [self.from.count.min(self.to.count), self.count()];
        many.is_multiple_of(few)
    }
    /// Whether either end is a group.
    pub(super) fn is_group(&self) -> bool {
        self.from.is_group || self.to.is_group
    }
}
