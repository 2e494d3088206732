//! What has to hold for every agent: over links that lose, double, delay and overtake, every byte arrives in both
//! directions, connections close, and the same case gives the same run.

use crate::way::{Ends, Hop, Offers, VARIANTS, Way, hop};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use seamline_agent::{Agent, Handshake, ObtcpParameters, Parameters, Role, SplitParameters, find};
use seamline_tcp::State;
use std::cell::RefCell;
use std::collections::BTreeMap;

#[derive(Clone, Debug)]
struct Plan {
    hops: [Hop; 2],
    /// Bytes from the fixed host and from the mobile host.
    bytes: [u64; 2],
    initial_sequence: [u32; 2],
    variant: usize,
    seed: u64,
    good_from: u64,
    /// Both ends list losses and act on what is reported of them.
    notifies: bool,
    offers: [Offers; 2],
    /// When the agent comes, in milliseconds, if it is not there from the beginning.
    late: Option<u64>,
    /// When the mobile host moves between two of them, in milliseconds.
    moves: Vec<u64>,
    /// How much later what is known of its connections arrives.
    hand_over: u64,
}

/// An agent, by its name and what of it is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Subject {
    Plain(&'static str),
    BaseStationOfObtcp,
    FarSideFirst,
}

impl Subject {
    fn all() -> impl Iterator<Item = Subject> {
        let plain = seamline_agent::ALL.iter().map(|kind| Subject::Plain(kind.name));
        plain.chain([Subject::BaseStationOfObtcp, Subject::FarSideFirst])
    }
    fn build(self) -> Box<dyn Agent> {
        let mut parameters = Parameters::default();
        let name = match self {
            Subject::Plain(name) => name,
            Subject::BaseStationOfObtcp => {
                parameters.obtcp = ObtcpParameters { role: Role::BaseStation, ..ObtcpParameters::default() };
                "obtcp"
            }
            Subject::FarSideFirst => {
                let handshake = Handshake::FarSideFirst;
                parameters.split = SplitParameters { handshake, ..SplitParameters::default() };
                "split"
            }
        };
        find(name).expect("it is there").build(&parameters)
    }
}

fn offers() -> impl Strategy<Value = Offers> {
    (any::<bool>(), any::<bool>(), any::<bool>()).prop_map(|(timestamps, sack, window_scale)| Offers {
        timestamps,
        sack,
        window_scale,
    })
}

fn plan() -> impl Strategy<Value = Plan> {
    let sequence = || prop_oneof![any::<u32>(), (u32::MAX - 100_000)..u32::MAX];
    let bytes = || prop_oneof![Just(0u64), 1u64..400_000];
    let hops = [hop(200), hop(200)];
    let late = prop_oneof![3 => Just(None), 1 => (0u64..5000).prop_map(Some)];
    let moves = prop_oneof![Just(vec![]), prop::collection::vec(1u64..20_000, 1..12)];
    (
        hops,
        [bytes(), bytes()],
        [sequence(), sequence()],
        0..VARIANTS.len(),
        any::<u64>(),
        0u64..60_000,
        (any::<bool>(), [offers(), offers()], late, moves, prop_oneof![Just(0u64), 1u64..300]),
    )
        .prop_map(|(hops, bytes, initial_sequence, variant, seed, good_from, more)| Plan {
            hops,
            bytes,
            initial_sequence,
            variant,
            seed,
            good_from,
            notifies: more.0,
            offers: more.1,
            late: more.2,
            moves: sorted(more.3),
            hand_over: more.4,
        })
}

fn sorted(mut moves: Vec<u64>) -> Vec<u64> {
    moves.sort_unstable();
    moves
}

fn run(subject: Subject, plan: &Plan) -> Way {
    let &Plan { bytes, initial_sequence, variant, notifies, good_from, seed, offers, .. } = plan;
    let ends = Ends { bytes, initial_sequence, variant, notifies, offers };
    let way = Way::new(&ends, vec![subject.build()], &plan.hops, good_from, seed);
    // Numbers that are the same on both sides let bytes past the agent while its state is on its way.
    let has_one_numbering = [Subject::FarSideFirst, Subject::Plain("spoofing")].contains(&subject);
    let hand_over = if has_one_numbering { 0 } else { plan.hand_over };
    let way = way.with_late_agents(plan.late);
    let mut way = way.with_moves(subject.build(), &plan.moves, hand_over);
    way.run_out();
    way
}

fn check_ends(way: &Way, plan: &Plan, subject: Subject) {
    for side in [0, 1] {
        let endpoint = way.hosts[side].endpoints().next().expect("one");
        let delivered = endpoint.statistics().bytes_delivered;
        let state = endpoint.state();
        assert_eq!(delivered, plan.bytes[1 - side], "{subject:?}: to {side}, {state:?}");
        let is_over = matches!(state, State::Closed | State::TimeWait);
        assert!(is_over || plan.bytes == [0, 0], "{subject:?}: {side} is {state:?}");
    }
}

fn check(cases: u32, property: impl Fn(Subject, Plan)) {
    for subject in Subject::all() {
        let config = ProptestConfig {
            cases,
            rng_seed: RngSeed::Fixed(11),
            failure_persistence: None,
            ..ProptestConfig::default()
        };
        let mut runner = proptest::test_runner::TestRunner::new(config);
        let outcome = runner.run(&plan(), |plan| {
            property(subject, plan);
            Ok(())
        });
        if let Err(error) = outcome {
            panic!("{subject:?}: {error}");
        }
    }
}

#[test]
fn every_byte_arrives() {
    let busy: RefCell<BTreeMap<Subject, [u64; 3]>> = RefCell::default();
    check(256, |subject, plan| {
        let way = run(subject, &plan);
        check_ends(&way, &plan, subject);
        let counters = way.agents[0].counters();
        let mut busy = busy.borrow_mut();
        let [packets, deeds, strange] = busy.entry(subject).or_default();
        *packets += counters.packets;
        *strange += counters.implausible;
        *deeds += counters.local_retransmissions + counters.marked_acknowledgments + counters.split;
    });
    for (subject, [packets, deeds, strange]) in busy.into_inner() {
        assert!(packets > 50_000 && deeds > 50, "{subject:?}: {packets} packets, {deeds} deeds");
        // Even where agents come late, or are left for a while.
        assert!(strange * 5000 < packets, "{subject:?}: {strange} of {packets} packets are not believed");
    }
}

#[test]
fn runs_repeat() {
    check(8, |subject, plan| {
        let [first, second] = [0, 1].map(|_| run(subject, &plan).trace);
        assert_eq!(first, second);
    });
}
