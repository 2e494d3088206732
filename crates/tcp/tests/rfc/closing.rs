//! Closing, aborting, giving up.

use crate::script::*;
use seamline_tcp::parameters::KeepAlive;
use seamline_tcp::{CloseReason, State};
use seamline_wire::Duration;

/// RFC 9293 section 3.6, figure 12: the normal close, seen by the end that closes first.
#[test]
fn active_close() {
    let mut script = Script::established(plain(|_| {}), "newreno");
    script.at(1000).close().expect(fin(1, 1)).is(State::FinWait1);
    script.at(1100).inject(ack(2)).is(State::FinWait2).expect_nothing();
    script.at(1200).inject(fin(1, 2)).expect(ack(2).seq(2)).is(State::TimeWait);
    script.at(241_199).is(State::TimeWait);
    script.at(241_200).is_closed(CloseReason::Finished);
}

/// RFC 9293 section 3.6, figure 12: seen by the other end.
#[test]
fn passive_close() {
    let mut script = Script::established(plain(|_| {}), "newreno");
    script.at(1000).inject(fin(1, 1)).expect(ack(2)).is(State::CloseWait);
    script.at(1100).close().expect(fin(1, 2)).is(State::LastAck);
    script.at(1200).inject(ack(2).seq(2)).expect_nothing().is_closed(CloseReason::Finished);
}

/// RFC 9293 section 3.6, figure 13: both ends close at once.
#[test]
fn simultaneous_close() {
    let mut script = Script::established(plain(|_| {}), "newreno");
    script.at(1000).close().expect(fin(1, 1));
    script.at(1050).inject(fin(1, 1)).expect(ack(2).seq(2)).is(State::Closing);
    script.at(1150).inject(ack(2).seq(2)).expect_nothing().is(State::TimeWait);
    script.at(241_150).is_closed(CloseReason::Finished);
}

/// RFC 9293 section 3.3.2, figure 5, note 2: FIN and acknowledgment of ours in one segment.
#[test]
fn fin_with_acknowledgment_leads_to_time_wait() {
    let mut script = Script::established(plain(|_| {}), "newreno");
    script.at(1000).close().expect(fin(1, 1));
    script.at(1100).inject(fin(1, 2)).expect(ack(2).seq(2)).is(State::TimeWait);
    assert!(!script.has_entered(State::FinWait2) && !script.has_entered(State::Closing));
}

/// RFC 9293 section 3.6, case 1: after our FIN data still arrives and is acknowledged.
#[test]
fn half_close_receives() {
    let mut script = Script::established(plain(|_| {}), "newreno");
    script.at(1000).close().expect(fin(1, 1)).at(1100).inject(ack(2)).is(State::FinWait2);
    script.at(5000).inject(data(1..1001).ack(2)).inject(data(1001..2001).ack(2)).expect(ack(2001).seq(2));
    script.delivered(2000).inject(fin(2001, 2)).expect(ack(2002).seq(2)).is(State::TimeWait);
}

/// RFC 9293 section 3.6, case 2: after the peer's FIN we may still send.
#[test]
fn half_close_sends() {
    let mut script = Script::established(plain(|_| {}), "newreno");
    script.at(1000).inject(fin(1, 1)).expect(ack(2));
    script.at(5000).supply(1000).expect(data(1..1001).ack(2)).at(5100).inject(ack(1001).seq(2));
    script.supply(500).expect(data(1001..1501).ack(2)).close().expect(fin(1501, 2)).is(State::LastAck);
    script.at(5200).inject(ack(1501).seq(2)).expect_nothing().is(State::LastAck);
    script.at(5300).inject(ack(1502).seq(2)).is_closed(CloseReason::Finished);
}

/// RFC 9293 section 3.10.4: the FIN follows everything supplied, on the last segment when it can.
#[test]
fn fin_follows_the_data() {
    let mut script = Script::established(plain(|p| p.window.initial = 2.0), "newreno");
    script.at(1000).supply(3000).expect_run(1..2001, 1000).close().expect_nothing().is(State::FinWait1);
    script.at(1100).inject(ack(2001)).expect(data(2001..3001).with_fin());
    script.at(1200).inject(ack(3002)).is(State::FinWait2);
}

/// RFC 6298 section 5: a lost FIN is retransmitted with back-off.
#[test]
fn fin_is_retransmitted() {
    let mut script = Script::established(plain(|_| {}), "newreno");
    script.at(1000).close().expect(fin(1, 1)).at(2000).expect(fin(1, 1)).at(4000).expect(fin(1, 1));
    script.at(4100).inject(ack(2)).is(State::FinWait2).at(60_000);
}

/// RFC 9293 section 3.10.7.4, eighth step: in TIME-WAIT a FIN sent again is acknowledged again and
/// restarts the wait.
#[test]
fn time_wait_acknowledges_the_fin_again() {
    let mut script = Script::established(plain(|_| {}), "newreno");
    script.at(1000).close().expect(fin(1, 1)).at(1100).inject(fin(1, 2)).expect(ack(2).seq(2));
    script.at(101_100).inject(fin(1, 2)).expect(ack(2).seq(2)).is(State::TimeWait);
    script.at(341_099).is(State::TimeWait).at(341_100).is_closed(CloseReason::Finished);
}

/// RFC 9293 section 3.10.7.4, first step: in CLOSE-WAIT and LAST-ACK the FIN sent again is acknowledged.
#[test]
fn repeated_fin_is_acknowledged() {
    let mut script = Script::established(plain(|_| {}), "newreno");
    script.at(1000).inject(fin(1, 1)).expect(ack(2)).at(2000).inject(fin(1, 1)).expect(ack(2));
    script.close().expect(fin(1, 2)).at(2100).inject(fin(1, 1)).expect(ack(2).seq(2)).is(State::LastAck);
    script.inject(ack(2).seq(2)).is_closed(CloseReason::Finished);
}

/// RFC 9293 section 3.10.5: an abort sends a reset at the next sequence number.
#[test]
fn abort_sends_a_reset() {
    let mut script = Script::established(plain(|_| {}), "newreno");
    script.supply(1000).expect(data(1..1001)).abort().expect(rst_ack(1001, 1));
    script.is_closed(CloseReason::Aborted).inject(ack(1001)).expect(rst(1001));
    let mut script = Script::new(plain(|_| {}), "newreno");
    script.listen().inject(syn()).expect(syn_ack()).abort().expect(rst_ack(1, 1));
    script.is_closed(CloseReason::Aborted);
}

/// RFC 9293 section 3.10.5: no reset before there is a peer, nor after both ends have closed.
#[test]
fn abort_without_a_reset() {
    let mut script = Script::new(plain(|_| {}), "newreno");
    script.connect().expect(syn()).abort().expect_nothing().is_closed(CloseReason::Aborted);
    let mut closing = Script::established(plain(|_| {}), "newreno");
    closing.close().expect(fin(1, 1)).inject(fin(1, 1)).expect(ack(2).seq(2)).is(State::Closing);
    closing.abort().expect_nothing().is_closed(CloseReason::Aborted);
    let mut last = Script::established(plain(|_| {}), "newreno");
    last.inject(fin(1, 1)).expect(ack(2)).close().expect(fin(1, 2)).abort().expect_nothing();
    last.is_closed(CloseReason::Aborted);
}

/// RFC 9293 section 3.10.7.4, second step: after both ends have closed a reset ends the connection
/// without an error.
#[test]
fn reset_after_both_closed_is_no_error() {
    let mut script = Script::established(plain(|_| {}), "newreno");
    script.inject(fin(1, 1)).expect(ack(2)).close().expect(fin(1, 2));
    script.inject(rst(2)).is_closed(CloseReason::Finished);
}

/// RFC 9293 section 3.6.1: data that comes when no application is there to read it is answered with a reset, so that the peer does not
/// take it for delivered; the FIN before it is acknowledged or not.
#[test]
fn data_after_a_full_close_is_reset() {
    let mut waiting = Script::established(plain(|_| {}), "newreno");
    waiting.at(1000).close_both_ways().expect(fin(1, 1)).at(1100).inject(ack(2)).is(State::FinWait2);
    waiting.at(5000).inject(data(1..1001).ack(2)).expect(rst(2)).delivered(0).is_closed(CloseReason::Aborted);
    let mut at_once = Script::established(plain(|_| {}), "newreno");
    at_once.at(1000).close_both_ways().expect(fin(1, 1)).inject(data(1..1001)).expect(rst(1));
    at_once.is_closed(CloseReason::Aborted);
    let mut with_fin = Script::established(plain(|_| {}), "newreno");
    with_fin.at(1000).close_both_ways().expect(fin(1, 1));
    with_fin.inject(data(1..1001).with_fin().ack(2)).expect(rst(2)).is_closed(CloseReason::Aborted);
}

/// What a stranger or the network repeats is not data after the close: it is answered as ever.
#[test]
fn only_new_data_after_a_full_close_is_reset() {
    let mut script = Script::established(plain(|_| {}), "newreno");
    script.read_at_once();
    script.at(1000).inject(data(1..1001)).inject(data(1001..2001)).expect(ack(2001));
    script.close_both_ways().expect(fin(1, 2001)).inject(data(1001..2001)).expect(ack(2001).seq(2));
    script.at(2000).expect(fin(1, 2001)).inject(data(2001..3001).ack(900_000)).expect(ack(2001).seq(2));
    script.inject(data(900_000..900_100)).expect_nothing().is(State::FinWait1);
}

/// RFC 9293 section 3.6.1: a full close otherwise ends as any other, with the peer first or last.
#[test]
fn full_close_with_a_peer_that_closes() {
    let mut first = Script::established(plain(|_| {}), "newreno");
    first.at(1000).close_both_ways().expect(fin(1, 1)).at(1100).inject(ack(2)).is(State::FinWait2);
    first.at(61_099).inject(fin(1, 2)).expect(ack(2).seq(2)).is(State::TimeWait);
    first.at(301_099).is_closed(CloseReason::Finished);
    let mut last = Script::established(plain(|_| {}), "newreno");
    last.at(1000).inject(fin(1, 1)).expect(ack(2)).close_both_ways().expect(fin(1, 2)).is(State::LastAck);
    last.at(1200).inject(ack(2).seq(2)).expect_nothing().is_closed(CloseReason::Finished);
}

/// RFC 2525 section 2.17: to close without having read everything is to lose data, and the peer learns it.
#[test]
fn full_close_with_unread_data_resets() {
    let mut script = Script::established(plain(|_| {}), "newreno");
    script.inject(data(1..1001)).inject(data(1001..2001)).expect(ack(2001)).read(1999);
    script.close_both_ways().expect(rst_ack(1, 2001)).is_closed(CloseReason::Aborted);
}

/// Linux's tcp_fin_timeout: a connection without an application does not wait for ever for the peer's FIN. One whose application has
/// closed one way only does (RFC 9293 section 3.6, case 1).
#[test]
fn orphans_do_not_wait_for_ever() {
    let mut script = Script::established(plain(|_| {}), "newreno");
    script.at(1000).close_both_ways().expect(fin(1, 1)).at(1100).inject(ack(2)).is(State::FinWait2);
    script.at(30_000).inject(ack(2)).at(61_099).is(State::FinWait2);
    script.at(61_100).expect_nothing().is_closed(CloseReason::TimedOut);
    let mut later = Script::established(plain(|_| {}), "newreno");
    later.at(1000).close().expect(fin(1, 1)).at(1100).inject(ack(2)).at(900_000).is(State::FinWait2);
    later.close_both_ways().at(960_000).expect_nothing().is_closed(CloseReason::TimedOut);
    let mut patient = Script::established(plain(|p| p.connection.orphan_wait = None), "newreno");
    patient.at(1000).close_both_ways().expect(fin(1, 1)).at(1100).inject(ack(2)).at(900_000);
    patient.is(State::FinWait2);
}

/// RFC 9293 section 3.8.3: data that stays unacknowledged for the user timeout ends the connection. It
/// is noticed when the retransmission timer fires: at 1, 3, 7 s after sending for a limit of 5 s.
#[test]
fn user_timeout_gives_up_on_data() {
    let parameters = plain(|p| p.connection.user_timeout = Some(Duration::from_secs(5)));
    let mut script = Script::established(parameters, "newreno");
    script.at(10_000).supply(1000).expect(data(1..1001));
    script.at(11_000).expect(data(1..1001)).at(13_000).expect(data(1..1001));
    script.at(17_000).expect(rst_ack(1001, 1)).is_closed(CloseReason::TimedOut);
}

/// RFC 9293 section 3.8.3: progress restarts the user timeout.
#[test]
fn progress_restarts_the_user_timeout() {
    let parameters = plain(|p| p.connection.user_timeout = Some(Duration::from_secs(5)));
    let mut script = Script::established(parameters, "newreno");
    script.at(10_000).supply(2000).expect_run(1..2001, 1000);
    script.at(11_000).expect(data(1..1001)).at(13_000).expect(data(1..1001));
    script.at(14_000).inject(ack(1001)).expect(data(1001..2001));
    script.skip_to(18_999).is(State::Established);
    script.skip_to(30_000).is_closed(CloseReason::TimedOut);
}

fn keeping_alive(p: &mut seamline_tcp::Parameters) {
    let seconds = Duration::from_secs;
    p.connection.keepalive = Some(KeepAlive { idle: seconds(100), interval: seconds(10), probes: 3 });
}

/// RFC 9293 section 3.8.4: keep-alives after idling, with the sequence number before the next; an answer
/// starts over.
#[test]
fn keepalive_probes_an_idle_peer() {
    let mut script = Script::established(plain(keeping_alive), "newreno");
    script.at(100_100).expect(ack(1).seq(0)).at(100_150).inject(ack(1)).expect_nothing();
    script.at(200_150).expect(ack(1).seq(0)).at(210_150).expect(ack(1).seq(0));
    script.at(220_150).expect(ack(1).seq(0)).is(State::Established);
    script.at(230_150).expect(rst_ack(1, 1)).is_closed(CloseReason::TimedOut);
}

/// RFC 9293 section 3.8.4: our answer to a keep-alive, with and without its byte of garbage.
#[test]
fn keepalives_are_answered() {
    let mut script = Script::established(plain(|_| {}), "newreno");
    script.at(1000).inject(ack(1).seq(0)).expect(ack(1));
    script.inject(data(0..1)).expect(ack(1)).delivered(0);
}

/// RFC 9293 section 3.8.4 (MUST-26): no keep-alive while sent data is outstanding.
#[test]
fn no_keepalive_while_data_is_outstanding() {
    let parameters = plain(|p| {
        keeping_alive(p);
        p.connection.user_timeout = None;
        p.round_trip.minimum_timeout = Duration::from_secs(500);
        p.round_trip.maximum_timeout = Duration::from_secs(500);
    });
    let mut script = Script::established(parameters, "newreno");
    script.at(10_000).supply(1000).expect(data(1..1001));
    script.at(509_999).expect_nothing().at(510_000).expect(data(1..1001));
    script.is(State::Established);
}

/// RFC 9293 section 3.8.4: keep-alives end with the connection.
#[test]
fn no_keepalive_in_time_wait() {
    let mut script = Script::established(plain(keeping_alive), "newreno");
    script.at(1000).close().expect(fin(1, 1)).inject(fin(1, 2)).expect(ack(2).seq(2));
    script.at(1500).inject(ack(2).seq(2)).at(200_000).expect_nothing().is(State::TimeWait);
    script.at(241_000).is_closed(CloseReason::Finished);
}
