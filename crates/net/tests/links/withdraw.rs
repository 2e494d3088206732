//! Packets that are taken out of a queue again, and the others that move up.

use crate::support::{RATE, burst, config, ms, run_until, scheduled};
use seamline_net::schedule::Steps;
use seamline_net::{Link, Schedule};
use seamline_wire::{Duration, Instant};

/// A packet takes a millisecond. At 2.5 ms numbers 0 and 1 are in flight, 2 is in service, and 3 to 9 wait.
#[test]
fn what_waits_can_be_withdrawn_and_the_others_move_up() {
    let schedule = Schedule { capacity: Some(Steps::constant(RATE).into()), ..Schedule::default() };
    for mut link in [Link::new(config(10.0)), Link::new(scheduled(config(10.0), schedule))] {
        let mut log = run_until(&mut link, &burst(0.0, 0..10), ms(2.5));
        assert_eq!(log.delivered, []);
        let taken = link.withdraw(ms(2.5), |packet| packet.segment.sequence.0 % 2 == 0);
        let taken: Vec<u32> = taken.iter().map(|packet| packet.segment.sequence.0).collect();
        assert_eq!(taken, [4, 6, 8]);
        assert_eq!(link.packets_inside(), 7);
        log = run_until(&mut link, &burst(2.5, 10..11), Instant::from_secs(1));
        let expected = [(11, 0), (12, 1), (13, 2), (14, 3), (15, 5), (16, 7), (17, 9), (18, 10)];
        assert_eq!(log.delivered, expected.map(|(at, id)| (Instant::from_millis(at), id)));
        let counters = link.counters();
        assert_eq!((counters.withdrawn.packets, counters.withdrawn.bytes), (3, 3000));
        assert_eq!(counters.arrived, counters.delivered + counters.withdrawn);
    }
}

#[test]
fn nothing_is_withdrawn_from_a_link_on_which_nothing_waits() {
    let mut link = Link::new(config(10.0));
    assert!(link.withdraw(Instant::ZERO, |_| true).is_empty());
    run_until(&mut link, &burst(0.0, 0..1), ms(0.5));
    assert!(link.withdraw(ms(0.5), |_| true).is_empty(), "it is in service");
    let log = run_until(&mut link, &[], ms(20.0));
    assert_eq!(log.delivered, [(Instant::ZERO + Duration::from_millis(11), 0)]);
}
