//! `[[agent]]`: help inside the network, at the base station's end of a link or a cell.

mod split;

use super::{CellSpec, LinkSpec, choices};
use crate::codes::Code;
use crate::keys::{
    Choice, Keys, Section, boolean, choice, named, number, place_of, positive_time, size_within, table, time,
    time_or_word, whole,
};
use crate::reader::Reader;
use crate::units::Complaint;
use seamline_agent::{
    Bits, ElnAckParameters, Handshake, Kind, Limits, ObtcpParameters, Parameters, Role, SnoopParameters,
};
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
    /// Where it stands.
    pub at: AgentPlace,
    /// How long after a mobile node what is known of its connections arrives from the agent at its old cell; `None`: it
    /// stays there.
    pub hand_over: Option<Duration>,
    /// Its parameters.
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
    kinds.extend(choices!(seamline_agent::ALL));
    table! { Options;
        .definition("agent");
        .name("agent", "Its name", |it: &mut Options| &mut it.name);
        required kind: named(kinds), "Kind of agent";
        optional link: place_of("link", links), "Link at whose end `from` it stands; the wireless side is downwards";
        optional cell: place_of("cell", cells), "Cell at whose base station it stands, instead of `link`";
        key hand_over: time_or_word(&["none"]), "Delay until its state arrives at the agent of the same kind at the mobile node's new cell";
        .with(parameters(), |it| &mut it.parameters);
    }
    .build(Options::default(), make)
}

fn parameters<'a>() -> Keys<'a, Parameters> {
    let role = Keys::new()
        .property(
            "role",
            "Where it stands",
            choice(ROLES),
            |_, _| None,
            |it: &mut ObtcpParameters, role| it.role = role,
        )
        .needed();
    table! { Parameters;
        .with(limits(), |it: &mut Parameters| &mut it.limits);
        key inside_tunnels: boolean(), "Act on segments inside the tunnels of mobility protocols, too";
        part eln_ack: eln_ack(), "Parameters of ELN-ACK";
        part snoop: snoop(), "Parameters of Snoop";
        part split: split::keys(), "Parameters of split connections";
        part obtcp: role.with(obtcp(), |it| it), "Parameters of obTCP: two agents, one at the base station, one at the mobile router";
    }
}

fn limits<'a>() -> Keys<'a, Limits> {
    let memory = size_within(0, u64::MAX, "too large");
    table! { Limits;
        key connections: whole(0, 1 << 24), "Maximum number of connections it tracks; others pass untouched";
        key memory (bytes): memory, "Maximum number of bytes of packets it keeps, over all connections";
        key idle: positive_time(), "Time without packets after which it forgets a connection";
    }
}

fn eln_ack<'a>() -> Keys<'a, ElnAckParameters> {
    table! { ElnAckParameters;
        key bits: choice(BITS), "What the bits of an acknowledgment refer to";
        key timeout: positive_time(), "Time after which a retransmission that has not passed counts as lost to congestion";
    }
    .replaced("patience", "`timeout`")
}

fn snoop<'a>() -> Keys<'a, SnoopParameters> {
    table! { SnoopParameters;
        .property("profile",
            "Profile of which the other keys change parameters; defaults here are those of `plain`",
            choice(PROFILES),
            |_, show| show(&Profile::Plain),
            |it: &mut SnoopParameters, profile| {
                if profile == Profile::Ns2 {
                    *it = SnoopParameters::ns2();
                }
            },);
        key cache: whole(0, 1_000_000), "Packets cached per connection";
        key passed_duplicates: whole(0, 100), "Duplicate acknowledgments that pass before one triggers a local retransmission";
        key local_retransmissions: whole(0, 1000), "Maximum number of local retransmissions of a packet";
        key minimum_timeout: positive_time(), "Minimum local retransmission timeout";
        key initial_round_trip_time: positive_time(), "Smoothed round-trip time before the first sample";
        key initial_variation: time(), "Round-trip time variation before the first sample";
        key sample_weight: number(0.0, 1.0), "Weight of a new sample in the smoothed round-trip time";
        key samples_retransmissions: boolean(), "Retransmitted packets give samples, too";
        key keeps_duplicate_count (counts_duplicates_on): boolean(), "The count of duplicates continues across losses";
        key continues_after_timeouts (goes_on_after_timeouts): boolean(), AFTER_TIMEOUTS;
        key explicit_loss_notification: boolean(), "Mark acknowledgments that ask for packets lost on the air";
    }
    .replaced("counts_duplicates_on", "`keeps_duplicate_count`")
    .replaced("goes_on_after_timeouts", "`continues_after_timeouts`")
}

const AFTER_TIMEOUTS: &str = "After a timeout, retransmit all outstanding packets as acknowledgments arrive; otherwise one packet per timeout";

fn obtcp<'a>() -> Keys<'a, ObtcpParameters> {
    table! { ObtcpParameters;
        key cache: whole(0, 1_000_000), "Packets cached per connection";
        key requests: whole(1, 1000), "Maximum number of requests of the mobile router for the same bytes";
        key local_retransmissions: whole(0, 1000), "Maximum number of retransmissions of a packet without a request";
        key minimum_timeout: positive_time(), "Minimum time before a request or retransmission is repeated";
        key base_station_timer: boolean(), "The base station retransmits the last packets on a timer of its own";
        key continues_after_timeouts (goes_on_after_timeouts): boolean(), AFTER_TIMEOUTS;
    }
    .replaced("goes_on_after_timeouts", "`continues_after_timeouts`")
}

fn make(it: Options, reader: &mut Reader<'_>) -> Option<AgentSpec> {
    let at = place(&it, reader);
    let kind = seamline_agent::ALL.iter().copied().find(|kind| Some(kind.name) == it.kind);
    if let Some(kind) = kind {
        refuse_tunnels(reader, kind, &it.parameters);
        refuse_late_state(reader, kind, &it);
        // Without a role it could stand in the other's place.
        if kind.name == "obtcp" && !reader.has("obtcp") {
            reader.missing("obtcp");
        }
    }
    it.kind?;
    Some(AgentSpec { name: it.name?, kind, at: at?, hand_over: it.hand_over, parameters: it.parameters })
}

fn place(it: &Options, reader: &mut Reader<'_>) -> Option<AgentPlace> {
    match ["link", "cell"].map(|key| reader.has(key)) {
        [false, false] => reader.missing("link"),
        [true, true] => {
            let complaint = Complaint::new("it stands at one place: `link` or `cell`").code(Code::Conflict);
            reader.refuse_value("cell", complaint);
            return None;
        }
        _ => {}
    }
    it.link.map(AgentPlace::Link).or(it.cell.map(AgentPlace::Cell))
}

/// Refused where the agent could not act on any packet.
fn refuse_tunnels(reader: &mut Reader<'_>, kind: &Kind, parameters: &Parameters) {
    if parameters.inside_tunnels && kind.ends_connections {
        let label = format!("{} cannot act inside tunnels: its own packets would be in none", kind.name);
        let tip = "put the agent behind the end of the tunnel, or remove `inside_tunnels`";
        reader.refuse_value("inside_tunnels", Complaint::new(label).code(Code::Conflict).tip(tip));
    }
}

/// Where sequence numbers are the same on both sides of an agent that ends connections, bytes that pass before its state arrives are
/// acknowledged past it, and never reach it.
fn refuse_late_state(reader: &mut Reader<'_>, kind: &Kind, it: &Options) {
    let has_one_numbering = kind.ends_connections && it.parameters.split.handshake == Handshake::FarSideFirst;
    if has_one_numbering && it.hand_over.is_some_and(|delay| !delay.is_zero()) {
        let label = "with `handshake = \"far side first\"` bytes would pass before the state arrives, and never reach the agent";
        let tip = "use `hand_over = \"0 s\"`, or `handshake = \"near side alone\"`";
        reader.refuse_value("hand_over", Complaint::new(label).code(Code::Conflict).tip(tip));
    }
}

const BITS: &[(&str, Bits)] = &[("per loss", Bits::PerLoss), ("one", Bits::One)];

const ROLES: &[(&str, Role)] = &[("base station", Role::BaseStation), ("mobile router", Role::MobileRouter)];

/// What the parameters of an agent begin from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Profile {
    /// As specified.
    Plain,
    /// As in ns-2.
    Ns2,
}

const PROFILES: &[(&str, Profile)] = &[("plain", Profile::Plain), ("ns2", Profile::Ns2)];
