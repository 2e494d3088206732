//! `[[agent]]`: help inside the network, at the base station's end of a link or a cell.

mod real;
mod split;

pub use real::{RealSplit, read_real, read_real_split};
pub(crate) use split::HANDSHAKES;

use super::tcp::set;
use super::{CellSpec, LinkSpec, named_place};
use crate::codes::Code;
use crate::reader::{Reader, boolean, choose, integer, number};
use crate::units::{self, Amount, Complaint};
use seamline_agent::{
    Bits, ElnAckParameters, Handshake, Kind, Limits, ObtcpParameters, Parameters, Role, SnoopParameters,
};
use seamline_wire::Duration;

/// The name that stands for no agent, with a line about it.
pub const NONE: (&str, &str) = ("none", "nobody helps on the way");

/// The word for what is known staying where it was learned.
pub(crate) const STAYS: &str = "none";

/// An agent.
#[derive(Clone, Debug)]
pub struct AgentSpec {
    /// Its name.
    pub name: String,
    /// Which it is; with `None` nobody stands there.
    pub kind: Option<&'static Kind>,
    /// Where it stands.
    pub at: AgentPlace,
    /// How long after a mobile node what is known of its connections arrives from the agent at its old cell; `None`: it
    /// stays there.
    pub hand_over: Option<Duration>,
    /// What of it is set.
    pub parameters: Parameters,
}

/// Where an agent stands: at the node that a link comes from, or at the base station of a cell; the wireless side is
/// downwards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentPlace {
    /// At a link, by its place in the list of links.
    Link(usize),
    /// At a cell, by its place in the list of cells.
    Cell(usize),
}

/// Read one agent; `None` when something about it is wrong, which has been noted.
pub(super) fn read(mut reader: Reader<'_>, links: &[LinkSpec], cells: &[CellSpec]) -> Option<AgentSpec> {
    let name = reader.required("name", super::name);
    if let Some(name) = &name {
        reader.what = format!("agent \"{name}\"");
    }
    let kinds = seamline_agent::ALL.iter().map(|kind| (kind.name, Some(*kind)));
    let kinds: Vec<(&str, Option<&Kind>)> = std::iter::once((NONE.0, None)).chain(kinds).collect();
    let kind = reader.required_choice("kind", &kinds);
    let at = read_place(&mut reader, links, cells);
    let mut parameters = Parameters::default();
    read_limits(&mut reader, &mut parameters.limits);
    read_inside_tunnels(&mut reader, kind.flatten(), &mut parameters);
    if let Some(table) = reader.table("eln_ack") {
        read_eln_ack(table, &mut parameters.eln_ack);
    }
    if let Some(table) = reader.table("snoop") {
        read_snoop(table, &mut parameters.snoop);
    }
    if let Some(table) = reader.table("split") {
        split::read(table, &mut parameters.split);
    }
    read_obtcp(&mut reader, kind.flatten(), &mut parameters.obtcp);
    let hand_over = reader.or("hand_over", None, |node| match choose(node, &[(STAYS, ())]) {
        Ok(()) => Ok(None),
        Err(_) => units::duration(node).map(Some),
    });
    if let (Some(kind), Some(Some(delay))) = (kind.flatten(), hand_over) {
        refuse_late_state(&mut reader, kind, &parameters, delay);
    }
    reader.finish();
    Some(AgentSpec { hand_over: hand_over?, name: name?, kind: kind?, at: at?, parameters })
}

fn read_place(reader: &mut Reader<'_>, links: &[LinkSpec], cells: &[CellSpec]) -> Option<AgentPlace> {
    let links: Vec<&str> = links.iter().map(|link| link.name.as_str()).collect();
    let cells: Vec<&str> = cells.iter().map(|cell| cell.name.as_str()).collect();
    let has = ["link", "cell"].map(|key| reader.has(key));
    let link = reader.optional("link", |node| named_place(node, "link", &links));
    let cell = reader.optional("cell", |node| named_place(node, "cell", &cells));
    match has {
        [true, false] => link.map(AgentPlace::Link),
        [false, true] => cell.map(AgentPlace::Cell),
        [false, false] => {
            reader.missing("link");
            None
        }
        [true, true] => {
            let complaint = Complaint::new("it stands at one place: `link` or `cell`").code(Code::Conflict);
            reader.refuse_value("cell", complaint);
            None
        }
    }
}

fn read_limits(reader: &mut Reader<'_>, limits: &mut Limits) {
    let most = reader.optional("connections", integer(0, 1 << 24));
    set(&mut limits.connections, most.and_then(|most| u32::try_from(most).ok()));
    let memory = reader.optional("memory", |node| match units::amount(node)? {
        Amount::Bytes(bytes) => Ok(bytes),
        Amount::Packets(_) => Err(Complaint::new("memory is measured in bytes").code(Code::OutOfBounds)),
    });
    set(&mut limits.bytes, memory);
    set(&mut limits.idle, reader.optional("idle", units::positive_duration));
}

/// Refused where the agent could not do it, and would stand there in vain.
fn read_inside_tunnels(reader: &mut Reader<'_>, kind: Option<&Kind>, parameters: &mut Parameters) {
    set(&mut parameters.inside_tunnels, reader.optional("inside_tunnels", boolean));
    if let Some(kind) = kind.filter(|kind| parameters.inside_tunnels && kind.ends_connections) {
        let label = format!("{} cannot help what is in tunnels: its own packets would be in none", kind.name);
        let tip = "put the agent behind the end of the tunnel, or take `inside_tunnels` out";
        reader.refuse_value("inside_tunnels", Complaint::new(label).code(Code::Conflict).tip(tip));
    }
}

/// Where sequence numbers are the same on both sides of an agent that ends connections, bytes that pass before its state arrives are
/// acknowledged past it, and nobody ever sends them to it.
fn refuse_late_state(reader: &mut Reader<'_>, kind: &Kind, parameters: &Parameters, delay: Duration) {
    let has_one_numbering = kind.ends_connections && parameters.split.handshake == Handshake::FarSideFirst;
    if has_one_numbering && !delay.is_zero() {
        let label = "with `handshake = \"far side first\"` bytes would pass before the state arrives, and be missing for ever";
        let tip = "use `hand_over = \"0 s\"`, or `handshake = \"near side alone\"`";
        reader.refuse_value("hand_over", Complaint::new(label).code(Code::Conflict).tip(tip));
    }
}

pub(crate) const BITS: &[(&str, Bits)] = &[("per loss", Bits::PerLoss), ("one", Bits::One)];

fn read_eln_ack(mut reader: Reader<'_>, eln_ack: &mut ElnAckParameters) {
    set(&mut eln_ack.bits, reader.choice("bits", BITS));
    set(&mut eln_ack.patience, reader.optional("patience", units::positive_duration));
    reader.finish();
}

fn read_snoop(mut reader: Reader<'_>, snoop: &mut SnoopParameters) {
    let small = |count: i64| u32::try_from(count).ok();
    if reader.choice("profile", PROFILES) == Some(Profile::Ns2) {
        *snoop = SnoopParameters::ns2();
    }
    set(&mut snoop.cache, reader.optional("cache", integer(0, 1_000_000)).and_then(small));
    let passed = reader.optional("passed_duplicates", integer(0, 100)).and_then(small);
    set(&mut snoop.passed_duplicates, passed);
    let most = reader.optional("local_retransmissions", integer(0, 1000)).and_then(small);
    set(&mut snoop.local_retransmissions, most);
    set(&mut snoop.minimum_timeout, reader.optional("minimum_timeout", units::positive_duration));
    let initial = reader.optional("initial_round_trip_time", units::positive_duration);
    set(&mut snoop.initial_round_trip_time, initial);
    set(&mut snoop.initial_variation, reader.optional("initial_variation", units::duration));
    set(&mut snoop.sample_weight, reader.optional("sample_weight", number(0.0, 1.0)));
    set(&mut snoop.samples_retransmissions, reader.optional("samples_retransmissions", boolean));
    set(&mut snoop.counts_duplicates_on, reader.optional("counts_duplicates_on", boolean));
    set(&mut snoop.goes_on_after_timeouts, reader.optional("goes_on_after_timeouts", boolean));
    let notifies = reader.optional("explicit_loss_notification", boolean);
    set(&mut snoop.explicit_loss_notification, notifies);
    reader.finish();
}

/// An obTCP agent without a role would stand there in vain, or in the other's place.
fn read_obtcp(reader: &mut Reader<'_>, kind: Option<&Kind>, obtcp: &mut ObtcpParameters) {
    let is_obtcp = kind.is_some_and(|kind| kind.name == "obtcp");
    let Some(mut table) = reader.table("obtcp") else {
        if is_obtcp {
            reader.missing("obtcp");
        }
        return;
    };
    set(&mut obtcp.role, table.required_choice("role", ROLES));
    read_obtcp_of_any_role(table, obtcp);
}

fn read_obtcp_of_any_role(mut table: Reader<'_>, obtcp: &mut ObtcpParameters) {
    let small = |count: i64| u32::try_from(count).ok();
    set(&mut obtcp.cache, table.optional("cache", integer(0, 1_000_000)).and_then(small));
    set(&mut obtcp.requests, table.optional("requests", integer(1, 1000)).and_then(small));
    let most = table.optional("local_retransmissions", integer(0, 1000)).and_then(small);
    set(&mut obtcp.local_retransmissions, most);
    set(&mut obtcp.minimum_timeout, table.optional("minimum_timeout", units::positive_duration));
    set(&mut obtcp.base_station_timer, table.optional("base_station_timer", boolean));
    set(&mut obtcp.goes_on_after_timeouts, table.optional("goes_on_after_timeouts", boolean));
    table.finish();
}

pub(crate) const ROLES: &[(&str, Role)] =
    &[("base station", Role::BaseStation), ("mobile router", Role::MobileRouter)];

/// What the parameters of an agent begin from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Profile {
    /// As specified.
    Plain,
    /// As in ns-2.
    Ns2,
}

pub(crate) const PROFILES: &[(&str, Profile)] = &[("plain", Profile::Plain), ("ns2", Profile::Ns2)];
