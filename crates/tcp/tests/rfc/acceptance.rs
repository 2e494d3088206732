//! Which segments are acceptable, and how the others are answered.

use crate::script::*;
use seamline_tcp::{CloseReason, State};

/// RFC 9293 section 3.4, table 6, row 1 and 3: with a closed window only what occupies no sequence space,
/// exactly at the next byte; everything else is acknowledged and dropped.
#[test]
fn closed_window_accepts_only_acknowledgments() {
    let mut script = full_buffer();
    script.inject(data(4001..4002)).expect(ack(4001).window(0)).delivered(4000);
    script.inject(fin(4001, 1)).expect(ack(4001)).is(State::Established);
    script.inject(ack(1).seq(4001)).expect_nothing();
    script.inject(rst(4001)).is_closed(CloseReason::Reset);
}

/// An endpoint whose buffer of 4000 bytes is full.
fn full_buffer() -> Script {
    let mut script = Script::established(plain(|p| p.receiver.buffer = 4000), "newreno");
    script.inject(data(1..1001)).inject(data(1001..2001)).expect(ack(2001).window(2000));
    script.inject(data(2001..3001)).inject(data(3001..4001)).expect(ack(4001).window(0));
    script
}

/// RFC 9293 section 3.10.7.4, first step: with a closed window the acknowledgment and window of what is
/// dropped still count (MUST-66).
#[test]
fn closed_window_still_takes_acknowledgments_in() {
    let mut script = full_buffer();
    script.supply(2000).expect(data(1..1001).ack(4001)).expect(data(1001..2001).ack(4001));
    script.after(100).inject(data(4001..4002).ack(2001)).expect(ack(4001).seq(2001));
    assert_eq!(script.endpoint.statistics().bytes_acknowledged, 2000);
    script.at(5000).expect_nothing();
}

/// RFC 9293 section 3.4, table 6, rows 2 and 4: what lies outside the window is acknowledged and dropped.
#[test]
fn outside_the_window() {
    let mut script = Script::established(plain(|p| p.receiver.buffer = 4000), "newreno");
    script.inject(data(4001..4101)).expect(ack(1)).delivered(0);
    script.after(500).inject(ack(1).seq(4002)).expect(ack(1));
    script.after(500).inject(data(4_294_967_200..4_294_967_290)).expect(ack(1)).delivered(0);
    script.inject(data(3901..4101)).expect(ack(1)).delivered(0);
    script.inject(data(1..3901)).expect(ack(4001)).delivered(4000);
}

/// A window's right edge is a place where an acknowledgment may stand: the peer has filled the window
/// and the filling is lost. Two ends in this state must not answer each other's acknowledgments for ever
/// (RFC 9293 section 3.10.7.4, first step, read with section 3.8.6).
#[test]
fn acknowledgments_at_the_right_edge_are_taken_in() {
    let mut script = Script::established(plain(|p| p.receiver.buffer = 4000), "newreno");
    script.supply(1000).expect(data(1..1001));
    script.after(50).inject(ack(1001).seq(4001)).expect_nothing();
    assert_eq!(script.endpoint.statistics().bytes_acknowledged, 1000);
}

/// RFC 9293 section 3.10.7.4: a partly old segment gives its new part.
#[test]
fn partly_old_segments_are_trimmed() {
    let mut script = Script::established(plain(|_| {}), "newreno");
    script.inject(data(1..1001)).delivered(1000).inject(data(501..1501)).expect(ack(1501)).delivered(1500);
    script.inject(data(1..1001)).expect(ack(1501)).delivered(1500);
}

/// RFC 9293 section 3.4: what overlaps in the out-of-order queue is delivered once.
#[test]
fn overlapping_segments_are_delivered_once() {
    let mut script = Script::established(plain(|_| {}), "newreno");
    script.inject(data(501..1501)).expect(ack(1)).inject(data(1001..2001)).expect(ack(1));
    script.inject(data(2501..3001)).expect(ack(1)).inject(data(401..2601)).expect(ack(1));
    script.inject(data(1..601)).expect(ack(3001)).delivered(3000);
}

/// RFC 9293 section 3.10.7.4, last but one step: a FIN before its data is kept until the data comes.
#[test]
fn fin_out_of_order() {
    let mut script = Script::established(plain(|_| {}), "newreno");
    script.inject(data(1001..2001).with_fin()).expect(ack(1)).is(State::Established);
    script.inject(data(1..1001)).expect(ack(2002)).is(State::CloseWait).delivered(2000);
    let mut bare = Script::established(plain(|_| {}), "newreno");
    bare.inject(fin(1001, 1)).expect(ack(1)).is(State::Established);
    bare.inject(data(1..1001)).expect(ack(1002)).is(State::CloseWait).delivered(1000);
}

/// RFC 9293 section 3.4: the stream ends at its FIN: what claims to lie behind it is not delivered.
#[test]
fn nothing_is_delivered_beyond_the_fin() {
    let mut script = Script::established(plain(|_| {}), "newreno");
    script.inject(fin(1001, 1)).expect(ack(1)).inject(data(1001..3001)).expect(ack(1));
    script.inject(data(1..1001)).expect(ack(1002)).delivered(1000).is(State::CloseWait);
    let mut other = Script::established(plain(|_| {}), "newreno");
    other.inject(data(2001..3001)).expect(ack(1)).inject(fin(1001, 1)).expect(ack(1));
    other.inject(data(1..2001)).expect(ack(3001)).delivered(3000).is(State::Established);
}

/// RFC 5961 section 4.2: a SYN in the window is answered with a challenge ACK and changes nothing.
#[test]
fn syn_in_the_window_is_challenged() {
    let mut script = Script::established(plain(|_| {}), "newreno");
    script.inject(syn().seq(1)).expect(ack(1)).after(500).inject(syn().seq(500)).expect(ack(1));
    script.after(500).inject(syn_ack().seq(500)).expect(ack(1)).is(State::Established);
    assert_eq!(script.endpoint.statistics().challenge_acks, 3);
}

/// RFC 5961 section 3.2: a reset is believed only at exactly the next byte; in the window it is
/// challenged, outside it dropped silently.
#[test]
fn resets_must_hit_the_next_byte() {
    let mut script = Script::established(plain(|_| {}), "newreno");
    script.inject(rst(2)).expect(ack(1)).is(State::Established);
    script.after(500).inject(rst(65_535)).expect(ack(1)).is(State::Established);
    script.inject(rst(65_536)).expect_nothing().inject(rst(0)).expect_nothing().is(State::Established);
    script.inject(rst(1)).expect_nothing().is_closed(CloseReason::Reset);
}

/// RFC 5961 section 5.2: an acknowledgment that is too new or too old is challenged, and the payload
/// with it is not taken.
#[test]
fn acknowledgments_out_of_range_are_challenged() {
    let mut script = Script::connected(plain(|_| {}), "newreno", syn_ack().window(2000));
    script.supply(4000).expect_run(1..2001, 1000);
    script.inject(data(1..101).ack(2002)).expect(ack(1).seq(2001)).delivered(0);
    script.at(150).inject(ack(2001).window(2000)).expect_run(2001..4001, 1000);
    script.at(200).inject(ack(4001).window(1500)).expect_nothing();
    script.at(700).inject(data(1..101).ack(2000)).expect(ack(1).seq(4001)).delivered(0);
    script.inject(data(1..101).ack(2001)).delivered(100).at(900).expect(ack(101).seq(4001));
    script.at(1200).inject(data(101..201).ack(4002)).expect(ack(101).seq(4001)).delivered(100);
}

/// RFC 9293 section 3.10.7.4, fifth step: an old acknowledgment within the window is ignored, its
/// payload taken.
#[test]
fn old_acknowledgments_are_ignored() {
    let mut script = Script::established(plain(|_| {}), "newreno");
    script.supply(1000).expect(data(1..1001)).at(150).inject(ack(1001));
    script.inject(data(1..101).ack(1)).delivered(100).at(350).expect(ack(101).seq(1001));
}

/// RFC 5961 section 7: challenge ACKs are limited in rate, ten in five seconds.
#[test]
fn challenge_acks_are_rate_limited() {
    let mut script = Script::established(plain(|_| {}), "newreno");
    script.at(2000).inject_times(20, rst(2)).expect(ack(1)).expect_nothing();
    script.at(2499).inject_times(20, rst(2)).expect_nothing();
    script.at(2500).inject_times(20, rst(2)).expect(ack(1)).expect_nothing();
}

/// RFC 9293 section 3.10.7.4, fifth step: a segment without ACK is dropped.
#[test]
fn segments_without_acknowledgment_are_dropped() {
    let mut script = Script::established(plain(|_| {}), "newreno");
    let mut bare = data(1..101);
    bare.flags = seamline_wire::Flags(0);
    script.inject(bare).expect_nothing().delivered(0);
}

/// RFC 9293 section 3.4 and RFC 5961 section 3.2: the window is what was offered. A SYN offers 65535 bytes at most, however large the
/// buffer is: a reset to the right of that is dropped silently, data there is not taken. The first acknowledgment offers more.
#[test]
fn the_window_accepted_is_the_one_offered() {
    let scaled = |p: &mut seamline_tcp::Parameters| {
        p.segments.window_scale = Some(7);
        p.receiver.buffer = 1 << 20;
    };
    let mut listener = Script::new(plain(scaled), "newreno");
    listener.listen().inject(syn().scale(7)).expect(syn_ack().window(65_535));
    listener.at(100).inject(ack(1)).is(State::Established);
    listener.inject(rst(65_536)).expect_nothing().is(State::Established);
    listener.inject(rst(65_535)).expect(ack(1).window(8192));
    listener.after(500).inject(rst(1_048_576)).expect(ack(1)).inject(rst(1_048_577)).expect_nothing();

    let mut opener = Script::new(plain(scaled), "newreno");
    opener.connect().expect(syn().window(65_535)).at(100).inject(syn_ack()).expect(ack(1).window(65_535));
    opener.inject(rst(65_536)).expect_nothing().inject(rst(65_535)).expect(ack(1));
    opener.is(State::Established);
}

/// Linux's tcp_oow_rate_limited: what has no payload and is not acceptable is answered twice in a second, what has payload always.
#[test]
fn answers_to_what_has_no_payload_can_be_limited() {
    let mut script = Script::established(plain(|p| p.connection.limits_answers = true), "newreno");
    script.inject(data(1..1001)).inject(data(1001..2001)).expect(ack(2001));
    script.at(2000).inject_times(5, ack(1).seq(2000)).expect(ack(2001)).expect_nothing();
    script.at(2400).inject(data(1..1001)).expect(ack(2001)).inject(data(1..1001)).expect(ack(2001));
    script.at(2500).inject_times(5, ack(1).seq(2000)).expect(ack(2001)).expect_nothing();
    assert_eq!(script.endpoint.statistics().challenge_acks, 0);
}

/// Linux's tcp_disordered_ack: a duplicate acknowledgment that others have overtaken is one of the three that show a loss, although its
/// timestamp is older than theirs. One that is older than a retransmission timeout is not, nor does any let the clock go back.
#[test]
fn acknowledgments_that_were_overtaken_count() {
    for tolerates in [false, true] {
        let parameters = plain(|p| {
            p.segments.timestamp_tick = Some(seamline_wire::Duration::from_millis(1));
            p.connection.tolerates_disordered_acknowledgments = tolerates;
        });
        let mut script = Script::connected(parameters, "newreno", syn_ack().times(5000, 1));
        script.at(1000).supply(9880).expect_run(1..9881, 988).at(1100).inject(ack(1).times(6002, 1001));
        script.inject(ack(1).times(6001, 1001));
        match tolerates {
            false => script.expect(ack(1).seq(9881)),
            true => script.expect_nothing(),
        };
        script.inject(ack(1).times(3000, 1001)).expect(ack(1).seq(9881).times(1101, 6002));
        script.inject(ack(1).times(6002, 1001));
        assert_eq!(script.take().iter().any(|sent| sent.sequence == 1), tolerates, "sent again");
    }
}
