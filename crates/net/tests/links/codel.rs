//! CoDel against RFC 8289, with the control law of section 5.4 worked out by hand.

use crate::support::{Offer, SIZE, burst, config, ms, run};
use seamline_net::{CoDelConfig, Limit, Link, LinkConfig, QueueConfig};
use seamline_wire::{DropCause, Instant};

fn link(codel: CoDelConfig) -> Link {
    Link::new(LinkConfig { queue: QueueConfig::CoDel(codel), ..config(0.0) })
}

fn drops(offers: &[Offer]) -> Vec<(Instant, u32)> {
    let log = run(&mut link(CoDelConfig::default()), offers);
    assert!(log.dropped.iter().all(|(_, _, cause)| *cause == DropCause::ActiveQueueManagement));
    log.dropped.iter().map(|(at, id, _)| (*at, *id)).collect()
}

/// Packets of 1 ms. The head at time t has waited t ms: above target from 5 ms, so the first drop is due at
/// 105; then after 100/sqrt(1), 100/sqrt(2), 100/sqrt(3), 100/sqrt(4) ms: at 205, 275.7, 333.4 and 383.4,
/// each at the next whole millisecond, when a packet leaves the queue.
#[test]
fn drops_follow_the_control_law() {
    let expected = [(105.0, 105), (205.0, 206), (276.0, 278), (334.0, 337), (384.0, 388)];
    assert_eq!(drops(&burst(0.0, 0..400)), expected.map(|(at, id)| (ms(at), id)));
}

/// The queue is empty at 395 ms with a count of 5, and grows again at 500: above target at 505, the first
/// drop at 605. It was dropping less than 16 intervals ago, so the count starts from 5 - 1 = 4: the next
/// drops follow after 50 and 44.7 ms.
#[test]
fn a_second_cycle_starts_from_the_rate_of_the_first() {
    let mut offers = burst(0.0, 0..400);
    offers.extend(burst(500.0, 400..600));
    let times: Vec<_> = drops(&offers).into_iter().skip(5).map(|(at, _)| at).collect();
    assert_eq!(times, [ms(605.0), ms(655.0)]);
    let mut later = burst(0.0, 0..400);
    later.extend(burst(2100.0, 400..700));
    let times: Vec<_> = drops(&later).into_iter().skip(5).map(|(at, _)| at).collect();
    assert_eq!(times, [ms(2205.0), ms(2305.0), ms(2376.0)], "after 16 intervals it starts again");
}

#[test]
fn a_queue_that_empties_within_an_interval_loses_nothing() {
    assert!(
        drops(&burst(0.0, 0..107)).is_empty(),
        "one packet of 1000 bytes is left behind the head at 105 ms"
    );
    assert_eq!(drops(&burst(0.0, 0..108)), [(ms(105.0), 105)]);
    // A standing queue of one packet is never dropped from, however long it waits.
    let slow: Vec<_> = (0..400).map(|id| Offer { at: ms(f64::from(id) * 1.0), id, size: SIZE }).collect();
    assert!(drops(&slow).is_empty());
}

#[test]
fn a_limit_applies_on_arrival() {
    let codel = CoDelConfig { limit: Some(Limit::Packets(10)), ..CoDelConfig::default() };
    let log = run(&mut link(codel), &burst(0.0, 0..20));
    assert_eq!(log.ids(), (0..11).collect::<Vec<_>>());
    assert!(log.dropped.iter().all(|(_, _, cause)| *cause == DropCause::QueueOverflow));
}
