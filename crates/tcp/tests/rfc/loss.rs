//! Loss found from duplicate acknowledgments: fast retransmit, limited transmit, Tahoe, Reno, NewReno.

use crate::script::*;

/// Ten segments of `supplied` bytes left at 1000 ms.
fn ten_segments(variant: &str, supplied: u64) -> Script {
    let mut script = Script::established(plain(|_| {}), variant);
    script.at(1000).supply(supplied).expect_run(1..10_001, 1000).at(1100);
    script
}

const WITHOUT_SACK: [&str; 3] = ["tahoe", "reno", "newreno"];

/// RFC 5681 section 3.2: the third duplicate acknowledgment retransmits, not the second.
#[test]
fn third_duplicate_retransmits() {
    for variant in WITHOUT_SACK {
        let mut script = ten_segments(variant, 10_000);
        script.inject_times(2, ack(1)).expect_nothing();
        script.inject(ack(1)).expect(data(1..1001)).threshold_is(5.0);
    }
}

/// RFC 3042 section 2: each of the first two duplicates sends one new segment, not more, and the window
/// stays.
#[test]
fn limited_transmit_sends_new_segments() {
    for variant in WITHOUT_SACK {
        let mut script = ten_segments(variant, 20_000);
        script.inject(ack(1)).expect(data(10_001..11_001)).expect_nothing();
        script.inject(ack(1)).expect(data(11_001..12_001)).window_is(10.0).expect_nothing();
        script.inject(ack(1)).expect(data(1..1001));
        script.threshold_is(5.0);
    }
}

/// RFC 3042 section 2: limited transmit is within the peer's window.
#[test]
fn limited_transmit_respects_the_window() {
    let mut script = Script::connected(plain(|_| {}), "newreno", syn_ack().window(10_000));
    script.at(1000).supply(20_000).expect_run(1..10_001, 1000);
    script.at(1100).inject_times(2, ack(1).window(10_000)).expect_nothing();
}

/// RFC 5681 section 2: what carries payload, or changes the window, is no duplicate.
#[test]
fn not_every_repeated_acknowledgment_is_a_duplicate() {
    let mut script = ten_segments("newreno", 10_000);
    for n in 0..4 {
        script.inject(data(1 + n * 100..101 + n * 100));
        script.inject(ack(1).seq(401).window(60_000 + n as u16));
    }
    assert!(script.take().iter().all(|s| s.length == 0), "nothing is retransmitted");
    assert_eq!(script.endpoint.statistics().sender.retransmissions, 0);
    script.inject_times(2, ack(1).seq(401).window(60_003)).expect_nothing();
    script.inject(ack(1).seq(401).window(60_003)).expect(data(1..1001).ack(401));
}

/// RFC 5681 section 3.2, steps 3 to 5: the window is the threshold and three, grows by one for each
/// further duplicate, and new segments leave when it allows.
#[test]
fn fast_recovery_inflates_the_window() {
    for variant in ["reno", "newreno"] {
        let mut script = ten_segments(variant, 20_000);
        script.inject_times(3, ack(1)).expect_run(10_001..12_001, 1000).expect(data(1..1001));
        script.inject_times(4, ack(1)).expect_nothing();
        script.inject(ack(1)).expect(data(12_001..13_001)).inject(ack(1)).expect(data(13_001..14_001));
    }
}

/// RFC 5681 section 3.2, step 6: the acknowledgment of new data deflates Reno's window to the threshold.
#[test]
fn reno_leaves_recovery_at_the_first_new_acknowledgment() {
    let mut script = ten_segments("reno", 10_000);
    script.inject_times(3, ack(1)).expect(data(1..1001)).inject(ack(4001));
    assert!(!script.endpoint.in_recovery());
    let window = script.endpoint.sample().congestion_window;
    assert!((5.0..=5.2).contains(&window), "{window}");
}

/// RFC 6582 section 3.2, step 3: a partial acknowledgment sends the next hole again at once; a full one
/// ends recovery with min(ssthresh, FlightSize + SMSS).
#[test]
fn newreno_repairs_two_losses() {
    let mut script = ten_segments("newreno", 10_000);
    script.inject_times(3, ack(1)).expect(data(1..1001)).inject_times(5, ack(1)).expect_nothing();
    script.at(1200).inject(ack(4001)).expect(data(4001..5001)).expect_nothing();
    assert!(script.endpoint.in_recovery());
    script.inject_times(2, ack(4001)).expect_nothing();
    script.at(1300).inject(ack(10_001)).window_is(2.0).expect_nothing();
    assert!(!script.endpoint.in_recovery());
    assert_eq!(script.endpoint.statistics().sender.retransmissions, 2);
}

/// RFC 6582 section 3.2, step 3: a partial acknowledgment takes what it covers off the window, adds a
/// segment back and lets new data leave within it.
#[test]
fn partial_acknowledgment_deflates() {
    let mut script = ten_segments("newreno", 30_000);
    script.inject_times(8, ack(1)).expect_run(10_001..12_001, 1000).expect(data(1..1001));
    script.expect(data(12_001..13_001));
    script.inject(ack(4001)).expect(data(4001..5001)).expect(data(13_001..14_001)).expect_nothing();
}

/// RFC 6582 section 4: with the impatient variant only the first partial acknowledgment restarts the
/// timer, so that many losses in a window end in a timeout.
#[test]
fn only_the_first_partial_acknowledgment_restarts_the_timer() {
    let mut script = ten_segments("newreno", 10_000);
    script.inject_times(3, ack(1)).expect(data(1..1001));
    script.at(1500).inject(ack(1001)).expect(data(1001..2001));
    script.at(1900).inject(ack(2001)).expect(data(2001..3001));
    script.at(2300).inject(ack(3001)).expect(data(3001..4001));
    script.at(2500).expect(data(3001..4001)).window_is(1.0);
}

/// RFC 6582 section 3.2, steps 1 and 2: after a timeout, duplicates of what was sent before it do not
/// start another recovery.
#[test]
fn no_fast_retransmit_below_the_recovery_point() {
    for variant in WITHOUT_SACK {
        let mut script = ten_segments(variant, 10_000);
        script.at(2000).expect(data(1..1001));
        script.at(2100).inject(ack(1001));
        script.take();
        script.inject_times(5, ack(1001));
        assert!(script.take().iter().all(|s| s.sequence >= 3001), "{variant}: nothing is sent a third time");
        assert_eq!(script.endpoint.statistics().sender.recoveries, 0);
    }
}

/// Fall and Floyd 1996, section 2: Tahoe begins again from one segment.
#[test]
fn tahoe_slow_starts() {
    let mut script = ten_segments("tahoe", 10_000);
    script
        .inject_times(3, ack(1))
        .expect(data(1..1001))
        .window_is(1.0)
        .inject_times(5, ack(1))
        .expect_nothing();
    script.at(1200).inject(ack(4001)).window_is(2.0).expect_run(4001..6001, 1000);
}

/// RFC 6582 with RFC 2018: a variant that wants SACK does without when the peer has none.
#[test]
fn sack_falls_back_to_newreno() {
    for variant in ["sack", "cubic"] {
        let mut script = ten_segments(variant, 10_000);
        script.inject_times(2, ack(1)).expect_nothing().inject(ack(1)).expect(data(1..1001));
        script.inject_times(5, ack(1)).inject(ack(4001)).expect(data(4001..5001));
        script.inject(ack(10_001)).expect_nothing();
        assert!(!script.endpoint.in_recovery());
    }
}
