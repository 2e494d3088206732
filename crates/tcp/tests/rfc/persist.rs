//! Closed and small windows, on the sending side.

use crate::script::*;
use seamline_tcp::State;

/// RFC 9293 section 3.8.6.1: a closed window is probed with one byte, at intervals that double from the
/// retransmission timeout up to its bound.
#[test]
fn zero_window_probes_back_off() {
    let mut script = closed();
    for at in [2_000, 4_000, 8_000, 16_000, 32_000, 64_000] {
        script.at(at).expect(data(1001..1002)).at(at + 50).inject(ack(1001).window(0));
    }
    script.at(124_000).expect(data(1001..1002)).at(124_050).inject(ack(1001).window(0));
    script.at(184_000).expect(data(1001..1002)).is(State::Established);
}

/// An endpoint with 5000 bytes to send, 1000 of them acknowledged at one second, with a closed window.
fn closed() -> Script {
    let mut script = Script::connected(plain(|_| {}), "newreno", syn_ack().window(1000));
    script.at(900).supply(5000).expect(data(1..1001));
    script.at(1000).inject(ack(1001).window(0)).expect_nothing();
    script
}

/// RFC 9293 section 3.8.6.1: when the window opens data flows at once, from the byte that was probed.
#[test]
fn reopened_window_lets_data_flow() {
    let mut script = closed();
    script.at(2000).expect(data(1001..1002)).at(2050).inject(ack(1001).window(0));
    script.at(2500).inject(ack(1001).window(3000)).expect_run(1001..4001, 1000);
    script.at(2600).inject(ack(4001).window(3000)).expect(data(4001..5001));
    script.at(2700).inject(ack(5001).window(3000)).at(20_000).expect_nothing();
}

/// RFC 9293 section 3.8.6.1: the probe's byte may be taken.
#[test]
fn probed_byte_may_be_acknowledged() {
    let mut script = closed();
    script.at(2000).expect(data(1001..1002)).at(2050).inject(ack(1002).window(3000));
    script.expect_run(1002..4002, 1000);
}

/// RFC 9293 section 3.8.6.1 (MUST-37): the connection stays open as long as probes are answered, far
/// beyond the user timeout, even when a single byte is waiting.
#[test]
fn answered_probes_keep_the_connection_open() {
    for waiting in [1, 5000] {
        let mut script = Script::connected(plain(|_| {}), "newreno", syn_ack().window(0));
        script.at(1000).supply(waiting).expect_nothing();
        let mut probes = 0;
        while script.millis() < 3_600_000 {
            let due = script.endpoint.wake_at().expect("the persist timer runs");
            script.at_time(due).expect(data(1..2)).after(50).inject(ack(1).window(0));
            probes += 1;
        }
        assert!((60..70).contains(&probes), "{probes} probes of one byte in an hour");
        script.is(State::Established).inject(ack(1).window(1000));
        assert_eq!(script.take().len(), 1);
    }
}

/// RFC 9293 section 3.8.6.1: a FIN that a closed window holds back is probed for too.
#[test]
fn fin_behind_a_closed_window() {
    let mut script = Script::connected(plain(|_| {}), "newreno", syn_ack().window(0));
    script.at(1000).close().expect_nothing();
    for _ in 0..20 {
        let due = script.endpoint.wake_at().expect("the persist timer runs");
        script.at_time(due).expect(fin(1, 1)).after(50).inject(ack(1).window(0));
    }
    script.is(State::FinWait1).after(10).inject(ack(2).window(0)).is(State::FinWait2);
}

/// RFC 9293 section 3.8.3 with 3.8.6.1: probes without an answer are given up.
#[test]
fn unanswered_probes_are_given_up() {
    let mut script = closed();
    script.skip_to(300_999).is(State::Established);
    script.skip_to(1000 + 300_000 + 60_000).is_closed(seamline_tcp::CloseReason::TimedOut);
}

/// RFC 9293 section 3.8.6 (MUST-34, MUST-35): a window taken back to zero while data is in flight is
/// probed in the standard way, and the connection stays open.
#[test]
fn window_shrunk_to_zero_is_probed() {
    let mut script = Script::established(plain(|_| {}), "newreno");
    script.at(1000).supply(20_000).expect_run(1..10_001, 1000);
    script.at(1050).inject(ack(1001).window(0)).expect_nothing();
    let mut probes = 0;
    while script.millis() < 600_000 {
        let due = script.endpoint.wake_at().expect("a timer runs");
        script.at_time(due);
        let sent = script.take();
        assert!(sent.len() == 1 && sent[0].sequence == 1001 && sent[0].length > 0, "{sent:?}");
        script.after(50).inject(ack(1001).window(0)).expect_nothing();
        probes += 1;
    }
    assert!((12..25).contains(&probes), "{probes}");
    script.is(State::Established).inject(ack(1001).window(5000));
    assert!(script.take().iter().map(|s| s.length).sum::<u32>() >= 1000, "data flows again");
}

/// RFC 9293 section 3.8.6 (SHLD-15): what a smaller window still holds is retransmitted, whatever silly
/// window avoidance says of new data.
#[test]
fn lost_segment_in_a_shrunk_window_is_retransmitted() {
    let mut script = Script::established(plain(|_| {}), "newreno");
    script.at(1000).supply(20_000).expect_run(1..10_001, 1000);
    script.at(1050).inject(ack(1001).window(900)).expect_nothing();
    script.at(2050);
    let sent = script.take();
    assert!(sent.len() == 1 && sent[0].sequence == 1001 && sent[0].length >= 900, "{sent:?}");
}

/// RFC 9293 section 3.8.6.2.1: a segment that was sent because it was all there was, is sent again when
/// it was lost although more has been supplied since and the room left is small.
#[test]
fn lost_tail_is_retransmitted_into_a_small_room() {
    let mut script =
        Script::connected(plain(|p| p.segments.nagle = false), "newreno", syn_ack().window(8000));
    script.at(1000).supply(7000).expect_run(1..7001, 1000).supply(700).expect(data(7001..7701));
    script.at(1100).inject(ack(7001).window(700)).supply(5000).expect_nothing();
    script.at(2100).expect(data(7001..7701));
}

/// RFC 9293 section 3.8.6.2.1: the sender's silly window avoidance: full segments, or all there is, or
/// half the largest window seen; the rest waits for the override timeout.
#[test]
fn silly_window_is_avoided_by_the_sender() {
    let mut script =
        Script::connected(plain(|p| p.segments.nagle = false), "newreno", syn_ack().window(4000));
    script.at(1000).supply(10_000).expect_run(1..4001, 1000);
    script.at(1100).inject(ack(4001).window(999)).expect_nothing();
    script.at(1200).inject(ack(4001).window(1000)).expect(data(4001..5001));
    script.at(1300).inject(ack(5001).window(500)).expect_nothing();
    script.at(2300).expect(data(5001..5501));
}

/// RFC 9293 section 3.8.6.2.1, case 3: half the largest window is enough where windows are small.
#[test]
fn half_of_a_small_window_is_worth_sending() {
    let mut script = Script::connected(plain(|_| {}), "newreno", syn_ack().window(800));
    script.at(1000).supply(10_000).expect(data(1..801));
    script.at(1100).inject(ack(801).window(399)).expect_nothing();
    script.at(1200).inject(ack(801).window(400)).expect(data(801..1201));
}

/// RFC 9293 section 3.8.6.2.1: after a probe, a window too small to be worth sending must not stop the
/// timer: what it holds leaves, with the probed byte again or by the override timeout.
#[test]
fn small_window_after_a_probe_is_used_at_last() {
    for variant in ["tahoe", "newreno", "sack"] {
        let mut script =
            Script::connected(plain(|_| {}), variant, syn_ack().window(1000).sack_permitted(true));
        script.at(900).supply(5000).expect(data(1..1001)).at(1000).inject(ack(1001).window(0));
        script.at(2000).expect(data(1001..1002)).at(2050).inject(ack(1001).window(100));
        let mut sent = script.take();
        if sent.is_empty() {
            let due = script.endpoint.wake_at().expect("a timer runs");
            sent = script.at_time(due).take();
        }
        assert!(sent.len() == 1 && sent[0].sequence == 1001 && sent[0].length == 100, "{sent:?}");
        assert!(script.endpoint.wake_at().is_some(), "and again, should it be lost");
    }
}

/// RFC 9293 section 3.10.7.4, first step: while a closed window is probed, our own acknowledgments carry a
/// sequence number that the peer accepts.
#[test]
fn acknowledgments_stay_in_the_window_while_probing() {
    let mut script = closed();
    script.at(2000).expect(data(1001..1002)).at(2050).inject(ack(1001).window(0));
    script.at(2100).inject(data(1..1001).ack(1001).window(0));
    script.inject(data(1001..2001).ack(1001).window(0)).expect(ack(2001).seq(1001));
}
