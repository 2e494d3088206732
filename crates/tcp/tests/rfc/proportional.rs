//! Proportional rate reduction (RFC 6937, which RFC 9937 obsoletes), with the two
//! losses of section 3.1: of twenty segments, the first is lost, or the first fifteen. A "k" is 1000 bytes,
//! which is a segment; segments are counted from zero.

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

/// Section 3, proportional part. With the report of segment n, prr_delivered = (n - 2)k and
/// sndcnt = ceil((n - 2) * 10 / 20)k - prr_out: for n = 3 segment 0 again, and then a new segment for every
/// second report, n = 5, 7 ... 17. With s new ones sent, pipe = 22k + s - n, which is above ssthresh up to
/// n = 18 (22 + 7 - 18 = 11). Then the reduction bound rules: n = 19 finds pipe = 10k and sends nothing,
/// n = 20 and 21 find 9k and send one each. At the end the window is ssthresh, and all of it is used.
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

/// Section 3, slow start reduction bound, as the last table of section 3.1 has it: segment 17's report
/// finds pipe = 4k (18 to 21), segment 18's 5k, segment 19's 6k, and each sends DeliveredData + 1k: two
/// segments. So do those of 20 (pipe = 7k) and 21 (8k), which fill the pipe up to ssthresh. From then on
/// each acknowledgment of a retransmission takes 1k from the pipe, and ssthresh - pipe = 1k leaves.
#[test]
fn slow_start_reduction_bound() {
    let mut script = twenty_segments(100_000);
    script.inject(arrived(15, 15)).expect(segment(20)).inject(arrived(15, 16)).expect(segment(21));
    for n in 17..=21_u32 {
        let first = 2 * (n - 17);
        script.inject(arrived(15, n)).expect(segment(first)).expect(segment(first + 1)).expect_nothing();
    }
    script.threshold_is(10.0).at(1200);
    for n in 0..14_u32 {
        let next = if n < 5 { 10 + n } else { 22 + n - 5 };
        script.inject(ack((n + 1) * 1000 + 1).sack(&[15_001..22_001])).expect(segment(next)).expect_nothing();
    }
    // Segments 22 to 30 are outstanding.
    script.inject(ack(22_001)).window_is(10.0).expect(segment(31)).expect_nothing();
}

/// Section 4: what the application does not supply is not counted as sent; when it does, the sender
/// catches up. Segment 5's report lets one segment leave, for want of new data the last one (RFC 6675
/// section 4, NextSeg rule 4). Segment 9's finds sndcnt = ceil(7 * 10 / 20)k - 2k = 2k.
#[test]
fn what_the_application_did_not_supply_is_banked() {
    let mut script = single_loss(22_000);
    script.inject(arrived(1, 4)).expect_nothing().inject(arrived(1, 5)).expect(segment(21));
    script.inject(arrived(1, 6)).inject(arrived(1, 7)).inject(arrived(1, 8)).inject(arrived(1, 9));
    script.expect_nothing().supply(10_000).expect(segment(22)).expect(segment(23)).expect_nothing();
}

/// Section 3: prr_out counts what is sent, not full segments. Segment 5's report allows 1k, of which 300
/// leave; segment 7's allows ceil(5 * 10 / 20)k - 1.3k = 1.7k: the last thousand bytes again, and 700.
#[test]
fn small_segments_count_for_what_they_are() {
    let mut script = single_loss(22_000);
    script.supply(300).expect_nothing();
    script.inject(arrived(1, 4)).expect_nothing().inject(arrived(1, 5)).expect(data(22_001..22_301));
    script.inject(arrived(1, 6)).expect_nothing().inject(arrived(1, 7)).expect(data(21_301..22_301));
    script.supply(700).expect(data(22_301..23_001)).supply(100).expect_nothing();
}
