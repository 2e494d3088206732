//! `protocol = { kind = "mobile-ipv4", home_agent = "router" }`: how packets find a mobile node.

use super::node_index;
use crate::codes::Code;
use crate::keys::{Choice, Field, Keys, Kinds, Section, Takes, boolean, choice, positive_time, table, time};
use crate::reader::Reader;
use crate::units::Complaint;
use seamline_mobility::protocol::{self, BaseStation, Participation, Scheme};
use seamline_mobility::{AdvertisementConfig, MovementDetection};
use seamline_wire::Duration;

/// The name that stands for no protocol, with a line about it.
pub const NONE: (&str, &str) =
    ("none", "an idealized network: all routes change at once when the mobile node moves");

/// A mobility protocol and how it is used.
#[derive(Clone, Debug)]
pub struct ProtocolSpec {
    /// Which.
    pub scheme: &'static Scheme,
    /// The index of the node that its home agent is on, if it has one.
    pub home_agent: Option<usize>,
    /// The index of the node that its mobility anchor point is on, if it has one.
    pub mobility_anchor_point: Option<usize>,
    /// How often the agents at its base stations advertise.
    pub advertisements: AdvertisementConfig,
    /// Which advertisements it takes for a move.
    pub movement_detection: MovementDetection,
    /// The requested lifetime in seconds.
    pub registration_lifetime_s: u16,
    /// How long it waits for the first reply.
    pub registration_retransmission: Duration,
    /// Whether a new link is asked for an advertisement at once.
    pub layer_2_triggers: bool,
    /// How long packets are sent to the previous agent, too, after a registration with another.
    pub simultaneous_bindings: Duration,
    /// Whether it is registered in its first cell when the run begins.
    pub registered_at_start: bool,
}

impl ProtocolSpec {
    /// Its anchors, from the one that correspondents' packets come to towards the mobile node.
    pub fn anchors(&self) -> impl Iterator<Item = usize> {
        self.home_agent.into_iter().chain(self.mobility_anchor_point)
    }
    /// The anchor that correspondents' packets come to.
    ///
    /// # Panics
    /// When the protocol has none, which no protocol is without.
    pub fn first_anchor(&self) -> usize {
        self.anchors().next().expect("every protocol has an anchor")
    }
    /// What the base stations of its cells must run for it.
    pub fn at_base_stations(&self) -> (BaseStation, AdvertisementConfig, Option<usize>) {
        (self.scheme.traits.base_station, self.advertisements, self.mobility_anchor_point)
    }
}

/// Stands for the usual lifetime until the interval is known; a lifetime of zero cannot be written.
const USUAL_LIFETIME: u16 = 0;

const DETECTIONS: &[(&str, MovementDetection)] =
    &[("eager", MovementDetection::Eager), ("lazy", MovementDetection::Lazy)];

/// A protocol, or none.
pub(super) fn section(nodes: &[String]) -> Section<'_, Option<ProtocolSpec>> {
    let kinds = Kinds::new("kind", "The mobility protocol").kind(NONE, Section::empty(|| None));
    let all = protocol::ALL.iter().fold(kinds, |kinds, scheme| {
        let choice = Choice { cite: scheme.cite, ..(scheme.name, scheme.summary).into() };
        kinds.kind(choice, keys(scheme, nodes))
    });
    all.alone("protocol")
}

fn keys<'a>(scheme: &'static Scheme, nodes: &'a [String]) -> Section<'a, Option<ProtocolSpec>> {
    let start = ProtocolSpec {
        scheme,
        home_agent: None,
        mobility_anchor_point: None,
        advertisements: AdvertisementConfig {
            interval: Duration::from_millis(100),
            jitter: Duration::ZERO,
            lifetime_s: USUAL_LIFETIME,
        },
        movement_detection: MovementDetection::default(),
        registration_lifetime_s: 1800,
        registration_retransmission: Duration::from_secs(1),
        layer_2_triggers: false,
        simultaneous_bindings: match scheme.traits.simultaneous_bindings {
            Participation::Needed => Duration::from_secs(1),
            Participation::Possible | Participation::None => Duration::ZERO,
        },
        registered_at_start: true,
    };
    let traits = &scheme.traits;
    let home_agent =
        anchor("home_agent", "Node of the home agent", traits.home_agent, nodes, |it| &mut it.home_agent);
    let about = "Node of the mobility anchor point";
    let anchor_point = anchor("mobility_anchor_point", about, traits.mobility_anchor_point, nodes, |it| {
        &mut it.mobility_anchor_point
    });
    table! { ProtocolSpec;
        .with(home_agent, |it| it);
        .with(anchor_point, |it| it);
        .with(simultaneous_bindings(traits.simultaneous_bindings), |it| it);
        key advertisement_interval (advertisements.interval): positive_time(), "Time between agent or router advertisements";
        key advertisement_jitter (advertisements.jitter): time(), "Maximum by which an interval is shortened, uniformly distributed";
        property advertisement_lifetime: whole_seconds(), "Lifetime in advertisements, in whole seconds; three intervals, rounded up, unless given", |_, _| None, |it, seconds| it.advertisements.lifetime_s = seconds;
        key movement_detection: choice(DETECTIONS), "When a new mobility agent counts as a move: at its first advertisement (`eager`), or when the lifetime of the old agent ends (`lazy`)";
        key registration_lifetime (registration_lifetime_s): whole_seconds(), "Registration lifetime that is requested, in whole seconds";
        key registration_retransmission: positive_time(), "Time to wait for the first reply; doubles with each retransmission";
        key layer_2_triggers: boolean(), "Solicit an advertisement as soon as a new link is up";
        key registered_at_start: boolean(), "Whether the node is registered in its first cell at the start";
    }
    .build(start, |it, reader| make(it, reader).map(Some))
}

/// How long both bindings hold, where a protocol has several.
fn simultaneous_bindings<'a>(participation: Participation) -> Keys<'a, ProtocolSpec> {
    match participation {
        Participation::None => Keys::new(),
        Participation::Possible => table! { ProtocolSpec;
            key simultaneous_bindings: time(), "How long the home agent sends packets to the previous agent, too, after a registration with another";
        },
        Participation::Needed => table! { ProtocolSpec;
            key simultaneous_bindings: positive_time(), "How long the home agent sends packets to the previous agent, too, after a registration with another";
        },
    }
}

fn anchor<'a>(
    name: &'static str,
    about: &'static str,
    participation: Participation,
    nodes: &'a [String],
    field: Field<ProtocolSpec, Option<usize>>,
) -> Keys<'a, ProtocolSpec> {
    match participation {
        Participation::None => Keys::new(),
        Participation::Possible => Keys::new().optional(name, about, node_index(nodes), field),
        Participation::Needed => Keys::new().required(name, about, node_index(nodes), field),
    }
}

fn make(mut it: ProtocolSpec, reader: &mut Reader<'_>) -> Option<ProtocolSpec> {
    let advertisements = &mut it.advertisements;
    if advertisements.jitter >= advertisements.interval && !reader.is_wrong("advertisement_interval") {
        let complaint = Complaint::new("must be shorter than `advertisement_interval`");
        reader.refuse_value("advertisement_jitter", complaint.code(Code::OutOfBounds));
        return None;
    }
    if advertisements.lifetime_s == USUAL_LIFETIME {
        advertisements.lifetime_s = AdvertisementConfig::usual_lifetime_s(advertisements.interval);
    }
    let traits = &it.scheme.traits;
    let anchors =
        [(traits.home_agent, it.home_agent), (traits.mobility_anchor_point, it.mobility_anchor_point)];
    let is_needed = |(participation, node): &(Participation, Option<usize>)| {
        *participation == Participation::Needed && node.is_none()
    };
    (!anchors.iter().any(is_needed)).then_some(it)
}

/// What fits into the Lifetime field of a message and does not mean "infinity".
fn whole_seconds<'a>() -> Takes<'a, u16> {
    const SECOND: u64 = 1_000_000_000;
    let seconds = |time: Duration| match u16::try_from(time.as_nanos() / SECOND) {
        Ok(seconds @ 1..=65_534) if time.as_nanos().is_multiple_of(SECOND) => Ok(seconds),
        _ => Err(Complaint::out_of_bounds("must be whole seconds from 1 s to 65534 s")),
    };
    time().map(seconds, |seconds| Some(Duration::from_secs(u64::from(*seconds))))
}
