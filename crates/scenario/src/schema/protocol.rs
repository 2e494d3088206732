//! `protocol = { kind = "mobile-ipv4", home_agent = "router" }`: how packets find a mobile node.

use super::node_place;
use crate::codes::Code;
use crate::keys::{Choice, Field, Keys, Kinds, Section, Takes, boolean, choice, positive_time, table, time};
use crate::reader::Reader;
use crate::units::Complaint;
use seamline_mobility::protocol::{self, BaseStation, Participation, Scheme};
use seamline_mobility::{AdvertisementConfig, MovementDetection};
use seamline_wire::Duration;

/// The name that stands for no protocol, with a line about it.
pub const NONE: (&str, &str) = ("none", "an idealised network: all routes follow the mobile node at once");

/// A mobility protocol and how it is used.
#[derive(Clone, Debug)]
pub struct ProtocolSpec {
    /// Which.
    pub scheme: &'static Scheme,
    /// Place of the node that its home agent is on, if it has one.
    pub home_agent: Option<usize>,
    /// Place of the node that its mobility anchor point is on, if it has one.
    pub mobility_anchor_point: Option<usize>,
    /// How often the agents at its base stations advertise.
    pub advertisements: AdvertisementConfig,
    /// When it takes what it hears for a move.
    pub movement_detection: MovementDetection,
    /// The lifetime that it asks for, in seconds.
    pub registration_lifetime_s: u16,
    /// How long it waits for the first reply.
    pub registration_retransmission: Duration,
    /// Whether a new link is asked for an advertisement at once.
    pub layer_2_triggers: bool,
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

const DETECTIONS: &[(&str, MovementDetection)] =
    &[("eager", MovementDetection::Eager), ("lazy", MovementDetection::Lazy)];

/// A protocol, or none.
pub(super) fn section(nodes: &[String]) -> Section<'_, Option<ProtocolSpec>> {
    let kinds = Kinds::new("kind", "The mobility protocol").kind(NONE, Section::empty(|| None));
    let all = protocol::ALL.iter().fold(kinds, |kinds, scheme| {
        let choice = Choice { name: scheme.name, about: scheme.summary, cite: scheme.cite };
        kinds.kind(choice, keys(scheme, nodes))
    });
    all.alone("protocol")
}

#[derive(Clone)]
struct Options {
    home_agent: Option<usize>,
    mobility_anchor_point: Option<usize>,
    interval: Duration,
    jitter: Duration,
    advertisement_lifetime_s: Option<u16>,
    detection: MovementDetection,
    registration_lifetime_s: u16,
    retransmission: Duration,
    layer_2_triggers: bool,
    registered_at_start: bool,
}

fn keys<'a>(scheme: &'static Scheme, nodes: &'a [String]) -> Section<'a, Option<ProtocolSpec>> {
    let start = Options {
        home_agent: None,
        mobility_anchor_point: None,
        interval: Duration::from_millis(100),
        jitter: Duration::ZERO,
        advertisement_lifetime_s: None,
        detection: MovementDetection::default(),
        registration_lifetime_s: 1800,
        retransmission: Duration::from_secs(1),
        layer_2_triggers: false,
        registered_at_start: true,
    };
    let traits = &scheme.traits;
    let further = table! { Options;
        key advertisement_interval (interval): positive_time(), "Time between agent or router advertisements";
        key advertisement_jitter (jitter): time(), "Each interval is shorter by a uniformly distributed part of this";
        optional advertisement_lifetime (advertisement_lifetime_s): whole_seconds(), "Lifetime in advertisements, in whole seconds; three intervals, rounded up, unless given";
        key movement_detection (detection): choice(DETECTIONS), "When a new agent means a move: when it is heard, or when the lifetime of the old one ends";
        key registration_lifetime (registration_lifetime_s): whole_seconds(), "Registration lifetime that is requested, in whole seconds";
        key registration_retransmission (retransmission): positive_time(), "Time to wait for the first reply; doubles with each retransmission";
        key layer_2_triggers: boolean(), "Solicit an advertisement as soon as a new link is up";
        key registered_at_start: boolean(), "Whether the node is registered in its first cell at the start";
    };
    let anchors =
        anchor(Keys::new(), "home_agent", "Node of the home agent", traits.home_agent, nodes, |it| {
            &mut it.home_agent
        });
    let about = "Node of the mobility anchor point";
    let participation = traits.mobility_anchor_point;
    let anchors = anchor(anchors, "mobility_anchor_point", about, participation, nodes, |it| {
        &mut it.mobility_anchor_point
    });
    anchors.with(further, |it| it).build(start, move |it, reader| make(scheme, it, reader).map(Some))
}

fn anchor<'a>(
    keys: Keys<'a, Options>,
    name: &'static str,
    about: &'static str,
    participation: Participation,
    nodes: &'a [String],
    field: Field<Options, Option<usize>>,
) -> Keys<'a, Options> {
    match participation {
        Participation::None => keys,
        Participation::Possible => keys.optional(name, about, node_place(nodes), field),
        Participation::Needed => keys.required(name, about, node_place(nodes), field),
    }
}

fn make(scheme: &'static Scheme, it: Options, reader: &mut Reader<'_>) -> Option<ProtocolSpec> {
    if it.jitter >= it.interval && !reader.is_wrong("advertisement_interval") {
        let complaint = Complaint::new("must be shorter than `advertisement_interval`");
        reader.refuse_value("advertisement_jitter", complaint.code(Code::OutOfBounds));
        return None;
    }
    let anchors = [
        (scheme.traits.home_agent, it.home_agent),
        (scheme.traits.mobility_anchor_point, it.mobility_anchor_point),
    ];
    if anchors.iter().any(|(participation, node)| *participation == Participation::Needed && node.is_none()) {
        return None;
    }
    let usual = AdvertisementConfig::usual_lifetime_s(it.interval);
    Some(ProtocolSpec {
        scheme,
        home_agent: it.home_agent,
        mobility_anchor_point: it.mobility_anchor_point,
        advertisements: AdvertisementConfig {
            interval: it.interval,
            jitter: it.jitter,
            lifetime_s: it.advertisement_lifetime_s.unwrap_or(usual),
        },
        movement_detection: it.detection,
        registration_lifetime_s: it.registration_lifetime_s,
        registration_retransmission: it.retransmission,
        layer_2_triggers: it.layer_2_triggers,
        registered_at_start: it.registered_at_start,
    })
}

/// What fits into the Lifetime field of a message and does not mean "infinity".
fn whole_seconds<'a>() -> Takes<'a, u16> {
    const SECOND: u64 = 1_000_000_000;
    let seconds = |time: Duration| match u16::try_from(time.as_nanos() / SECOND) {
        Ok(seconds @ 1..=65_534) if time.as_nanos() % SECOND == 0 => Ok(seconds),
        _ => Err(Complaint::new("must be whole seconds from 1 s to 65534 s").code(Code::OutOfBounds)),
    };
    time().map(seconds, |seconds| Some(Duration::from_secs(u64::from(*seconds))))
}
