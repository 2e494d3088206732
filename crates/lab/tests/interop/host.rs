//! Our TCP in real time: endpoints on a thread of their own, behind a TUN device, with a small network in between that
//! loses, delays and doubles what a test wants.

use seamline_lab::clock;
use seamline_lab::edge;
use seamline_lab::stream::Stream;
use seamline_lab::system::Tun;
use seamline_lab::traffic::Content;
use seamline_tcp::{Address, Endpoint, EndpointConfig, Opening, Parameters, State, profile, variant};
use seamline_wire::codec::{IpVersion, MAX_HEADER_LENGTH, encode};
use seamline_wire::{
    Duration, Flags, Instant, NodeId, Outbox, Packet, Segment, SequenceNumber, TransportPort,
};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The nodes of the two hosts.
pub(crate) const KERNEL: NodeId = NodeId(1);
pub(crate) const OURS: NodeId = NodeId(2);
/// What an endpoint of ours and the kernel send each other, by their seeds.
pub(crate) const FROM_OURS: Content = Content::new(7, 1);
pub(crate) const FROM_KERNEL: Content = Content::new(7, 2);
/// Packets of one turn, after which others may have the lock.
const BATCH: usize = 64;
/// So many segments are noted at most.
const LONGEST_RECORD: usize = 200_000;

/// Which way a segment goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    ToKernel,
    ToOurs,
}

/// What the network between does with a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Pass,
    Lost,
    /// It comes so much later, and is overtaken.
    Late(Duration),
    Twice,
}

pub(crate) type Rule = Box<dyn FnMut(Way, &Segment) -> Fate + Send>;

/// When our application closes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Closes {
    ByHand,
    /// When the connection is open; the FIN follows what was supplied.
    AfterData,
    /// When the other end has closed.
    AfterPeer,
}

/// What a connection of ours begins with.
#[derive(Clone, Debug)]
pub(crate) struct Setup {
    pub(crate) parameters: Parameters,
    pub(crate) variant: &'static str,
    pub(crate) initial_sequence: u32,
    pub(crate) supplies: u64,
    pub(crate) closes: Closes,
    pub(crate) reads_at_once: bool,
}

impl Default for Setup {
    fn default() -> Self {
        Setup::under("linux")
    }
}

impl Setup {
    /// That of a profile.
    pub(crate) fn under(name: &str) -> Self {
        let mut parameters = (profile::find(name).unwrap().parameters)();
        parameters.connection.time_wait = Duration::from_millis(300);
        Setup {
            parameters,
            variant: "cubic",
            initial_sequence: 0x1234_5678,
            supplies: 0,
            closes: Closes::AfterPeer,
            reads_at_once: true,
        }
    }
}

/// A packet in the network, with its payload.
type Transit = (Way, Box<Packet>, Vec<u8>);

/// One connection with what it carries.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) endpoint: Endpoint,
    sent: Stream,
    received: Stream,
    closes: Closes,
}

/// A segment that has passed the network, or not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seen {
    pub(crate) way: Way,
    pub(crate) segment: Segment,
    pub(crate) fate: Fate,
}

pub(crate) struct Host {
    tun: Arc<Tun>,
    version: IpVersion,
    origin: Instant,
    out: Outbox,
    pub(crate) connections: Vec<Connection>,
    pub(crate) by_key: BTreeMap<(u16, u16), usize>,
    pub(crate) listeners: BTreeMap<u16, Setup>,
    /// Connections that were accepted and not taken yet.
    pub(crate) accepted: Vec<usize>,
    pub(crate) rule: Rule,
    pub(crate) delay: Duration,
    /// By when they arrive, and in the order in which they left.
    under_way: BTreeMap<(Instant, u64), Transit>,
    departures: u64,
    /// The kernel's first sequence number is to look like this; what it is shifted by, once it is known.
    pub(crate) shown_initial: Option<u32>,
    shift: u32,
    pub(crate) record: Vec<Seen>,
    pub(crate) mismatch: Option<String>,
    /// Packets of the kernel that our endpoints cannot read.
    pub(crate) not_understood: u64,
    buffer: Vec<u8>,
    pub(crate) stopped: bool,
}

impl Host {
    pub(crate) fn new(tun: Arc<Tun>, version: IpVersion) -> Self {
        Host {
            tun,
            version,
            origin: clock::monotonic(),
            out: Outbox::new(),
            connections: Vec::new(),
            by_key: BTreeMap::new(),
            listeners: BTreeMap::new(),
            accepted: Vec::new(),
            rule: Box::new(|_, _| Fate::Pass),
            delay: Duration::ZERO,
            under_way: BTreeMap::new(),
            departures: 0,
            shown_initial: None,
            shift: 0,
            record: Vec::new(),
            mismatch: None,
            not_understood: 0,
            buffer: vec![0; 65_535],
            stopped: false,
        }
    }

    pub(crate) fn now(&self) -> Instant {
        Instant::ZERO + clock::monotonic().saturating_since(self.origin)
    }

    pub(crate) fn turn(&mut self) {
        let now = self.now();
        self.deliver_due(now);
        for _ in 0..BATCH {
            let mut buffer = std::mem::take(&mut self.buffer);
            let length = self.tun.read(&mut buffer).unwrap();
            if let Some(length) = length {
                self.take_in(now, &buffer[..length]);
            }
            self.buffer = buffer;
            if length.is_none() {
                break;
            }
        }
        for place in 0..self.connections.len() {
            if self.connections[place].endpoint.wake_at().is_some_and(|at| at <= now) {
                self.act(place, now, |endpoint, now, out| endpoint.on_wake(now, out));
            }
        }
    }

    /// When there is something to do if nothing comes.
    pub(crate) fn wake_at(&self) -> Option<Instant> {
        let endpoints = self.connections.iter().filter_map(|connection| connection.endpoint.wake_at());
        endpoints.chain(self.under_way.keys().next().map(|(at, _)| *at)).min()
    }

    /// A packet of the kernel enters the network.
    fn take_in(&mut self, now: Instant, bytes: &[u8]) {
        let mut packet = self.out.packet();
        let Some(payload) = edge::receive(bytes, &mut packet) else {
            self.not_understood += 1;
            return self.out.recycle(packet);
        };
        if let Some(shown) = self.shown_initial
            && packet.segment.flags.contains(Flags::SYN)
        {
            self.shift = shown.wrapping_sub(packet.segment.sequence.0);
        }
        packet.segment.sequence += self.shift;
        self.enter(now, Way::ToOurs, packet, payload);
    }

    fn enter(&mut self, now: Instant, way: Way, packet: Box<Packet>, payload: &[u8]) {
        let fate = (self.rule)(way, &packet.segment);
        if self.record.len() < LONGEST_RECORD {
            self.record.push(Seen { way, segment: packet.segment, fate });
        }
        let delay = match fate {
            Fate::Lost => return self.out.recycle(packet),
            Fate::Late(more) => self.delay + more,
            Fate::Twice => {
                self.carry(now, self.delay, way, packet.clone(), payload);
                self.delay
            }
            Fate::Pass => self.delay,
        };
        self.carry(now, delay, way, packet, payload);
    }

    fn carry(&mut self, now: Instant, delay: Duration, way: Way, packet: Box<Packet>, payload: &[u8]) {
        if delay == Duration::ZERO {
            return self.arrive(now, way, packet, payload);
        }
        self.departures += 1;
        self.under_way.insert((now + delay, self.departures), (way, packet, payload.to_vec()));
    }

    fn deliver_due(&mut self, now: Instant) {
        while let Some(entry) = self.under_way.first_entry().filter(|entry| entry.key().0 <= now) {
            let (way, packet, payload) = entry.remove();
            self.arrive(now, way, packet, &payload);
        }
    }

    fn arrive(&mut self, now: Instant, way: Way, packet: Box<Packet>, payload: &[u8]) {
        match way {
            Way::ToKernel => {
                let mut bytes = vec![0; MAX_HEADER_LENGTH + payload.len()];
                let headers = edge::headers(&packet, self.version);
                let length = encode(&headers, payload, &mut bytes).unwrap();
                assert!(self.tun.write(&bytes[..length]).unwrap(), "the kernel has no room");
                self.out.recycle(packet);
            }
            Way::ToOurs => self.receive(now, packet, payload),
        }
    }

    /// A packet of the kernel has come through.
    fn receive(&mut self, now: Instant, packet: Box<Packet>, payload: &[u8]) {
        let key = (packet.destination_port.0, packet.source_port.0);
        let is_new = packet.segment.flags.contains(Flags::SYN) && !packet.segment.flags.contains(Flags::ACK);
        if is_new
            && !self.by_key.contains_key(&key)
            && let Some(setup) = self.listeners.get(&key.0)
        {
            let setup = setup.clone();
            let place = self.add(key, &setup, Opening::Passive);
            self.accepted.push(place);
        }
        match self.by_key.get(&key) {
            Some(&place) => {
                let received = self.connections[place].received.check(&packet.segment, payload);
                if let Err(mismatch) = received {
                    self.mismatch.get_or_insert(format!("connection {place}: {mismatch:?}"));
                }
                self.act(place, now, |endpoint, now, out| endpoint.on_packet(now, &packet, out));
            }
            None => {
                // What a host without connections answers.
                let mut absent = seamline_tcp::Host::new(OURS);
                let input = seamline_wire::Input::Packet(seamline_wire::Port(0), packet);
                seamline_wire::Machine::step(&mut absent, now, input, &mut self.out);
                return self.flush(now, None);
            }
        }
        self.out.recycle(packet);
    }

    pub(crate) fn add(&mut self, key: (u16, u16), setup: &Setup, opening: Opening) -> usize {
        let parameters = Arc::new(setup.parameters.clone());
        let mut endpoint = Endpoint::new(EndpointConfig {
            local: Address { node: OURS, port: TransportPort(key.0) },
            remote: Address { node: KERNEL, port: TransportPort(key.1) },
            variant: variant::find(setup.variant, &parameters).unwrap(),
            parameters,
            handover: None,
            initial_sequence: SequenceNumber(setup.initial_sequence),
        });
        if setup.reads_at_once {
            endpoint.read_at_once();
        }
        let place = self.connections.len();
        self.connections.push(Connection {
            endpoint,
            sent: Stream::new(FROM_OURS),
            received: Stream::new(FROM_KERNEL),
            closes: setup.closes,
        });
        self.by_key.insert(key, place);
        let supplies = setup.supplies;
        self.act(place, self.now(), |endpoint, now, out| {
            endpoint.open(now, opening, out);
            if supplies > 0 {
                endpoint.supply(now, supplies, out);
            }
        });
        place
    }

    /// Do something with an endpoint; what it sends leaves, and its application closes when it is to.
    pub(crate) fn act(
        &mut self,
        place: usize,
        now: Instant,
        what: impl FnOnce(&mut Endpoint, Instant, &mut Outbox),
    ) {
        let connection = &mut self.connections[place];
        what(&mut connection.endpoint, now, &mut self.out);
        let state = connection.endpoint.state();
        let done = match connection.closes {
            Closes::ByHand => false,
            Closes::AfterData => matches!(state, State::Established | State::CloseWait),
            Closes::AfterPeer => state == State::CloseWait,
        };
        if done {
            connection.endpoint.close(now, &mut self.out);
        }
        self.flush(now, Some(place));
        let endpoint = &self.connections[place].endpoint;
        if endpoint.state() == State::Closed && endpoint.close_reason().is_some() {
            let key = (endpoint.local().port.0, endpoint.remote().port.0);
            if self.by_key.get(&key) == Some(&place) {
                self.by_key.remove(&key);
            }
        }
    }

    fn flush(&mut self, now: Instant, place: Option<usize>) {
        let packets = std::mem::take(&mut self.out.packets);
        for (_, mut packet) in packets {
            let mut payload = vec![0; packet.segment.length as usize];
            if let Some(place) = place {
                self.connections[place].sent.fill(&packet.segment, &mut payload);
            }
            let segment = &mut packet.segment;
            let back = self.shift.wrapping_neg();
            segment.acknowledgment += back;
            segment.sack = segment
                .sack
                .iter()
                .map(|block| seamline_wire::SackBlock { left: block.left + back, right: block.right + back })
                .collect();
            self.enter(now, Way::ToKernel, packet, &payload);
        }
    }
}
