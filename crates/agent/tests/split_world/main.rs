//! Split connections in a world of links that lose, with hosts that read slowly, go away or give up: every byte arrives once
//! and in order in both directions, and nothing leaves the agent that has not come to it.

mod end;
mod watch;

use end::{End, EndPlan};
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};
use seamline_agent::{AgentTcp, Handshake, Limits, Parameters, SplitParameters, find};
use seamline_net::error::Bernoulli;
use seamline_net::{Link, LinkConfig};
use seamline_sim::{ElementId, World};
use seamline_tcp::State;
use seamline_wire::random::Stream;
use seamline_wire::{Duration, Input, Instant, Machine, Outbox, Port, Rate};
use std::cell::Cell;
use watch::Watch;

/// After the last timeout of anything.
const END: Instant = Instant::from_secs(20_000);
const VARIANTS: [&str; 4] = ["reno", "newreno", "sack", "cubic"];
const PROFILES: [&str; 3] = ["rfc", "linux", "ns2-2010"];

#[derive(Clone, Debug)]
struct Plan {
    /// The fixed host and the mobile host.
    ends: [EndPlan; 2],
    /// The one that opens.
    opener: usize,
    /// Of the wire and of the air: percent lost each way, milliseconds each way.
    hops: [(u64, u64); 2],
    buffer: u32,
    /// Of the agent, for what waits and what it offers to take.
    memory: u64,
    handshake: Handshake,
    /// Of the agent: variant and profile, towards the fixed host and the mobile host.
    tcp: [(usize, usize); 2],
    /// When the mobile host cannot be reached for 30 s, in milliseconds.
    outage_at: Option<u64>,
    seed: u64,
}

#[derive(Debug)]
enum Part {
    End(Box<End>),
    Agent(Box<Watch>),
}

impl Machine for Part {
    fn step(&mut self, now: Instant, input: Input, out: &mut Outbox) {
        match self {
            Part::End(end) => end.step(now, input, out),
            Part::Agent(agent) => agent.step(now, input, out),
        }
    }
    fn wake_at(&self) -> Option<Instant> {
        match self {
            Part::End(end) => end.wake_at(),
            Part::Agent(agent) => agent.wake_at(),
        }
    }
}

impl Plan {
    fn agent(&self) -> Watch {
        let [wired, wireless] = self.tcp.map(|(variant, profile)| AgentTcp {
            variant: Some(VARIANTS[variant]),
            profile: Some(PROFILES[profile]),
            minimum_timeout: Some(Duration::from_millis(200)),
        });
        let split = SplitParameters {
            wired,
            wireless,
            buffer: Some(self.buffer),
            handshake: self.handshake,
            secret: self.seed,
        };
        let limits = Limits { bytes: self.memory, ..Limits::default() };
        let parameters = Parameters { split, limits, ..Parameters::default() };
        let agent = find("split").expect("it is there").build(&parameters);
        let outage = self.outage_at.map(|at| {
            let from = Instant::from_millis(at);
            from..from + Duration::from_secs(30)
        });
        Watch::new(agent, outage, self.memory)
    }

    fn link(&self, hop: usize, name: &str) -> Link {
        let (loss, millis) = self.hops[hop];
        let mut config =
            LinkConfig::new(Rate::from_bits_per_second(2_000_000), Duration::from_millis(millis));
        let stream = Stream::new(self.seed, name);
        config.end_error = Some(Bernoulli::new(loss as f64 / 100.0, stream).into());
        Link::new(config)
    }

    fn run(&self) -> Run {
        let mut world = World::new();
        let ends = [0, 1].map(|side| {
            let end = End::new(side, self.opener == side, &self.ends);
            world.add(Part::End(Box::new(end)))
        });
        let agent = world.add(Part::Agent(Box::new(self.agent())));
        for (side, names) in [["wire/up", "wire/down"], ["air/up", "air/down"]].into_iter().enumerate() {
            let [towards, away] = names.map(|name| world.add_link(self.link(side, name)));
            world.connect(ends[side], Port(0), towards, Port(0));
            world.connect(towards, Port(0), agent, Port(side as u16));
            world.connect(agent, Port(side as u16), away, Port(0));
            world.connect(away, Port(0), ends[side], Port(0));
        }
        world.run_until(END);
        Run { world, ends, agent }
    }
}

struct Run {
    world: World<Part>,
    ends: [ElementId; 2],
    agent: ElementId,
}

impl Run {
    fn end(&self, side: usize) -> &End {
        match self.world.machine(self.ends[side]) {
            Some(Part::End(end)) => end,
            other => panic!("no end: {other:?}"),
        }
    }
    fn agent(&self) -> &Watch {
        match self.world.machine(self.agent) {
            Some(Part::Agent(agent)) => agent,
            other => panic!("no agent: {other:?}"),
        }
    }
    /// Everything has arrived, and both ends and the agent are done.
    fn is_complete(&self, plan: &Plan) {
        for side in [0, 1] {
            let endpoint = &self.end(side).endpoint;
            let delivered = endpoint.statistics().bytes_delivered;
            assert_eq!(delivered, plan.ends[1 - side].bytes, "to {side}, {:?}", endpoint.state());
            self.is_over(side);
        }
        assert_eq!(self.agent().counters().split, 1);
        self.agent_is_idle();
    }
    /// It waits for nothing but the time to forget a segment that came late.
    fn agent_is_idle(&self) {
        let wake_at = self.agent().wake_at();
        assert!(wake_at.is_none_or(|at| at > END), "the agent waits for {wake_at:?}");
    }
    fn is_over(&self, side: usize) {
        let state = self.end(side).endpoint.state();
        assert!(matches!(state, State::Closed | State::TimeWait), "{side} is {state:?}");
    }
}

fn end_plan() -> impl Strategy<Value = EndPlan> {
    let initial = prop_oneof![any::<u32>(), (u32::MAX - 100_000)..u32::MAX];
    let read = prop_oneof![Just(0u64), 500u64..20_000];
    let buffer = prop_oneof![500u32..5000, 20_000u32..1_000_000];
    (initial, read, 5u64..100, buffer, 0u64..20_000, prop_oneof![Just(0u64), 1u64..300_000]).prop_map(
        |(initial, read, read_interval, buffer, reads_from, bytes)| EndPlan {
            initial,
            read,
            read_interval,
            buffer,
            reads_from,
            bytes,
            abort_at: None,
        },
    )
}

fn plan() -> impl Strategy<Value = Plan> {
    // So that no five retransmissions in a row are lost, after which an end gives up.
    let hop = || (prop_oneof![Just(0u64), 1u64..10], 1u64..150);
    let tcp = || (0..VARIANTS.len(), 0..PROFILES.len());
    let buffer = prop_oneof![1u32..3000, 3000u32..40_000, Just(256_000)];
    // From what the least windows take.
    let memory = prop_oneof![5840u64..100_000, 100_000u64..2_000_000, Just(64 << 20)];
    let handshake = prop_oneof![Just(Handshake::NearSideAlone), Just(Handshake::FarSideFirst)];
    let outage_at = prop_oneof![Just(None), (0u64..5000).prop_map(Some)];
    let ends = [end_plan(), end_plan()];
    let agent = ((buffer, memory), handshake, [tcp(), tcp()]);
    (ends, 0usize..2, [hop(), hop()], agent, outage_at, any::<u64>()).prop_map(
        |(ends, opener, hops, ((buffer, memory), handshake, tcp), outage_at, seed)| {
            // Each window is at most a buffer, and may take a timeout when it is tiny.
            let buffers = u64::from(buffer.min(ends[0].buffer).min(ends[1].buffer));
            let most = 60 * buffers.min((memory / 8).max(2920));
            let ends = ends.map(|end| EndPlan { bytes: end.bytes.min(most), ..end });
            Plan { ends, opener, hops, buffer, memory, handshake, tcp, outage_at, seed }
        },
    )
}

fn check(cases: u32, plans: impl Strategy<Value = Plan>, property: impl Fn(Plan)) {
    let config = ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(5),
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let outcome = TestRunner::new(config).run(&plans, |plan| {
        property(plan);
        Ok(())
    });
    if let Err(error) = outcome {
        panic!("{error}");
    }
}

#[test]
fn every_byte_arrives_once_and_in_order() {
    let seen = Cell::new([0; 3]);
    check(600, plan(), |plan| {
        let run = plan.run();
        run.is_complete(&plan);
        let [mut bytes, mut probes, mut again] = seen.get();
        for side in [0, 1] {
            let statistics = run.end(side).endpoint.statistics();
            bytes += statistics.bytes_delivered;
            probes += statistics.sender.window_probes;
            again += statistics.sender.retransmissions;
        }
        seen.set([bytes, probes, again]);
    });
    let [bytes, probes, again] = seen.get();
    println!("{bytes} bytes, {probes} window probes, {again} retransmissions");
    assert!(bytes > 10_000_000 && probes > 1000 && again > 1000, "little happened: {:?}", seen.get());
}

/// One host gives up at some time. Where no reset can be lost the other host and the agent come to know; whatever has been
/// delivered before is a beginning of what was sent.
#[test]
fn who_gives_up_takes_the_other_along() {
    let aborting = (plan(), 0usize..2, 1u64..30_000, any::<bool>()).prop_map(|(mut plan, who, at, loses)| {
        plan.ends[who].abort_at = Some(at);
        if !loses {
            plan.hops = plan.hops.map(|(_, millis)| (0, millis));
            plan.outage_at = None;
        }
        plan
    });
    check(600, aborting, |plan| {
        let run = plan.run();
        for side in [0, 1] {
            assert!(run.end(side).endpoint.statistics().bytes_delivered <= plan.ends[1 - side].bytes);
            if plan.hops.iter().all(|(loss, _)| *loss == 0) && plan.outage_at.is_none() {
                run.is_over(side);
                run.agent_is_idle();
            }
        }
    });
}
