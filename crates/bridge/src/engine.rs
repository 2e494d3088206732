//! Frames in, frames out: everything between an agent and the interfaces that needs neither.

mod arrivals;
mod hand_over;

use crate::flows::{Arrival, FlowCounters, FlowKey, Flows, Met, Place};
use crate::frame::{self, LinkHeader, Medium};
use crate::handed::HandOverCounters;
use crate::outgoing::Outgoing;
use arrivals::Arrivals;
use seamline_agent::{Agent, ConnectionKey, Counters, Kind, Limits, Parameters, Side};
use seamline_wire::codec::recovery::RECOVERY_PORT;
use seamline_wire::codec::{
    DecodeError, Decoded, Headers, IpHeader, MAX_HEADER_LENGTH, decode, decode_complete, encode_around,
    recovery,
};
use seamline_wire::control::RecoveryMessage;
use seamline_wire::{Aside, Control, Duration, Flags, Input, Instant, NodeId, Outbox, Packet, Segment};
use std::net::IpAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// What a kept packet takes beside its bytes: itself, what it has aside, the counters of its bytes, its entry in a cache, and what an
/// allocator needs for each. An agent counts it with the packet, so that its limit is one of memory.
pub const OVERHEAD: u32 =
    (size_of::<Packet>() + size_of::<Aside>() + 2 * size_of::<usize>()) as u32 + 2 * 40 + 3 * 16;

/// Packets that have come from the agent at another base station and wait to be sent have this part of the memory for packets that are kept,
/// beside it.
pub const ARRIVING_SHARE: u64 = 4;

/// What an engine is made from.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Which agent.
    pub kind: &'static Kind,
    /// What of it is set. Its limits are those of the engine: connections, memory of kept packets, and when a connection is forgotten.
    pub parameters: Parameters,
    /// What frames begin with, on both sides.
    pub medium: Medium,
    /// The agent sees everything and changes nothing.
    pub is_dry: bool,
}

impl Settings {
    /// With Ethernet on both sides.
    pub fn new(kind: &'static Kind, parameters: Parameters) -> Self {
        Settings { kind, parameters, medium: Medium::Ethernet, is_dry: false }
    }
}

/// What has become of frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EngineCounters {
    /// Frames without an IP packet.
    pub not_ip: u64,
    /// IP packets that the agent cannot take in: other protocols, fragments, damaged ones, unknown options.
    pub opaque: u64,
    /// Segments of connections that the agent is not shown.
    pub unknown: u64,
    /// Segments and messages that the agent was shown.
    pub shown: u64,
    /// Frames that left otherwise than they came.
    pub changed: u64,
    /// Frames that the agent made, or sent again.
    pub made: u64,
    /// Changed frames that would have been too long, and left as they came.
    pub too_long: u64,
    /// Packets of the agent that could not be made into frames.
    pub unsendable: u64,
    /// How often the agent, or the code around it, failed and was begun anew.
    pub failures: u64,
}

/// An agent between two sides.
#[derive(Debug)]
pub struct Engine {
    settings: Settings,
    agent: Box<dyn Agent>,
    flows: Flows,
    out: Outbox,
    counters: EngineCounters,
    handed_over: HandOverCounters,
    arrivals: Arrivals,
    /// What agents have done that have failed since.
    before: Counters,
    /// The longest IP packet that may leave by the wired side, and by the wireless side.
    longest: [usize; 2],
    room: Vec<u8>,
    forgotten: Vec<Place>,
}

/// What has come in, as the agent sees it.
enum Came<'a> {
    Segment(&'a Arc<[u8]>),
    Message(RecoveryMessage),
}

/// Where something came in.
#[derive(Clone, Copy)]
struct Way<'a> {
    from: Side,
    header: LinkHeader,
    frame: &'a [u8],
}

impl Engine {
    /// One that has seen nothing.
    pub fn new(settings: Settings) -> Self {
        let Limits { connections, idle, bytes } = settings.parameters.limits;
        Engine {
            agent: make(&settings),
            flows: Flows::new(connections, idle),
            out: Outbox::new(),
            counters: EngineCounters::default(),
            handed_over: HandOverCounters::default(),
            arrivals: Arrivals::new(bytes / ARRIVING_SHARE),
            before: Counters::default(),
            longest: [usize::from(u16::MAX); 2],
            room: Vec::new(),
            forgotten: Vec::new(),
            settings,
        }
    }
    /// The same with another agent, which is replaced by one of the settings' kind if it fails.
    #[must_use]
    pub fn with_agent(mut self, agent: Box<dyn Agent>) -> Self {
        self.agent = agent;
        self
    }
    /// What it is made from.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }
    /// What has become of frames.
    pub fn counters(&self) -> EngineCounters {
        self.counters
    }
    /// What has become of connections that were handed over.
    pub fn hand_over_counters(&self) -> HandOverCounters {
        self.handed_over
    }
    /// What has become of connections.
    pub fn flow_counters(&self) -> FlowCounters {
        self.flows.counters()
    }
    /// How many connections the agent is shown now.
    pub fn known_flows(&self) -> usize {
        self.flows.known()
    }
    /// How many connections the table holds, those included that the agent is not shown yet.
    pub fn flows(&self) -> usize {
        self.flows.len()
    }
    /// What the agent has done, or would have done.
    pub fn agent_counters(&self) -> Counters {
        self.before + self.agent.counters()
    }
    /// IP packets longer than this cannot leave by that side: its MTU, in bytes. What an agent would make longer leaves as it came.
    pub fn set_mtu(&mut self, side: Side, bytes: usize) {
        self.longest[side.index()] = bytes;
    }

    /// A frame comes in. What is to leave is put behind what is in `sent` already.
    pub fn pass(&mut self, now: Instant, from: Side, bytes: &[u8], sent: &mut Outgoing) {
        let Some((header, packet)) = frame::split(self.settings.medium, bytes) else {
            self.counters.not_ip += 1;
            return sent.push(from.other(), &[bytes]);
        };
        let way = Way { from, header, frame: bytes };
        match decode_complete(packet) {
            Ok(decoded) => self.on_segment(now, way, packet, &decoded, sent),
            Err(DecodeError::LeftOut(_)) => {
                self.on_opaque(now, way, packet);
                self.counters.opaque += 1;
                sent.push(from.other(), &[bytes]);
            }
            Err(_) => self.on_other(now, way, packet, sent),
        }
    }

    /// A frame comes in for which there is no time: it leaves as it came. A connection that it ends is forgotten.
    pub fn pass_by(&mut self, from: Side, bytes: &[u8], sent: &mut Outgoing) {
        sent.push(from.other(), &[bytes]);
        let Some((header, packet)) = frame::split(self.settings.medium, bytes) else { return };
        let Ok(decoded) = decode(packet) else { return };
        let key = key_of(Way { from, header, frame: bytes }, &decoded.headers);
        self.end_if_told(from, &key, &decoded.headers.segment);
        self.flows.miss(&key, decoded.headers.segment.flags);
    }

    /// When to be woken, if nothing comes before.
    pub fn wake_at(&self) -> Option<Instant> {
        self.agent.wake_at().into_iter().chain(self.flows.wake_at()).min()
    }

    /// The time of [`Engine::wake_at`] has come, or may have.
    pub fn wake(&mut self, now: Instant, sent: &mut Outgoing) {
        let mut forgotten = std::mem::take(&mut self.forgotten);
        self.flows.expire(now, &mut forgotten);
        self.forget(&forgotten);
        forgotten.clear();
        self.forgotten = forgotten;
        if self.agent.wake_at().is_some_and(|at| at <= now) {
            let _ = self.step(now, Input::Wake);
            self.carry(None, sent);
        }
    }

    /// Forget all connections, and with them all that is kept.
    pub fn release(&mut self) {
        let known = self.flows.clear();
        self.forget(&known);
    }

    /// Go on with an agent, and a table, that have seen nothing, after something has failed midway. What was counted is kept.
    pub fn begin_anew(&mut self) {
        self.replace_agent();
        self.flows.begin_anew();
        self.forgotten.clear();
    }

    fn forget(&mut self, places: &[Place]) {
        if !places.is_empty() {
            places.iter().for_each(|place| self.arrivals.remove(*place));
            let nodes: Vec<NodeId> = places.iter().map(|place| place.node(Side::Wireless)).collect();
            drop(self.agent.hand_out(&nodes));
        }
    }

    fn on_segment(
        &mut self,
        now: Instant,
        way: Way<'_>,
        bytes: &[u8],
        decoded: &Decoded<'_>,
        sent: &mut Outgoing,
    ) {
        let Headers { source_port, destination_port, segment, .. } = decoded.headers;
        let key = key_of(way, &decoded.headers);
        self.end_if_told(way.from, &key, &segment);
        let arrival = Arrival { now, from: way.from, segment: &segment, header: way.header };
        let place = match self.flows.meet(key, arrival) {
            Met::Show(place) => place,
            Met::Passes => {
                self.counters.unknown += 1;
                return sent.push(way.from.other(), &[way.frame]);
            }
        };
        // Without what a short frame is padded with.
        let length = frame::ip_length(bytes).map_or(bytes.len(), |stated| stated.min(bytes.len()));
        let came: Arc<[u8]> = Arc::from(&bytes[..length]);
        let mut packet = self.out.packet();
        *packet = Packet {
            source: place.node(way.from),
            destination: place.node(way.from.other()),
            source_port,
            destination_port,
            wire_bytes: came.len() as u32 + OVERHEAD,
            segment,
            aside: Some(Box::new(Aside::Segment(Arc::clone(&came)))),
            ..Packet::default()
        };
        self.show(now, way, packet, Came::Segment(&came), sent);
        if way.from == Side::Wireless && self.arrivals.has(place) {
            self.go_on_arriving(now, place, sent);
        }
    }

    /// Forget the connection if this is a reset that ends it, or a SYN after its end.
    fn end_if_told(&mut self, from: Side, key: &FlowKey, segment: &Segment) {
        let place = match segment.flags.intersects(Flags::SYN | Flags::RST) {
            true => self.flows.find(key),
            false => None,
        };
        if let Some(place) =
            place.filter(|place| self.agent.is_ended_by(connection(*place, key), from, segment))
        {
            self.flows.remove(place);
            self.forget(&[place]);
        }
    }

    /// A packet of a connection that its ends can read, and the agent cannot.
    fn on_opaque(&mut self, now: Instant, way: Way<'_>, bytes: &[u8]) {
        let Ok(decoded) = decode(bytes) else { return };
        let key = key_of(way, &decoded.headers);
        let segment = &decoded.headers.segment;
        self.end_if_told(way.from, &key, segment);
        let Some(place) = self.flows.overhear(now, way.from, &key, segment) else { return };
        self.agent.on_opaque(now, connection(place, &key), &mut self.out);
        self.discard();
    }

    /// A message between agents about a connection that is known, or anything else.
    fn on_other(&mut self, now: Instant, way: Way<'_>, bytes: &[u8], sent: &mut Outgoing) {
        let message = recovery::decode(bytes).ok();
        let found = message.and_then(|(ip, message)| {
            let place = self.flows.find(&key_of_message(way, &ip, &message))?;
            Some((place, message))
        });
        let Some((place, message)) = found else {
            self.counters.opaque += 1;
            return sent.push(way.from.other(), &[way.frame]);
        };
        let mut packet = self.out.packet();
        *packet = Packet {
            source: place.node(way.from),
            destination: place.node(way.from.other()),
            source_port: RECOVERY_PORT,
            destination_port: RECOVERY_PORT,
            wire_bytes: bytes.len() as u32,
            aside: Aside::control(Control::Recovery(message)),
            ..Packet::default()
        };
        self.show(now, way, packet, Came::Message(message), sent);
    }

    /// Let the agent act on a packet.
    fn show(&mut self, now: Instant, way: Way<'_>, packet: Box<Packet>, came: Came<'_>, sent: &mut Outgoing) {
        self.counters.shown += 1;
        let done = self.step(now, Input::Packet(way.from.port(), packet));
        if !done || self.settings.is_dry {
            self.discard();
            return sent.push(way.from.other(), &[way.frame]);
        }
        self.carry(Some((way, came)), sent);
    }

    /// Whether the agent has done it. One that fails is replaced by one that has seen nothing.
    fn step(&mut self, now: Instant, input: Input) -> bool {
        let (agent, out) = (&mut self.agent, &mut self.out);
        let outcome = catch_unwind(AssertUnwindSafe(|| agent.step(now, input, out)));
        if outcome.is_err() {
            self.replace_agent();
        }
        outcome.is_ok()
    }

    fn replace_agent(&mut self) {
        self.counters.failures += 1;
        self.before = self.before + self.agent.counters();
        self.agent = make(&self.settings);
        self.arrivals.clear();
        self.out = Outbox::new();
    }

    fn discard(&mut self) {
        let mut packets = std::mem::take(&mut self.out.packets);
        for (_, mut packet) in packets.drain(..) {
            packet.make_bare();
            self.out.recycle(packet);
        }
        self.out.packets = packets;
    }

    /// Make frames of what the agent sends.
    fn carry(&mut self, came: Option<(Way<'_>, Came<'_>)>, sent: &mut Outgoing) {
        if self.settings.is_dry {
            return self.discard();
        }
        let mut packets = std::mem::take(&mut self.out.packets);
        for (port, mut packet) in packets.drain(..) {
            self.send(Side::of(port), &packet, came.as_ref(), sent);
            packet.make_bare();
            self.out.recycle(packet);
        }
        self.out.packets = packets;
    }

    fn send(
        &mut self,
        towards: Side,
        packet: &Packet,
        came: Option<&(Way<'_>, Came<'_>)>,
        sent: &mut Outgoing,
    ) {
        let onwards = came.filter(|(way, _)| way.from != towards);
        match packet.aside.as_deref() {
            Some(Aside::Segment(bytes)) => match onwards {
                Some((way, Came::Segment(same))) if Arc::ptr_eq(same, bytes) => {
                    self.send_on(towards, packet, bytes, *way, sent);
                }
                _ => self.send_again(towards, packet, bytes, sent),
            },
            Some(Aside::Control(Control::Recovery(message))) => match onwards {
                Some((way, Came::Message(same))) if same == message => sent.push(towards, &[way.frame]),
                _ => self.tell(towards, packet, message, sent),
            },
            _ => self.counters.unsendable += 1,
        }
    }

    /// What came in leaves, changed or not.
    fn send_on(&mut self, towards: Side, packet: &Packet, bytes: &[u8], way: Way<'_>, sent: &mut Outgoing) {
        let written = encode_around(packet, bytes, &mut self.room);
        match written {
            Ok(written) if std::ptr::eq(written, bytes) => sent.push(towards, &[way.frame]),
            Ok(written) if written.len() <= bytes.len().max(self.longest[towards.index()]) => {
                self.counters.changed += 1;
                sent.push(towards, &[way.header.as_slice(), written]);
            }
            Ok(_) => {
                self.counters.too_long += 1;
                sent.push(towards, &[way.frame]);
            }
            Err(_) => {
                self.counters.unsendable += 1;
                sent.push(towards, &[way.frame]);
            }
        }
    }

    /// What was kept leaves once more, behind what stood before the newest packet of its connection.
    fn send_again(&mut self, towards: Side, packet: &Packet, bytes: &[u8], sent: &mut Outgoing) {
        let header = self.flows.header(Place::of(packet.source), towards);
        let written = encode_around(packet, bytes, &mut self.room);
        let (Some(header), Ok(written)) = (header, written) else {
            self.counters.unsendable += 1;
            return;
        };
        self.counters.made += 1;
        sent.push(towards, &[header.as_slice(), written]);
    }

    fn tell(&mut self, towards: Side, packet: &Packet, message: &RecoveryMessage, sent: &mut Outgoing) {
        let place = Place::of(packet.source);
        let ends = self.flows.header(place, towards).zip(self.flows.key(place));
        let Some((header, ip)) = ends.and_then(|(header, key)| Some((header, ip_header(&key, towards)?)))
        else {
            self.counters.unsendable += 1;
            return;
        };
        self.room.resize(MAX_HEADER_LENGTH + message.length(), 0);
        let Ok(length) = recovery::encode(&ip, message, &mut self.room) else {
            self.counters.unsendable += 1;
            return;
        };
        self.counters.made += 1;
        sent.push(towards, &[header.as_slice(), &self.room[..length]]);
    }
}

/// The agent forgets nothing by itself, and takes in whatever it is shown: both are the engine's to say.
fn make(settings: &Settings) -> Box<dyn Agent> {
    let mut parameters = settings.parameters.clone();
    parameters.limits.connections = u32::MAX;
    parameters.limits.idle = Duration::MAX;
    (settings.kind.build)(&parameters)
}

/// What the agent knows it by.
fn connection(place: Place, key: &FlowKey) -> ConnectionKey {
    let end = |side, port| (place.node(side), port);
    ConnectionKey { wireless: end(Side::Wireless, key.wireless.1), wired: end(Side::Wired, key.wired.1) }
}

fn key_of(way: Way<'_>, headers: &Headers) -> FlowKey {
    let source = (headers.ip.source(), headers.source_port);
    let destination = (headers.ip.destination(), headers.destination_port);
    FlowKey::new(way.from, source, destination, way.header.vlans())
}

fn key_of_message(way: Way<'_>, ip: &IpHeader, message: &RecoveryMessage) -> FlowKey {
    let [mobile, fixed] = [message.mobile_port, message.fixed_port];
    let ports = if way.from == Side::Wired { [fixed, mobile] } else { [mobile, fixed] };
    FlowKey::new(way.from, (ip.source(), ports[0]), (ip.destination(), ports[1]), way.header.vlans())
}

fn ip_header(key: &FlowKey, towards: Side) -> Option<IpHeader> {
    let (source, destination) = match towards {
        Side::Wireless => (key.wired.0, key.wireless.0),
        Side::Wired => (key.wireless.0, key.wired.0),
    };
    match (source, destination) {
        (IpAddr::V4(source), IpAddr::V4(destination)) => Some(IpHeader::v4(source, destination)),
        (IpAddr::V6(source), IpAddr::V6(destination)) => Some(IpHeader::v6(source, destination)),
        _ => None,
    }
}
