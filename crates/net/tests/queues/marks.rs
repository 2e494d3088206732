//! Marks in place of drops.

use crate::drive::{burst, ms, run, with_ecn};
use seamline_net::{CakeConfig, CoDelConfig, FqCoDelConfig, Limit, QueueConfig, StepConfig};
use seamline_wire::Ecn;

fn marks(queue: QueueConfig, count: usize) -> Vec<(u64, usize)> {
    let log = run(queue, &with_ecn(Ecn::Ect0, burst(ms(0), 1, count)));
    assert!(log.dropped.is_empty(), "{:?}", log.dropped);
    log.marked.iter().map(|(at, id)| (at.as_nanos() / 1_000_000, *id)).collect()
}

/// As `codel.rs` works out for drops: at 105 ms, then after 100/sqrt(1), 100/sqrt(2), 100/sqrt(3) and 100/sqrt(4) ms. No packet is missing, so
/// that the packet at the head at `t` ms is number `t`.
#[test]
fn codel_marks_where_it_would_drop() {
    let expected = [105, 205, 276, 334, 384].map(|at| (at, at as usize));
    assert_eq!(marks(QueueConfig::CoDel(CoDelConfig { ecn: true, ..CoDelConfig::default() }), 400), expected);
    assert_eq!(marks(QueueConfig::FqCoDel(FqCoDelConfig::default()), 400), expected);
    let log = run(QueueConfig::CoDel(CoDelConfig::default()), &with_ecn(Ecn::Ect0, burst(ms(0), 1, 400)));
    assert_eq!((log.dropped.len(), log.marked.len()), (5, 0), "without ECN");
}

/// COBALT signals when packets are late for longer than 5 ms, from 6 ms on: after one interval, at 106 ms, then after 100/sqrt(2), 100/sqrt(3),
/// 100/sqrt(4) and 100/sqrt(5) ms: at 176.7, 234.4, 284.4 and 329.2 ms.
#[test]
fn cake_marks_by_the_control_law_of_cobalt() {
    let expected = [106, 177, 235, 285, 330].map(|at| (at, at as usize));
    assert_eq!(marks(QueueConfig::Cake(CakeConfig::default()), 360), expected);
    let queue = QueueConfig::Cake(CakeConfig { ecn: false, ..CakeConfig::default() });
    let log = run(queue, &with_ecn(Ecn::Ect0, burst(ms(0), 1, 360)));
    // Each drop makes the next packet leave at its time.
    assert_eq!(log.dropped_ids(), [106, 178, 237, 288, 334]);
}

/// Packet 0 is in service; packet `n` finds `n - 1` waiting. With K = 10, those that find ten or more are marked, or dropped.
#[test]
fn a_step_marks_above_its_threshold() {
    let queue = |ecn| QueueConfig::Step(StepConfig { threshold: Limit::Packets(10), ecn, limit: None });
    let marked: Vec<usize> = marks(queue(true), 20).into_iter().map(|(_, id)| id).collect();
    assert_eq!(marked, (11..20).collect::<Vec<_>>());
    for (ecn, field) in [(true, Ecn::NotEct), (false, Ecn::Ect0)] {
        let log = run(queue(ecn), &with_ecn(field, burst(ms(0), 1, 20)));
        assert_eq!((log.dropped_ids(), log.marked.len()), ((11..20).collect(), 0));
    }
}
