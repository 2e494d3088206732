//! Delayed duplicate acknowledgments (Vaidya, Mehta, Perkins and Montenegro, 1999): the receiver's rules, segment by segment.

use crate::script::*;
use seamline_tcp::{CloseReason, State};
use seamline_wire::Duration;

/// A receiver that has everything up to 1001, with duplicates that wait for 50 ms.
fn receiver() -> Script {
    let parameters = plain(|it| it.receiver.duplicate_delay = Some(Duration::from_millis(50)));
    let mut script = Script::established(parameters, "newreno");
    script.at(1000).inject(data(1..1001)).at(1200).expect(ack(1001));
    script
}

/// Four segments behind the gap at 1001: the first two cause acknowledgments, at 2000 and 2010.
fn four_behind_the_gap(script: &mut Script) {
    script.at(2000).inject(data(2001..3001)).expect(ack(1001));
    script.at(2010).inject(data(3001..4001)).expect(ack(1001));
    script.at(2020).inject(data(4001..5001)).expect_nothing();
    script.at(2025).inject(data(5001..6001)).expect_nothing();
}

#[test]
fn two_leave_at_once_and_the_others_wait_for_their_time_each() {
    let mut script = receiver();
    four_behind_the_gap(&mut script);
    script.at(2069).expect_nothing();
    script.at(2070).expect(ack(1001)).at(2074).expect_nothing().at(2075).expect(ack(1001));
    script.at(60_000).expect_nothing();
}

#[test]
fn a_repair_in_time_takes_the_place_of_those_that_wait() {
    let mut script = receiver();
    four_behind_the_gap(&mut script);
    script.at(2060).inject(data(1001..2001)).expect(ack(6001));
    script.at(60_000).expect_nothing();
}

#[test]
fn the_next_gap_counts_from_the_beginning() {
    let mut script = receiver();
    script.at(2000).inject(data(2001..3001)).expect(ack(1001));
    script.at(2010).inject(data(1001..2001)).expect(ack(3001));
    script.at(2020).inject(data(4001..5001)).expect(ack(3001));
    script.at(2030).inject(data(5001..6001)).expect(ack(3001));
    script.at(2040).inject(data(6001..7001)).expect_nothing();
    script.at(2090).expect(ack(3001));
}

/// A repair of the first of two gaps is acknowledged at once, and the second gap has duplicates of its own.
#[test]
fn a_repair_in_part_begins_anew() {
    let mut script = receiver();
    script.at(2000).inject(data(2001..3001)).expect(ack(1001));
    script.at(2010).inject(data(4001..5001)).expect(ack(1001));
    script.at(2020).inject(data(5001..6001)).expect_nothing();
    script.at(2030).inject(data(1001..2001)).expect(ack(3001));
    script.at(2080).expect_nothing();
    script.at(2090).inject(data(6001..7001)).expect(ack(3001));
}

#[test]
fn nothing_waits_at_a_connection_that_has_ended() {
    let mut script = receiver();
    four_behind_the_gap(&mut script);
    script.inject(rst(1001));
    assert_eq!(script.endpoint.state(), State::Closed);
    assert_eq!(script.endpoint.close_reason(), Some(CloseReason::Reset));
    assert_eq!(script.endpoint.wake_at(), None);
}
