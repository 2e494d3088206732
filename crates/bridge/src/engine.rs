//! Frames in, frames out: everything between an agent and the interfaces that needs neither.

mod arrivals;
mod hand_over;
mod sending;

use crate::frame::{self, LinkHeader, Medium};
use crate::handed::HandOverCounters;
use crate::outgoing::Outgoing;
use arrivals::Arrivals;
use seamline_agent::{
    Admission, ConnectionKey, Connections, Counters, End, Kind, Measurements, Parameters, Place, Side,
};
use seamline_host::counters;
use seamline_wire::codec::recovery::RECOVERY_PORT;
use seamline_wire::codec::{DecodeError, Decoded, Headers, decode, decode_complete, recovery};
use seamline_wire::control::RecoveryMessage;
use seamline_wire::{Control, Extra, Instant, Outbox, Packet, Segment};
use std::net::IpAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What a kept packet takes besides its bytes: itself, the box and the counters of its bytes, its entry in a cache, and what an
/// allocator needs for each. An agent counts it with the packet, so that its limit is one of memory.
pub const OVERHEAD: u32 =
    (size_of::<Packet>() + size_of::<Extra>() + 2 * size_of::<usize>()) as u32 + 2 * 40 + 3 * 16;

/// Packets from the agent at another base station that wait to be sent have a further part of the memory for packets that are kept: one
/// divided by this.
pub const ARRIVING_SHARE: u64 = 4;

/// So many connections without room are noted until the caller asks. Those that follow are noted at their next packet.
const MOST_NOTED: usize = 256;

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

counters! {
/// What the engine did with frames.
EngineCounters {
    /// Frames without an IP packet.
    counter "not_ip" not_ip: u64,
    /// Packets that the agent cannot parse; forwarded unchanged.
    counter "opaque" opaque: u64,
    /// Segments of connections unknown to the agent; forwarded unchanged.
    counter "unknown" unknown: u64,
    /// Segments and messages given to the agent.
    counter "shown" shown: u64,
    /// Frames forwarded unchanged because help was switched off.
    counter "paused_frames" paused_frames: u64,
    /// Frames forwarded with changes.
    counter "changed" changed: u64,
    /// Frames created or retransmitted by the agent.
    counter "made" made: u64,
    /// Frames forwarded unchanged because the change would have exceeded the MTU.
    counter "too_long" too_long: u64,
    /// Packets of the agent that could not be encoded.
    counter "unsendable" unsendable: u64,
    /// Times the agent failed and was replaced.
    counter "failures" failures: u64,
}
}

/// The host at one end of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Address {
    ip: IpAddr,
    /// [`LinkHeader::vlans`]: the same addresses may be in use in several.
    vlans: u32,
}

impl End for Address {
    fn network(self) -> Self {
        Address { ip: self.ip.network(), ..self }
    }
}

type Key = ConnectionKey<Address>;

/// A connection by what its packets show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Flow {
    pub(crate) ends: [(IpAddr, u16); 2],
    /// The VLAN; zero if it is in none.
    pub(crate) vlan: u16,
}

/// An agent between two sides.
#[derive(Debug)]
pub struct Engine {
    settings: Settings,
    connections: Connections<Address, LinkHeader>,
    out: Outbox,
    counters: EngineCounters,
    handed_over: HandOverCounters,
    arrivals: Arrivals,
    /// What agents did that were replaced since.
    before: Counters,
    measured_before: Measurements,
    /// The longest IP packet that may leave by the wired side, and by the wireless side.
    longest: [usize; 2],
    room: Vec<u8>,
    /// Some of those for which there was no room, since the caller asked.
    no_room: Vec<Flow>,
    is_paused: bool,
    has_paused: bool,
}

/// A frame with an IP packet.
#[derive(Clone, Copy)]
struct Received<'f> {
    from: Side,
    header: LinkHeader,
    /// The IP packet, without what a short frame is padded with.
    packet: &'f [u8],
    frame: &'f [u8],
}

/// What the agent was shown of a frame.
enum Shown<'a> {
    Segment(&'a Decoded<'a>),
    Message(RecoveryMessage),
}

impl Engine {
    /// One that has seen nothing.
    pub fn new(settings: Settings) -> Self {
        Engine {
            connections: connections(&settings, false),
            out: Outbox::new(),
            counters: EngineCounters::default(),
            handed_over: HandOverCounters::default(),
            arrivals: Arrivals::new(settings.parameters.limits.bytes / ARRIVING_SHARE),
            before: Counters::default(),
            measured_before: Measurements::default(),
            longest: [usize::from(u16::MAX); 2],
            room: Vec::new(),
            no_room: Vec::new(),
            is_paused: false,
            has_paused: false,
            settings,
        }
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
    /// How many connections the agent is shown now.
    pub fn known_flows(&self) -> usize {
        self.connections.shown()
    }
    /// The bytes of packets that the agent keeps, each with its [`OVERHEAD`].
    pub fn kept_bytes(&self) -> u64 {
        self.connections.kept_bytes()
    }
    /// How many connections the table holds, those included that the agent is not shown yet.
    pub fn flows(&self) -> usize {
        self.connections.len()
    }
    /// What the agent has done, or would have done.
    pub fn agent_counters(&self) -> Counters {
        self.before + self.connections.counters()
    }
    /// What the segments that the agent was shown have shown of the paths.
    pub fn measurements(&self) -> Measurements {
        self.measured_before + self.connections.measurements()
    }
    /// IP packets longer than this cannot leave by that side: its MTU, in bytes. What an agent would make longer leaves as it came. When that of
    /// the wireless side shrinks, all that is kept is dropped: a sender cuts its data otherwise then, and what is kept of it would be too long to
    /// be sent again.
    pub fn set_mtu(&mut self, side: Side, bytes: usize) {
        let before = std::mem::replace(&mut self.longest[side.index()], bytes);
        if side == Side::Wireless && bytes < before {
            self.act(|it, out| it.let_go_of_all(out));
            self.discard();
        }
    }

    /// Switch help off: all connections are forgotten, and frames leave as they came. Or on again, for connections that begin from then on:
    /// of the others too little is known. Returns whether that changed anything.
    pub fn set_paused(&mut self, is_paused: bool) -> bool {
        if std::mem::replace(&mut self.is_paused, is_paused) == is_paused {
            return false;
        }
        self.has_paused = true;
        self.release();
        true
    }
    /// Whether help is switched off.
    pub fn is_paused(&self) -> bool {
        self.is_paused
    }

    /// A frame comes in. What is to leave is put behind what is in `sent` already.
    pub fn pass<'f>(&mut self, now: Instant, from: Side, frame: &'f [u8], sent: &mut Outgoing<'f>) {
        if self.is_paused {
            self.counters.paused_frames += 1;
            return sent.pass(from.other(), frame);
        }
        let Some(received) = self.receive(from, frame) else {
            self.counters.not_ip += 1;
            return sent.pass(from.other(), frame);
        };
        match decode_complete(received.packet) {
            // It is lost at the interface. Kept, it would stand in for what the sender then sends in shorter packets.
            Ok(_) if received.packet.len() > self.longest[from.other().index()] => {
                self.pass_by(now, from, frame, sent);
            }
            Ok(decoded) => self.on_segment(now, received, &decoded, sent),
            Err(DecodeError::LeftOut(_)) => {
                self.counters.opaque += 1;
                self.overhear(now, received);
                sent.pass(from.other(), frame);
            }
            Err(_) => self.on_other(now, received, sent),
        }
    }

    /// A frame comes in for which there is no time: it leaves as it came. A connection that it ends is forgotten.
    pub fn pass_by<'f>(&mut self, now: Instant, from: Side, frame: &'f [u8], sent: &mut Outgoing<'f>) {
        let is_segment = self.receive(from, frame).is_some_and(|received| {
            let fits = received.packet.len() <= self.longest[from.other().index()];
            self.overhear(now, received) && fits
        });
        match is_segment {
            true => sent.pass_segment(from.other(), frame),
            false => sent.pass(from.other(), frame),
        }
    }

    /// When to be woken, if nothing comes before.
    pub fn wake_at(&self) -> Option<Instant> {
        self.connections.wake_at()
    }

    /// The time of [`Engine::wake_at`] has come, or may have.
    pub fn wake(&mut self, now: Instant, sent: &mut Outgoing<'_>) {
        if self.wake_at().is_some_and(|at| at <= now) && self.act(|it, out| it.wake(now, out)).is_some() {
            self.send_made(sent);
        }
    }

    /// Forget all connections, and with them all that is kept.
    pub fn release(&mut self) {
        self.before = self.agent_counters();
        self.measured_before = self.measurements();
        self.connections = connections(&self.settings, self.has_paused);
        self.arrivals.clear();
    }

    /// Go on with an agent that has seen nothing, after something has failed midway. What was counted is kept.
    pub fn replace_agent(&mut self) {
        self.counters.failures += 1;
        self.release();
        self.out = Outbox::new();
    }

    fn receive<'f>(&self, from: Side, frame: &'f [u8]) -> Option<Received<'f>> {
        let (header, packet) = frame::split(self.settings.medium, frame)?;
        let stated = frame::ip_length(packet).unwrap_or(packet.len());
        Some(Received { from, header, packet: packet.get(..stated).unwrap_or(packet), frame })
    }

    /// Let the agent act. One that fails is replaced by one that has seen nothing; then `None`.
    fn act<R>(
        &mut self,
        act: impl FnOnce(&mut Connections<Address, LinkHeader>, &mut Outbox) -> R,
    ) -> Option<R> {
        let (connections, out) = (&mut self.connections, &mut self.out);
        let outcome = catch_unwind(AssertUnwindSafe(|| act(connections, out)));
        if outcome.is_err() {
            self.replace_agent();
        }
        outcome.ok()
    }

    fn on_segment<'f>(
        &mut self,
        now: Instant,
        it: Received<'f>,
        decoded: &Decoded<'_>,
        sent: &mut Outgoing<'f>,
    ) {
        let key = it.key(&decoded.headers);
        let segment = &decoded.headers.segment;
        let admission = self.act(|connections, out| {
            let admission = connections.admit(now, it.from, key, segment, Some(it.header), out);
            if let Admission::Shown(place) = admission {
                connections.measure(now, it.from, place, segment);
                let mut packet = out.packet();
                *packet = segment_of(place, it.from, &key, *segment, it.packet.len());
                packet.ecn = decoded.headers.ip.traffic_class().ecn();
                connections.show(now, it.from, place, packet, it.packet, out);
            }
            admission
        });
        let Some(Admission::Shown(place)) = admission else {
            let is_unknown = matches!(admission, Some(Admission::Unknown | Admission::NoRoom));
            self.counters.unknown += u64::from(is_unknown);
            if admission == Some(Admission::NoRoom) {
                self.note_no_room(&key);
            }
            return sent.pass_segment(it.from.other(), it.frame);
        };
        self.send(it, &Shown::Segment(decoded), sent);
        if it.from == Side::Wireless && self.arrivals.has(place) {
            self.go_on_arriving(now, place, &key, sent);
        }
    }

    fn note_no_room(&mut self, key: &Key) {
        let ends = [key.wired, key.wireless].map(|(address, port)| (address.ip, port.0));
        if let Ok(vlan) = u16::try_from(key.wired.0.vlans)
            && self.no_room.len() < MOST_NOTED
        {
            self.no_room.push(Flow { ends, vlan });
        }
    }
    /// Connections for which there was no room since the last call, if not too many.
    pub(crate) fn without_room(&mut self) -> impl Iterator<Item = Flow> {
        self.no_room.drain(..)
    }

    /// A packet that the agent is not to see. Returns whether it is a segment without errors.
    fn overhear(&mut self, now: Instant, it: Received<'_>) -> bool {
        let Ok(decoded) = decode(it.packet) else { return false };
        let (key, segment) = (it.key(&decoded.headers), &decoded.headers.segment);
        self.act(|connections, out| connections.overhear(now, it.from, key, segment, out));
        true
    }

    /// A message between agents about a connection that is known, or anything else.
    fn on_other<'f>(&mut self, now: Instant, it: Received<'f>, sent: &mut Outgoing<'f>) {
        let found = recovery::decode(it.packet).ok().and_then(|(ip, message)| {
            let (source, destination) = (it.address(ip.source()), it.address(ip.destination()));
            let key = Key::of_message_between(it.from, source, destination, &message);
            Some((self.connections.find_shown(&key)?, message))
        });
        let Some((place, message)) = found else {
            self.counters.opaque += 1;
            return sent.pass(it.from.other(), it.frame);
        };
        let done = self.act(|connections, out| {
            let mut packet = out.packet();
            *packet = Packet {
                source: place.node(it.from),
                destination: place.node(it.from.other()),
                source_port: RECOVERY_PORT,
                destination_port: RECOVERY_PORT,
                wire_bytes: it.packet.len() as u32,
                extra: Extra::control(Control::Recovery(message)),
                ..Packet::default()
            };
            connections.show_message(now, it.from, place, message, packet, out);
        });
        match done {
            Some(()) => self.send(it, &Shown::Message(message), sent),
            None => sent.pass(it.from.other(), it.frame),
        }
    }
}

/// With those only whose beginning is seen, or with all.
fn connections(settings: &Settings, only_from_beginning: bool) -> Connections<Address, LinkHeader> {
    let Settings { kind, parameters, .. } = settings;
    let connections = Connections::new(parameters.limits, (kind.connection)(parameters));
    let connections = connections.confirming().measuring(!settings.is_dry);
    if only_from_beginning { connections.only_from_beginning() } else { connections }
}

impl Received<'_> {
    fn address(&self, ip: IpAddr) -> Address {
        Address { ip, vlans: self.header.vlans() }
    }
    fn key(&self, headers: &Headers) -> Key {
        let source = (self.address(headers.ip.source()), headers.source_port);
        let destination = (self.address(headers.ip.destination()), headers.destination_port);
        Key::between(self.from, source, destination)
    }
}

/// A segment as the agent sees it, whose IP packet has so many bytes.
fn segment_of(place: Place, from: Side, key: &Key, segment: Segment, bytes: usize) -> Packet {
    let [source_port, destination_port] = match from {
        Side::Wired => [key.wired.1, key.wireless.1],
        Side::Wireless => [key.wireless.1, key.wired.1],
    };
    Packet {
        source: place.node(from),
        destination: place.node(from.other()),
        source_port,
        destination_port,
        wire_bytes: bytes as u32 + OVERHEAD,
        segment,
        ..Packet::default()
    }
}
