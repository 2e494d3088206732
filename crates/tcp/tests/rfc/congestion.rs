//! Initial window, slow start, congestion avoidance.

use crate::script::*;

/// RFC 6928 section 2: at most 14600 bytes to begin with, but always two segments.
#[test]
fn initial_window_is_bounded_in_bytes() {
    for (size, segments) in [(1460, 10), (2000, 7), (4000, 3), (9000, 2)] {
        let parameters = plain(|p| p.segments.maximum_segment_size = size);
        let mut script = Script::connected(parameters, "newreno", syn_ack().mss(size));
        let size = u32::from(size);
        script.supply(200_000).expect_run(1..1 + segments * size, size).expect_nothing();
    }
}

/// RFC 6928 section 2: ten segments to begin with.
#[test]
fn initial_window_is_ten_segments() {
    let mut script = Script::established(plain(|_| {}), "newreno");
    script.supply(50_000).expect_run(1..10_001, 1000);
}

/// RFC 5681 section 3.1: one segment after a lost SYN or SYN-ACK.
#[test]
fn initial_window_is_one_segment_after_a_lost_syn() {
    let mut script = Script::new(plain(|_| {}), "newreno");
    script.connect().expect(syn()).at(1000).expect(syn()).at(1100).inject(syn_ack()).expect(ack(1));
    script.supply(50_000).expect(data(1..1001));
    let mut listener = Script::new(plain(|_| {}), "newreno");
    listener.listen().inject(syn()).expect(syn_ack()).at(1000).expect(syn_ack());
    listener.at(1100).inject(ack(1)).supply(50_000).expect(data(1..1001));
}

/// RFC 5681 section 3.1, equation 2: in slow start a segment for each acknowledgment, but not more than
/// it covers.
#[test]
fn slow_start_grows_by_what_is_acknowledged() {
    let mut script = Script::established(plain(|_| {}), "newreno");
    script.supply(60_000).expect_run(1..10_001, 1000);
    script.at(200).inject(ack(1001)).window_is(11.0).expect_run(10_001..12_001, 1000);
    script.inject(ack(3001)).window_is(12.0).expect_run(12_001..15_001, 1000);
    script.inject(ack(3501)).window_is(12.5).expect_nothing();
}

/// RFC 5681 section 3.1, equation 3: in congestion avoidance about a segment for each round trip.
#[test]
fn congestion_avoidance_grows_by_a_segment_a_round() {
    let mut script = Script::established(plain(|p| p.window.initial_threshold = 10.0), "newreno");
    script.supply(60_000).expect_run(1..10_001, 1000);
    script.at(200).inject(ack(1001)).window_is(10.1).expect(data(10_001..11_001));
    script.inject(ack(2001)).window_is(10.1 + 1.0 / 10.1).expect(data(11_001..12_001));
    for acknowledged in 3..=10 {
        script.inject(ack(acknowledged * 1000 + 1));
    }
    script.take();
    let window = script.endpoint.sample().congestion_window;
    assert!((10.9..11.0).contains(&window), "{window} after one round");
}

/// RFC 5681 section 3.1: above the threshold growth slows down.
#[test]
fn slow_start_ends_at_the_threshold() {
    let mut script = Script::established(plain(|p| p.window.initial_threshold = 11.0), "newreno");
    script.supply(60_000).expect_run(1..10_001, 1000);
    script.at(200).inject(ack(1001)).window_is(11.0).inject(ack(2001)).window_is(11.0 + 1.0 / 11.0);
    script.take();
}

/// RFC 9438 section 4.2, last but one paragraph, and RFC 7661: a window that is not used does not grow.
#[test]
fn unused_window_does_not_grow() {
    let mut script = Script::established(plain(|_| {}), "newreno");
    script.supply(3000).expect_run(1..3001, 1000).at(200).inject(ack(3001)).window_is(10.0);
}

/// RFC 5681 section 3.1, equation 4 and below: a timeout halves what was in flight and begins again from
/// one segment.
#[test]
fn timeout_collapses_the_window() {
    let mut script = Script::established(plain(|_| {}), "newreno");
    script.at(1000).supply(20_000).expect_run(1..10_001, 1000);
    script.at(2000).expect(data(1..1001)).window_is(1.0).threshold_is(5.0);
    script.at(2100).inject(ack(1001)).window_is(2.0).expect_run(1001..3001, 1000);
    script.at(2200).inject(ack(10_001)).window_is(3.0).expect_run(10_001..13_001, 1000);
}

/// RFC 5681 section 3.1, below equation 4: the threshold stays when the retransmission is lost too.
#[test]
fn repeated_timeout_holds_the_threshold() {
    let mut script = Script::established(plain(|_| {}), "newreno");
    script.at(1000).supply(20_000).expect_run(1..10_001, 1000);
    script.at(2000).expect(data(1..1001)).at(4000).expect(data(1..1001)).threshold_is(5.0);
    script.at(8000).expect(data(1..1001)).threshold_is(5.0).window_is(1.0);
}
