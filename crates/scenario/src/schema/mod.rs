//! The scenario file, one file here per kind of table. A table's keys are those its `read` function asks
//! for ([`crate::reader::Reader`]); everything else is refused.

pub mod agent;
pub(crate) mod cell;
mod connected;
mod ended;
pub mod extent;
mod flow;
pub mod generated;
pub(crate) mod group;
pub(crate) mod handover;
pub(crate) mod layer_2;
mod link;
pub mod loss;
pub(crate) mod loss_notification;
mod mobile;
pub(crate) mod movement;
pub(crate) mod moving;
pub(crate) mod notice;
pub(crate) mod output;
pub mod protocol;
pub(crate) mod queue;
pub mod recorded;
pub mod schedule;
pub(crate) mod tcp;
pub(crate) mod waypoints;

pub use agent::{AgentPlace, AgentSpec};
pub use cell::CellSpec;
pub use flow::FlowSpec;
pub use group::Ends;
pub use link::{DirectionSpec, LinkSpec};
pub use mobile::MobileSpec;
pub use movement::{MovementSpec, MovesSpec};
pub use notice::NoticeSpec;
pub use output::OutputSpec;
pub use waypoints::WaypointsSpec;

use self::group::Nodes;
use crate::build::MOST_CONNECTIONS;
use crate::codes::Code;
use crate::diagnostics::{Diagnostic, suggestion};
use crate::document::{Node, Table, Value};
use crate::reader::{Context, Reader, WHOLE, list, text};
use crate::source::SourceId;
use crate::units::{self, Complaint};
use seamline_wire::Duration;

/// One cell of an experiment, ready to build: every name resolved and every quantity in its unit.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// What a person calls it.
    pub title: Option<String>,
    /// How long a run lasts.
    pub duration: Duration,
    /// What is left out of all means, from the start.
    pub warm_up: Duration,
    /// Master seeds, one run each.
    pub seeds: Vec<u64>,
    /// Names of the nodes.
    pub nodes: Vec<String>,
    /// The links between them.
    pub links: Vec<LinkSpec>,
    /// The radio cells.
    pub cells: Vec<CellSpec>,
    /// The nodes that move between them.
    pub mobiles: Vec<MobileSpec>,
    /// Who helps on the way.
    pub agents: Vec<AgentSpec>,
    /// Who sends what to whom.
    pub flows: Vec<FlowSpec>,
    /// Files to write.
    pub output: OutputSpec,
}

impl Scenario {
    /// The nodes that links join to a node and to nothing else: the network behind a mobile node. None when these links lead
    /// to a cell.
    pub fn behind(&self, node: usize) -> Vec<usize> {
        let links: Vec<[usize; 2]> = self.links.iter().map(|link| [link.from, link.to]).collect();
        let found = reached(node, &links).split_off(1);
        let in_a_cell = |node: &usize| {
            let fixed = |cell: &CellSpec| cell.base_station == *node || cell.fixed.contains(node);
            self.cells.iter().any(fixed) || self.mobiles.iter().any(|mobile| mobile.node == *node)
        };
        if found.iter().any(in_a_cell) { Vec::new() } else { found }
    }

    /// The nodes that links and the air of cells join to the end of a link without it, that end first: what is on its far side, if
    /// its beginning is not among them. `link` is its place in the list of links.
    pub fn beyond(&self, link: usize) -> Vec<usize> {
        let others = self.links.iter().enumerate().filter(|(place, _)| *place != link);
        let others = others.map(|(_, link)| [link.from, link.to]);
        let fixed =
            self.cells.iter().flat_map(|cell| cell.fixed.iter().map(|fixed| [cell.base_station, *fixed]));
        let mobile = self
            .mobiles
            .iter()
            .flat_map(|mobile| mobile.cells.iter().map(|cell| [self.cells[*cell].base_station, mobile.node]));
        let ways: Vec<[usize; 2]> = others.chain(fixed).chain(mobile).collect();
        reached(self.links[link].to, &ways)
    }
}

/// The nodes that ways join to a node, itself first.
fn reached(from: usize, ways: &[[usize; 2]]) -> Vec<usize> {
    let mut reached = vec![from];
    let mut next = 0;
    while let Some(&node) = reached.get(next) {
        next += 1;
        for end in ways.iter().filter(|way| way.contains(&node)).flatten() {
            if !reached.contains(end) {
                reached.push(*end);
            }
        }
    }
    reached
}

/// Seeds may be as many as this.
const MOST_SEEDS: i64 = 1_000_000;
/// Cells take two ports of a router each, beside the links.
const MOST_CELLS: usize = 1000;

/// Read a whole scenario, without its grid. `None` when something is wrong, which has been noted.
pub fn read(context: &Context<'_>, root: &Table) -> Option<Scenario> {
    let mut reader = Reader::new(context, root, WHOLE, SourceId::FILE.span(0..0));
    let title = reader.optional("title", text);
    reader.optional("description", text);
    let duration = reader.required("duration", units::positive_duration);
    let warm_up = reader.or("warm_up", Duration::ZERO, units::duration);
    if let (Some(duration), Some(warm_up)) = (duration, warm_up)
        && warm_up >= duration
    {
        reader.refuse_value("warm_up", Complaint::new(format!("the run ends after {duration}")));
    }
    let seeds = reader.or("seeds", vec![1], seeds);
    let named = read_nodes(&mut reader);
    let nodes = Nodes::read(&mut reader, named);
    let length = duration.unwrap_or(Duration::from_secs(1));
    let links = link::read_all(&mut reader, &nodes, length);
    let cells = read_cells(&mut reader, &nodes.names);
    let mobiles = read_mobiles(&mut reader, &nodes.names, cells.as_deref(), length);
    let agents = read_agents(&mut reader, links.as_deref(), cells.as_deref());
    let flows = read_flows(&mut reader, &nodes);
    let output = reader.table("output").map(|table| output::read(table, length)).unwrap_or_default();
    if let Some(flows) = &flows {
        refuse_too_many_connections(&mut reader, flows);
    }
    let all = links.zip(cells).zip(mobiles).zip(agents).zip(flows);
    let scenario = all.map(|((((links, cells), mobiles), agents), flows)| Scenario {
        title,
        duration: length,
        warm_up: warm_up.unwrap_or_default(),
        seeds: seeds.clone().unwrap_or_default(),
        nodes: nodes.names,
        links,
        cells,
        mobiles,
        agents,
        flows,
        output,
    });
    if let Some(scenario) = &scenario {
        connected::check(&mut reader, scenario);
    }
    reader.finish();
    scenario.filter(|_| duration.is_some() && warm_up.is_some() && seeds.is_some())
}

/// A name that dotted keys and file names can hold.
pub(crate) fn name(node: &Node) -> Result<String, Complaint> {
    let name = text(node)?;
    let allowed = |letter: char| letter.is_alphanumeric() || "-_+".contains(letter);
    if name.is_empty() || name.len() > 64 || !name.chars().all(allowed) {
        return Err(Complaint::new("a name is made of up to 64 letters, digits, `-`, `_` and `+`")
            .code(Code::BadName));
    }
    Ok(name)
}

/// A number of seeds (1, 2, ... n), or a list of them.
fn seeds(node: &Node) -> Result<Vec<u64>, Complaint> {
    let seed = |node: &Node| match node.value {
        Value::Integer(seed) if seed >= 0 => Ok(seed as u64),
        _ => Err(Complaint::new("a seed is a whole number from 0").code(Code::Seeds)),
    };
    let seeds: Vec<u64> = match &node.value {
        Value::Integer(count @ 1..=MOST_SEEDS) => (1..=*count as u64).collect(),
        Value::List(items) => {
            let read = |item| seed(item).map_err(|complaint| complaint.at(item.span));
            items.iter().map(read).collect::<Result<_, _>>()?
        }
        _ => {
            return Err(Complaint::new(format!(
                "expected a number from 1 to {MOST_SEEDS}, or a list of seeds"
            ))
            .code(Code::Seeds));
        }
    };
    let mut sorted = seeds.clone();
    sorted.sort_unstable();
    if sorted.is_empty() {
        return Err(Complaint::new("without a seed nothing runs").code(Code::Seeds));
    }
    if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(Complaint::new("a seed is named twice; its runs would be the same").code(Code::Seeds));
    }
    Ok(seeds)
}

/// The place of the node that a key names, which must be there.
fn read_node(reader: &mut Reader<'_>, key: &'static str, nodes: &[String]) -> Option<usize> {
    if nodes.is_empty() {
        // That there are none has been noted.
        reader.node(key);
        return None;
    }
    reader.required(key, |node| node_place(node, nodes))
}

fn node_place(node: &Node, nodes: &[String]) -> Result<usize, Complaint> {
    let known: Vec<&str> = nodes.iter().map(String::as_str).collect();
    named_place(node, "node", &known)
}

/// The place of what has the name that is written here; `kind` is what messages call it.
fn named_place(node: &Node, kind: &str, known: &[&str]) -> Result<usize, Complaint> {
    let name = text(node)?;
    known.iter().position(|known| *known == name).ok_or_else(|| {
        let mut complaint = Complaint::new(format!("no such {kind}")).code(Code::UnknownName);
        complaint.tips.extend(suggestion(kind, &name, known));
        complaint
    })
}

/// The places of the nodes that a key names.
fn read_node_list(reader: &mut Reader<'_>, key: &'static str, nodes: &[String]) -> Option<Vec<usize>> {
    if nodes.is_empty() {
        // That there are none has been noted.
        reader.node(key);
        return None;
    }
    reader.required(key, list(|node| node_place(node, nodes)))
}

/// The names that are good; the others are noted.
fn read_nodes(reader: &mut Reader<'_>) -> Vec<String> {
    let Some(node) = reader.node("nodes") else {
        reader.missing("nodes");
        return Vec::new();
    };
    let items =
        if let Value::List(items) = &node.value { items.as_slice() } else { std::slice::from_ref(node) };
    let mut nodes = Vec::new();
    for item in items {
        match name(item) {
            Ok(name) if nodes.contains(&name) => {
                let complaint =
                    Complaint::new(format!("the node \"{name}\" is named twice")).code(Code::NameTaken);
                reader.refuse("nodes", item.span, complaint);
            }
            Ok(name) => nodes.push(name),
            Err(complaint) => reader.refuse("nodes", item.span, complaint),
        }
    }
    if items.is_empty() {
        reader.refuse("nodes", node.span, Complaint::new("a scenario needs nodes").code(Code::Missing));
    }
    nodes
}

fn read_flows(reader: &mut Reader<'_>, nodes: &Nodes) -> Option<Vec<FlowSpec>> {
    let readers = named_tables(reader, "flow");
    let found = readers.len();
    let flows: Vec<FlowSpec> = readers.into_iter().filter_map(|reader| flow::read(reader, nodes)).collect();
    (flows.len() == found && found > 0).then_some(flows)
}

fn read_cells(reader: &mut Reader<'_>, nodes: &[String]) -> Option<Vec<CellSpec>> {
    let readers = optional_named_tables(reader, "cell");
    let found = readers.len();
    let cells: Vec<CellSpec> = readers.into_iter().filter_map(|reader| cell::read(reader, nodes)).collect();
    if found > MOST_CELLS {
        let complaint = Complaint::new(format!("at most {MOST_CELLS} cells fit")).code(Code::OutOfBounds);
        reader.refuse_value("cell", complaint);
        return None;
    }
    (cells.len() == found).then_some(cells)
}

/// Without good cells nothing is said of the mobile nodes' own.
fn read_mobiles(
    reader: &mut Reader<'_>,
    nodes: &[String],
    cells: Option<&[CellSpec]>,
    duration: Duration,
) -> Option<Vec<MobileSpec>> {
    let readers = optional_named_tables(reader, "mobile");
    let cells = cells?;
    let found = readers.len();
    let mobiles: Vec<MobileSpec> =
        readers.into_iter().filter_map(|reader| mobile::read(reader, nodes, cells, duration)).collect();
    (mobiles.len() == found).then_some(mobiles)
}

/// Without good links and cells nothing is said of where agents stand.
fn read_agents(
    reader: &mut Reader<'_>,
    links: Option<&[LinkSpec]>,
    cells: Option<&[CellSpec]>,
) -> Option<Vec<AgentSpec>> {
    let readers = optional_named_tables(reader, "agent");
    let (links, cells) = links.zip(cells)?;
    let found = readers.len();
    let agents: Vec<AgentSpec> =
        readers.into_iter().filter_map(|reader| agent::read(reader, links, cells)).collect();
    (agents.len() == found).then_some(agents)
}

/// The tables of `[[key]]`: at least one, none with another's name.
fn named_tables<'a>(reader: &mut Reader<'a>, key: &'static str) -> Vec<Reader<'a>> {
    if !reader.has(key) {
        let title = format!("the scenario has no [[{key}]]");
        reader.context.complain(Diagnostic::new(Code::Missing, title, reader.span));
    }
    optional_named_tables(reader, key)
}

/// The tables of `[[key]]`, none with another's name.
fn optional_named_tables<'a>(reader: &mut Reader<'a>, key: &'static str) -> Vec<Reader<'a>> {
    let mut readers = reader.tables(key);
    let mut names: Vec<String> = Vec::new();
    for table in &mut readers {
        let Some(Node { value: Value::Text(name), span }) = table.node("name") else { continue };
        if names.contains(name) {
            table.refuse(
                "name",
                *span,
                Complaint::new(format!("another {key} is named \"{name}\"")).code(Code::NameTaken),
            );
        }
        names.push(name.clone());
    }
    readers
}

fn refuse_too_many_connections(reader: &mut Reader<'_>, flows: &[FlowSpec]) {
    let connections: usize = flows.iter().map(|flow| flow.count as usize).sum();
    if connections > MOST_CONNECTIONS
        && let Some((key, _)) = reader.entry("flow")
    {
        let complaint = Complaint::new(format!("{connections} connections; at most {MOST_CONNECTIONS} fit"))
            .code(Code::OutOfBounds);
        reader.refuse("flow", key.span, complaint);
    }
}
