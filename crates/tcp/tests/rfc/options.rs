//! What a SYN agrees on: segment size, window scaling, timestamps, SACK.

use crate::script::*;
use seamline_wire::Duration;

fn timestamped() -> seamline_tcp::Parameters {
    plain(|p| p.segments.timestamp_tick = Some(Duration::from_millis(1)))
}

/// RFC 9293 section 3.7.1 (MUST-15): without the option the peer takes segments of 536 bytes.
#[test]
fn default_segment_size_is_536() {
    let mut script = Script::connected(plain(|_| {}), "newreno", syn_ack().mss(None));
    script.supply(1072).expect_run(1..1073, 536);
}

/// RFC 9293 section 3.7.1: segments are no larger than the peer accepts, nor than ours.
#[test]
fn the_smaller_segment_size_counts() {
    let mut script = Script::connected(plain(|_| {}), "newreno", syn_ack().mss(700));
    script.supply(1400).expect_run(1..1401, 700);
    let mut script = Script::connected(plain(|_| {}), "newreno", syn_ack().mss(9000));
    script.supply(2000).expect_run(1..2001, 1000);
}

/// RFC 6691 section 2: the options of a segment are taken off its payload: 12 bytes of timestamps.
#[test]
fn options_are_subtracted_from_the_segment_size() {
    let mut script = Script::new(timestamped(), "newreno");
    script.connect().expect(syn().mss(1000).times(1, 0));
    script.at(100).inject(syn_ack().times(5000, 1)).expect(ack(1).times(101, 5000));
    script.supply(1976).expect_run(1..1977, 988);
}

/// RFC 6691 section 2: SACK blocks on a segment with payload must not make it larger than the peer takes.
#[test]
fn sack_blocks_do_not_enlarge_full_segments() {
    let parameters = plain(|p| p.window.initial = 2.0);
    let mut script = Script::connected(parameters, "sack", syn_ack().sack_permitted(true));
    script.supply(20_000).expect_run(1..2001, 1000);
    script.at(200).inject(data(1001..2001).ack(2001));
    let sent = script.take();
    assert!(sent.iter().any(|s| s.length > 0), "the acknowledgment lets data leave");
    assert!(sent.iter().any(|s| s.sack == [1001..2001]), "the hole is reported");
    for segment in &sent {
        let options = if segment.sack.is_empty() { 0 } else { 4 + 8 * segment.sack.len() as u32 };
        assert!(segment.length + options <= 1000, "{segment}");
    }
}

/// RFC 7323 section 2.2: the window of a SYN is never scaled, and the shift applies afterwards.
#[test]
fn window_scaling_begins_after_the_syn() {
    let parameters = plain(|p| {
        p.segments.window_scale = Some(3);
        p.receiver.buffer = 400_000;
    });
    let mut script = Script::new(parameters, "newreno");
    script.connect().expect(syn().scale(3).window(65_535));
    script.at(100).inject(syn_ack().scale(2).window(3000)).expect(ack(1).window(50_000).scale(None));
    script.supply(20_000).expect_run(1..3001, 1000);
    script.after(100).inject(ack(3001).window(1000)).expect_run(3001..7001, 1000);
}

/// RFC 7323 section 2.2: only when both SYNs carry the option.
#[test]
fn window_scaling_needs_both() {
    let offers = |p: &mut seamline_tcp::Parameters| {
        p.segments.window_scale = Some(3);
        p.receiver.buffer = 400_000;
    };
    let mut script = Script::new(plain(offers), "newreno");
    script.connect().expect(syn().scale(3));
    script.at(100).inject(syn_ack().window(3000)).expect(ack(1).window(65_535));
    script.supply(20_000).expect_run(1..3001, 1000);

    let mut listener = Script::new(plain(offers), "newreno");
    listener.listen().inject(syn()).expect(syn_ack().scale(None));
    let mut listener = Script::new(plain(|_| {}), "newreno");
    listener.listen().inject(syn().scale(3)).expect(syn_ack().scale(None));
}

/// RFC 7323 section 2.3: a shift above 14 counts as 14.
#[test]
fn shift_counts_are_limited_to_14() {
    let parameters = plain(|p| {
        p.segments.window_scale = Some(0);
        p.window.initial = 1000.0;
        p.window.initial_bytes = f64::INFINITY;
    });
    let mut script = Script::connected(parameters, "newreno", syn_ack().scale(15).window(1000));
    script.supply(100_000).expect(data(1..1001)).after(50).inject(ack(1001).window(1));
    script.expect_run(1001..17_001, 1000).after(50).inject(ack(17_001).window(0)).expect_nothing();
}

/// RFC 7323 section 3.2: timestamps are used when both SYNs carry them, and then in every segment.
#[test]
fn timestamps_need_both() {
    let mut script = Script::connected(timestamped(), "newreno", syn_ack());
    script.supply(1000).expect(data(1..1001).without_times());
    let mut listener = Script::new(timestamped(), "newreno");
    listener.listen().inject(syn()).expect(syn_ack().without_times());
    let mut listener = Script::new(timestamped(), "newreno");
    listener.at(7).listen().inject(syn().times(900, 0)).expect(syn_ack().times(8, 900));
}

/// RFC 2018 section 2: SACK only when both SYNs permit it.
#[test]
fn sack_needs_both() {
    let mut script = Script::new(plain(|_| {}), "sack");
    script.connect().expect(syn().sack_permitted(true));
    script.at(100).inject(syn_ack()).expect(ack(1));
    script.inject(data(1001..2001)).expect(ack(1));
    let mut listener = Script::new(plain(|_| {}), "sack");
    listener.listen().inject(syn()).expect(syn_ack().sack_permitted(false));
    let mut listener = Script::new(plain(|_| {}), "sack");
    listener.listen().inject(syn().sack_permitted(true)).expect(syn_ack().sack_permitted(true));
}

/// RFC 7323 section 3.2: once agreed, a segment without timestamps is silently dropped, a reset is not.
#[test]
fn segments_without_agreed_timestamps_are_dropped() {
    let mut script = Script::new(timestamped(), "newreno");
    script.connect().expect(syn()).at(100).inject(syn_ack().times(5000, 1)).expect(ack(1));
    script.inject(data(1..1001)).expect_nothing().delivered(0);
    script.inject(rst(1)).is_closed(seamline_tcp::CloseReason::Reset);
}

/// RFC 7323 section 4.3 (a): with delayed acknowledgments the earliest segment's timestamp is echoed.
#[test]
fn delayed_acknowledgment_echoes_the_earliest_segment() {
    let mut script = Script::new(timestamped(), "newreno");
    script.connect().expect(syn()).at(100).inject(syn_ack().times(5000, 1)).expect(ack(1).times(101, 5000));
    script.at(110).inject(data(1..1001).times(5010, 101)).expect_nothing();
    script.at(120).inject(data(1001..2001).times(5020, 101)).expect(ack(2001).times(121, 5010));
}

/// RFC 7323 section 4.3 (b) and (c): a hole keeps the echo, the segment that fills it provides the next.
#[test]
fn echo_over_a_hole() {
    let mut script = Script::new(timestamped(), "newreno");
    script.connect().expect(syn()).at(100).inject(syn_ack().times(5000, 1)).expect(ack(1));
    script.at(110).inject(data(1001..2001).times(5010, 101)).expect(ack(1).times(111, 5000));
    script.at(120).inject(data(2001..3001).times(5020, 101)).expect(ack(1).times(121, 5000));
    script.at(130).inject(data(1..1001).times(5030, 101)).expect(ack(3001).times(131, 5030));
    script.at(140).inject(data(3001..4001).times(5040, 101)).at(340).expect(ack(4001).times(341, 5040));
}

/// RFC 7323 section 5.3 (R1): an older timestamp means an old duplicate, which is acknowledged and
/// dropped; equal ones pass, and so do resets (section 5.2).
#[test]
fn protection_against_wrapped_sequence_numbers() {
    let mut script = Script::new(timestamped(), "newreno");
    script.connect().expect(syn()).at(100).inject(syn_ack().times(5000, 1)).expect(ack(1));
    script.at(110).inject(data(1..1001).times(4999, 101)).expect(ack(1)).delivered(0);
    script.at(120).inject(data(1..1001).times(5000, 101)).delivered(1000);
    script.at(130).inject(data(1001..2001).times(5003, 101)).expect(ack(2001));
    script.inject(rst(2001).times(1, 0)).is_closed(seamline_tcp::CloseReason::Reset);
}

/// RFC 7323 section 5.2: the comparison is modulo 2^32.
#[test]
fn timestamp_clocks_wrap() {
    let mut script = Script::new(timestamped(), "newreno");
    script.connect().expect(syn()).at(100).inject(syn_ack().times(u32::MAX, 1)).expect(ack(1));
    script.at(110).inject(data(1..1001).times(5, 101)).delivered(1000);
    script.at(120).inject(data(1001..2001).times(u32::MAX, 101)).expect(ack(1001)).delivered(1000);
}

/// RFC 7323 section 5.3 (R2 before R3): a segment outside the window does not change TS.Recent.
#[test]
fn unacceptable_segments_leave_the_recent_timestamp_alone() {
    let mut script = Script::new(timestamped(), "newreno");
    script.connect().expect(syn()).at(100).inject(syn_ack().times(5000, 1)).expect(ack(1));
    script
        .at(110)
        .inject(data(4_294_000_000..4_294_000_100).times(900_000, 101))
        .expect(ack(1).times(111, 5000));
    script.at(120).inject(data(1..1001).times(5001, 101)).delivered(1000).at(320).expect(ack(1001));
}

/// RFC 7323 section 5.5: a timestamp that has stood for more than 24 days is not trusted.
#[test]
fn recent_timestamps_become_invalid_when_idle() {
    const DAY: u64 = 24 * 3600 * 1000;
    let mut script = Script::new(timestamped(), "newreno");
    script.connect().expect(syn()).at(100).inject(syn_ack().times(5000, 1)).expect(ack(1));
    script.at(23 * DAY).inject(data(1..1001).times(4000, 101)).expect(ack(1)).delivered(0);
    script.at(25 * DAY).inject(data(1..1001).times(4000, 101)).delivered(1000);
    script.after(200).expect(ack(1001));
}

/// RFC 7323 section 5.5, on a clock that did not begin at zero.
#[test]
fn recent_timestamps_are_dated_from_the_handshake() {
    const DAY: u64 = 24 * 3600 * 1000;
    let mut script = Script::new(timestamped(), "newreno");
    script.at(30 * DAY).connect().expect(syn());
    script.after(100).inject(syn_ack().times(5000, 1)).expect(ack(1));
    script.after(10).inject(data(1..1001).times(4999, 101)).expect(ack(1)).delivered(0);
}
