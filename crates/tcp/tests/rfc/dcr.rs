//! TCP-DCR (Bhandarkar et al. 2005; draft-ietf-tcpm-tcp-dcr-00): a loss counts a round-trip time after the first duplicate
//! acknowledgment.

use crate::script::*;
use seamline_tcp::parameters::Parameters;
use seamline_wire::Duration;

/// Ten segments left at 1000 ms, of as many as there is room for; the round-trip time is 100 ms, and it is 1100 ms now.
fn ten_segments(change: impl FnOnce(&mut Parameters)) -> Script {
    let parameters = plain(|p| {
        p.round_trip.minimum_timeout = Duration::from_millis(500);
        p.window.initial_threshold = 10.0;
        change(p);
    });
    let mut script = Script::connected(parameters, "dcr", syn_ack().sack_permitted(true));
    script.at(1000).supply(100_000).expect_run(1..10_001, 1000).at(1100);
    script
}

/// Each duplicate lets one new segment go, and nothing is sent again for a round-trip time.
#[test]
fn the_clock_keeps_running_while_the_response_waits() {
    let mut script = ten_segments(|_| {});
    for duplicate in 1..10 {
        let end = 1001 + duplicate * 1000;
        script
            .inject(ack(1).sack(&[1001..end]))
            .expect(data(9001 + duplicate * 1000..10_001 + duplicate * 1000));
        script.expect_nothing().window_is(10.0);
    }
    script.at(1199).expect_nothing().at(1200).expect(data(1..1001)).expect_nothing().threshold_is(5.0);
    assert_eq!(script.endpoint.statistics().sender.timeouts, 0);
    assert_eq!(script.endpoint.statistics().sender.recoveries, 1);
}

/// What arrives within the round-trip time was only late: the window stays, and nothing is sent again.
#[test]
fn what_is_only_late_costs_nothing() {
    let mut script = ten_segments(|_| {});
    script.inject(ack(1).sack(&[1001..10_001])).take();
    script.at(1190).inject(ack(10_001)).take();
    script.skip_to(1600);
    let sender = script.endpoint.statistics().sender;
    assert_eq!((sender.window_cuts, sender.recoveries), (0, 0));
    assert!(script.endpoint.sample().congestion_window > 10.0);
}

/// The recovery `sack` counts three duplicates, and cuts the window for the same lateness.
#[test]
fn without_delay_lateness_costs_half_the_window() {
    let parameters = plain(|p| p.window.initial_threshold = 10.0);
    let mut script = Script::connected(parameters, "sack", syn_ack().sack_permitted(true));
    script.at(1000).supply(100_000).expect_run(1..10_001, 1000).at(1100);
    script.inject(ack(1).sack(&[1001..10_001])).take();
    script.threshold_is(5.0);
}

/// Another gap has a round-trip time of its own, from the acknowledgment on that fills the first.
#[test]
fn each_gap_has_its_time() {
    let mut script = ten_segments(|_| {});
    script.inject(ack(1).sack(&[1001..4001, 5001..10_001])).take();
    script.at(1150).inject(ack(4001).sack(&[5001..10_001])).take();
    script.at(1249).expect_nothing().at(1250).expect(data(4001..5001)).threshold_is(10.1 / 2.0);
}

/// The delay is a parameter; without one the first duplicate is enough.
#[test]
fn the_delay_can_be_set() {
    let mut script = ten_segments(|p| p.recovery.dcr.delay = 2.0);
    script.inject(ack(1).sack(&[1001..2001])).take();
    script.at(1299).expect_nothing().at(1300).expect(data(1..1001));
    let mut script = ten_segments(|p| p.recovery.dcr.delay = 0.0);
    script.inject(ack(1).sack(&[1001..2001])).take();
    script.at(1100).expect(data(1..1001)).threshold_is(5.0);
}

/// The retransmission timer ends the wait.
#[test]
fn a_timeout_ends_the_wait() {
    let mut script = ten_segments(|p| p.recovery.dcr.delay = 20.0);
    script.at(1100).inject(ack(1).sack(&[1001..2001])).take();
    script.at(1500).expect(data(1..1001)).window_is(1.0);
    script.at(1600).inject(ack(11_001)).take();
    script.skip_to(4000);
    assert_eq!(script.endpoint.statistics().sender.recoveries, 0);
}
