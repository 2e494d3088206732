//! The scenario file, one file here per kind of table. A table's keys are listed once, in [`Keys`], with what each takes and
//! means; everything else is refused. [`description()`] is the same as data.

pub mod added;
pub mod agent;
mod cell;
mod connected;
mod description;
mod ended;
mod event_kind;
pub mod extent;
mod flow;
pub mod generated;
mod group;
mod handover;
mod inherited;
mod layer_2;
mod link;
pub mod loss;
mod loss_notification;
mod mobile;
mod movement;
mod moving;
mod networks;
mod notice;
mod orbit;
mod output;
pub mod protocol;
mod queue;
pub mod recorded;
mod repair;
mod roles;
pub mod schedule;
mod several;
mod stack;
mod tcp;
mod unused;
mod waypoints;
mod with_records;

pub use agent::{AgentPlace, AgentSpec};
pub use cell::CellSpec;
pub use description::{description, json_schema, kinds, reference, with_historical};
pub use event_kind::EventKind;
pub use flow::FlowSpec;
pub use group::Ends;
pub use link::{DirectionSpec, LinkSpec};
pub use mobile::MobileSpec;
pub use movement::{MovementSpec, MovesSpec};
pub(crate) use networks::reached;
pub use networks::{Networks, joined};
pub use notice::NoticeSpec;
pub use output::OutputSpec;
pub use stack::Stack;
pub(crate) use unused::Unapplied;
pub use unused::Unused;
pub use waypoints::WaypointsSpec;

use self::group::Nodes;
use crate::build::MOST_CONNECTIONS;
use crate::codes::Code;
use crate::diagnostics::Diagnostic;
use crate::document::{Node, Table, Value};
use crate::keys::{KeyShape, Keys, Section, Shape, Takes, index_of, positive_time, table, text, time};
use crate::reader::{Context, Reader, WHOLE};
use crate::source::SourceId;
use crate::units::Complaint;
use seamline_config::choices;
use seamline_wire::Duration;
use std::collections::BTreeMap;
use std::sync::Arc;

/// One cell of an experiment, ready to build: every name resolved and every quantity in its unit.
#[derive(Clone, Debug, Default)]
pub struct Scenario {
    /// Its title for people.
    pub title: Option<String>,
    /// How long a run lasts.
    pub duration: Duration,
    /// The time at the start that all means leave out.
    pub warm_up: Duration,
    /// Master seeds, one run each.
    pub seeds: Vec<u64>,
    /// Names of the nodes.
    pub nodes: Vec<String>,
    /// The links between them.
    pub links: Vec<LinkSpec>,
    /// The radio cells.
    pub cells: Vec<CellSpec>,
    /// The mobile nodes.
    pub mobiles: Vec<MobileSpec>,
    /// The agents on the path.
    pub agents: Vec<AgentSpec>,
    /// The flows.
    pub flows: Vec<FlowSpec>,
    /// Nodes whose host is outside of the world, whether or not flows start or end there. No key sets them.
    pub hosts: Vec<usize>,
    /// Settings of the network of hosts with the TCP of a kernel, by name.
    pub sysctls: Vec<(String, String)>,
    /// Parameters of our TCP in flows with the TCP of a kernel.
    pub unused: Vec<Unused>,
    /// Files to write.
    pub output: OutputSpec,
}

impl Scenario {
    /// Take no more memory than necessary, as one of thousands of cells: without room for more, and with the parameters of the cell
    /// before it where they are the same.
    pub(crate) fn share(&mut self, before: Option<&Scenario>) {
        self.links.shrink_to_fit();
        self.nodes.shrink_to_fit();
        self.flows.shrink_to_fit();
        for (flow, other) in self.flows.iter_mut().zip(before.iter().flat_map(|before| &before.flows)) {
            if flow.parameters == other.parameters {
                flow.parameters = Arc::clone(&other.parameters);
            }
        }
    }

    /// The node where an agent stands.
    pub fn node_of(&self, place: AgentPlace) -> usize {
        match place {
            AgentPlace::Link(link) => self.links[link].from,
            AgentPlace::Cell(cell) => self.cells[cell].base_station,
        }
    }
    /// By radio cell: the indices of the mobile nodes that may come to it.
    pub fn visitors(&self) -> Vec<Vec<usize>> {
        let mut visitors = vec![Vec::new(); self.cells.len()];
        for (index, mobile) in self.mobiles.iter().enumerate() {
            mobile.cells.iter().for_each(|cell| visitors[*cell].push(index));
        }
        visitors
    }

    /// What the air of radio cells joins: a base station and a node that is fixed in its cell or may come to it.
    pub fn air(&self) -> impl Iterator<Item = [usize; 2]> {
        let fixed =
            self.cells.iter().flat_map(|cell| cell.fixed.iter().map(|fixed| [cell.base_station, *fixed]));
        let mobile = self
            .mobiles
            .iter()
            .flat_map(|mobile| mobile.cells.iter().map(|cell| [self.cells[*cell].base_station, mobile.node]));
        fixed.chain(mobile)
    }

    /// The nodes that links and the air of cells join to the end of a link without it, that end first: what is on its far side, if
    /// its beginning is not among them. `link` is its index.
    pub fn beyond(&self, link: usize) -> Vec<usize> {
        let others = self.links.iter().enumerate().filter(|(place, _)| *place != link);
        let others = others.map(|(_, link)| [link.from, link.to]);
        let joined = joined(self, others.chain(self.air()));
        reached(self.links[link].to, |node| &joined[node])
    }
}

/// Seeds may be as many as this.
const MOST_SEEDS: i64 = 1_000_000;
/// A scenario has so many cells at most.
const MOST_CELLS: usize = 10_000;

/// What has been read of a scenario.
#[derive(Default)]
struct Top {
    /// What is read straight into it.
    scenario: Scenario,
    description: Option<String>,
    duration: Option<Duration>,
    named: Vec<String>,
    stack: Stack,
    nodes: Nodes,
    links: Option<Vec<LinkSpec>>,
    cells: Option<Vec<CellSpec>>,
    mobiles: Option<Vec<MobileSpec>>,
    agents: Option<Vec<AgentSpec>>,
    flows: Option<Vec<FlowSpec>>,
    needs: Needs,
}

/// Whether a scenario without flows is complete.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Needs {
    /// It needs a flow.
    #[default]
    Flows,
    /// It is a network, in which flows are background traffic.
    Network,
}

impl Top {
    /// How long a run lasts; a second while that is not known.
    fn length(&self) -> Duration {
        self.duration.unwrap_or(Duration::from_secs(1))
    }
}

/// The outermost keys, one a line: how often, name, kind, description. A document's are read in this order, each by its own reader, into a
/// [`Top`]; then the checks. Each list of tables refers to those before it.
fn keys<'a>() -> Keys<'a, Top> {
    let list =
        |name, about, table| KeyShape::new(name, about, Shape::OneOrMany(Box::new(Shape::Table(table))));
    let at_no_node = Nodes::default;
    table! { Top;
        optional title (scenario.title): text(), "Short title";
        optional description: text(), "Longer description";
        required duration: positive_time(), "Duration of a run";
        key warm_up (scenario.warm_up): time(), "Time at the start that all means leave out";
        key seeds (scenario.seeds): seeds(), "Number of seeds (1, 2, ... n), or a list of seeds; one run each";
        key stack: stack::stack(), "TCP of all flows that name none";
        key sysctl (scenario.sysctls): stack::sysctl().one_or_many(), "Settings of hosts with the TCP of a kernel, each `\"NAME=VALUE\"`";
        .custom("nodes", read_names, || KeyShape::new("nodes", "Names of the nodes", Shape::OneOrMany(Box::new(Shape::Name))));
        .needed();
        .custom("group", read_groups, move || list("group", "Nodes that are alike", group::keys().describe(&mut group::Options::default())));
        .custom("link", read_links, move || list("link", "Links between the nodes", link::section(&at_no_node(), Duration::ZERO).describe()));
        .custom("cell", read_cells, move || list("cell", "Radio cells: the air around a base station", cell::section(&at_no_node()).describe()));
        .custom("mobile", read_mobiles, move || list("mobile", "Nodes that move between cells", mobile::section(&at_no_node(), &[], Duration::ZERO).describe()));
        .custom("agent", read_agents, move || list("agent", "Agents in the network, at a base station's end of a link or a cell", agent::section(&[], &[]).describe()));
        .custom("flow", read_flows, move || list("flow", "Flows: who sends what to whom", flow::section(&at_no_node(), &Stack::Seamline).describe()));
        .custom("grid", |_, _| {}, description::grid);
        .custom("output", read_output, || {
            let table = output::keys(Duration::ZERO, &[]).describe(&mut OutputSpec::default());
            KeyShape::new("output", "Files to write in addition to the report", Shape::Table(table))
        });
    }
    .check(|reader, it| {
            if it.duration.is_some_and(|duration| it.scenario.warm_up >= duration) {
                let ends = format!("the run ends after {}", it.length());
                reader.refuse_value("warm_up", Complaint::new(ends));
            }
        })
}

/// Read a whole scenario, without its grid. `None` when something is wrong, which has been noted.
pub fn read(context: &Context<'_>, root: &Table, needs: Needs) -> Option<Scenario> {
    let mut reader = Reader::new(context, root, WHOLE, SourceId::FILE.span(0..0));
    let mut top = Top { needs, ..start() };
    keys().read(&mut reader, &mut top);
    if let Some(flows) = &top.flows {
        refuse_too_many_connections(&mut reader, flows);
    }
    let is_known = top.duration.is_some() && !reader.is_wrong("warm_up") && !reader.is_wrong("seeds");
    let mut scenario = assemble(top);
    if let Some(scenario) = &mut scenario {
        connected::check(&mut reader, scenario);
        scenario.unused = unused::find(&mut reader, scenario);
    }
    reader.finish();
    let mut scenario = scenario.filter(|_| is_known && context.is_clean());
    if let Some(scenario) = &mut scenario {
        inherited::complete(scenario);
    }
    debug_assert!(scenario.is_some() || !context.is_clean(), "a scenario was refused without a reason");
    scenario
}

fn start() -> Top {
    Top { scenario: Scenario { seeds: vec![1], ..Scenario::default() }, ..Top::default() }
}

fn assemble(top: Top) -> Option<Scenario> {
    Some(Scenario {
        duration: top.length(),
        nodes: top.nodes.names,
        links: top.links?,
        cells: top.cells?,
        mobiles: top.mobiles?,
        agents: top.agents?,
        flows: top.flows?,
        ..top.scenario
    })
}

/// A number of seeds (1, 2, ... n), or a list of them.
fn seeds<'a>() -> Takes<'a, Vec<u64>> {
    let shape = Shape::Other(description::seeds(MOST_SEEDS), "whole number; or a list");
    Takes::new(shape, read_seeds, |seeds| Some(format!("{seeds:?}")))
}

fn read_seeds(node: &Node) -> Result<Vec<u64>, Complaint> {
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

/// The index of a node by its name. When there are no nodes, that has been noted, and every name is accepted.
fn node_index(nodes: &[String]) -> Takes<'_, usize> {
    if nodes.is_empty() {
        return Takes::new(Shape::Text, |_| Err(Complaint::noted_elsewhere()), |_| None);
    }
    index_of("node", nodes.iter().map(String::as_str).collect())
}

/// The names that are good; the others are noted.
fn read_names(reader: &mut Reader<'_>, top: &mut Top) {
    let Some(node) = reader.node("nodes") else { return };
    let items =
        if let Value::List(items) = &node.value { items.as_slice() } else { std::slice::from_ref(node) };
    let nodes = &mut top.named;
    for item in items {
        match crate::keys::name().read(item) {
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
}

fn read_groups(reader: &mut Reader<'_>, top: &mut Top) {
    top.nodes = Nodes::read(reader, std::mem::take(&mut top.named));
}

fn read_links(reader: &mut Reader<'_>, top: &mut Top) {
    top.links = link::read_all(reader, &top.nodes, top.length());
}

fn read_cells(reader: &mut Reader<'_>, top: &mut Top) {
    let tables = optional_named_tables(reader, "cell");
    let count = tables.len();
    let section = Section::later(|| cell::section(&top.nodes));
    top.cells = several::read_all("cell", tables, |place, table| {
        let cells = section.read(table)?;
        Some(cells.into_iter().map(|cell| CellSpec { table: place, ..cell }).collect())
    });
    if top.cells.as_ref().map_or(0, Vec::len).max(count) > MOST_CELLS {
        let complaint = Complaint::out_of_bounds(format!("at most {MOST_CELLS} cells fit"));
        reader.refuse_value("cell", complaint);
        top.cells = None;
    }
}

/// The cells of mobile nodes are checked only when all cells are valid.
fn read_mobiles(reader: &mut Reader<'_>, top: &mut Top) {
    let tables = optional_named_tables(reader, "mobile");
    let Some(cells) = &top.cells else { return };
    let length = top.length();
    let section = Section::later(|| mobile::section(&top.nodes, cells, length));
    top.mobiles = mobile::read_all(tables, &section);
}

/// Agents are checked only when links and cells are valid.
fn read_agents(reader: &mut Reader<'_>, top: &mut Top) {
    let tables = optional_named_tables(reader, "agent");
    let (Some(links), Some(cells)) = (&top.links, &top.cells) else { return };
    let section = Section::later(|| agent::section(links, cells));
    top.agents = several::read_all("agent", tables, |_, table| section.read(table));
}

fn read_flows(reader: &mut Reader<'_>, top: &mut Top) {
    let tables = match top.needs {
        Needs::Flows => named_tables(reader, "flow"),
        Needs::Network => optional_named_tables(reader, "flow"),
    };
    let section = flow::section(&top.nodes, &top.stack);
    let flows: Vec<Option<FlowSpec>> = tables.into_iter().map(|table| section.read(table)).collect();
    let flows: Option<Vec<FlowSpec>> = flows.into_iter().collect();
    top.flows = flows.filter(|flows| top.needs == Needs::Network || !flows.is_empty());
}

fn read_output(reader: &mut Reader<'_>, top: &mut Top) {
    top.scenario.output.interval = output::default_interval(top.length());
    if let Some(mut table) = reader.table("output") {
        let length = top.length();
        let links = top.links.iter().flatten().map(|link| (&link.name, &link.group));
        let cells = top.cells.iter().flatten().map(|cell| (&cell.name, &cell.group));
        let mut groups: BTreeMap<&str, Vec<&String>> =
            top.nodes.groups().map(|(name, members)| (name, members.iter().collect())).collect();
        for (name, group) in links.clone().chain(cells.clone()) {
            group.iter().for_each(|group| groups.entry(group).or_default().push(name));
        }
        let names = top.nodes.names.iter().chain(links.chain(cells).map(|(name, _)| name));
        let known: Vec<&str> = names.map(String::as_str).chain(groups.keys().copied()).collect();
        output::keys(length, &known).read(&mut table, &mut top.scenario.output);
        if let Some(places) = &mut top.scenario.output.only_at {
            let members = |place: &String| groups.get(place.as_str()).into_iter().flatten().copied().cloned();
            places.extend(places.iter().flat_map(members).collect::<Vec<_>>());
        }
        table.finish();
    }
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
        let complaint =
            Complaint::out_of_bounds(format!("{connections} connections; at most {MOST_CONNECTIONS} fit"));
        reader.refuse("flow", key.span, complaint);
    }
}
