//! Recovery by a record of each segment: RACK-TLP (RFC 8985), proportional rate reduction (RFC 9937), F-RTO (RFC 5682), undoing
//! (RFC 3522, RFC 3708), and what Linux adds. Timers are exact here: the profile is `rfc` with the recovery `rack`.

use crate::script::*;
use seamline_tcp::parameters::{IdleRestart, Parameters};

fn rack(change: impl FnOnce(&mut Parameters)) -> Parameters {
    plain(|p| {
        p.recovery.sack_algorithm = "rack";
        p.round_trip.minimum_timeout = seamline_wire::Duration::from_millis(200);
        p.window.whole_segments = true;
        p.segments.nagle = false;
        change(p);
    })
}
/// Ten segments left at 1000 ms; the round-trip time is 100 ms, and it is 1100 ms now.
fn ten_segments(supplied: u64) -> Script {
    ten_segments_with(supplied, |_| {})
}
fn ten_segments_with(supplied: u64, change: impl FnOnce(&mut Parameters)) -> Script {
    let mut script = Script::connected(rack(change), "sack", syn_ack().sack_permitted(true));
    script.at(1000).supply(supplied).expect_run(1..10_001, 1000).at(1100);
    script
}

/// RFC 8985 section 6.2: with three segments reported beyond it, what was sent earlier is lost at once; the window halves
/// (Reno), and RFC 9937 lets one segment leave, however far the window has to fall.
#[test]
fn three_reported_segments_begin_recovery() {
    let mut script = ten_segments(10_000);
    script.inject(ack(1).sack(&[1001..2001])).expect_nothing();
    script.inject(ack(1).sack(&[1001..3001])).expect_nothing();
    script.inject(ack(1).sack(&[1001..4001])).expect(data(1..1001)).expect_nothing().threshold_is(5.0);
    assert!(script.endpoint.in_recovery());
}

/// RFC 8985 section 6.2, step 5: fewer reports start a timer of a quarter of the smallest round-trip time (and 2 ms, as in
/// Linux). Then the gap is lost.
#[test]
fn one_report_waits_for_reordering() {
    let mut script = ten_segments(10_000);
    script.inject(ack(1).sack(&[1001..2001])).expect_nothing();
    script.at(1127).expect(data(1..1001)).threshold_is(5.0);
}

/// What arrives within the reordering window is not lost, and the window of segments stays.
#[test]
fn what_is_only_late_is_not_sent_again() {
    let mut script = ten_segments(10_000);
    script.inject(ack(1).sack(&[1001..2001])).expect_nothing();
    script.at(1120).inject(ack(2001)).expect_nothing().threshold_is_unlimited();
    script.at(1130).inject(ack(10_001)).expect_nothing();
    assert_eq!(script.endpoint.statistics().sender.retransmissions, 0);
}

/// RFC 8985 section 6.2: a retransmission is lost when something sent after it has arrived.
#[test]
fn a_lost_retransmission_is_found() {
    let mut script = ten_segments(20_000);
    script.inject(ack(1).sack(&[1001..4001])).expect(data(1..1001));
    for reported in 5..=10 {
        script.inject(ack(1).sack(&[1001..reported * 1000 + 1]));
    }
    let new: Vec<_> = script.take();
    assert!(!new.is_empty(), "proportional rate reduction lets new segments leave");
    // The first of the new segments, sent 100 ms after the retransmission, arrives.
    script.at(1200).inject(ack(1).sack(&[1001..11_001]));
    assert!(script.take().iter().any(|sent| data(1..1001).difference(sent).is_none()));
    assert_eq!(script.endpoint.statistics().sender.retransmissions, 2);
    assert_eq!(script.endpoint.statistics().sender.timeouts, 0);
}

/// RFC 9937 section 6.2: with a window of 10 that falls to 5, one segment leaves for every two that arrive. The first report of three
/// segments lets two leave.
#[test]
fn the_window_falls_in_proportion() {
    let mut script = ten_segments(30_000);
    script
        .inject(ack(1).sack(&[1001..4001]))
        .expect(data(1..1001))
        .expect(data(10_001..11_001))
        .expect_nothing();
    script.inject(ack(1).sack(&[1001..5001])).expect_nothing();
    script.inject(ack(1).sack(&[1001..6001])).expect(data(11_001..12_001));
    script.inject(ack(1).sack(&[1001..7001])).expect_nothing();
    // As many are in flight as the window is to hold: from now on one leaves for each that arrives.
    script.inject(ack(1).sack(&[1001..8001])).expect_nothing();
    script.inject(ack(1).sack(&[1001..9001])).expect(data(12_001..13_001));
    script.inject(ack(1).sack(&[1001..10_001])).expect(data(13_001..14_001));
}

/// RFC 8985 section 7.2 and 7.3: after two round-trip times without an acknowledgment a new segment probes, although the window
/// is full; then the retransmission timeout runs.
#[test]
fn a_probe_sends_new_data() {
    let mut script = Script::connected(rack(|_| {}), "sack", syn_ack().sack_permitted(true));
    script.at(1000).supply(11_000).expect_run(1..10_001, 1000);
    script.at(1202).expect(data(10_001..11_001)).expect_nothing();
    assert_eq!(script.endpoint.statistics().sender.tail_loss_probes, 1);
    // 300 ms after the probe.
    script.at(1502).expect(data(1..1001));
    assert_eq!(script.endpoint.statistics().sender.timeouts, 1);
}

/// Without new data the last segment is sent again. One segment alone waits for the delayed acknowledgment as well.
#[test]
fn a_probe_repeats_the_last_segment() {
    let mut script = Script::connected(rack(|_| {}), "sack", syn_ack().sack_permitted(true));
    script.at(1000).supply(3000).expect_run(1..3001, 1000);
    script.at(1202).expect(data(2001..3001));
    let mut alone = Script::connected(rack(|_| {}), "sack", syn_ack().sack_permitted(true));
    alone.at(1000).supply(1000).expect(data(1..1001));
    alone.at(1300).expect(data(1..1001));
}

/// RFC 8985 section 7.4: a probe that repaired a loss hides it from congestion control, so the window falls all the same; one that
/// is reported as a duplicate was needless.
#[test]
fn a_probe_that_repairs_a_loss_lowers_the_window() {
    for (answer, threshold) in [(ack(3001), Some(5.0)), (ack(3001).sack(&[2001..3001]), None)] {
        let mut script = Script::connected(rack(|_| {}), "sack", syn_ack().sack_permitted(true));
        script.at(1000).supply(3000).expect_run(1..3001, 1000);
        script.at(1202).expect(data(2001..3001));
        script.at(1302).inject(answer);
        script.supply(1000).expect(data(3001..4001));
        script.at(1402).inject(ack(4001));
        match threshold {
            Some(segments) => script.threshold_is(segments),
            None => script.threshold_is_unlimited(),
        };
    }
}

/// RFC 5682: after a timeout the first acknowledgment lets new data leave; the second, for what was sent once, shows that
/// the timeout was needless, and the window comes back.
#[test]
fn a_needless_timeout_is_taken_back() {
    let mut script = Script::connected(rack(|_| {}), "sack", syn_ack().sack_permitted(true));
    script.at(1000).supply(40_000).expect_run(1..10_001, 1000);
    script.at(1202).expect(data(10_001..11_001));
    script.at(1502).expect(data(1..1001)).window_is(1.0);
    // The path had only paused: the originals are acknowledged.
    script.at(1600).inject(ack(1001)).expect(data(11_001..12_001)).expect(data(12_001..13_001));
    script.inject(ack(2001));
    script.threshold_is_unlimited();
    assert_eq!(script.endpoint.statistics().sender.undone_cuts, 1);
    assert_eq!(script.endpoint.statistics().sender.retransmissions, 1);
}

/// RFC 5682: a duplicate acknowledgment after a timeout shows that it was needed.
#[test]
fn a_needed_timeout_goes_on() {
    let mut script = Script::connected(rack(|_| {}), "sack", syn_ack().sack_permitted(true));
    script.at(1000).supply(10_000).expect_run(1..10_001, 1000);
    script.at(1202).expect(data(9001..10_001));
    script.at(1502).expect(data(1..1001));
    script.at(1602).inject(ack(1001)).expect(data(1001..2001)).expect(data(2001..3001)).expect_nothing();
    assert_eq!(script.endpoint.statistics().sender.undone_cuts, 0);
}

/// RFC 3708: when every retransmission is reported as a duplicate, the reduction is taken back.
#[test]
fn duplicates_take_a_reduction_back() {
    let mut script = ten_segments(10_000);
    script.inject(ack(1).sack(&[1001..4001])).expect(data(1..1001));
    script.at(1110).inject(ack(10_001)).threshold_is(5.0);
    script.at(1210).inject(ack(10_001).sack(&[1..1001])).threshold_is_unlimited().window_is(10.0);
    assert_eq!(script.endpoint.statistics().sender.undone_cuts, 1);
}

/// Acknowledgments may overtake one another: the blocks of an older one count, so what they miss is sent again at once instead of after
/// a timeout.
#[test]
fn an_older_acknowledgment_still_reports() {
    let mut script = ten_segments(10_000);
    script.inject(ack(2001)).expect_nothing();
    script.inject(ack(1001).sack(&[3001..6001])).expect(data(2001..3001));
}

/// Linux lets slow start grow to twice what was outstanding: after ten segments that were acknowledged the window is 20, although it was
/// exactly filled.
#[test]
fn a_window_that_was_exactly_filled_grows() {
    let mut script = ten_segments(10_000);
    script.inject(ack(10_001)).window_is(20.0);
    script.at(1150).supply(5000).expect_run(10_001..15_001, 1000).at(1250);
    script.inject(ack(15_001)).window_is(20.0);
}

/// Linux halves the window for each retransmission timeout that the connection was idle, not below the initial one.
#[test]
fn an_idle_connection_begins_smaller() {
    let mut script = ten_segments_with(10_000, |p| p.window.idle_restart = IdleRestart::Decay);
    script.inject(ack(10_001));
    script
        .at(1100)
        .supply(20_000)
        .expect_run(10_001..30_001, 1000)
        .at(1200)
        .inject(ack(30_001))
        .window_is(40.0);
    // One timeout is 300 ms: 400 ms after the last segment one has passed.
    script.at(1500).supply(1000).expect(data(30_001..31_001)).window_is(20.0);
}

/// RFC 6298 section 5.7 and Linux's estimator: the variation is at least the minimum, and the back-off ends with a sample.
#[test]
fn the_timeout_is_the_round_trip_and_the_minimum() {
    let mut script = ten_segments(10_000);
    script.inject(ack(10_001)).timeout_is(300);
    script.supply(2000).expect_run(10_001..12_001, 1000);
    script.at(1302).expect(data(11_001..12_001));
    script.at(1602).expect(data(10_001..11_001)).timeout_is(600);
}
