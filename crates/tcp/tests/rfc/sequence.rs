//! Sequence numbers that wrap, and transfers beyond them.

use crate::script::*;
use seamline_tcp::State;
use seamline_wire::{Flags, Segment, SequenceNumber};

fn straddling(variant: &str, sack: bool) -> Script {
    let near = SequenceNumber(u32::MAX - 3500);
    let mut script = Script::numbered(plain(|_| {}), variant, near, near + 1000);
    script.connect().expect(syn()).at(100).inject(syn_ack().sack_permitted(sack)).expect(ack(1));
    script
}

/// RFC 9293 section 3.4: a window that straddles the wrap, both ways, with loss.
#[test]
fn window_over_the_wrap() {
    let mut script = straddling("newreno", false);
    script.at(1000).supply(10_000).expect_run(1..10_001, 1000);
    script.at(1100).inject_times(3, ack(1)).expect(data(1..1001)).inject(ack(4001));
    script.expect(data(4001..5001)).inject(ack(10_001)).expect_nothing();
    script.inject(data(2001..3001).ack(10_001)).expect(ack(1).seq(10_001));
    script.inject(data(1..2001).ack(10_001)).expect(ack(3001).seq(10_001)).delivered(3000);
    script.inject(rst(3002)).expect(ack(3001).seq(10_001)).is(State::Established);
    script.close().expect(fin(10_001, 3001)).inject(fin(3001, 10_002)).expect(ack(3002).seq(10_002));
    script.is(State::TimeWait);
}

/// RFC 2018 with RFC 9293 section 3.4: blocks on both sides of the wrap and over it.
#[test]
fn sack_over_the_wrap() {
    let mut script = straddling("sack", true);
    script.at(1000).supply(10_000).expect_run(1..10_001, 1000);
    script.at(1100).inject(ack(1).sack(&[7001..8001, 3001..5001, 1001..2001])).expect(data(1..1001));
    script.at(1200).inject(ack(2001).sack(&[7001..10_001, 3001..5001])).expect(data(2001..3001));
    assert!(script.take().iter().all(|s| (5001..7001).contains(&s.sequence)));
    script.at(1300).inject(ack(10_001)).inject(data(2001..3001).ack(10_001));
    script.expect(ack(1).seq(10_001).sack(&[2001..3001]));
}

/// RFC 9293 section 3.4: a transfer beyond 4 GiB, as the receiver; every wrap starts with a lost segment.
#[test]
fn receiving_beyond_four_gibibytes() {
    let mut script = Script::established(plain(|p| p.receiver.buffer = 65_535), "newreno");
    script.read_at_once();
    const STEP: u32 = 30_000;
    const TOTAL: u64 = 9_000_000_000;
    let mut at = 1u64;
    while at < TOTAL {
        let place = |offset: u64| SequenceNumber(7_000_000u32.wrapping_add(offset as u32));
        let segment = |offset: u64| Segment {
            sequence: place(offset),
            acknowledgment: SequenceNumber(1_000_001),
            length: STEP,
            window: 1000,
            flags: Flags::ACK,
            ..Segment::default()
        };
        script.inject_raw(segment(at + u64::from(STEP))).inject_raw(segment(at));
        at += 2 * u64::from(STEP);
        let last = script.take().pop().expect("an acknowledgment");
        assert_eq!(last.acknowledgment, at as u32);
    }
    script.delivered(at - 1);
    assert!(script.endpoint.statistics().bytes_delivered > 2 << 32);
}

/// RFC 9293 section 3.4: a transfer beyond 4 GiB, as the sender, with a timeout at every 1000th segment.
#[test]
fn sending_beyond_four_gibibytes() {
    let parameters = plain(|p| p.segments.maximum_segment_size = 60_000);
    let mut script = Script::connected(parameters, "newreno", syn_ack().mss(60_000).window(65_535));
    const TOTAL: u64 = 5_000_000_000;
    script.supply(TOTAL);
    let mut acknowledged = 1u64;
    let mut segments = 0u64;
    while acknowledged <= TOTAL {
        let sent = script.take();
        assert_eq!(sent.len(), 1, "one full segment fits at {acknowledged}");
        assert_eq!(sent[0].sequence, acknowledged as u32);
        segments += 1;
        if segments.is_multiple_of(1000) {
            let due = script.endpoint.wake_at().expect("the timer runs");
            script.at_time(due);
            let again = script.take();
            assert_eq!((again[0].sequence, again[0].length), (sent[0].sequence, sent[0].length));
        }
        acknowledged += u64::from(sent[0].length);
        script.after(10).inject(ack(acknowledged as u32));
    }
    assert_eq!(script.endpoint.statistics().bytes_acknowledged, TOTAL);
}
