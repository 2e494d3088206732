//! Transfers through an engine over hops that lose, double, overtake, cut into fragments and add unknown options: every byte arrives as it was
//! sent, for every kind, in both versions of IP, also when the engine comes, goes and comes again without what it knew.

mod support;

use seamline_agent::{Limits, Side};
use seamline_bridge::{Engine, Outgoing};
use seamline_tcp::{Address, Application, EndpointConfig, Host, Opening, profile, variant};
use seamline_wire::codec::{Decoded, decode};
use seamline_wire::random::Stream;
use seamline_wire::{
    Duration, Input, Instant, Machine, NodeId, Outbox, Packet, SequenceNumber, TransportPort,
};
use std::collections::BTreeMap;
use support::*;

/// In percent of packets.
#[derive(Clone, Copy, Debug)]
struct Trouble {
    loss: u64,
    duplication: u64,
    reordering: u64,
    /// Only on the wired side, and only of IPv4.
    fragments: u64,
    unknown_options: u64,
}

const NONE: Trouble = Trouble { loss: 0, duplication: 0, reordering: 0, fragments: 0, unknown_options: 0 };

#[derive(Clone, Debug)]
struct Plan {
    /// Of IP, of each other connection.
    versions: [u8; 2],
    connections: u32,
    /// From the fixed host and from the mobile host, in each connection.
    bytes: [u64; 2],
    /// From the beginning of one connection to that of the next.
    apart: Duration,
    /// On the wired side, and on the wireless side.
    trouble: [Trouble; 2],
    /// The engine is killed and started again so often.
    restarts_every: Option<Duration>,
    /// The MTU changes between the two so often.
    mtu_changes_every: Option<Duration>,
}

/// Where something arrives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum To {
    Fixed,
    FromWired,
    FromWireless,
    Mobile,
}

struct World {
    plan: Plan,
    kind: &'static str,
    hosts: [Host; 2],
    engine: Engine,
    on_the_way: BTreeMap<(Instant, u64), (To, Vec<u8>)>,
    count: u64,
    random: Stream,
    now: Instant,
    out: Outbox,
    /// First fragments by their number, until the other one comes.
    halves: BTreeMap<u16, Vec<u8>>,
    restart_at: Instant,
    mtu_change_at: Instant,
    mtu_changes: u64,
    retransmitted_locally: u64,
    checked_bytes: u64,
    /// Frames with data that were lost, by the side that they came from and by hop.
    lost: [[u64; 2]; 2],
}

const DELAYS: [u64; 2] = [20, 30];

fn initial_sequence(side: usize, connection: u32) -> u32 {
    // Some wrap within the transfer.
    (u32::MAX - 20_000).wrapping_add(connection * 7919).wrapping_add(side as u32 * 104_729)
}

/// What stands at an offset of a stream.
fn byte(side: usize, connection: u32, offset: u32) -> u8 {
    let mixed = (offset ^ connection.rotate_left(13) ^ (side as u32) << 31).wrapping_mul(0x9e37_79b1);
    (mixed >> 24) as u8
}

fn port(side: usize, connection: u32) -> u16 {
    [80, 5000][side] + if side == 1 { connection as u16 } else { 0 }
}

impl World {
    fn new(kind: &'static str, plan: Plan, seed: u64) -> Self {
        let hosts = [0, 1].map(|side| host(side, &plan));
        World {
            hosts,
            engine: engine(kind),
            kind,
            on_the_way: BTreeMap::new(),
            count: 0,
            random: Stream::new(seed, "hops"),
            now: Instant::ZERO,
            out: Outbox::new(),
            halves: BTreeMap::new(),
            restart_at: plan.restarts_every.map_or(Instant::MAX, |every| Instant::ZERO + every),
            mtu_change_at: plan.mtu_changes_every.map_or(Instant::MAX, |every| Instant::ZERO + every),
            mtu_changes: 0,
            retransmitted_locally: 0,
            checked_bytes: 0,
            lost: [[0; 2]; 2],
            plan,
        }
    }

    fn run(&mut self) {
        for host in 0..2 {
            self.step_host(host, Input::Wake);
        }
        loop {
            let wakes = [self.hosts[0].wake_at(), self.hosts[1].wake_at(), self.engine.wake_at()];
            let arrival = self.on_the_way.keys().next().map(|(at, _)| *at);
            let hosts_rest = wakes[0].is_none() && wakes[1].is_none() && arrival.is_none();
            if hosts_rest {
                return;
            }
            let at = wakes.into_iter().chain([arrival]).flatten().min().expect("something comes");
            assert!(at < Instant::from_secs(100_000), "nothing may go on for ever");
            self.now = self.now.max(at);
            self.change();
            if arrival.is_some_and(|at| at <= self.now)
                && let Some((_, (to, frame))) = self.on_the_way.pop_first()
            {
                self.arrive(to, &frame);
                continue;
            }
            for (host, wake) in wakes[..2].iter().enumerate() {
                if wake.is_some_and(|at| at <= self.now) {
                    self.step_host(host, Input::Wake);
                }
            }
            let mut sent = Outgoing::new();
            self.engine.wake(self.now, &mut sent);
            self.carry_on(&sent);
        }
    }

    fn change(&mut self) {
        if self.now >= self.restart_at {
            self.restart_at = self.now + self.plan.restarts_every.expect("or it were never");
            self.retransmitted_locally += self.engine.agent_counters().local_retransmissions;
            self.engine = engine(self.kind);
        }
        if self.now >= self.mtu_change_at {
            self.mtu_change_at = self.now + self.plan.mtu_changes_every.expect("or it were never");
            self.mtu_changes += 1;
            let mtu = if self.mtu_changes.is_multiple_of(2) { 9000 } else { 1500 };
            Side::BOTH.into_iter().for_each(|side| self.engine.set_mtu(side, mtu));
        }
    }

    fn arrive(&mut self, to: To, frame: &[u8]) {
        match to {
            To::Fixed => self.take_in(0, frame),
            To::Mobile => self.take_in(1, frame),
            To::FromWired => self.pass(Side::Wired, frame),
            To::FromWireless => self.pass(Side::Wireless, frame),
        }
    }

    fn pass(&mut self, from: Side, frame: &[u8]) {
        let mut sent = Outgoing::new();
        self.engine.pass(self.now, from, frame, &mut sent);
        self.carry_on(&sent);
    }

    fn carry_on(&mut self, sent: &Outgoing<'_>) {
        for (towards, frame) in sent.iter() {
            match towards {
                Side::Wired => self.hop(0, To::Fixed, frame.to_vec()),
                Side::Wireless => self.hop(1, To::Mobile, frame.to_vec()),
            }
        }
    }

    fn hop(&mut self, hop: usize, to: To, frame: Vec<u8>) {
        let trouble = self.plan.trouble[hop];
        let mut happens = |percent| self.random.below(100) < percent;
        if happens(trouble.loss) {
            let from = if matches!(to, To::FromWired | To::Mobile) { Side::Wired } else { Side::Wireless };
            // An acknowledgment is shorter.
            self.lost[from.index()][hop] += u64::from(frame.len() > 200);
            return;
        }
        let copies = if happens(trouble.duplication) { 2 } else { 1 };
        for _ in 0..copies {
            let late = if self.random.below(100) < trouble.reordering { self.random.below(100) } else { 0 };
            self.count += 1;
            let at = self.now + Duration::from_millis(DELAYS[hop] + late);
            self.on_the_way.insert((at, self.count), (to, frame.clone()));
        }
    }

    /// A host sends.
    fn step_host(&mut self, side: usize, input: Input) {
        let mut out = std::mem::take(&mut self.out);
        self.hosts[side].step(self.now, input, &mut out);
        for (_, packet) in out.packets.drain(..) {
            let bytes = bytes_of(side, &self.plan, &packet);
            self.send(side, &bytes);
        }
        self.out = out;
    }

    fn send(&mut self, side: usize, packet: &[u8]) {
        let (from, to) = [(Side::Wired, To::FromWired), (Side::Wireless, To::FromWireless)][side];
        let trouble = self.plan.trouble[side];
        let is_strange = self.random.below(100) < trouble.unknown_options;
        let strange = is_strange.then(|| with_unknown_option(packet)).flatten();
        let packet = strange.as_deref().unwrap_or(packet);
        let is_cut = packet[0] >> 4 == 4 && packet.len() > 100 && self.random.below(100) < trouble.fragments;
        if !is_cut {
            return self.hop(side, to, ethernet(from, None, packet));
        }
        self.count += 1;
        let first = 24 + self.random.below(packet.len() as u64 - 60) as usize;
        for piece in fragments(packet, self.count as u16, first) {
            self.hop(side, to, ethernet(from, None, &piece));
        }
    }

    /// A frame comes to a host: every byte of it must be what its sender has sent there.
    fn take_in(&mut self, side: usize, frame: &[u8]) {
        let Some(whole) = self.whole(&frame[14..]) else { return };
        let Ok(Decoded { headers, payload }) = decode(&whole) else { return };
        let connection =
            u32::from(if side == 1 { headers.destination_port.0 } else { headers.source_port.0 }) - 5000;
        let sender = 1 - side;
        let begin =
            headers.segment.sequence.0.wrapping_sub(initial_sequence(sender, connection)).wrapping_sub(1);
        for (place, found) in payload.iter().enumerate() {
            let offset = begin.wrapping_add(place as u32);
            assert_eq!(*found, byte(sender, connection, offset), "{}: byte {offset}", self.kind);
        }
        self.checked_bytes += payload.len() as u64;
        let mut packet = self.out.packet();
        *packet = Packet {
            source: NodeId(1 + sender as u32),
            destination: NodeId(1 + side as u32),
            source_port: headers.source_port,
            destination_port: headers.destination_port,
            wire_bytes: whole.len() as u32,
            segment: headers.segment,
            ..Packet::default()
        };
        self.step_host(side, Input::Packet(seamline_wire::Port(0), packet));
    }

    /// Fragments are put together at their destination.
    fn whole(&mut self, packet: &[u8]) -> Option<Vec<u8>> {
        let field = u16::from_be_bytes([packet[6], packet[7]]);
        if packet[0] >> 4 == 6 || field & 0x3fff == 0 {
            return Some(packet.to_vec());
        }
        let number = u16::from_be_bytes([packet[4], packet[5]]);
        let Some(other) = self.halves.remove(&number) else {
            self.halves.insert(number, packet.to_vec());
            return None;
        };
        let is_first = |piece: &[u8]| piece[6] & 0x20 != 0;
        if is_first(&other) == is_first(packet) {
            self.halves.insert(number, other);
            return None;
        }
        let (first, second) = if is_first(packet) { (packet, &other[..]) } else { (&other[..], packet) };
        let mut whole = [first, &second[20..]].concat();
        whole[6..8].fill(0);
        fix_header(&mut whole);
        Some(whole)
    }

    fn check(&mut self, least_help: u64) {
        self.run();
        for (side, host) in self.hosts.iter().enumerate() {
            for (number, endpoint) in host.endpoints().enumerate() {
                let delivered = endpoint.statistics().bytes_delivered;
                assert_eq!(delivered, self.plan.bytes[1 - side], "{} {number}: {:?}", self.kind, self.plan);
            }
        }
        assert!(self.checked_bytes >= self.plan.bytes.iter().sum::<u64>() * u64::from(self.plan.connections));
        let again = self.retransmitted_locally + self.engine.agent_counters().local_retransmissions;
        println!("{}: {:.0} s simulated, {again} sent again by the agent", self.kind, self.now.as_secs_f64());
        if self.kind == "snoop" {
            assert!(again >= least_help, "{again}");
        }
        assert_eq!((self.engine.counters().failures, self.engine.counters().unsendable), (0, 0));
    }
}

fn host(side: usize, plan: &Plan) -> Host {
    let parameters = (profile::find("rfc").expect("it is there").parameters)();
    let variant = variant::find("sack", &parameters).expect("it is there");
    let parameters = std::sync::Arc::new(parameters);
    let mut host = Host::new(NodeId(1 + side as u32));
    for connection in 0..plan.connections {
        let address = |side: usize| Address {
            node: NodeId(1 + side as u32),
            port: TransportPort(port(side, connection)),
        };
        let start = Instant::from_nanos(plan.apart.as_nanos() * u64::from(connection));
        let application = match plan.bytes[side] {
            0 => Application::sink(),
            bytes => Application::transfer(start, bytes),
        };
        let config = EndpointConfig {
            local: address(side),
            remote: address(1 - side),
            variant,
            parameters: parameters.clone(),
            handover: None,
            initial_sequence: SequenceNumber(initial_sequence(side, connection)),
        };
        host.add(config, if side == 0 { Opening::Active } else { Opening::Passive }, application);
    }
    host
}

fn bytes_of(side: usize, plan: &Plan, it: &Packet) -> Vec<u8> {
    let ends = [(1 + side as u32, it.source_port.0), (2 - side as u32, it.destination_port.0)];
    let connection = u32::from(ends[1 - side].1) - 5000;
    let begin = it.segment.sequence.0.wrapping_sub(initial_sequence(side, connection)).wrapping_sub(1);
    let payload: Vec<u8> =
        (0..it.segment.length).map(|place| byte(side, connection, begin.wrapping_add(place))).collect();
    packet(plan.versions[connection as usize % 2], ends, it.segment, &payload)
}

const PLAN: Plan = Plan {
    versions: [4; 2],
    connections: 1,
    bytes: [1_000_000, 0],
    apart: Duration::from_secs(1),
    trouble: [NONE, Trouble { loss: 5, ..NONE }],
    restarts_every: None,
    mtu_changes_every: None,
};

const ALL_TROUBLE: [Trouble; 2] = [
    Trouble { loss: 1, duplication: 3, reordering: 5, fragments: 10, unknown_options: 10 },
    Trouble { loss: 6, duplication: 3, reordering: 5, fragments: 0, unknown_options: 5 },
];

#[test]
fn losses_on_the_air() {
    for kind in KINDS {
        for version in [4, 6] {
            World::new(kind, Plan { versions: [version; 2], ..PLAN }, 1).check(8);
        }
    }
}

#[test]
fn all_trouble_at_once_in_both_directions() {
    for kind in KINDS {
        for (version, seed) in [(4, 1), (4, 2), (6, 3), (6, 4)] {
            let mtu_changes_every = Some(Duration::from_secs(7));
            let bytes = [200_000, 100_000];
            let versions = [version; 2];
            let plan =
                Plan { versions, bytes, trouble: ALL_TROUBLE, connections: 3, mtu_changes_every, ..PLAN };
            World::new(kind, plan, seed).check(8);
        }
    }
}

/// What was suppressed, kept and reported is gone each time.
#[test]
fn an_engine_that_is_killed_and_begun_anew() {
    for kind in KINDS {
        // The first lives hardly longer than it takes to be shown a connection.
        for (millis, least_help) in [(150, 0), (1500, 5), (5000, 5)] {
            let restarts_every = Some(Duration::from_millis(millis));
            World::new(kind, Plan { restarts_every, trouble: ALL_TROUBLE, ..PLAN }, millis).check(least_help);
        }
    }
}

/// A connection each half minute, in both versions of IP in turn, while the MTU changes.
#[test]
fn three_hours() {
    for kind in KINDS {
        let plan = Plan {
            versions: [4, 6],
            connections: 360,
            bytes: [60_000, 3000],
            apart: Duration::from_secs(30),
            trouble: ALL_TROUBLE,
            mtu_changes_every: Some(Duration::from_secs(7)),
            ..PLAN
        };
        let mut world = World::new(kind, plan, 9);
        world.check(500);
        assert!(world.mtu_changes > 300, "{}", world.mtu_changes);
        let counters = world.engine.counters();
        assert!(kind != "snoop" || counters.changed > 0 && counters.too_long == 0, "{counters:?}");
        assert!(world.now >= Instant::from_secs(3 * 3600 - 60));
        let flows = world.engine.agent_counters();
        assert!(flows.known >= 360 && flows.expired >= 300, "{flows:?}");
        assert!(world.engine.flows() < 30, "what has ended is forgotten: {}", world.engine.flows());
    }
}

/// With room for fewer connections than there are, the others pass.
#[test]
fn too_little_room() {
    for kind in KINDS {
        let limits = Limits { connections: 2, bytes: 8000, ..Limits::default() };
        let plan = Plan { connections: 8, trouble: ALL_TROUBLE, ..PLAN };
        let mut world = World::new(kind, plan, 5);
        world.engine = Engine::new(settings(kind, limits));
        world.check(0);
        assert!(world.engine.agent_counters().unknown > 1000);
        assert!(world.engine.agent_counters().known >= 2);
    }
}

/// Against what happened: both hops lose 2 % in both directions, and delays are known.
#[test]
fn what_is_measured_is_what_happened() {
    let lossy = Trouble { loss: 2, ..NONE };
    let plan = Plan { bytes: [2_000_000, 1_000_000], trouble: [lossy; 2], connections: 3, ..PLAN };
    for kind in ["eln-ack", "snoop"] {
        let mut world = World::new(kind, plan.clone(), 5);
        world.check(8);
        let measured = world.engine.measurements();
        let again = world.engine.agent_counters().local_retransmissions;
        for from in Side::BOTH {
            let (before, behind) = (from.index(), from.other().index());
            let [lost, found] = [world.lost[from.index()], {
                let it = measured.directions[from.index()];
                let locally = if from == Side::Wired { again } else { 0 };
                if before == 0 { [it.missing, it.seen_twice + locally] } else { [it.seen_twice, it.missing] }
            }];
            println!("{kind}, data from {from:?}: lost {lost:?} by hop, measured {found:?}");
            // A retransmission is lost again, or needless: of the hop behind the agent both count.
            assert!(
                found[before] <= lost[before] && found[before] * 10 >= lost[before] * 8,
                "{lost:?} {found:?}"
            );
            assert!(
                found[behind] * 10 >= lost[behind] * 8 && found[behind] * 10 <= lost[behind] * 20,
                "{lost:?} {found:?}"
            );
        }
        for (side, histogram) in measured.round_trips.iter().enumerate() {
            let mean = histogram.sum().as_millis() / histogram.count();
            println!("{kind}: {} round trips of {mean} ms at {side}", histogram.count());
            // The shortest, and at most an acknowledgment delayed by 200 ms.
            assert!((2 * DELAYS[side]..2 * DELAYS[side] + 200).contains(&mean), "{mean}");
            let (_, shorter) = histogram
                .cumulative()
                .take_while(|(bound, _)| {
                    bound.is_some_and(|bound| bound < Duration::from_millis(2 * DELAYS[side]))
                })
                .last()
                .unwrap();
            assert_eq!(shorter, 0, "none is shorter than the path");
        }
        let repairs = [measured.repairs_by_agent, measured.repairs_by_sender[0]];
        let means = repairs.map(|it| it.sum().as_millis().checked_div(it.count()));
        println!("{kind}: repairs take {means:?} ms");
        assert_eq!(means[0].is_some(), kind == "snoop");
        // A repair of the agent takes a round trip of its hop at least, one of the sender that of the whole path.
        assert!(means[0].is_none_or(|mean| (2 * DELAYS[1]..400).contains(&mean)), "{means:?}");
        assert!(
            means[1].is_some_and(|mean| (2 * (DELAYS[0] + DELAYS[1])..2000).contains(&mean)),
            "{means:?}"
        );
    }
}
