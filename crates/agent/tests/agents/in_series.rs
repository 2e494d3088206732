//! Two agents one behind the other, of any two kinds: every byte arrives, none of them answers the other's deeds for ever, and the one
//! nearer to the air repairs.

use crate::support::{Script, ack, data};
use crate::way::{Ends, Hop, Offers, VARIANTS, Way, hop};
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};
use seamline_agent::{Agent, Kind, ObtcpParameters, Parameters, Role, find};
use seamline_wire::Instant;

#[derive(Clone, Debug)]
struct Plan {
    wire: Hop,
    air: Hop,
    bytes: [u64; 2],
    variant: usize,
    notifies: bool,
    seed: u64,
    good_from: u64,
}

fn plan() -> impl Strategy<Value = Plan> {
    let bytes = || prop_oneof![Just(0u64), 1u64..200_000];
    let ends = ([bytes(), bytes()], 0..VARIANTS.len(), any::<bool>());
    (hop(100), hop(100), ends, any::<u64>(), 0u64..30_000).prop_map(
        |(wire, air, (bytes, variant, notifies), seed, good_from)| Plan {
            wire,
            air,
            bytes,
            variant,
            notifies,
            seed,
            good_from,
        },
    )
}

fn agent(kind: &Kind) -> Box<dyn Agent> {
    let obtcp = ObtcpParameters { role: Role::BaseStation, ..ObtcpParameters::default() };
    kind.build(&Parameters { obtcp, ..Parameters::default() })
}

/// Both stand at one base station.
fn way(plan: &Plan, kinds: [&Kind; 2]) -> Way {
    let &Plan { bytes, variant, notifies, seed, good_from, .. } = plan;
    let ends =
        Ends { bytes, initial_sequence: [7, u32::MAX - 50_000], variant, notifies, offers: [Offers::ALL; 2] };
    let between = Hop { loss: 0, duplication: 0, reordering: 0, one_way_delay: 0 };
    let hops = [plan.wire.clone(), between, plan.air.clone()];
    Way::new(&ends, kinds.map(agent).into(), &hops, good_from, seed)
}

fn delivered(way: &Way) -> [u64; 2] {
    [1, 0].map(|side| way.hosts[side].endpoints().next().expect("one").statistics().bytes_delivered)
}

#[test]
fn every_byte_arrives_past_any_two() {
    for wired in seamline_agent::ALL {
        for wireless in seamline_agent::ALL {
            let kinds = [*wired, *wireless];
            let config = ProptestConfig {
                cases: 48,
                rng_seed: RngSeed::Fixed(11),
                failure_persistence: None,
                ..ProptestConfig::default()
            };
            let outcome = TestRunner::new(config).run(&plan(), |plan| {
                let mut run = way(&plan, kinds);
                run.run_out();
                prop_assert_eq!(delivered(&run), plan.bytes);
                Ok(())
            });
            outcome.unwrap_or_else(|error| panic!("{} before {}: {error}", wired.name, wireless.name));
        }
    }
}

/// Where the air alone loses a tenth, a second agent sends hardly more over it than one does, and leaves little of it to the sender: whatever one sends
/// again passes the other once.
#[test]
fn two_agents_storm_no_more_than_one() {
    const SEEDS: u64 = 12;
    let plan = |seed| Plan {
        wire: Hop { loss: 0, duplication: 0, reordering: 0, one_way_delay: 50 },
        air: Hop { loss: 10, duplication: 0, reordering: 0, one_way_delay: 5 },
        bytes: [2_000_000, 0],
        variant: 1,
        notifies: false,
        seed,
        good_from: u64::MAX / 2_000_000,
    };
    // Sent again by each agent, and by the sender.
    let over_the_air = |kinds: [&'static Kind; 2]| {
        let mut all = [0; 3];
        for seed in 0..SEEDS {
            let mut run = way(&plan(seed), kinds);
            run.run_out();
            assert_eq!(delivered(&run), [2_000_000, 0]);
            let sender = run.hosts[0].endpoints().next().expect("one").statistics().sender.retransmissions;
            let again = run.agents.iter().map(|agent| agent.counters().local_retransmissions).chain([sender]);
            all.iter_mut().zip(again).for_each(|(sum, again)| *sum += again);
        }
        all
    };
    let [snoop, eln_ack] = ["snoop", "eln-ack"].map(|name| find(name).expect("it is there"));
    let [_, one, alone] = over_the_air([eln_ack, snoop]);
    let [outer, inner, second] = over_the_air([snoop, snoop]);
    let segments = SEEDS * 2_000_000 / 1448;
    assert!((segments / 20..segments / 2).contains(&one), "{one}");
    assert!(outer + inner < one * 5 / 4, "{outer} and {inner}, one alone {one}");
    // The one nearer to the air repairs; the other steps in when that repair is lost, too.
    assert!(outer < inner / 2, "{outer} and {inner}");
    assert!(alone < segments / 30 && second < segments / 30, "{alone} and {second} of {segments}");
}

/// Nothing is heard from the mobile host any more. Each agent sends at most ten times by itself; what the first one sends again is to the
/// second what a sender repeats, and begins its ten again. That is bounded, and no faster than their timers.
#[test]
fn silence_is_not_answered_for_ever() {
    let snoop = || Script::new(agent(find("snoop").expect("it is there")));
    let mut outer = snoop();
    let mut inner = snoop();
    for n in 0..10 {
        outer.wired(data(1 + n * 1000, 1000)).onwards();
        inner.wired(data(1 + n * 1000, 1000)).onwards();
    }
    let mut sent: Vec<u64> = Vec::new();
    let end = Instant::from_secs(600);
    while let Some((at, is_outer)) = next(&outer, &inner).filter(|(at, _)| *at <= end) {
        let millis = at.saturating_since(Instant::ZERO).as_nanos() / 1_000_000;
        let [first, second] = if is_outer { [&mut outer, &mut inner] } else { [&mut inner, &mut outer] };
        first.next_wake();
        let [_, over] = first.sent_by_side();
        for segment in over {
            sent.push(millis);
            if is_outer {
                second.pass(millis).wired(data(segment.sequence.0, segment.length));
                second.sent_by_side();
            }
        }
    }
    assert!((20..=110).contains(&sent.len()), "{}", sent.len());
    let busiest = sent.iter().map(|at| sent.iter().filter(|other| (*at..*at + 1000).contains(other)).count());
    assert!(busiest.max().expect("some") <= 4, "{sent:?}");
}

fn next(outer: &Script, inner: &Script) -> Option<(Instant, bool)> {
    let times = [(outer.wakes_at(), true), (inner.wakes_at(), false)];
    times.into_iter().filter_map(|(at, is_outer)| Some((at?, is_outer))).min()
}

/// The mobile host arrives where two Snoops stand, and both have brought what is under way: everything goes over the new air twice, once
/// from each. Agents learn from packets alone, so neither can know of the other.
#[test]
fn caches_that_both_arrive_are_both_sent() {
    let snoop = || Script::new(agent(find("snoop").expect("it is there")));
    let filled = || {
        let mut script = snoop();
        for n in 0..8 {
            script.wired(data(1 + n * 1000, 1000)).onwards();
        }
        script
    };
    let mut inner = filled().moves_to(snoop(), 100);
    let [_, own] = inner.sent_by_side();
    let mut outer = filled().moves_to(snoop(), 100);
    let [_, from_outer] = outer.sent_by_side();
    let mut over = own.len();
    for segment in from_outer {
        inner.wired(data(segment.sequence.0, segment.length)).onwards();
        over += 1;
    }
    assert_eq!(over, 16);
    inner.is_quiet();
    // What comes twice is acknowledged twice. With new data under way the second acknowledgments look like a loss of it: the agents
    // send that again in vain, and let through too few for the sender to believe it.
    for script in [&mut inner, &mut outer] {
        script.at(120).wireless(ack(8001)).onwards();
        for n in 8..16 {
            script.wired(data(1 + n * 1000, 1000)).onwards();
        }
    }
    let mut heard = 0;
    for _ in 0..8 {
        inner.wireless(ack(8001));
        let [passed, again] = inner.sent_by_side();
        assert!(again.iter().all(|segment| segment.sequence.0 == 8001));
        for _ in passed {
            outer.wireless(ack(8001));
            heard += outer.sent_by_side()[0].len();
        }
    }
    assert_eq!(heard, 1);
}
