//! Proportional rate reduction (RFC 9937), with the two losses of its section 8: of twenty segments, the
//! first is lost, or the first fifteen. A "k" is 1000 bytes, which is a segment; segments are counted from zero.

use crate::script::*;

/// Twenty segments left at 1000 ms to a peer with SACK; a loss halves the window: ssthresh = 10k.
fn twenty_segments(supplied: u64) -> Script {
    let parameters = plain(|p| {
        p.window.initial = 20.0;
        p.window.initial_bytes = f64::INFINITY;
        p.segments.nagle = false;
    });
    let mut script = Script::connected(parameters, "sack", syn_ack().sack_permitted(true));
    script.at(1000).supply(supplied).expect_run(1..20_001, 1000).at(1100);
    script
}
fn segment(n: u32) -> Seg {
    data(n * 1000 + 1..n * 1000 + 1001)
}
/// What the peer says when segments `first..=last` have arrived, but not those before.
fn arrived(first: u32, last: u32) -> Seg {
    ack(1).sack(&[first * 1000 + 1..last * 1000 + 1001])
}

/// Both losses begin with two duplicates that let segments 20 and 21 leave (RFC 3042); nothing else has been
/// reported when the third begins recovery: RecoverFS = 22k - 2k.
fn single_loss(supplied: u64) -> Script {
    let mut script = twenty_segments(supplied);
    script.inject(arrived(1, 1)).expect(segment(20)).inject(arrived(1, 2)).expect(segment(21));
    script.inject(arrived(1, 3)).expect(segment(0)).expect_nothing().threshold_is(10.0);
    script
}

/// Section 6.2, proportional part. With the report of segment n, prr_delivered = (n - 2)k and
/// SndCnt = ceil((n - 2) * 10 / 20)k - prr_out: for n = 3 segment 0 again, and then a new segment for every
/// second report, n = 5, 7 ... 17. With s new ones sent, pipe = 22k + s - n, which is above ssthresh up to
/// n = 18 (22 + 7 - 18 = 11). Then the reduction bound rules: n = 19 finds pipe = 10k and sends nothing,
/// n = 20 and 21 find 9k and send one each. At the end the window is ssthresh, and all of it is used. Here the
/// figure of section 8 does not follow the algorithm of section 6.2: there n = 19 sends and 20 does not.
#[test]
fn proportional_part_and_end_of_recovery() {
    let mut script = single_loss(100_000);
    let mut new = 22..;
    for n in 4..=21 {
        script.inject(arrived(1, n));
        if [5, 7, 9, 11, 13, 15, 17, 20, 21].contains(&n) {
            script.expect(segment(new.next().unwrap()));
        }
        script.expect_nothing();
    }
    assert!(script.endpoint.in_recovery());
    // Segments 22 to 30 are outstanding: one more makes ten.
    script.at(1200).inject(ack(22_001)).window_is(10.0).expect(segment(31)).expect_nothing();
    assert!(!script.endpoint.in_recovery());
}

/// Section 6.2, conservative bound: as the second figure of section 8 has it, the reports of segments 17, 18
/// and 19 each find inflight = 4k (18 to 21, and then what was sent again), and each sends what it reports as
/// delivered: one segment. So do those of 20 and 21. Then the retransmissions, segments 0 to 4, are acknowledged,
/// one by one: SND.UNA advances and nothing more is lost, so that each sends DeliveredData + 1k, two segments,
/// while inflight grows from 4k over 5k, 6k and 7k to 8k. From the sixth on inflight = 9k, and
/// ssthresh - inflight = 1k leaves.
#[test]
fn reduction_bound_grows_with_progress() {
    let mut script = twenty_segments(100_000);
    script.inject(arrived(15, 15)).expect(segment(20)).inject(arrived(15, 16)).expect(segment(21));
    for n in 17..=21_u32 {
        script.inject(arrived(15, n)).expect(segment(n - 17)).expect_nothing();
    }
    script.threshold_is(10.0).at(1200);
    let mut next = (5..15).chain(22..);
    for n in 0..14_u32 {
        script.inject(ack((n + 1) * 1000 + 1).sack(&[15_001..22_001]));
        for _ in 0..if n < 5 { 2 } else { 1 } {
            script.expect(segment(next.next().unwrap()));
        }
        script.expect_nothing();
    }
    // Segments 22 to 30 are outstanding.
    script.inject(ack(22_001)).window_is(10.0).expect(segment(31)).expect_nothing();
}

/// Section 6.2, SafeACK. Of twenty segments 0 to 9 are lost, and 14 to 16. The reports of 10 and 11 let segments
/// 20 and 21 leave. That of 12 begins recovery with inflight = 13 to 21 = 9k, and one leaves for it: 0. So it goes
/// on, inflight = 9k, with the reports of 13, 17 and 18: segments 1, 2 and 3.
///
/// The acknowledgment of 0 also reports 19 and 20, whereby 14 to 16 are lost: DeliveredData = 3k, and
/// prr_delivered - prr_out = 7k - 4k; inflight = 4k (1 to 3, and 21). SND.UNA advances, but more is lost, so that
/// 3k leave and not 4k. The acknowledgment of 1 tells of no further loss: inflight = 6k, and 1k + 1k leave.
#[test]
fn further_loss_is_no_progress() {
    let mut script = twenty_segments(100_000);
    script.inject(arrived(10, 10)).expect(segment(20)).inject(arrived(10, 11)).expect(segment(21));
    script.inject(arrived(10, 12)).expect(segment(0)).inject(arrived(10, 13)).expect(segment(1));
    let reported = |last: u32| [17_001..(last + 1) * 1000 + 1, 10_001..14_001];
    script.inject(ack(1).sack(&reported(17))).expect(segment(2)).expect_nothing();
    script.inject(ack(1).sack(&reported(18))).expect(segment(3)).expect_nothing().at(1200);
    script.inject(ack(1001).sack(&reported(20)));
    script.expect(segment(4)).expect(segment(5)).expect(segment(6)).expect_nothing();
    script.inject(ack(2001).sack(&reported(20))).expect(segment(7)).expect(segment(8)).expect_nothing();
}

/// Section 7: what the application does not supply is not counted as sent; when it does, the sender
/// catches up. Segment 5's report lets one segment leave, for want of new data the last one (RFC 6675
/// section 4, NextSeg rule 4). Segment 9's finds SndCnt = ceil(7 * 10 / 20)k - 2k = 2k.
#[test]
fn what_the_application_did_not_supply_is_banked() {
    let mut script = single_loss(22_000);
    script.inject(arrived(1, 4)).expect_nothing().inject(arrived(1, 5)).expect(segment(21));
    script.inject(arrived(1, 6)).inject(arrived(1, 7)).inject(arrived(1, 8)).inject(arrived(1, 9));
    script.expect_nothing().supply(10_000).expect(segment(22)).expect(segment(23)).expect_nothing();
}

/// Section 6.3: prr_out counts what is sent, not full segments. Segment 5's report allows 1k, of which 300
/// leave; segment 7's allows ceil(5 * 10 / 20)k - 1.3k = 1.7k: the last thousand bytes again, and 700.
#[test]
fn small_segments_count_for_what_they_are() {
    let mut script = single_loss(22_000);
    script.supply(300).expect_nothing();
    script.inject(arrived(1, 4)).expect_nothing().inject(arrived(1, 5)).expect(data(22_001..22_301));
    script.inject(arrived(1, 6)).expect_nothing().inject(arrived(1, 7)).expect(data(21_301..22_301));
    script.supply(700).expect(data(22_301..23_001)).supply(100).expect_nothing();
}
