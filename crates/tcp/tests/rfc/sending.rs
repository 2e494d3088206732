//! Small segments and the window on the sending side.

use crate::script::*;
use seamline_tcp::Endpoint;
use seamline_wire::Flags;

/// RFC 9293 section 3.7.4 (Nagle): while data is outstanding a small segment waits; full ones do not.
#[test]
fn nagle_holds_small_segments() {
    let mut script = Script::established(plain(|_| {}), "newreno");
    script.at(1000).supply(100).expect(data(1..101)).supply(200).expect_nothing();
    script.supply(800).expect(data(101..1101)).supply(300).expect_nothing();
    script.at(1100).inject(ack(1101)).expect(data(1101..1401));
}

/// RFC 9293 section 3.7.4: Nagle holds data that more data may join; behind a FIN there is none.
#[test]
fn nagle_does_not_hold_a_fin() {
    let mut script = Script::established(plain(|_| {}), "newreno");
    script.at(1000).supply(1000).expect(data(1..1001)).close().expect(fin(1001, 1));
}

/// RFC 9293 section 3.7.4 (MUST-17): Nagle can be turned off.
#[test]
fn without_nagle_everything_leaves_at_once() {
    let mut script = Script::established(plain(|p| p.segments.nagle = false), "newreno");
    script.at(1000).supply(100).expect(data(1..101)).supply(200).expect(data(101..301));
}

/// RFC 9293 section 3.8.6: no more than the peer's window, whatever the congestion window allows.
#[test]
fn the_peers_window_bounds_what_is_sent() {
    let mut script = Script::connected(plain(|_| {}), "newreno", syn_ack().window(3000));
    script.at(1000).supply(50_000).expect_run(1..3001, 1000);
    script.at(1100).inject(ack(1001).window(5000)).expect_run(3001..6001, 1000);
}

/// RFC 9293 section 3.10.7.4, fifth step: windows of older segments are not taken (SND.WL1 and SND.WL2).
#[test]
fn old_segments_do_not_update_the_window() {
    let mut script = Script::connected(plain(|_| {}), "newreno", syn_ack().window(3000));
    script.at(1000).supply(50_000).expect_run(1..3001, 1000);
    script.at(1100).inject(ack(2001).window(2000)).expect(data(3001..4001));
    script.inject(ack(1001).window(60_000)).expect_nothing();
    script.inject(ack(2001).window(3000)).expect(data(4001..5001));
    script.inject(data(101..201).ack(2001).window(3000)).expect(ack(1).seq(5001));
    script.inject(data(1..101).ack(2001).window(60_000)).expect(ack(201).seq(5001));
}

/// RFC 9293 section 3.9.1: the last segment of what was supplied is pushed.
#[test]
fn the_end_of_the_supply_is_pushed() {
    let mut script = Script::established(plain(|_| {}), "newreno");
    script.at(1000).supply(2500);
    let pushed: Vec<bool> = script.take().iter().map(|s| has(s, Flags::PSH)).collect();
    assert_eq!(pushed, [false, false]);
    script.at(1100).inject(ack(2001));
    assert!(script.take().iter().all(|s| has(s, Flags::PSH)));
}

/// What an endpoint says of itself agrees with what left it.
#[test]
fn counters_agree_with_the_wire() {
    let mut script = Script::established(plain(|_| {}), "newreno");
    let buffered = |endpoint: &Endpoint| (endpoint.buffered(), endpoint.statistics().bytes_acknowledged);
    script.at(1000).supply(3000).expect_run(1..3001, 1000);
    assert_eq!(buffered(&script.endpoint), (3000, 0));
    script.at(1100).inject(ack(2001));
    assert_eq!(buffered(&script.endpoint), (1000, 2000));
    assert_eq!(script.endpoint.sample().bytes_in_flight, 1000);
    script.at(2100).expect(data(2001..3001));
    let sender = script.endpoint.statistics().sender;
    assert_eq!((sender.segments_sent, sender.retransmissions, sender.timeouts), (5, 1, 1));
}

/// RFC 9293 section 3.10.3: cutting the supply after the FIN has left adds nothing behind it.
#[test]
fn cutting_the_supply_after_the_fin() {
    let mut script = Script::established(plain(|_| {}), "newreno");
    script.at(1000).close().expect(fin(1, 1));
    script.endpoint.cut_supply();
    script.at(1100).inject(ack(2)).expect_nothing().is(seamline_tcp::State::FinWait2);
    assert_eq!(script.endpoint.statistics().bytes_acknowledged, 0);
}
