//! `[[agent]]`: help inside the network, at the base station's end of a link or a cell.

mod real;
mod split;

pub use real::{RealSplit, read_real, read_real_split, real_keys, real_split_keys};

use super::{CellSpec, LinkSpec, choices};
use crate::codes::Code;
use crate::keys::{
    Choice, Keys, Section, boolean, choice, named, number, place_of, positive_time, size_within, time,
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
    Keys::new()
        .definition("agent")
        .name("agent", "Its name", |it: &mut Options| &mut it.name)
        .required("kind", "Kind of agent", named(kinds), |it| &mut it.kind)
        .optional(
            "link",
            "Link at whose end `from` it stands; the wireless side is downwards",
            place_of("link", links),
            |it| &mut it.link,
        )
        .optional(
            "cell",
            "Cell at whose base station it stands, instead of `link`",
            place_of("cell", cells),
            |it| &mut it.cell,
        )
        .key(
            "hand_over",
            "Delay until its state arrives at the agent of the same kind at the mobile node's new cell",
            time_or_word(&["none"]),
            |it| &mut it.hand_over,
        )
        .with(parameters(), |it| &mut it.parameters)
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
    Keys::new()
        .with(limits(), |it: &mut Parameters| &mut it.limits)
        .key(
            "inside_tunnels",
            "Act on segments inside the tunnels of mobility protocols, too",
            boolean(),
            |it| &mut it.inside_tunnels,
        )
        .part("eln_ack", "Parameters of ELN-ACK", eln_ack(), |it| &mut it.eln_ack)
        .part("snoop", "Parameters of Snoop", snoop(), |it| &mut it.snoop)
        .part("split", "Parameters of split connections", split::keys(), |it| &mut it.split)
        .part(
            "obtcp",
            "Parameters of obTCP: two agents, one at the base station, one at the mobile router",
            role.with(obtcp(), |it| it),
            |it| &mut it.obtcp,
        )
}

fn limits<'a>() -> Keys<'a, Limits> {
    let memory = size_within(0, u64::MAX, "too large");
    Keys::new()
        .key(
            "connections",
            "Maximum number of connections it tracks; others pass untouched",
            whole(0, 1 << 24),
            |it: &mut Limits| &mut it.connections,
        )
        .key("memory", "Maximum number of bytes of packets it keeps, over all connections", memory, |it| {
            &mut it.bytes
        })
        .key("idle", "Time without packets after which it forgets a connection", positive_time(), |it| {
            &mut it.idle
        })
}

fn eln_ack<'a>() -> Keys<'a, ElnAckParameters> {
    Keys::new()
        .key(
            "bits",
            "What the bits of an acknowledgment refer to",
            choice(BITS),
            |it: &mut ElnAckParameters| &mut it.bits,
        )
        .key(
            "timeout",
            "Time after which a retransmission that has not passed counts as lost to congestion",
            positive_time(),
            |it| &mut it.patience,
        )
        .replaced("patience", "`timeout`")
}

fn snoop<'a>() -> Keys<'a, SnoopParameters> {
    Keys::new()
        .property(
            "profile",
            "Profile of which the other keys change parameters; defaults here are those of `plain`",
            choice(PROFILES),
            |_, show| show(&Profile::Plain),
            |it: &mut SnoopParameters, profile| {
                if profile == Profile::Ns2 {
                    *it = SnoopParameters::ns2();
                }
            },
        )
        .key("cache", "Packets cached per connection", whole(0, 1_000_000), |it| &mut it.cache)
        .key(
            "passed_duplicates",
            "Duplicate acknowledgments that pass before one triggers a local retransmission",
            whole(0, 100),
            |it| &mut it.passed_duplicates,
        )
        .key(
            "local_retransmissions",
            "Maximum number of local retransmissions of a packet",
            whole(0, 1000),
            |it| &mut it.local_retransmissions,
        )
        .key("minimum_timeout", "Minimum local retransmission timeout", positive_time(), |it| {
            &mut it.minimum_timeout
        })
        .key(
            "initial_round_trip_time",
            "Smoothed round-trip time before the first sample",
            positive_time(),
            |it| &mut it.initial_round_trip_time,
        )
        .key("initial_variation", "Round-trip time variation before the first sample", time(), |it| {
            &mut it.initial_variation
        })
        .key(
            "sample_weight",
            "Weight of a new sample in the smoothed round-trip time",
            number(0.0, 1.0),
            |it| &mut it.sample_weight,
        )
        .key("samples_retransmissions", "Retransmitted packets give samples, too", boolean(), |it| {
            &mut it.samples_retransmissions
        })
        .key("keeps_duplicate_count", "The count of duplicates continues across losses", boolean(), |it| {
            &mut it.counts_duplicates_on
        })
        .key("continues_after_timeouts", AFTER_TIMEOUTS, boolean(), |it| &mut it.goes_on_after_timeouts)
        .key(
            "explicit_loss_notification",
            "Mark acknowledgments that ask for packets lost on the air",
            boolean(),
            |it| &mut it.explicit_loss_notification,
        )
        .replaced("counts_duplicates_on", "`keeps_duplicate_count`")
        .replaced("goes_on_after_timeouts", "`continues_after_timeouts`")
}

const AFTER_TIMEOUTS: &str = "After a timeout, retransmit all outstanding packets as acknowledgments arrive; otherwise one packet per timeout";

fn obtcp<'a>() -> Keys<'a, ObtcpParameters> {
    Keys::new()
        .key("cache", "Packets cached per connection", whole(0, 1_000_000), |it: &mut ObtcpParameters| {
            &mut it.cache
        })
        .key(
            "requests",
            "Maximum number of requests of the mobile router for the same bytes",
            whole(1, 1000),
            |it| &mut it.requests,
        )
        .key(
            "local_retransmissions",
            "Maximum number of retransmissions of a packet without a request",
            whole(0, 1000),
            |it| &mut it.local_retransmissions,
        )
        .key(
            "minimum_timeout",
            "Minimum time before a request or retransmission is repeated",
            positive_time(),
            |it| &mut it.minimum_timeout,
        )
        .key(
            "base_station_timer",
            "The base station retransmits the last packets on a timer of its own",
            boolean(),
            |it| &mut it.base_station_timer,
        )
        .key("continues_after_timeouts", AFTER_TIMEOUTS, boolean(), |it| &mut it.goes_on_after_timeouts)
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
