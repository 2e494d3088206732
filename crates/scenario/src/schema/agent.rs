//! `[[agent]]`: help inside the network, at the base station's end of a link or a cell.

use super::{CellSpec, LinkSpec, added, choices};
use crate::codes::Code;
use crate::keys::{Choice, Section, index_of, named, table, time_or_word};
use crate::reader::Reader;
use crate::units::Complaint;
use seamline_agent::{Handshake, Kind, Parameters};
use seamline_wire::Duration;

/// The name that stands for no agent, with a line about it.
pub const NONE: (&str, &str) = ("none", "no agent");

/// An agent.
#[derive(Clone, Debug)]
pub struct AgentSpec {
    /// Its name.
    pub name: String,
    /// Which it is; `None` is no agent.
    pub kind: Option<&'static Kind>,
    /// Its position.
    pub at: AgentPlace,
    /// How long after a mobile node what is known of its connections arrives from the agent at its old cell; `None`: it
    /// stays there.
    pub hand_over: Option<Duration>,
    /// Its parameters.
    pub parameters: Parameters,
}

/// Where an agent is: at the node that a link comes from, or at the base station of a cell; the wireless side is
/// downwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentPlace {
    /// At a link, by its index.
    Link(usize),
    /// At a radio cell, by its index.
    Cell(usize),
}

#[derive(Clone, Default)]
struct Options {
    name: Option<String>,
    kind: Option<&'static str>,
    link: Option<usize>,
    cell: Option<usize>,
    hand_over: Option<Duration>,
    parameters: Parameters,
}

/// One agent.
pub(super) fn section<'a>(links: &'a [LinkSpec], cells: &'a [CellSpec]) -> Section<'a, AgentSpec> {
    let links = links.iter().map(|link| link.name.as_str()).collect();
    let cells = cells.iter().map(|cell| cell.name.as_str()).collect();
    let mut kinds = vec![Choice::from(NONE)];
    kinds.extend(choices!(seamline_agent::all()));
    table! { Options;
        .definition("agent");
        .name("agent", "Its name", |it: &mut Options| &mut it.name);
        required kind: named(kinds), "Kind of agent";
        optional link: index_of("link", links), "Link of the agent: the agent is at its end `from`, and the wireless side is towards `to`";
        optional cell: index_of("cell", cells), "Radio cell of the agent, instead of `link`: the agent is at its base station";
        key hand_over: time_or_word(&["none"]), "Delay until its state arrives at the agent of the same kind at the mobile node's new cell";
        .with(added::extend_agents(seamline_agent::keys::parameters()), |it| &mut it.parameters);
    }
    .build(Options::default(), make)
}

fn make(mut it: Options, reader: &mut Reader<'_>) -> Option<AgentSpec> {
    let at = place(&it, reader);
    let kind = it.kind.and_then(seamline_agent::find);
    if let Some(kind) = kind {
        refuse_tunnels(reader, kind, &it.parameters);
        refuse_late_state(reader, kind, &mut it);
        // Without a role it could stand in the other's place; without a rate there is nothing to share.
        if ["obtcp", "fairness"].contains(&kind.name) && !reader.has(kind.name) {
            reader.missing(kind.name);
        }
    }
    it.kind?;
    Some(AgentSpec { name: it.name?, kind, at: at?, hand_over: it.hand_over, parameters: it.parameters })
}

fn place(it: &Options, reader: &mut Reader<'_>) -> Option<AgentPlace> {
    match ["link", "cell"].map(|key| reader.has(key)) {
        [false, false] => reader.missing("link"),
        [true, true] => {
            let complaint = Complaint::new("an agent is at one place: `link` or `cell`").code(Code::Conflict);
            reader.refuse_value("cell", complaint);
            return None;
        }
        _ => {}
    }
    it.link.map(AgentPlace::Link).or(it.cell.map(AgentPlace::Cell))
}

/// Inside tunnels such an agent could not act on any packet.
fn refuse_tunnels(reader: &mut Reader<'_>, kind: &Kind, parameters: &Parameters) {
    if parameters.inside_tunnels && kind.ends_connections {
        let label = format!("{} cannot act inside tunnels: its own packets would be in none", kind.name);
        let tip = "put the agent behind the end of the tunnel, or remove `inside_tunnels`";
        reader.refuse_value("inside_tunnels", Complaint::new(label).code(Code::Conflict).tip(tip));
    }
}

/// Where sequence numbers are the same on both sides of an agent that ends connections, bytes that pass before its state arrives are
/// acknowledged past it, and never reach it.
fn refuse_late_state(reader: &mut Reader<'_>, kind: &Kind, it: &mut Options) {
    let has_one_numbering =
        kind.split.is_some_and(|of| of(&mut it.parameters).handshake == Handshake::FarSideFirst);
    if has_one_numbering && it.hand_over.is_some_and(|delay| !delay.is_zero()) {
        let label = "with `handshake = \"far side first\"` bytes would pass before the state arrives, and never reach the agent";
        let tip = "use `hand_over = \"0 s\"`, or `handshake = \"near side alone\"`";
        reader.refuse_value("hand_over", Complaint::new(label).code(Code::Conflict).tip(tip));
    }
}
