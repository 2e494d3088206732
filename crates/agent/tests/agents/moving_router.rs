//! obTCP in network mobility: hosts behind a mobile router whose base station, care-of address and tunnel change while data is under way.
//! Whatever is lost on both hops, whether caches move along or stay, every byte arrives in both directions.

use crate::way::{Ends, Hop, Offers, VARIANTS, Way, hop};
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};
use seamline_agent::{Agent, Counters, Moved, ObtcpParameters, Parameters, Role, WIRED, WIRELESS, find};
use seamline_wire::{Duration, Input, Instant, Machine, NodeId, Outbox, Packet, Port, Tunnel};
use std::cell::Cell;

const HOME_AGENT: NodeId = NodeId(10);
/// Of the mobile host in [`Ends`].
const MOBILE: NodeId = NodeId(2);

fn agent(kind: &str, role: Role, inside_tunnels: bool) -> Box<dyn Agent> {
    let obtcp = ObtcpParameters { role, ..ObtcpParameters::default() };
    let parameters = Parameters { inside_tunnels, obtcp, ..Parameters::default() };
    find(kind).expect("it is there").build(&parameters)
}

fn care_of(base_station: usize) -> NodeId {
    NodeId(20 + base_station as u32)
}

/// From the home agent through the tunnel to the mobile router's end of it, by one of three base stations with an agent each.
#[derive(Debug)]
struct Tunnelled {
    agents: [Box<dyn Agent>; 3],
    /// How long the router stays in each cell; it goes round until it has moved often enough.
    stay: Duration,
    moves: u64,
    /// So much later the home agent learns of a move; until then it tunnels to the old place, and takes nothing from the new one.
    registration: Duration,
    hands_over: bool,
    handed_over: u64,
    lost_in_moves: u64,
}

impl Tunnelled {
    fn new(kind: &str, plan: &Plan) -> Self {
        Tunnelled {
            agents: [0, 1, 2].map(|_| agent(kind, Role::BaseStation, true)),
            stay: Duration::from_millis(plan.stay),
            moves: plan.moves,
            registration: Duration::from_millis(plan.registration),
            hands_over: plan.hands_over,
            handed_over: 0,
            lost_in_moves: 0,
        }
    }
    fn moves_until(&self, now: Instant) -> u64 {
        (now.as_nanos() / self.stay.as_nanos()).min(self.moves)
    }
    /// Where the router is, and where the home agent has it, as numbers of base stations.
    fn places(&self, now: Instant) -> [usize; 2] {
        let known = Instant::ZERO + now.saturating_since(Instant::ZERO + self.registration);
        [now, known].map(|at| (self.moves_until(at) % 3) as usize)
    }
    fn follow(&mut self, now: Instant, out: &mut Outbox) {
        while self.handed_over < self.moves_until(now) {
            self.handed_over += 1;
            let [from, to] = [self.handed_over - 1, self.handed_over].map(|move_| (move_ % 3) as usize);
            if self.hands_over {
                let mut moved: Vec<Moved> = self.agents[from].hand_out(&[MOBILE]);
                let left: Vec<NodeId> = (0..3).map(care_of).collect();
                moved.iter_mut().for_each(|moved| moved.follow(&left, Some(care_of(to))));
                self.agents[to].take_in(moved);
                self.act(now, to, Input::Wake, out);
            }
        }
    }
    /// What leaves the agent at a base station arrives if its tunnel leads to where the router is, or comes from where it is known to be.
    fn act(&mut self, now: Instant, base_station: usize, input: Input, out: &mut Outbox) {
        let [here, known] = self.places(now);
        let mut own = Outbox::new();
        self.agents[base_station].step(now, input, &mut own);
        for (port, mut packet) in own.packets {
            let tunnel =
                packet.decapsulate().expect("everything between router and home agent is in the tunnel");
            assert!(packet.tunnels.is_empty());
            let (router, arrives) = match port {
                WIRELESS => (tunnel.exit, base_station == here && tunnel.exit == care_of(here)),
                _ => (tunnel.entry, tunnel.entry == care_of(known)),
            };
            assert!((0..3).map(care_of).any(|address| address == router), "{tunnel:?}");
            match arrives {
                true => out.send(port, packet),
                false => self.lost_in_moves += 1,
            }
        }
    }
    fn on_packet(&mut self, now: Instant, port: Port, mut packet: Box<Packet>, out: &mut Outbox) {
        let [here, known] = self.places(now);
        let (base_station, [entry, exit]) = match port {
            WIRED => (known, [HOME_AGENT, care_of(known)]),
            _ => (here, [care_of(here), HOME_AGENT]),
        };
        assert!(packet.encapsulate_in_ipv6(Tunnel { entry, exit }));
        self.act(now, base_station, Input::Packet(port, packet), out);
    }
}

impl Machine for Tunnelled {
    fn step(&mut self, now: Instant, input: Input, out: &mut Outbox) {
        self.follow(now, out);
        match input {
            Input::Packet(port, packet) => self.on_packet(now, port, packet, out),
            _ => (0..3).for_each(|place| self.act(now, place, Input::Wake, out)),
        }
    }
    fn wake_at(&self) -> Option<Instant> {
        let next = Instant::ZERO + self.stay * (self.handed_over + 1);
        let next = (self.hands_over && self.handed_over < self.moves).then_some(next);
        self.agents.iter().filter_map(|agent| agent.wake_at()).chain(next).min()
    }
}

impl Agent for Tunnelled {
    fn counters(&self) -> Counters {
        let mut sum = Counters::default();
        for of in self.agents.iter().map(|agent| agent.counters()) {
            sum.messages += of.messages;
            sum.local_retransmissions += of.local_retransmissions;
        }
        // Lost for a tunnel that leads nowhere any more: shown where nothing else is counted.
        sum.unknown = self.lost_in_moves;
        sum
    }
    fn hand_out(&mut self, _addresses: &[NodeId]) -> Vec<Moved> {
        Vec::new()
    }
    fn take_in(&mut self, _moved: Vec<Moved>) {}
}

#[derive(Clone, Debug)]
struct Plan {
    hops: [Hop; 3],
    bytes: [u64; 2],
    initial_sequence: u32,
    variant: usize,
    seed: u64,
    good_from: u64,
    stay: u64,
    moves: u64,
    registration: u64,
    hands_over: bool,
}

fn plan() -> impl Strategy<Value = Plan> {
    let sequence = prop_oneof![any::<u32>(), (u32::MAX - 100_000)..u32::MAX];
    let bytes = || prop_oneof![Just(0u64), 1u64..400_000];
    let moving = (200u64..3000, 0u64..30, 0u64..500, any::<bool>());
    let network = ([hop(100), hop(100), hop(100)], any::<u64>(), 0u64..30_000);
    (network, [bytes(), bytes()], sequence, 0..VARIANTS.len(), moving).prop_map(
        |((hops, seed, good_from), bytes, initial_sequence, variant, moving)| {
            let (stay, moves, registration, hands_over) = moving;
            let registration = registration.min(stay / 2);
            Plan {
                hops,
                bytes,
                initial_sequence,
                variant,
                seed,
                good_from,
                stay,
                moves,
                registration,
                hands_over,
            }
        },
    )
}

fn run(kind: &str, plan: &Plan) -> Way {
    let &Plan { bytes, initial_sequence, variant, good_from, seed, .. } = plan;
    let ends = Ends {
        bytes,
        initial_sequence: [initial_sequence; 2],
        variant,
        notifies: false,
        offers: [Offers::ALL; 2],
    };
    let agents: Vec<Box<dyn Agent>> =
        vec![Box::new(Tunnelled::new(kind, plan)), agent(kind, Role::MobileRouter, false)];
    let mut way = Way::new(&ends, agents, &plan.hops, good_from, seed);
    way.run_out();
    way
}

fn delivered(way: &Way) -> [u64; 2] {
    [1, 0].map(|side| way.hosts[side].endpoints().next().expect("one").statistics().bytes_delivered)
}

#[test]
fn every_byte_arrives_over_moves_of_the_router() {
    for kind in ["obtcp", "snoop"] {
        let config = ProptestConfig {
            cases: 256,
            rng_seed: RngSeed::Fixed(12),
            failure_persistence: None,
            ..ProptestConfig::default()
        };
        let deeds = Cell::new([0u64; 4]);
        let outcome = TestRunner::new(config).run(&plan(), |plan| {
            let run = run(kind, &plan);
            prop_assert_eq!(delivered(&run), plan.bytes);
            let [base_stations, router] = [0, 1].map(|agent| run.agents[agent].counters());
            let [at_stations, at_router, lost, asked] = deeds.get();
            deeds.set([
                at_stations + base_stations.local_retransmissions,
                at_router + router.local_retransmissions,
                lost + base_stations.unknown,
                asked + router.messages,
            ]);
            Ok(())
        });
        outcome.unwrap_or_else(|error| panic!("{kind}: {error}"));
        let [of_both @ .., asked] = deeds.get();
        println!("{kind}: {:?}", deeds.get());
        assert!(of_both.iter().all(|deeds| *deeds > 300), "{kind}: {of_both:?}");
        assert!(if kind == "obtcp" { asked > 300 } else { asked == 0 }, "{kind}: {asked}");
    }
}

/// Two packets are lost in the air while the router stays; they are there a round trip of its link later, through the tunnel. The
/// sender hears of nothing.
#[test]
fn a_loss_in_the_tunnel_is_repaired_there() {
    let hop = |one_way_delay| Hop { loss: 0, duplication: 0, reordering: 0, one_way_delay };
    let plan = Plan {
        hops: [hop(1), hop(20), hop(20)],
        bytes: [100 * 1000, 0],
        initial_sequence: 7,
        variant: 0,
        seed: 1,
        good_from: 0,
        stay: 1000,
        moves: 0,
        registration: 0,
        hands_over: false,
    };
    let ends = Ends {
        bytes: plan.bytes,
        initial_sequence: [7; 2],
        variant: 0,
        notifies: false,
        offers: [Offers::ALL; 2],
    };
    let agents: Vec<Box<dyn Agent>> =
        vec![Box::new(Tunnelled::new("obtcp", &plan)), agent("obtcp", Role::MobileRouter, false)];
    let mut way = Way::new(&ends, agents, &plan.hops, 0, 1);
    let mut data = 0;
    while let Some(next) = way.advance() {
        let Some((to, port, packet)) = next else { continue };
        let is_data = to == 2 && port == WIRED && packet.segment.length > 0;
        data += u64::from(is_data);
        if !is_data || !(13..15).contains(&data) {
            way.step(to, Input::Packet(port, packet));
        }
    }
    assert_eq!(delivered(&way), plan.bytes);
    let sender = way.hosts[0].endpoints().next().expect("one").statistics().sender;
    assert_eq!((sender.retransmissions, sender.timeouts), (0, 0));
    let [base_station, router] = [0, 1].map(|agent| way.agents[agent].counters());
    assert_eq!((router.messages, base_station.messages, base_station.local_retransmissions), (1, 1, 2));
}
