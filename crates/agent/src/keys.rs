//! The keys that set an agent's parameters, for scenarios and for agents on real hosts.

use crate::{AgentTcp, Bits, ElnAckParameters, FairnessParameters, Handshake, Limits, MTcpParameters};
use crate::{ObtcpParameters, Parameters, Role, SnoopParameters, SplitParameters, WtcpParameters};
use seamline_config::choices;
use seamline_config::keys::{
    Keys, boolean, choice, named, named_since, number, positive_rate, positive_time, size_within, table,
    time, whole,
};
use seamline_config::units::Complaint;
use seamline_tcp::{profile, variant};

/// All keys. The defaults are the values before anything is read.
pub fn parameters<'a>() -> Keys<'a, Parameters> {
    let role = Keys::new()
        .property(
            "role",
            "Role of the agent: it is at the base station, or at the mobile router",
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
        part split: split(), "Parameters of split connections";
        part spoofing: split(), "Parameters of TCP spoofing";
        part obtcp: role.with(obtcp(), |it| it), "Parameters of obTCP: two agents, one at the base station, one at the mobile router";
        part m_tcp: m_tcp(), "Parameters of M-TCP";
        part wtcp: wtcp(), "Parameters of WTCP";
        part fairness: fairness(), "Parameters of fairness control at a mobile router";
    }
}

fn m_tcp<'a>() -> Keys<'a, MTcpParameters> {
    let window = size_within(1, 0x3fff_c000, "must be between 1 byte and 1 GiB, what RFC 7323 can offer");
    table! { MTcpParameters;
        key cache: whole(0, 1_000_000), "Packets cached per connection, to be sent again after a disconnection";
        key minimum_timeout: positive_time(), "Minimum silence that counts as a disconnection while an answer is due";
        key probe_interval: positive_time(), "Time from one attempt to reach a disconnected mobile host to the next";
        optional window: window, "Largest window offered to the sender, by which the agent allocates bandwidth [default: that of the mobile host]";
    }
}

fn wtcp<'a>() -> Keys<'a, WtcpParameters> {
    table! { WtcpParameters;
        key cache: whole(0, 1_000_000), "Packets cached per connection";
        key local_retransmissions: whole(0, 1000), "Maximum number of local retransmissions of a packet";
        key minimum_timeout: positive_time(), "Minimum local retransmission timeout";
        key timestamp_tick: time(), "Tick of the sender's timestamp clock; `0 s` leaves timestamps as they are";
    }
}

fn fairness<'a>() -> Keys<'a, FairnessParameters> {
    let keys = Keys::new().property(
        "rate",
        "Bandwidth that the connections share",
        positive_rate(),
        |_, _| None,
        |it: &mut FairnessParameters, rate| it.rate = rate,
    );
    let others = table! { FairnessParameters;
        key interval: positive_time(), "Time over which what connections were sent is compared";
        key target: number(0.0, 1.0), "Jain's index below which round-trip times are estimated again; 0 never does, 1 after each interval";
    };
    keys.needed().with(others, |it| it)
}

/// How much an agent keeps.
pub fn limits<'a>() -> Keys<'a, Limits> {
    let memory = size_within(0, u64::MAX, "too large");
    table! { Limits;
        key connections: whole(0, 1 << 24), "Maximum number of connections it tracks; others pass untouched";
        key memory (bytes): memory, "Maximum number of bytes of packets it keeps, over all connections";
        key idle: positive_time(), "Time without packets after which it forgets a connection";
    }
}

/// Those of ELN-ACK.
pub fn eln_ack<'a>() -> Keys<'a, ElnAckParameters> {
    table! { ElnAckParameters;
        key bits: choice(BITS), "What the bits of an acknowledgment refer to";
        key timeout: positive_time(), "Time after which a retransmission that has not passed counts as lost to congestion";
        key lists_losses: boolean(), "The agent lists the first missing segment for receivers that report gaps with SACK alone";
    }
    .replaced("patience", "`timeout`")
}

/// Those of Snoop.
pub fn snoop<'a>() -> Keys<'a, SnoopParameters> {
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
        .historical();
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
        key explicit_loss_notification: boolean(), "Mark acknowledgments that ask for packets lost over the air";
        key lists_further_losses: boolean(), "Marked acknowledgments also list the losses behind the one that they ask for";
    }
    .replaced("counts_duplicates_on", "`keeps_duplicate_count`")
    .replaced("goes_on_after_timeouts", "`continues_after_timeouts`")
}

const AFTER_TIMEOUTS: &str = "After a timeout, retransmit all outstanding packets as acknowledgments arrive; otherwise one packet per timeout";

/// Those of obTCP, without the role.
pub fn obtcp<'a>() -> Keys<'a, ObtcpParameters> {
    table! { ObtcpParameters;
        key cache: whole(0, 1_000_000), "Packets cached per connection";
        key requests: whole(1, 1000), "Maximum number of requests of the mobile router for the same bytes";
        key local_retransmissions: whole(0, 1000), "Maximum number of retransmissions of a packet without a request";
        key minimum_timeout: positive_time(), "Minimum time before a request or retransmission is repeated";
        key timer_granularity: time(), "Minimum time by which a timer exceeds the smoothed round-trip time";
        key base_station_timer: boolean(), "The base station retransmits the last packets on a timer of its own";
        key continues_after_timeouts (goes_on_after_timeouts): boolean(), AFTER_TIMEOUTS;
    }
    .replaced("goes_on_after_timeouts", "`continues_after_timeouts`")
}

/// Those of split connections: the TCP towards the mobile node in the table itself, that towards the fixed host in `wired`.
fn split<'a>() -> Keys<'a, SplitParameters> {
    let buffer = size_within(1, 0x3fff_c000, "must be between 1 byte and 1 GiB, what RFC 7323 can offer");
    table! { SplitParameters;
        optional buffer: buffer, "Bytes that wait in each direction, and the largest window that the agent offers [default: two bandwidth-delay products of the first flow's path, at least 256 kB]";
        key handshake: choice(HANDSHAKES), "When the host that opens the connection gets its answer: at once, or after the other host has answered the agent";
        part wired: tcp(), "The agent's TCP towards the fixed host";
        .with(tcp(), |it| &mut it.wireless);
    }
}

fn tcp<'a>() -> Keys<'a, AgentTcp> {
    table! { AgentTcp;
        optional variant: named(choices!(variant::all())), "TCP variant of the agent; in a scenario that of the first flow unless given, elsewhere newreno";
        optional profile: named_since(choices!(profile::ALL, is_historical), profile::REPLACED), "Profile of the agent's TCP; in a scenario that of the first flow unless given, elsewhere rfc";
        optional minimum_rto (minimum_timeout): time(), "Minimum retransmission timeout; that of the profile unless given";
    }
    .check(|reader, it| {
            let most = it.parameters().round_trip.maximum_timeout;
            if it.minimum_timeout.is_some_and(|minimum| minimum > most) {
                reader.refuse_value("minimum_rto", Complaint::new(format!("the maximum is {most}")));
            }
        })
}

const HANDSHAKES: &[(&str, Handshake)] =
    &[("near side alone", Handshake::NearSideAlone), ("far side first", Handshake::FarSideFirst)];

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
