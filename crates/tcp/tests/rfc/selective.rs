//! Recovery from selective acknowledgments (RFC 6675).

use crate::script::*;
use seamline_tcp::parameters::Parameters;

/// Ten segments of `supplied` bytes left at 1000 ms to a peer with SACK; without proportional rate
/// reduction, so that RFC 6675's pipe alone decides.
fn ten_segments(supplied: u64) -> Script {
    with_parameters(supplied, |_| {})
}
fn with_parameters(supplied: u64, change: impl FnOnce(&mut Parameters)) -> Script {
    let parameters = plain(|p| {
        p.recovery.proportional_rate_reduction = false;
        change(p);
    });
    let mut script = Script::connected(parameters, "sack", syn_ack().sack_permitted(true));
    script.at(1000).supply(supplied).expect_run(1..10_001, 1000).at(1100);
    script
}

/// RFC 6675 section 5, step 1: three duplicates that bring SACK information.
#[test]
fn third_duplicate_begins_recovery() {
    let mut script = ten_segments(10_000);
    script.inject(ack(1).sack(&[1001..2001])).expect_nothing();
    script.inject(ack(1).sack(&[1001..3001])).expect_nothing();
    script.inject(ack(1).sack(&[1001..4001])).expect(data(1..1001)).threshold_is(5.0).window_is(5.0);
    assert!(script.endpoint.in_recovery());
}

/// RFC 6675 section 4, IsLost: more than (DupThresh - 1) segments of bytes reported above.
#[test]
fn lost_by_bytes() {
    let mut script = ten_segments(10_000);
    script.inject(ack(1).sack(&[1001..3001])).expect_nothing();
    let mut script = ten_segments(10_000);
    script.inject(ack(1).sack(&[1001..3002])).expect(data(1..1001));
}

/// RFC 6675 section 4, IsLost: DupThresh discontiguous blocks reported above.
#[test]
fn lost_by_discontiguous_blocks() {
    let mut script = ten_segments(10_000);
    script.inject(ack(1).sack(&[3001..3101, 1001..1101])).expect_nothing();
    let mut script = ten_segments(10_000);
    script.inject(ack(1).sack(&[5001..5101, 3001..3101, 1001..1101])).expect(data(1..1001));
}

/// RFC 6675 section 5, step 3 (limited transmit): before recovery, what was reported makes room for new
/// segments.
#[test]
fn new_segments_before_recovery() {
    let mut script = ten_segments(20_000);
    script.inject(ack(1).sack(&[1001..2001])).expect(data(10_001..11_001));
    script.inject(ack(1).sack(&[1001..3001])).expect(data(11_001..12_001)).window_is(10.0);
    let mut unlimited = with_parameters(20_000, |p| p.recovery.limited_transmit = false);
    unlimited.inject(ack(1).sack(&[1001..2001])).expect_nothing();
}

/// RFC 6675 section 4, NextSeg and SetPipe: holes known as lost first, then new data, within the pipe; what
/// was reported is never sent again.
#[test]
fn next_segment_order() {
    let mut script = ten_segments(20_000);
    script.inject(ack(1).sack(&[5001..6001, 3001..4001, 1001..2001])).expect(data(1..1001)).expect_nothing();
    script.inject(ack(1).sack(&[5001..8001, 3001..4001, 1001..2001]));
    script.expect(data(2001..3001)).expect(data(4001..5001)).expect_nothing();
    script.inject(ack(1).sack(&[5001..9001, 3001..4001, 1001..2001])).expect(data(10_001..11_001));
    script.at(1200).inject(ack(2001).sack(&[5001..9001, 3001..4001])).expect(data(11_001..12_001));
    script.inject(ack(10_001)).window_is(5.0).expect_run(12_001..15_001, 1000);
    assert!(!script.endpoint.in_recovery());
}

/// RFC 6675 section 4, NextSeg rule 3: without new data, a hole below the highest report is sent although
/// it is not yet known as lost.
#[test]
fn unlost_holes_when_there_is_no_new_data() {
    let mut script = ten_segments(10_000);
    script.inject(ack(1).sack(&[1001..5001])).expect(data(1..1001)).expect_nothing();
    script.inject(ack(1).sack(&[6001..9001, 1001..5001])).expect(data(5001..6001));
    script.expect(data(9001..10_001));
}

/// RFC 6675 section 4, NextSeg rule 4: once per recovery the last segment, so that a lost tail does not wait
/// for the timer.
#[test]
fn rescue_retransmission() {
    let mut script = ten_segments(10_000);
    script.inject(ack(1).sack(&[1001..4001])).expect(data(1..1001));
    script.inject(ack(1).sack(&[1001..8001])).expect(data(9001..10_001)).expect_nothing();
    script.at(1200).inject(ack(8001)).expect_nothing();
    script.at(1210).inject(ack(8001).sack(&[9001..10_001])).expect(data(8001..9001));
    script.at(1310).inject(ack(10_001)).expect_nothing();
    assert_eq!(script.endpoint.statistics().sender.timeouts, 0);
}

/// RFC 6675 section 5.1: after a timeout what was reported is not sent again (unless the receiver reneges).
#[test]
fn timeout_does_not_resend_what_was_reported() {
    let mut script = ten_segments(10_000);
    script.inject(ack(1).sack(&[3001..10_001])).expect(data(1..1001)).expect(data(1001..2001));
    script.expect(data(2001..3001)).at(2100).expect(data(1..1001)).window_is(1.0);
    script.at(2200).inject(ack(1001).sack(&[3001..10_001])).expect_run(1001..3001, 1000);
    script.at(2300).inject(ack(10_001)).expect_nothing();
}

/// RFC 2018 section 8: a receiver may renege: what it reported and then discarded is sent again after a
/// timeout without progress.
#[test]
fn reneging_receiver_gets_everything() {
    let mut script = ten_segments(10_000);
    script.inject(ack(1).sack(&[1001..10_001])).expect(data(1..1001));
    script.at(1200).inject(ack(1001)).expect_nothing();
    let mut at = 1001;
    for _ in 0..40 {
        let Some(due) = script.endpoint.wake_at() else { break };
        script.at_time(due);
        for segment in script.take() {
            if segment.sequence == at {
                at += segment.length;
            }
        }
        script.after(50).inject(ack(at));
        while let Some(segment) = script.take().into_iter().find(|s| s.sequence == at) {
            at += segment.length;
            script.after(50).inject(ack(at));
        }
    }
    assert_eq!(at, 10_001, "everything is sent again");
    assert_eq!(script.endpoint.statistics().bytes_acknowledged, 10_000);
}

/// RFC 2018 section 5: blocks that make no sense (below the acknowledgment, beyond what was sent, inverted)
/// are ignored.
#[test]
#[expect(clippy::reversed_empty_ranges, reason = "an inverted block is meant")]
fn senseless_blocks_are_ignored() {
    let mut script = ten_segments(10_000);
    script.inject(ack(1).sack(&[9001..12_001, 4001..3001, 2001..2001])).expect_nothing();
    script.inject(ack(1).sack(&[20_001..30_001])).inject(ack(1).sack(&[20_001..31_001]));
    script.expect_nothing();
}

/// RFC 2883 section 4: a block below the acknowledgment reports a duplicate; it is no reason to
/// retransmit.
#[test]
fn duplicate_reports_are_ignored() {
    let mut script = ten_segments(10_000);
    script.inject(ack(5001)).inject_times(5, ack(5001).sack(&[1..1001])).expect_nothing();
    assert!(!script.endpoint.in_recovery());
}
