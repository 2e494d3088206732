//! Who is in a cell hears and is heard; nothing reaches one who is not.

use crate::support::{AGENT_1, MOBILE, SENDER, carrying, data, deliver};
use seamline_mobility::{CellId, Coverage, CoverageConfig, EdgeLoss, InFlightUpwards, Move, Movement};
use seamline_wire::random::Stream;
use seamline_wire::{Control, DropCause, Duration, Instant, NodeId, Tunnel};

const CELL: CellId = CellId(0);
const FIXED: NodeId = NodeId(6);
const BEHIND_FIXED: NodeId = NodeId(7);

/// The mobile node is here until 5 s, and again from 10.1 s.
fn coverage(in_flight_upwards: InFlightUpwards) -> Coverage {
    let step = |s, cell| Move { at: Instant::from_secs(s), to: CellId(cell) };
    let moves = vec![step(5, 1), step(10, 0)];
    let movement = Movement::new(CELL, moves, Duration::from_millis(100)).expect("in order");
    let uplink_one_way_delay = Duration::from_millis(5);
    let mut coverage = Coverage::new(CoverageConfig { cell: CELL, uplink_one_way_delay, in_flight_upwards });
    let fixed = coverage.add_fixed();
    let mobile = coverage.add_mobile(movement);
    coverage.set_route(FIXED, fixed);
    coverage.set_route(BEHIND_FIXED, fixed);
    coverage.set_route(MOBILE, mobile);
    coverage
}

#[test]
fn downwards_only_nodes_present_on_arrival_receive() {
    let mut coverage = coverage(InFlightUpwards::Transmitted);
    let just_before = Instant::from_nanos(4_999_999_999);
    for (at, hears) in [
        (Instant::ZERO, true),
        (just_before, true),
        (Instant::from_secs(5), false),
        (Instant::from_secs(10), false),
        (Instant::from_nanos(10_099_999_999), false),
        (Instant::from_millis(10_100), true),
    ] {
        let caused = deliver(&mut coverage, at, Coverage::DOWN, data(SENDER, MOBILE));
        assert_eq!(caused.packets.len(), usize::from(hears), "{at}");
        assert_eq!(caused.drops().first(), (!hears).then_some(&DropCause::LeftCell), "{at}");
    }
    assert_eq!(coverage.left_cell_drops(), [3, 0]);
}

#[test]
fn fixed_nodes_and_those_behind_them_are_always_there() {
    let mut coverage = coverage(InFlightUpwards::Transmitted);
    for node in [FIXED, BEHIND_FIXED] {
        let caused = deliver(&mut coverage, Instant::from_secs(7), Coverage::DOWN, data(SENDER, node));
        assert_eq!(caused.packets[0].1.destination, node);
        let caused = deliver(&mut coverage, Instant::from_secs(7), Coverage::UP, data(node, SENDER));
        assert_eq!(caused.packets, [(Coverage::BASE_STATION, data(node, SENDER))]);
    }
    let caused = deliver(&mut coverage, Instant::ZERO, Coverage::DOWN, data(SENDER, NodeId(99)));
    assert_eq!((caused.packets.len(), caused.drops()), (0, vec![DropCause::NoRoute]));
}

/// 5 ms on the air: what arrives at 5.005 s left the antenna at 5 s, just in time.
#[test]
fn upwards_it_counts_when_the_packet_had_left_the_antenna() {
    let times = [
        Instant::from_millis(4_999),
        Instant::from_millis(5_005),
        Instant::from_nanos(5_005_000_001),
        Instant::from_millis(10_105),
        Instant::from_nanos(10_105_000_001),
    ];
    for (rule, expected) in [
        (InFlightUpwards::Transmitted, [true, true, false, false, true]),
        (InFlightUpwards::Lost, [true, false, false, true, true]),
        (InFlightUpwards::Kept, [true; 5]),
    ] {
        let mut coverage = coverage(rule);
        let heard = times
            .map(|at| !deliver(&mut coverage, at, Coverage::UP, data(MOBILE, SENDER)).packets.is_empty());
        assert_eq!(heard, expected, "{rule:?}");
        let lost = expected.iter().filter(|heard| !**heard).count() as u64;
        assert_eq!(coverage.left_cell_drops(), [0, lost]);
    }
}

#[test]
fn a_tunnel_is_delivered_to_its_exit() {
    let mut coverage = coverage(InFlightUpwards::Transmitted);
    let mut packet = data(SENDER, NodeId(99));
    assert!(packet.encapsulate(Tunnel { entry: SENDER, exit: FIXED }));
    assert_eq!(deliver(&mut coverage, Instant::ZERO, Coverage::DOWN, packet).packets.len(), 1);
}

#[test]
fn what_is_for_all_reaches_the_mobile_nodes_that_are_there() {
    let mut coverage = coverage(InFlightUpwards::Transmitted);
    let to_all = || carrying(AGENT_1, NodeId::ALL_SYSTEMS, Control::AgentSolicitation);
    let heard = deliver(&mut coverage, Instant::ZERO, Coverage::DOWN, to_all()).packets;
    assert_eq!(heard.iter().map(|(_, packet)| packet).collect::<Vec<_>>(), [&to_all()]);
    let away = deliver(&mut coverage, Instant::from_secs(7), Coverage::DOWN, to_all());
    assert_eq!((away.drops(), away.packets), (vec![], vec![]));
}

/// The node turns away at 5 s, and its link lasts for 200 ms; one way up takes 5 ms.
#[test]
fn a_link_that_lasts_carries_packets_both_ways() {
    let moves = vec![Move { at: Instant::from_secs(5), to: CellId(1) }];
    let movement = Movement::new(CELL, moves, Duration::from_millis(500)).expect("in order");
    let movement = movement.with_old_links(|_, until| until + Duration::from_millis(200));
    let mut coverage = Coverage::new(CoverageConfig {
        cell: CELL,
        uplink_one_way_delay: Duration::from_millis(5),
        in_flight_upwards: InFlightUpwards::Transmitted,
    });
    let port = coverage.add_mobile(movement);
    coverage.set_route(MOBILE, port);
    for (millis, down, up) in [(5_199, 1, 1), (5_200, 0, 1), (5_205, 0, 1), (5_206, 0, 0), (5_600, 0, 0)] {
        let at = Instant::from_millis(millis);
        let found = [(Coverage::DOWN, data(SENDER, MOBILE)), (Coverage::UP, data(MOBILE, SENDER))]
            .map(|(port, packet)| deliver(&mut coverage, at, port, packet).packets.len());
        assert_eq!(found, [down, up], "{millis} ms");
    }
}

/// One second of rise to 50 % before the first node leaves at 5 s; the second stays. Of 10000 advertisements spread evenly over
/// the rise the first misses a quarter, 2500 with a deviation of 41, and the second none.
#[test]
fn the_edge_takes_its_copies_of_what_is_for_all() {
    let loss = EdgeLoss { rises_to: 0.5, within: Duration::from_secs(1) };
    let streams = ["down", "up"].map(|side| Stream::new(1, side));
    let mut coverage = coverage(InFlightUpwards::Transmitted).with_edge_loss(loss, streams);
    let stays = Movement::new(CELL, Vec::new(), Duration::ZERO).expect("in order");
    let other = coverage.add_mobile(stays);
    let (mut heard_by_other, mut missed) = (0, 0);
    for n in 0..10_000 {
        let at = Instant::from_secs(4) + Duration::from_micros(100) * n;
        let to_all = carrying(AGENT_1, NodeId::ALL_SYSTEMS, Control::AgentSolicitation);
        let caused = deliver(&mut coverage, at, Coverage::DOWN, to_all);
        assert_eq!(caused.drops().len() + caused.packets.len(), 2, "{at}");
        assert!(caused.drops().iter().all(|cause| *cause == DropCause::ErrorModel));
        missed += caused.drops().len();
        heard_by_other += caused.packets.iter().filter(|(port, _)| *port == other).count();
    }
    assert!((2_340..2_660).contains(&missed), "{missed}");
    assert_eq!((heard_by_other, coverage.edge_drops()), (10_000, [missed as u64, 0]));
}

/// One second of rise to 50 % before the node leaves at 5 s: of 10000 packets spread evenly over it a quarter is lost,
/// 2500 with a deviation of 41; of those in its last tenth 47.5 %.
#[test]
fn losses_rise_before_a_node_leaves() {
    let loss = EdgeLoss { rises_to: 0.5, within: Duration::from_secs(1) };
    let streams = ["down", "up"].map(|side| Stream::new(1, side));
    let mut coverage = coverage(InFlightUpwards::Transmitted).with_edge_loss(loss, streams);
    // A packet upwards has passed the edge 5 ms before it arrives.
    for (side, port, packet, later) in [
        (0, Coverage::DOWN, data(SENDER, MOBILE), Duration::ZERO),
        (1, Coverage::UP, data(MOBILE, SENDER), Duration::from_millis(5)),
    ] {
        let mut lost_at = Vec::new();
        for n in 0..10_000 {
            let at = Instant::from_secs(4) + Duration::from_micros(100) * n;
            let caused = deliver(&mut coverage, at + later, port, packet.clone());
            match caused.drops()[..] {
                [] => assert_eq!(caused.packets.len(), 1),
                [DropCause::ErrorModel] => lost_at.push(n),
                ref other => panic!("{other:?}"),
            }
        }
        assert!((2_340..2_660).contains(&lost_at.len()), "{}", lost_at.len());
        let last = lost_at.iter().filter(|n| **n >= 9_000).count();
        assert!((412..538).contains(&last), "{last}");
        let first = lost_at.iter().filter(|n| **n < 1_000).count();
        assert!((5..50).contains(&first), "2.5 % of 1000: {first}");
        assert_eq!(coverage.edge_drops()[side], lost_at.len() as u64);
    }
    for n in 0..1000 {
        let at = Instant::from_secs(2) + Duration::from_millis(n);
        assert!(deliver(&mut coverage, at, Coverage::DOWN, data(SENDER, MOBILE)).drops().is_empty());
        assert!(
            deliver(&mut coverage, Instant::from_millis(4_999), Coverage::DOWN, data(SENDER, FIXED))
                .drops()
                .is_empty()
        );
    }
    assert_eq!(coverage.left_cell_drops(), [0, 0]);
}
