//! What has to hold for every agent: over links that lose, double, delay and overtake, every byte arrives in both
//! directions, connections close, and the same case gives the same run.

mod way;

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use seamline_agent::{Kind, Parameters};
use seamline_tcp::State;
use std::cell::RefCell;
use std::collections::BTreeMap;
use way::{Ends, Hop, VARIANTS, Way, hop};

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

fn plan() -> impl Strategy<Value = Plan> {
    let sequence = || prop_oneof![any::<u32>(), (u32::MAX - 100_000)..u32::MAX];
    let bytes = || prop_oneof![Just(0u64), 1u64..400_000];
    let hops = [hop(200), hop(200)];
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

fn run(kind: &Kind, plan: &Plan) -> Way {
    let &Plan { bytes, initial_sequence, variant, notifies, good_from, seed, .. } = plan;
    let ends = Ends { bytes, initial_sequence, variant, notifies };
    let agents = vec![(kind.build)(&Parameters::default())];
    let mut way = Way::new(&ends, agents, &plan.hops, good_from, seed);
    way.run_out();
    way
}

fn check_ends(way: &Way, plan: &Plan, kind: &Kind) {
    for side in [0, 1] {
        let endpoint = way.hosts[side].endpoints().next().expect("one");
        let statistics = endpoint.statistics();
        assert_eq!(
            statistics.bytes_delivered,
            plan.bytes[1 - side],
            "{}: to {side}, {:?}",
            kind.name,
            endpoint.state()
        );
        let is_over = matches!(endpoint.state(), State::Closed | State::TimeWait);
        assert!(is_over || plan.bytes == [0, 0], "{}: {side} is {:?}", kind.name, endpoint.state());
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
        let way = run(kind, &plan);
        check_ends(&way, &plan, kind);
        let counters = way.agents[0].counters();
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
        let [first, second] = [0, 1].map(|_| run(kind, &plan).trace);
        assert_eq!(first, second);
    });
}
