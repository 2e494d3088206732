//! Both agents of obTCP between two hosts, over three hops that lose, double, delay and overtake everything, their messages too: every
//! byte arrives in both directions.

use crate::way::{Ends, Hop, Offers, VARIANTS, Way, hop};
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestRunner};
use seamline_agent::{Agent, ObtcpParameters, Parameters, Role, WIRED, find};
use seamline_wire::Input;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

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

fn plan() -> impl Strategy<Value = Plan> {
    let sequence = prop_oneof![any::<u32>(), (u32::MAX - 100_000)..u32::MAX];
    let bytes = || prop_oneof![Just(0u64), 1u64..400_000];
    let hops = [hop(100), hop(100), hop(100)];
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

fn agent(role: Role) -> Box<dyn Agent> {
    let obtcp = ObtcpParameters { role, ..ObtcpParameters::default() };
    find("obtcp").expect("it is there").build(&Parameters { obtcp, ..Parameters::default() })
}

fn way(plan: &Plan) -> Way {
    let &Plan { bytes, initial_sequence, variant, good_from, seed, .. } = plan;
    let ends = Ends {
        bytes,
        initial_sequence: [initial_sequence; 2],
        variant,
        notifies: false,
        offers: [Offers::ALL; 2],
    };
    Way::new(&ends, vec![agent(Role::BaseStation), agent(Role::MobileRouter)], &plan.hops, good_from, seed)
}

fn delivered(way: &Way) -> [u64; 2] {
    [1, 0].map(|side| way.hosts[side].endpoints().next().expect("one").statistics().bytes_delivered)
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
        let mut run = way(&plan);
        run.run_out();
        prop_assert_eq!(delivered(&run), plan.bytes);
        let [base_station, router] = [0, 1].map(|agent| run.agents[agent].counters());
        let [asked, at_station, at_router, hidden] = deeds.get();
        deeds.set([
            asked + router.messages,
            at_station + base_station.local_retransmissions,
            at_router + router.local_retransmissions,
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
        let mut run = way(&plan);
        run.run_out();
        run.sent
    };
    let mut run = way(&plan);
    let mut lost = BTreeMap::new();
    let mut found = None;
    while delivered(&run)[0] < plan.bytes[0] {
        let Some((to, port, packet)) = run.advance().expect("it goes on") else { continue };
        let number = packet.segment.sequence.0.saturating_sub(8) / packet.segment.length.max(1);
        let is_data = packet.is_segment() && packet.segment.length > 0;
        if is_data && to == 2 && port == WIRED && (12..16).contains(&number) {
            if let Entry::Vacant(first) = lost.entry(number) {
                first.insert(run.now);
                continue;
            }
            found = Some(run.now);
        }
        run.step(to, Input::Packet(port, packet));
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
