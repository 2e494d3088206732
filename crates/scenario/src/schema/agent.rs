//! `[[agent]]`: help inside the network, at the base station's end of a link or a cell.

use super::several::{Member, Members, member, members};
use super::{CellSpec, LinkSpec, added, choices};
use crate::keys::{Choice, Section, named, table, time_or_word};
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
    /// The name of its table, where that stands for several agents.
    pub group: Option<String>,
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
    link: Option<Members>,
    cell: Option<Members>,
    hand_over: Option<Duration>,
    parameters: Parameters,
}

impl Member for AgentSpec {
    fn names(&self) -> (&str, Option<&str>) {
        (&self.name, self.group.as_deref())
    }
}

/// The agents of one table. Where its place is a table of several links or cells there is one at each of them, called `name-1`,
/// `name-2` and so on.
pub(super) fn section<'a>(links: &'a [LinkSpec], cells: &'a [CellSpec]) -> Section<'a, Vec<AgentSpec>> {
    let mut kinds = vec![Choice::from(NONE)];
    kinds.extend(choices!(seamline_agent::all()));
    table! { Options;
        .definition("agent");
        .name("agent", "Its name", |it: &mut Options| &mut it.name);
        required kind: named(kinds), "Kind of agent";
        optional link: members("link", links), "Link of the agent: the agent is at its end `from`, and the wireless side is towards `to`. The name of a `[[link]]` table for a group: one agent on each of its links";
        optional cell: members("cell", cells), "Radio cell of the agent, instead of `link`: the agent is at its base station. The name of a `[[cell]]` table for a group: one agent in each of its cells";
        key hand_over: time_or_word(&["none"]), "Delay until its state arrives at the agent of the same kind at the mobile node's new cell";
        .with(added::extend_agents(seamline_agent::keys::parameters()), |it| &mut it.parameters);
    }
    .build(Options::default(), make)
}

fn make(mut it: Options, reader: &mut Reader<'_>) -> Option<Vec<AgentSpec>> {
    let places = places(&it, reader);
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
    let (name, (places, is_group)) = (it.name?, places?);
    let agent = |(index, at): (usize, &AgentPlace)| AgentSpec {
        name: if is_group { member(&name, index) } else { name.clone() },
        group: is_group.then(|| name.clone()),
        kind,
        at: *at,
        hand_over: it.hand_over,
        parameters: it.parameters.clone(),
    };
    Some(places.iter().enumerate().map(agent).collect())
}

/// Where agents are, and whether that is a table of several places.
fn places(it: &Options, reader: &mut Reader<'_>) -> Option<(Vec<AgentPlace>, bool)> {
    match ["link", "cell"].map(|key| reader.has(key)) {
        [false, false] => reader.missing("link"),
        [true, true] => {
            let complaint = Complaint::conflict("an agent is at one place: `link` or `cell`");
            reader.refuse_value("cell", complaint);
            return None;
        }
        _ => {}
    }
    let at = |members: &Members, place: fn(usize) -> AgentPlace| {
        (members.range.clone().map(place).collect(), members.is_group)
    };
    let link = it.link.as_ref().map(|members| at(members, AgentPlace::Link));
    link.or(it.cell.as_ref().map(|members| at(members, AgentPlace::Cell)))
}

/// Inside tunnels such an agent could not act on any packet.
fn refuse_tunnels(reader: &mut Reader<'_>, kind: &Kind, parameters: &Parameters) {
    if parameters.inside_tunnels && kind.ends_connections {
        let label = format!("{} cannot act inside tunnels: its own packets would be in none", kind.name);
        let tip = "put the agent behind the end of the tunnel, or remove `inside_tunnels`";
        reader.refuse_value("inside_tunnels", Complaint::conflict(label).tip(tip));
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
        reader.refuse_value("hand_over", Complaint::conflict(label).tip(tip));
    }
}
