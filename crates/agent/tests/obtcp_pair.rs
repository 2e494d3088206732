//! Both agents of obTCP between two hosts, over three hops that lose, double, delay and overtake everything, their messages too: every
//! byte arrives in both directions.

use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};
use seamline_agent::{Agent, ObtcpParameters, Parameters, Role, WIRED, WIRELESS, find};
use seamline_tcp::{Address, Application, EndpointConfig, Host, Opening, profile, variant};
use seamline_wire::random::Stream;
use seamline_wire::{
    Duration, Input, Instant, Machine, NodeId, Outbox, Packet, Port, SequenceNumber, TransportPort,
};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

const VARIANTS: [&str; 4] = ["reno", "newreno", "sack", "cubic"];
/// Long after anything that a case can hold.
const END: Instant = Instant::from_secs(4000);
/// Elements from the fixed host to the mobile host.
const MOBILE_HOST: usize = 3;

/// One hop, both ways alike; shares in percent. All trouble ends at [`Plan::good_from`].
#[derive(Clone, Debug)]
struct Hop {
    loss: u64,
    duplication: u64,
    reordering: u64,
    one_way_delay: u64,
}

#[derive(Clone, Debug)]
struct Plan {
    hops: [Hop; 3],
    /// Bytes from the fixed host and from the mobile host.
    bytes: [u64; 2],
    initial_sequence: u32,
    variant: usize,
    seed: u64,
    good_from: u64,
}

fn hop() -> impl Strategy<Value = Hop> {
    let percentage = || prop_oneof![Just(0u64), 1u64..25];
    (percentage(), percentage(), percentage(), 1u64..100).prop_map(
        |(loss, duplication, reordering, one_way_delay)| Hop { loss, duplication, reordering, one_way_delay },
    )
}

fn plan() -> impl Strategy<Value = Plan> {
    let sequence = prop_oneof![any::<u32>(), (u32::MAX - 100_000)..u32::MAX];
    let bytes = || prop_oneof![Just(0u64), 1u64..400_000];
    let hops = [hop(), hop(), hop()];
    (hops, [bytes(), bytes()], sequence, 0..VARIANTS.len(), any::<u64>(), 0u64..60_000).prop_map(
        |(hops, bytes, initial_sequence, variant, seed, good_from)| Plan {
            hops,
            bytes,
            initial_sequence,
            variant,
            seed,
            good_from,
        },
    )
}

struct Run {
    plan: Plan,
    hosts: [Host; 2],
    agents: [Box<dyn Agent>; 2],
    /// When, in which order, to which element and port.
    on_the_way: BTreeMap<(Instant, u64), (usize, Port, Box<Packet>)>,
    sent: u64,
    random: Stream,
    now: Instant,
}

fn agent(role: Role) -> Box<dyn Agent> {
    let obtcp = ObtcpParameters { role, ..ObtcpParameters::default() };
    (find("obtcp").expect("it is there").build)(&Parameters { obtcp, ..Parameters::default() })
}

fn host(plan: &Plan, side: usize) -> Host {
    let parameters = (profile::find("rfc").expect("it is there").parameters)();
    let address =
        |side: usize| Address { node: NodeId(1 + side as u32), port: TransportPort(5000 + side as u16) };
    let application = match plan.bytes[side] {
        0 => Application::sink(),
        bytes => Application::transfer(Instant::ZERO, bytes),
    };
    let config = EndpointConfig {
        local: address(side),
        remote: address(1 - side),
        parameters: parameters.clone().into(),
        variant: variant::find(VARIANTS[plan.variant], &parameters).expect("it is there"),
        handover: None,
        initial_sequence: SequenceNumber(plan.initial_sequence),
    };
    let mut host = Host::new(NodeId(1 + side as u32));
    host.add(config, if side == 0 { Opening::Active } else { Opening::Passive }, application);
    host
}

impl Run {
    fn new(plan: &Plan) -> Self {
        Run {
            hosts: [host(plan, 0), host(plan, 1)],
            agents: [agent(Role::BaseStation), agent(Role::MobileRouter)],
            on_the_way: BTreeMap::new(),
            sent: 0,
            random: Stream::new(plan.seed, "hops"),
            now: Instant::ZERO,
            plan: plan.clone(),
        }
    }

    fn machine(&mut self, element: usize) -> &mut dyn Machine {
        match element {
            0 => &mut self.hosts[0],
            MOBILE_HOST => &mut self.hosts[1],
            _ => &mut self.agents[element - 1],
        }
    }

    fn step(&mut self, element: usize, input: Input) {
        let (now, mut out) = (self.now, Outbox::new());
        self.machine(element).step(now, input, &mut out);
        for (port, packet) in out.packets {
            let is_down = element == 0 || (element != MOBILE_HOST && port == WIRELESS);
            let to = if is_down { element + 1 } else { element - 1 };
            let port = match to {
                0 | MOBILE_HOST => Port(0),
                _ if is_down => WIRED,
                _ => WIRELESS,
            };
            self.carry(element.min(to), to, port, &packet);
        }
    }

    fn carry(&mut self, hop: usize, to: usize, port: Port, packet: &Packet) {
        let plan = self.plan.hops[hop].clone();
        let is_good = self.now >= Instant::from_millis(self.plan.good_from);
        let mut happens = |percent: u64| !is_good && self.random.below(100) < percent;
        if happens(plan.loss) {
            return;
        }
        let copies = if happens(plan.duplication) { 2 } else { 1 };
        for _ in 0..copies {
            let is_late = !is_good && self.random.below(100) < plan.reordering;
            let late = if is_late { self.random.below(300) } else { 0 };
            self.sent += 1;
            let at = self.now + Duration::from_millis(plan.one_way_delay + late);
            self.on_the_way.insert((at, self.sent), (to, port, Box::new(packet.clone())));
        }
    }

    fn run_out(&mut self) {
        loop {
            let arrival = self.on_the_way.keys().next().map(|(at, _)| *at);
            let wakes = [0, 1, 2, MOBILE_HOST].map(|element| self.machine(element).wake_at());
            let Some(next) = wakes.into_iter().chain([arrival]).flatten().min().filter(|at| *at <= END)
            else {
                return;
            };
            self.now = self.now.max(next);
            if arrival.is_some_and(|at| at <= self.now) {
                let (_, (to, port, packet)) = self.on_the_way.pop_first().expect("it is there");
                self.step(to, Input::Packet(port, packet));
                continue;
            }
            for (element, at) in wakes.iter().enumerate() {
                if at.is_some_and(|at| at <= self.now) {
                    self.step(element, Input::Wake);
                }
            }
        }
    }

    fn delivered(&self) -> [u64; 2] {
        [1, 0].map(|side| self.hosts[side].endpoints().next().expect("one").statistics().bytes_delivered)
    }
}

#[test]
fn every_byte_arrives() {
    let config = ProptestConfig {
        cases: 256,
        rng_seed: RngSeed::Fixed(11),
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let deeds = Cell::new([0u64; 4]);
    let outcome = TestRunner::new(config).run(&plan(), |plan| {
        let mut run = Run::new(&plan);
        run.run_out();
        prop_assert_eq!(run.delivered(), plan.bytes);
        let [base_station, router] = [0, 1].map(|agent| run.agents[agent].counters());
        let [asked, repaired, mended, hidden] = deeds.get();
        deeds.set([
            asked + router.messages,
            repaired + base_station.local_retransmissions,
            mended + router.local_retransmissions,
            hidden + router.suppressed_acknowledgments,
        ]);
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
    assert!(deeds.get().iter().all(|deeds| *deeds > 1000), "{deeds:?}");
}

/// Figures 5 and 6: of a window of 16 the packets 12 to 15 are lost once between base station and mobile router, 20 ms from both. With both
/// agents they are there a round trip of that link after the gap is seen, and the sender, which hears nothing of it, sends none again.
#[test]
fn four_lost_packets_take_one_round_trip_of_their_link() {
    let hop = |one_way_delay| Hop { loss: 0, duplication: 0, reordering: 0, one_way_delay };
    let plan = Plan {
        hops: [hop(1), hop(20), hop(20)],
        bytes: [100 * 1000, 0],
        initial_sequence: 7,
        variant: 0,
        seed: 1,
        good_from: 0,
    };
    let clean = {
        let mut run = Run::new(&plan);
        run.run_out();
        run.sent
    };
    let mut run = Run::new(&plan);
    let mut lost = BTreeMap::new();
    let mut found = None;
    while run.hosts[1].endpoints().next().expect("one").statistics().bytes_delivered < plan.bytes[0] {
        let arrival = run.on_the_way.keys().next().map(|(at, _)| *at);
        let wakes = [0, 1, 2, MOBILE_HOST].map(|element| run.machine(element).wake_at());
        let next = wakes.into_iter().chain([arrival]).flatten().min().expect("it goes on");
        run.now = run.now.max(next);
        if arrival.is_some_and(|at| at <= run.now) {
            let (_, (to, port, packet)) = run.on_the_way.pop_first().expect("it is there");
            let number = packet.segment.sequence.0.saturating_sub(8) / packet.segment.length.max(1);
            let is_data = packet.control.is_none() && packet.segment.length > 0;
            if is_data && to == 2 && port == WIRED && (12..16).contains(&number) {
                if let Entry::Vacant(first) = lost.entry(number) {
                    first.insert(run.now);
                    continue;
                }
                found = Some(run.now);
            }
            run.step(to, Input::Packet(port, packet));
            continue;
        }
        for (element, at) in wakes.iter().enumerate() {
            if at.is_some_and(|at| at <= run.now) {
                run.step(element, Input::Wake);
            }
        }
    }
    let took = found.expect("they came").saturating_since(*lost.values().max().expect("four"));
    assert!((40..=100).contains(&(took.as_nanos() / 1_000_000)), "{took:?}");
    let statistics = run.hosts[0].endpoints().next().expect("one").statistics();
    assert_eq!(
        (statistics.sender.retransmissions, statistics.sender.timeouts),
        (0, 0),
        "the sender hears nothing of it"
    );
    assert_eq!(
        [1, 0].map(|agent: usize| run.agents[agent].counters().messages),
        [1, 1],
        "one SNACK, one answer"
    );
    assert_eq!(run.agents[0].counters().local_retransmissions, 4);
    assert!(run.sent < clean + 40, "{} packets in place of {clean}", run.sent);
}
