//! A host: the machine that holds connections, and the applications that use them.

use crate::emit::reset_for;
use crate::endpoint::{Endpoint, EndpointConfig, NetworkError, Opening, State};
use crate::transactions::Transactions;
use seamline_wire::control::UndeliveredSegment;
use seamline_wire::timers::{NEVER, Timers};
use seamline_wire::{
    ConnectionCount, Control, Flags, Input, Instant, Machine, Mark, NodeId, Outbox, Packet, Signal,
    TransportPort,
};
use std::collections::BTreeMap;

/// A source of data with a beginning and an end; it reads whatever arrives at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Application {
    /// When it opens the connection (or begins to listen).
    pub start: Instant,
    /// When it stops supplying data, if ever.
    pub stop: Option<Instant>,
    /// How many bytes it sends; `u64::MAX` is without end.
    pub bytes: u64,
    /// Whether it closes the connection when all is supplied, or when the peer has closed.
    pub closes: bool,
}

impl Application {
    /// A transfer without end, beginning at `start`.
    pub fn endless(start: Instant) -> Self {
        Application { start, stop: None, bytes: u64::MAX, closes: false }
    }
    /// A transfer of `bytes` that closes the connection at its end.
    pub fn transfer(start: Instant, bytes: u64) -> Self {
        Application { start, stop: None, bytes, closes: true }
    }
    /// Only receives; closes when the peer has closed.
    pub fn sink() -> Self {
        Application { start: Instant::ZERO, stop: None, bytes: 0, closes: true }
    }
}

/// No more bytes of options fit into a header.
const OPTIONS_OF_SYN: u64 = 40;

/// A connection's number at its host, in the order of [`Host::add`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ConnectionId(pub usize);

#[derive(Debug)]
struct Connection {
    endpoint: Endpoint,
    application: Application,
    opening: Option<Opening>,
    supplied: bool,
    stopped: bool,
    /// The count of the peer's connection, until the handshake is over ([`crate::transactions`]).
    unconfirmed: Option<u32>,
}

/// Local port, remote node, remote port.
type Key = (TransportPort, NodeId, TransportPort);

/// A host with any number of connections, attached to the network by port 0.
#[derive(Debug)]
pub struct Host {
    node: NodeId,
    connections: Vec<Connection>,
    by_key: BTreeMap<Key, usize>,
    last_found: Option<(Key, usize)>,
    timers: Timers,
    /// Kept where a connection wants TCP for Transactions.
    transactions: Option<Box<Transactions>>,
}

impl Host {
    /// A host without connections.
    pub fn new(node: NodeId) -> Self {
        Host {
            node,
            connections: Vec::new(),
            by_key: BTreeMap::new(),
            last_found: None,
            timers: Timers::default(),
            transactions: None,
        }
    }
    /// The node this host is.
    pub fn node(&self) -> NodeId {
        self.node
    }
    /// Add a connection that its application opens when it starts. It takes the place of an earlier one
    /// between the same ports.
    pub fn add(
        &mut self,
        config: EndpointConfig,
        opening: Opening,
        application: Application,
    ) -> ConnectionId {
        let id = self.connections.len();
        self.by_key.insert((config.local.port, config.remote.node, config.remote.port), id);
        self.last_found = None;
        if config.parameters.connection.transactions {
            self.transactions.get_or_insert_default();
        }
        let mut endpoint = Endpoint::new(config);
        endpoint.read_at_once();
        if self.connections.is_empty() {
            // Most hosts have one connection; a vector would make room for four.
            self.connections.reserve_exact(1);
        }
        self.connections.push(Connection {
            endpoint,
            application,
            opening: Some(opening),
            supplied: false,
            stopped: false,
            unconfirmed: None,
        });
        self.timers.add(application.start);
        ConnectionId(id)
    }
    /// The endpoint of a connection.
    ///
    /// # Panics
    /// When the connection is not one of this host.
    pub fn endpoint(&self, id: ConnectionId) -> &Endpoint {
        &self.connections[id.0].endpoint
    }
    /// All endpoints, in the order they were added.
    pub fn endpoints(&self) -> impl Iterator<Item = &Endpoint> {
        self.connections.iter().map(|connection| &connection.endpoint)
    }

    fn find(&mut self, packet: &Packet) -> Option<usize> {
        let key = (packet.destination_port, packet.source, packet.source_port);
        match self.last_found {
            Some((found, id)) if found == key => Some(id),
            _ => {
                let id = *self.by_key.get(&key)?;
                self.last_found = Some((key, id));
                Some(id)
            }
        }
    }

    fn on_packet(&mut self, now: Instant, packet: Box<Packet>, out: &mut Outbox) {
        if !packet.is_bare_segment() {
            return self.on_other(now, packet, out);
        }
        match self.find(&packet) {
            Some(id) => {
                let connection = &mut self.connections[id];
                if let Some(transactions) = &mut self.transactions {
                    connection.take_count(now, &packet, transactions);
                }
                connection.endpoint.on_packet(now, &packet, out);
                if let Some(transactions) = &mut self.transactions {
                    connection.confirm_count(transactions);
                }
                connection.settle(now, out);
                self.timers.bring_forward(id, connection.wake_at());
            }
            None => reset_for(&packet, out),
        }
        out.recycle(packet);
    }

    /// Of what is no segment only an error that ICMP reports is for a connection.
    #[cold]
    fn on_other(&mut self, now: Instant, packet: Box<Packet>, out: &mut Outbox) {
        if let Some(Control::HostUnreachable(undelivered)) =
            packet.control().filter(|_| packet.tunnels.is_empty())
        {
            let UndeliveredSegment { source_port, destination, destination_port, sequence, .. } =
                *undelivered;
            if let Some(&id) = self.by_key.get(&(source_port, destination, destination_port)) {
                let connection = &mut self.connections[id];
                connection.endpoint.on_icmp(now, sequence, NetworkError::Unreachable, out);
                connection.settle(now, out);
                self.timers.set(id, connection.wake_at());
            }
        }
        out.recycle(packet);
    }

    fn on_signal(&mut self, now: Instant, signal: Signal, out: &mut Outbox) {
        for (id, connection) in self.connections.iter_mut().enumerate() {
            connection.endpoint.on_signal(now, signal, out);
            self.timers.set(id, connection.wake_at());
        }
    }

    fn on_wake(&mut self, now: Instant, out: &mut Outbox) {
        while let Some((_, id)) = self.timers.first().filter(|&(at, _)| at <= now) {
            let connection = &mut self.connections[id];
            connection.on_wake(now, self.transactions.as_deref_mut(), out);
            self.timers.set(id, connection.wake_at());
        }
    }
}

impl Connection {
    fn wake_at(&self) -> Instant {
        if self.opening.is_some() {
            return self.application.start;
        }
        let at = self.endpoint.wake_at().unwrap_or(NEVER);
        match self.application.stop {
            Some(stop) if !self.stopped => at.min(stop),
            _ => at,
        }
    }

    fn on_wake(&mut self, now: Instant, transactions: Option<&mut Transactions>, out: &mut Outbox) {
        if self.opening.is_some() {
            if now < self.application.start {
                return;
            }
            self.start(now, transactions, out);
        }
        if self.application.stop.is_some_and(|stop| stop <= now && !self.stopped) {
            self.stop(now, out);
        }
        self.endpoint.on_wake(now, out);
        self.settle(now, out);
    }

    fn start(&mut self, now: Instant, transactions: Option<&mut Transactions>, out: &mut Outbox) {
        let Some(opening) = self.opening.take() else { return };
        let with_syn =
            transactions.filter(|_| matches!(opening, Opening::Active)).map_or(0, |it| self.begin(it));
        match with_syn {
            0 => self.endpoint.open(now, opening, out),
            bytes => self.endpoint.open_fast(now, bytes, out),
        }
        if self.application.bytes > with_syn {
            self.endpoint.supply(now, self.application.bytes - with_syn, out);
        }
        self.supplied = true;
    }
    /// Count the connection, where it wants that. Returns how much of its data goes with the SYN.
    fn begin(&mut self, transactions: &mut Transactions) -> u64 {
        let parameters = self.endpoint.parameters();
        if !parameters.connection.transactions {
            return 0;
        }
        let room = u64::from(parameters.segments.maximum_segment_size).saturating_sub(OPTIONS_OF_SYN);
        let own = transactions.next();
        let count = transactions.begin(self.endpoint.remote().node, own);
        self.endpoint.count(count);
        match count {
            ConnectionCount::Count(_) => room.min(self.application.bytes),
            _ => 0,
        }
    }
    /// A handshake that is over confirms the count of its SYN.
    fn confirm_count(&mut self, transactions: &mut Transactions) {
        if self.endpoint.state().is_synchronized()
            && let Some(count) = self.unconfirmed.take()
        {
            transactions.confirm(self.endpoint.remote().node, count);
        }
    }
    /// What a SYN says of its sender's count, before the endpoint takes it in.
    fn take_count(&mut self, now: Instant, packet: &Packet, transactions: &mut Transactions) {
        let peer = packet.source;
        let is_syn = packet.segment.flags.intersects(Flags::SYN);
        let Some(Mark::ConnectionCount(said)) = packet.segment.mark.filter(|_| is_syn) else { return };
        let wants = self.endpoint.parameters().connection.transactions;
        match said {
            ConnectionCount::Answer(count) if wants => {
                transactions.answered(peer, count);
                self.endpoint.agree_on_counts(now);
            }
            ConnectionCount::Count(count) | ConnectionCount::New(count)
                if wants && self.endpoint.state() == State::Listen =>
            {
                if transactions.accepts(peer, said) {
                    self.endpoint.accept_fast_open();
                } else {
                    self.unconfirmed = Some(count);
                }
                self.endpoint.count(ConnectionCount::Answer(transactions.next()));
                self.endpoint.agree_on_counts(now);
            }
            _ => {}
        }
    }

    fn stop(&mut self, now: Instant, out: &mut Outbox) {
        self.stopped = true;
        self.endpoint.cut_supply();
        if self.application.closes {
            self.endpoint.close(now, out);
        }
    }

    /// The application closes when its part is done.
    fn settle(&mut self, now: Instant, out: &mut Outbox) {
        if !self.application.closes || !self.supplied {
            return;
        }
        let is_source = self.application.bytes > 0 && self.application.bytes < u64::MAX;
        let peer_closed = self.endpoint.state() == State::CloseWait;
        if peer_closed || (is_source && self.endpoint.state() == State::Established) {
            self.endpoint.close(now, out);
        }
    }
}

impl Machine for Host {
    fn step(&mut self, now: Instant, input: Input, out: &mut Outbox) {
        match input {
            Input::Packet(_, packet) => self.on_packet(now, packet, out),
            Input::Wake => self.on_wake(now, out),
            Input::Signal(signal) => self.on_signal(now, signal, out),
        }
    }
    fn wake_at(&self) -> Option<Instant> {
        self.timers.first().map(|(at, _)| at)
    }
}
