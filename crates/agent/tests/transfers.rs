//! What has to hold for every agent: over links that lose, double, delay and overtake, every byte arrives in both
//! directions, connections close, and the same case gives the same run.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use seamline_agent::{Agent, Kind, Parameters, WIRED, WIRELESS};
use seamline_tcp::loss_notification::LossNotification;
use seamline_tcp::{Address, Application, EndpointConfig, Host, Opening, State, profile, variant};
use seamline_wire::random::Stream;
use seamline_wire::{
    Duration, Input, Instant, Machine, NodeId, Outbox, Packet, Port, SequenceNumber, TransportPort,
};
use std::cell::RefCell;
use std::collections::BTreeMap;

const VARIANTS: [&str; 4] = ["reno", "newreno", "sack", "cubic"];
/// Long after anything that a case can hold.
const END: Instant = Instant::from_secs(4000);

/// One hop, both ways alike. All trouble ends at [`Plan::good_from`].
#[derive(Clone, Debug)]
struct Hop {
    loss: u64,
    duplication: u64,
    reordering: u64,
    one_way_delay: u64,
}

#[derive(Clone, Debug)]
struct Plan {
    hops: [Hop; 2],
    /// Bytes from the fixed host and from the mobile host.
    bytes: [u64; 2],
    initial_sequence: [u32; 2],
    variant: usize,
    seed: u64,
    good_from: u64,
    /// Both ends list losses and heed what they are told of them.
    notifies: bool,
}

fn hop() -> impl Strategy<Value = Hop> {
    let percentage = || prop_oneof![Just(0u64), 1u64..25];
    (percentage(), percentage(), percentage(), 1u64..200).prop_map(
        |(loss, duplication, reordering, one_way_delay)| Hop { loss, duplication, reordering, one_way_delay },
    )
}

fn plan() -> impl Strategy<Value = Plan> {
    let sequence = || prop_oneof![any::<u32>(), (u32::MAX - 100_000)..u32::MAX];
    let bytes = || prop_oneof![Just(0u64), 1u64..400_000];
    let hops = [hop(), hop()];
    (
        hops,
        [bytes(), bytes()],
        [sequence(), sequence()],
        0..VARIANTS.len(),
        any::<u64>(),
        0u64..60_000,
        any::<bool>(),
    )
        .prop_map(|(hops, bytes, initial_sequence, variant, seed, good_from, notifies)| Plan {
            hops,
            bytes,
            initial_sequence,
            variant,
            seed,
            good_from,
            notifies,
        })
}

/// What stands where: the elements of a run.
const FIXED: usize = 0;
const AGENT: usize = 1;
const MOBILE: usize = 2;

/// Packets on their way: when, in which order, to which element and port.
type OnTheWay = BTreeMap<(Instant, u64), (usize, Port, Box<Packet>)>;

struct Run {
    plan: Plan,
    hosts: [Host; 2],
    agent: Box<dyn Agent>,
    on_the_way: OnTheWay,
    sent: u64,
    random: Stream,
    now: Instant,
    out: Outbox,
    /// What has left the agent, as text, when asked for.
    trace: Vec<String>,
}

impl Run {
    fn new(kind: &Kind, plan: &Plan) -> Self {
        let mut parameters = (profile::find("rfc").expect("it is there").parameters)();
        if plan.notifies {
            parameters.loss_notification.scheme = LossNotification::ListAndHeed;
        }
        let address =
            |side: usize| Address { node: NodeId(1 + side as u32), port: TransportPort(5000 + side as u16) };
        let host = |side: usize| {
            let bytes = plan.bytes[side];
            let application = match bytes {
                0 => Application::sink(),
                _ => Application::transfer(Instant::ZERO, bytes),
            };
            let config = EndpointConfig {
                local: address(side),
                remote: address(1 - side),
                parameters: parameters.clone().into(),
                variant: variant::find(VARIANTS[plan.variant], &parameters).expect("it is there"),
                handover: None,
                initial_sequence: SequenceNumber(plan.initial_sequence[side]),
            };
            let mut host = Host::new(NodeId(1 + side as u32));
            host.add(config, if side == 0 { Opening::Active } else { Opening::Passive }, application);
            host
        };
        Run {
            hosts: [host(0), host(1)],
            agent: (kind.build)(&Parameters::default()),
            on_the_way: BTreeMap::new(),
            sent: 0,
            random: Stream::new(plan.seed, "hops"),
            now: Instant::ZERO,
            out: Outbox::new(),
            trace: Vec::new(),
            plan: plan.clone(),
        }
    }

    fn machine(&mut self, element: usize) -> &mut dyn Machine {
        match element {
            FIXED => &mut self.hosts[0],
            MOBILE => &mut self.hosts[1],
            _ => &mut self.agent,
        }
    }

    fn step(&mut self, element: usize, input: Input) {
        let (now, mut out) = (self.now, std::mem::take(&mut self.out));
        self.machine(element).step(now, input, &mut out);
        for (port, packet) in std::mem::take(&mut out.packets) {
            let (hop, to, to_port) = match (element, port) {
                (FIXED, _) => (0, AGENT, WIRED),
                (MOBILE, _) => (1, AGENT, WIRELESS),
                (_, WIRED) => (0, FIXED, Port(0)),
                (_, _) => (1, MOBILE, Port(0)),
            };
            if element == AGENT {
                self.trace.push(format!("{now:?} {port:?} {:?}", packet.segment));
            }
            self.carry(hop, to, to_port, &packet);
        }
        self.out = out;
    }

    fn carry(&mut self, hop: usize, to: usize, port: Port, packet: &Packet) {
        let plan = self.plan.hops[hop].clone();
        let delay = Duration::from_millis(plan.one_way_delay);
        let is_good = self.now >= Instant::from_millis(self.plan.good_from);
        if !is_good && self.random.below(100) < plan.loss {
            return;
        }
        let copies = if !is_good && self.random.below(100) < plan.duplication { 2 } else { 1 };
        for _ in 0..copies {
            let late =
                if !is_good && self.random.below(100) < plan.reordering { self.random.below(300) } else { 0 };
            self.sent += 1;
            let at = self.now + delay + Duration::from_millis(late);
            self.on_the_way.insert((at, self.sent), (to, port, Box::new(packet.clone())));
        }
    }

    fn run_out(&mut self) {
        loop {
            let arrival = self.on_the_way.keys().next().map(|(at, _)| *at);
            let wakes = [FIXED, AGENT, MOBILE].map(|element| self.machine(element).wake_at());
            let next = wakes.into_iter().chain([arrival]).flatten().min();
            let Some(next) = next.filter(|at| *at <= END) else { return };
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

    fn check(&self, kind: &Kind) {
        for side in [0, 1] {
            let endpoint = self.hosts[side].endpoints().next().expect("one");
            let statistics = endpoint.statistics();
            assert_eq!(
                statistics.bytes_delivered,
                self.plan.bytes[1 - side],
                "{}: to {side}, {:?}",
                kind.name,
                endpoint.state()
            );
            let is_over = matches!(endpoint.state(), State::Closed | State::TimeWait);
            assert!(is_over || self.plan.bytes == [0, 0], "{}: {side} is {:?}", kind.name, endpoint.state());
        }
    }
}

fn check(cases: u32, property: impl Fn(&Kind, Plan)) {
    for kind in seamline_agent::ALL {
        let config = ProptestConfig {
            cases,
            rng_seed: RngSeed::Fixed(11),
            failure_persistence: None,
            ..ProptestConfig::default()
        };
        let mut runner = proptest::test_runner::TestRunner::new(config);
        let outcome = runner.run(&plan(), |plan| {
            property(kind, plan);
            Ok(())
        });
        if let Err(error) = outcome {
            panic!("{}: {error}", kind.name);
        }
    }
}

#[test]
fn every_byte_arrives() {
    let busy: RefCell<BTreeMap<&str, [u64; 2]>> = RefCell::default();
    check(256, |kind, plan| {
        let mut run = Run::new(kind, &plan);
        run.run_out();
        run.check(kind);
        let counters = run.agent.counters();
        let mut busy = busy.borrow_mut();
        let [packets, deeds] = busy.entry(kind.name).or_default();
        *packets += counters.packets;
        *deeds += counters.local_retransmissions + counters.marked_acknowledgments + counters.split;
    });
    for (kind, [packets, deeds]) in busy.into_inner() {
        assert!(packets > 50_000 && deeds > 100, "{kind}: {packets} packets, {deeds} deeds");
    }
}

#[test]
fn runs_repeat() {
    check(8, |kind, plan| {
        let [first, second] = [0, 1].map(|_| {
            let mut run = Run::new(kind, &plan);
            run.run_out();
            run.trace
        });
        assert_eq!(first, second);
    });
}
