//! `protocol = { kind = "mobile-ipv4", home_agent = "router" }`: how packets find a mobile node.

use crate::codes::Code;
use crate::document::Node;
use crate::reader::{Reader, boolean};
use crate::units::{self, Complaint};
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

pub(crate) const DETECTIONS: &[(&str, MovementDetection)] =
    &[("eager", MovementDetection::Eager), ("lazy", MovementDetection::Lazy)];

/// Read a protocol; `None` when something about it is wrong, which has been noted, and `Some(None)` when there is to
/// be none.
pub(super) fn read(mut reader: Reader<'_>, nodes: &[String]) -> Option<Option<ProtocolSpec>> {
    let schemes = protocol::ALL.iter().map(|scheme| (scheme.name, Some(*scheme)));
    let names: Vec<(&str, Option<&Scheme>)> = std::iter::once((NONE.0, None)).chain(schemes).collect();
    let protocol = match reader.required_choice("kind", &names)? {
        None => Some(None),
        Some(scheme) => read_scheme(scheme, &mut reader, nodes).map(Some),
    };
    reader.finish();
    protocol
}

fn read_scheme(scheme: &'static Scheme, reader: &mut Reader<'_>, nodes: &[String]) -> Option<ProtocolSpec> {
    let home_agent = read_anchor(reader, "home_agent", scheme.traits.home_agent, nodes);
    let anchor = read_anchor(reader, "mobility_anchor_point", scheme.traits.mobility_anchor_point, nodes);
    let interval = reader.or("advertisement_interval", Duration::from_millis(100), units::positive_duration);
    let jitter = reader.or("advertisement_jitter", Duration::ZERO, |node| match units::duration(node)? {
        jitter if interval.is_some_and(|interval| jitter >= interval) => {
            Err(Complaint::new("must be shorter than `advertisement_interval`").code(Code::OutOfBounds))
        }
        jitter => Ok(jitter),
    });
    let usual = interval.map_or(1, AdvertisementConfig::usual_lifetime_s);
    let advertisement_lifetime = reader.or("advertisement_lifetime", usual, whole_seconds);
    let detection = reader.choice("movement_detection", DETECTIONS);
    let lifetime = reader.or("registration_lifetime", 1800, whole_seconds);
    let retransmission =
        reader.or("registration_retransmission", Duration::from_secs(1), units::positive_duration);
    let layer_2_triggers = reader.or("layer_2_triggers", false, boolean);
    let registered_at_start = reader.or("registered_at_start", true, boolean);
    Some(ProtocolSpec {
        scheme,
        home_agent: home_agent?,
        mobility_anchor_point: anchor?,
        advertisements: AdvertisementConfig {
            interval: interval?,
            jitter: jitter?,
            lifetime_s: advertisement_lifetime?,
        },
        movement_detection: detection.unwrap_or_default(),
        registration_lifetime_s: lifetime?,
        registration_retransmission: retransmission?,
        layer_2_triggers: layer_2_triggers?,
        registered_at_start: registered_at_start?,
    })
}

/// `Some(None)` without one; `None` when something is wrong, which has been noted.
fn read_anchor(
    reader: &mut Reader<'_>,
    key: &'static str,
    participation: Participation,
    nodes: &[String],
) -> Option<Option<usize>> {
    match participation {
        Participation::None => Some(None),
        Participation::Possible if reader.node(key).is_none() => Some(None),
        Participation::Possible | Participation::Needed => super::read_node(reader, key, nodes).map(Some),
    }
}

/// What fits into the Lifetime field of a message and is not "without end".
fn whole_seconds(node: &Node) -> Result<u16, Complaint> {
    const SECOND: u64 = 1_000_000_000;
    let nanos = units::duration(node)?.as_nanos();
    match u16::try_from(nanos / SECOND) {
        Ok(seconds @ 1..=65_534) if nanos % SECOND == 0 => Ok(seconds),
        _ => Err(Complaint::new("must be whole seconds from 1 s to 65534 s").code(Code::OutOfBounds)),
    }
}
