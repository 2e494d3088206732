//! The host: connections found by their ports, timers of many, applications that start, stop and close.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use seamline_tcp::host::{ConnectionId, Host};
use seamline_tcp::{
    Address, Application, CloseReason, EndpointConfig, NetworkError, Opening, Parameters, State, profile,
    variant,
};
use seamline_wire::control::UndeliveredSegment;
use seamline_wire::random::Stream;
use seamline_wire::{
    Control, Duration, Extra, Flags, Input, Instant, Machine, NodeId, Outbox, Packet, Port, Segment,
    SequenceNumber, TransportPort, Tunnel,
};
use std::collections::BTreeMap;
use std::sync::Arc;

const ONE_WAY_DELAY: Duration = Duration::from_millis(20);

fn address(node: u32, port: u16) -> Address {
    Address { node: NodeId(node), port: TransportPort(port) }
}
fn config(local: Address, remote: Address, parameters: &Arc<Parameters>) -> EndpointConfig {
    let variant = variant::find("newreno", parameters).expect("registered");
    let initial_sequence = SequenceNumber(u32::from(local.port.0) * 1_000_003);
    EndpointConfig {
        local,
        remote,
        parameters: Arc::clone(parameters),
        variant,
        handover: None,
        initial_sequence,
    }
}

/// Two hosts with a delay and a loss between them, and what is known of each connection from outside.
struct Pair {
    now: Instant,
    hosts: [Host; 2],
    applications: [Vec<Application>; 2],
    on_the_way: BTreeMap<(Instant, u64), (usize, Box<Packet>)>,
    sent: u64,
    random: Stream,
    loss: f64,
    log: Vec<(Instant, usize, Segment)>,
}

impl Pair {
    fn new(loss: f64, seed: u64) -> Self {
        Pair {
            now: Instant::ZERO,
            hosts: [Host::new(NodeId(0)), Host::new(NodeId(1))],
            applications: [Vec::new(), Vec::new()],
            on_the_way: BTreeMap::new(),
            sent: 0,
            random: Stream::new(seed, "loss"),
            loss,
            log: Vec::new(),
        }
    }
    /// A connection from a port of the first host to the same port of the second.
    fn connect(&mut self, port: u16, client: Application, server: Application) -> ConnectionId {
        self.connect_with(port, client, server, |_| {})
    }
    /// The same with other parameters.
    fn connect_with(
        &mut self,
        port: u16,
        client: Application,
        server: Application,
        change: fn(&mut Parameters),
    ) -> ConnectionId {
        let mut parameters = (profile::RFC.parameters)();
        parameters.receiver.buffer = 30_000;
        change(&mut parameters);
        let parameters = Arc::new(parameters);
        let (here, there) = (address(0, port), address(1, port));
        self.applications[0].push(client);
        self.applications[1].push(server);
        self.hosts[1].add(config(there, here, &parameters), Opening::Passive, server);
        self.hosts[0].add(config(here, there, &parameters), Opening::Active, client)
    }

    fn step(&mut self, side: usize, input: Input) {
        let mut out = Outbox::new();
        self.hosts[side].step(self.now, input, &mut out);
        for (port, packet) in out.packets.drain(..) {
            assert_eq!(port, Port(0), "a host is attached by port 0");
            self.log.push((self.now, side, packet.segment));
            if !self.random.chance(self.loss) {
                self.sent += 1;
                let arrival = self.now + ONE_WAY_DELAY;
                self.on_the_way.insert((arrival, self.sent), (1 - side, packet));
            }
        }
    }
    /// The earliest time that any connection of a host waits for, looked up one by one; what stops from
    /// `from` on has not stopped yet.
    fn brute_force(&self, side: usize, from: Instant) -> Option<Instant> {
        let endpoints = self.hosts[side].endpoints().zip(&self.applications[side]);
        let waits = endpoints.map(|(endpoint, application)| {
            let started = self.now > application.start
                || (endpoint.state() != State::Closed || endpoint.close_reason().is_some());
            if !started {
                return Some(application.start);
            }
            let stop = application.stop.filter(|stop| *stop >= from);
            endpoint.wake_at().into_iter().chain(stop).min()
        });
        waits.flatten().min()
    }
    fn run_until(&mut self, end: Instant) {
        loop {
            let wakes = [0, 1].map(|side| self.hosts[side].wake_at());
            let arrival = self.on_the_way.keys().next().map(|&(at, _)| at);
            let Some(at) = wakes.into_iter().chain([arrival]).flatten().min().filter(|at| *at <= end) else {
                self.now = end;
                return;
            };
            assert!(at >= self.now, "woken in the past: {at} at {}", self.now);
            self.now = at;
            match wakes.iter().position(|wake| *wake == Some(at)) {
                Some(side) => self.wake(side),
                None => {
                    let (_, (side, packet)) = self.on_the_way.pop_first().expect("an arrival is due");
                    self.step(side, Input::Packet(Port(0), packet));
                    self.compare(side);
                }
            }
        }
    }
    fn wake(&mut self, side: usize) {
        let due = self.brute_force(side, self.now);
        let sent = self.log.len();
        self.step(side, Input::Wake);
        let early = due.is_none_or(|due| due > self.now);
        assert!(!early || self.log.len() == sent, "something happened too early");
        assert!(self.hosts[side].wake_at().is_none_or(|at| at > self.now), "busy loop at {}", self.now);
        self.compare(side);
    }
    /// A host is never late, and what is too early is corrected by waking it.
    fn compare(&self, side: usize) {
        let (claimed, true_one) =
            (self.hosts[side].wake_at(), self.brute_force(side, self.now + Duration::from_nanos(1)));
        match (claimed, true_one) {
            (None, None) => {}
            (Some(claimed), Some(true_one)) => assert!(claimed <= true_one, "{claimed} but {true_one}"),
            (Some(_), None) => {}
            (None, Some(true_one)) => panic!("nothing, but {true_one} at {}", self.now),
        }
    }
    fn delivered(&self, side: usize, id: ConnectionId) -> u64 {
        self.hosts[side].endpoint(id).statistics().bytes_delivered
    }
}

fn applications() -> impl Strategy<Value = (Application, Application)> {
    let client =
        (0u64..3000, prop::option::of(0u64..4000), prop_oneof![Just(0), 1u64..40_000, Just(u64::MAX)]);
    (client, any::<bool>(), prop_oneof![2 => Just(0u64), 1 => 1u64..5000]).prop_map(
        |((start, stop, bytes), closes, back)| {
            let stop = stop.map(|after| Instant::from_millis(start + after));
            let stop =
                if bytes == u64::MAX { stop.or(Some(Instant::from_millis(start + 500))) } else { stop };
            let client = Application { start: Instant::from_millis(start), stop, bytes, closes };
            (client, Application { bytes: back, ..Application::sink() })
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() })]

    /// A host with many connections wakes exactly when one of them has something to do, and everything
    /// that closes ends.
    #[test]
    fn wakes_when_any_connection_is_due(
        all in prop::collection::vec(applications(), 1..40),
        loss in prop_oneof![Just(0.0), 0.0..0.3],
        seed in any::<u64>(),
    ) {
        let mut pair = Pair::new(loss, seed);
        let connect = |(n, (client, server)): (usize, &(Application, Application))| {
            pair.connect(n as u16, *client, *server)
        };
        let ids: Vec<ConnectionId> = all.iter().enumerate().map(connect).collect();
        pair.run_until(Instant::from_secs(3));
        pair.loss = 0.0;
        pair.run_until(Instant::from_secs(2000));
        prop_assert_eq!((pair.hosts[0].wake_at(), pair.hosts[1].wake_at()), (None, None));
        for (id, (client, server)) in ids.into_iter().zip(&all) {
            if client.stop.is_none() {
                prop_assert_eq!(pair.delivered(1, id), client.bytes);
                prop_assert_eq!(pair.delivered(0, id), server.bytes);
            }
        }
    }
}

/// RFC 9293 section 3.5.2: what belongs to no connection is reset, by ports and by node; a reset is not
/// answered.
#[test]
fn unknown_ports_are_reset() {
    let mut pair = Pair::new(0.0, 0);
    pair.connect(5, Application::endless(Instant::ZERO), Application::sink());
    pair.run_until(Instant::from_millis(100));
    let sent = pair.log.len();
    let packet = |from: Address, to: Address, flags: Flags| {
        let segment = Segment { flags, acknowledgment: SequenceNumber(77), ..Segment::default() };
        let (source_port, destination_port) = (from.port, to.port);
        Box::new(Packet {
            source: from.node,
            destination: to.node,
            source_port,
            destination_port,
            wire_bytes: 40,
            segment,
            ..Packet::default()
        })
    };
    let strangers = [
        (address(0, 5), address(1, 6)),
        (address(0, 6), address(1, 5)),
        (address(9, 5), address(1, 5)),
        (address(u32::MAX, 0), address(1, 0)),
    ];
    for (n, (from, to)) in strangers.into_iter().enumerate() {
        pair.step(1, Input::Packet(Port(0), packet(from, to, Flags::ACK)));
        let (_, _, answer) = pair.log[sent + n];
        assert_eq!((answer.flags, answer.sequence), (Flags::RST, SequenceNumber(77)), "{from:?}");
        pair.step(1, Input::Packet(Port(0), packet(from, to, Flags::RST)));
    }
    assert_eq!(pair.log.len(), sent + strangers.len(), "resets are not answered");
}

/// Neither is TCP's business: no reset, and nothing reaches a connection.
#[test]
fn control_messages_and_tunnels_are_ignored() {
    let mut pair = Pair::new(0.0, 0);
    pair.connect(5, Application::endless(Instant::ZERO), Application::sink());
    pair.run_until(Instant::from_millis(100));
    let sent = pair.log.len();
    for port in [5, 6] {
        let segment = Segment { flags: Flags::RST, ..Segment::default() };
        let (source_port, destination_port) = (TransportPort(port), TransportPort(port));
        let packet = Packet {
            source: NodeId(0),
            destination: NodeId(1),
            source_port,
            destination_port,
            segment,
            ..Packet::default()
        };
        let extra = Extra::control(Control::AgentSolicitation);
        pair.step(1, Input::Packet(Port(0), Box::new(Packet { extra, ..packet.clone() })));
        let mut tunnelled = packet;
        assert!(tunnelled.encapsulate(Tunnel { entry: NodeId(3), exit: NodeId(1) }));
        pair.step(1, Input::Packet(Port(0), Box::new(tunnelled)));
    }
    assert_eq!(pair.log.len(), sent);
    assert!(pair.hosts[1].endpoints().all(|endpoint| endpoint.state() == State::Established));
}

/// An ICMP error reaches the connection of the segment that it quotes, and no other.
#[test]
fn an_error_reaches_its_connection() {
    let mut pair = Pair::new(0.0, 0);
    let [first, second] =
        [5, 6].map(|port| pair.connect(port, Application::endless(Instant::ZERO), Application::sink()));
    pair.run_until(Instant::from_millis(100));
    let sequence =
        pair.log.iter().rev().find(|(_, from, segment)| *from == 0 && segment.length > 0).unwrap().2.sequence;
    for port in [5, 6, 7] {
        let undelivered = UndeliveredSegment {
            source: NodeId(0),
            destination: NodeId(1),
            source_port: TransportPort(port),
            destination_port: TransportPort(port),
            sequence,
            wire_bytes: 1500,
        };
        let extra = Extra::control(Control::HostUnreachable(undelivered));
        pair.step(0, Input::Packet(Port(0), Box::new(Packet { extra, ..Packet::default() })));
    }
    let errors = [first, second].map(|id| pair.hosts[0].endpoint(id).network_error());
    // The sequence number is outstanding in one of them only.
    assert_eq!(errors.iter().flatten().collect::<Vec<_>>(), [&NetworkError::Unreachable]);
}

/// Connections start and stop at the times given, to the nanosecond, and not before.
#[test]
fn connections_start_and_stop_on_time() {
    let mut pair = Pair::new(0.0, 0);
    let (start, stop) = (Instant::from_nanos(1_234_567_891), Instant::from_millis(2500));
    let client = Application { stop: Some(stop), closes: true, ..Application::endless(start) };
    let id = pair.connect(7, client, Application::sink());
    pair.run_until(Instant::from_nanos(1_234_567_890));
    assert!(pair.log.is_empty());
    pair.run_until(Instant::from_secs(1000));
    assert_eq!((pair.log[0].0, pair.log[0].2.flags), (start, Flags::SYN));
    let new_data =
        |&&(at, side, segment): &&(Instant, usize, Segment)| side == 0 && segment.length > 0 && at > stop;
    let last = pair
        .log
        .iter()
        .filter(|(_, side, segment)| *side == 0 && segment.length > 0)
        .map(|(at, ..)| *at)
        .max();
    assert_eq!(pair.log.iter().find(new_data).map(|(at, ..)| *at), None, "last data at {last:?}");
    assert!(last.is_some_and(|at| at > stop - Duration::from_millis(100)), "{last:?}");
    let supplied = pair.hosts[0].endpoint(id).statistics().bytes_acknowledged;
    assert_eq!(pair.delivered(1, id), supplied);
    for host in &pair.hosts {
        assert_eq!(host.endpoint(id).close_reason(), Some(CloseReason::Finished));
    }
}

/// A transfer closes when everything has been supplied, its sink when the peer has closed; the timers are
/// gone afterwards.
#[test]
fn transfers_close_by_themselves() {
    let mut pair = Pair::new(0.0, 0);
    let id = pair.connect(7, Application::transfer(Instant::ZERO, 100_000), Application::sink());
    pair.run_until(Instant::from_secs(10));
    assert_eq!((pair.delivered(1, id), pair.delivered(0, id)), (100_000, 0));
    assert_eq!(pair.hosts[0].endpoint(id).state(), State::TimeWait);
    assert_eq!(pair.hosts[1].endpoint(id).state(), State::Closed);
    pair.run_until(Instant::from_secs(300));
    assert_eq!(pair.hosts[0].endpoint(id).state(), State::Closed);
    assert_eq!((pair.hosts[0].wake_at(), pair.hosts[1].wake_at()), (None, None));
}

/// A connection that does not close stays open when everything is sent.
#[test]
fn connections_stay_open_unless_they_close() {
    let mut pair = Pair::new(0.0, 0);
    let client = Application { closes: false, ..Application::transfer(Instant::ZERO, 5000) };
    let id = pair.connect(7, client, Application::sink());
    pair.run_until(Instant::from_secs(1000));
    assert_eq!(pair.delivered(1, id), 5000);
    assert!(pair.hosts.iter().all(|host| host.endpoint(id).state() == State::Established));
}

/// A connection that takes the ports of an earlier one gets its packets.
#[test]
fn later_connections_take_the_ports_over() {
    let mut pair = Pair::new(0.0, 0);
    pair.connect(7, Application::transfer(Instant::ZERO, 1000), Application::sink());
    pair.run_until(Instant::from_secs(300));
    let start = Instant::from_secs(301);
    let again = Application { start, ..Application::sink() };
    let id = pair.connect(7, Application::transfer(start, 2000), again);
    pair.run_until(Instant::from_secs(310));
    assert_eq!(pair.delivered(1, id), 2000);
}

/// T/TCP (RFC 1644): from the second connection on data goes with the SYN, and is delivered with it; every transfer is whole, whatever is
/// lost.
#[test]
fn transactions_are_whole() {
    for loss in [0.0, 0.3] {
        let mut pair = Pair::new(loss, 3);
        let ids: Vec<ConnectionId> = (1..6)
            .map(|port| {
                let start = Instant::from_secs(100 * u64::from(port));
                let client = Application::transfer(start, 500 * u64::from(port));
                pair.connect_with(port, client, Application::sink(), |p| p.connection.transactions = true)
            })
            .collect();
        pair.run_until(Instant::from_secs(5000));
        for (id, bytes) in ids.iter().zip([500, 1000, 1500, 2000, 2500]) {
            assert_eq!(pair.delivered(1, *id), bytes, "loss {loss}");
        }
        let syns = pair.log.iter().filter(|(_, side, segment)| *side == 0 && segment.flags == Flags::SYN);
        let with_syn: Vec<u32> = syns.map(|(_, _, segment)| segment.length).collect();
        if loss == 0.0 {
            assert_eq!(with_syn, [0, 1000, 1420, 1420, 1420]);
        }
    }
}

/// RFC 1644 section 3.5: TIME-WAIT lasts eight timeouts instead of four minutes.
#[test]
fn transactions_shorten_time_wait() {
    let closed_at_ten_seconds = |change: fn(&mut Parameters)| {
        let mut pair = Pair::new(0.0, 0);
        let id = pair.connect_with(5, Application::transfer(Instant::ZERO, 500), Application::sink(), change);
        pair.run_until(Instant::from_secs(7));
        assert_eq!(pair.hosts[0].endpoint(id).state(), State::TimeWait);
        pair.run_until(Instant::from_secs(10));
        pair.hosts[0].endpoint(id).state()
    };
    assert_eq!(closed_at_ten_seconds(|p| p.connection.transactions = true), State::Closed);
    assert_eq!(closed_at_ten_seconds(|_| {}), State::TimeWait);
}
