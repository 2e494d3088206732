//! Opening a connection.

use crate::script::*;
use seamline_tcp::parameters::DataWithSyn;
use seamline_tcp::{CloseReason, State};
use seamline_wire::Duration;

/// RFC 9293 section 3.5, figure 6: the basic three-way handshake, both sides.
#[test]
fn three_way_handshake() {
    let mut opener = Script::new(plain(|_| {}), "newreno");
    opener.connect().expect(syn().mss(1000)).is(State::SynSent);
    opener.at(100).inject(syn_ack()).expect(ack(1)).is(State::Established);

    let mut listener = Script::new(plain(|_| {}), "newreno");
    listener.listen().expect_nothing().is(State::Listen);
    listener.at(50).inject(syn()).expect(syn_ack().mss(1000)).is(State::SynReceived);
    listener.at(150).inject(ack(1)).expect_nothing().is(State::Established);
}

/// RFC 9293 section 3.5, figure 7 (simultaneous open; figure 8 of RFC 793).
#[test]
fn simultaneous_open() {
    let mut script = Script::new(plain(|_| {}), "newreno");
    script.connect().expect(syn());
    script.at(30).inject(syn()).expect(syn_ack()).is(State::SynReceived);
    script.at(60).inject(syn_ack()).expect(ack(1)).is(State::Established);
    script.at(70).inject(data(1..1001)).delivered(1000);
    script.at(270).expect(ack(1001));
}

/// RFC 9293 section 3.5, figure 7: the peer's SYN-ACK is lost, its first data acknowledges our SYN.
#[test]
fn simultaneous_open_completed_by_data() {
    let mut script = Script::new(plain(|_| {}), "newreno");
    script.connect().expect(syn()).at(30).inject(syn()).expect(syn_ack());
    script.at(60).inject(data(1..1001)).is(State::Established).delivered(1000);
    script.at(260).expect(ack(1001));
}

/// RFC 6298 sections 2.1 and 5.5: one second, then doubled; RFC 9293 section 3.8.3: then given up.
#[test]
fn syn_is_retransmitted_with_back_off_and_given_up() {
    let parameters = plain(|p| p.connection.most_syn_retransmissions = 3);
    let mut script = Script::new(parameters, "newreno");
    script.connect().expect(syn());
    for at in [1000, 3000, 7000] {
        script.at(at).expect(syn());
    }
    script.at(14_999).is(State::SynSent);
    script.at(15_000).expect_nothing().is_closed(CloseReason::TimedOut);
}

/// RFC 9293 section 3.8.3 (MUST-23): a SYN is retransmitted for at least three minutes.
#[test]
fn syn_is_tried_for_three_minutes() {
    let mut script = Script::new(plain(|_| {}), "newreno");
    script.connect().expect(syn());
    script.skip_to(179_999).is(State::SynSent);
    script.skip_to(400_000).is_closed(CloseReason::TimedOut);
}

/// RFC 6298 section 5: the SYN-ACK is retransmitted like everything else that occupies sequence space.
#[test]
fn syn_ack_is_retransmitted() {
    let mut script = Script::new(plain(|_| {}), "newreno");
    script.listen().inject(syn()).expect(syn_ack());
    script.at(1000).expect(syn_ack()).at(3000).expect(syn_ack());
    script.at(3100).inject(ack(1)).is(State::Established).expect_nothing();
}

/// RFC 9293 section 3.10.7.4: a retransmitted SYN in SYN-RECEIVED means that our answer was lost.
#[test]
fn retransmitted_syn_is_answered_again() {
    let mut script = Script::new(plain(|_| {}), "newreno");
    script.listen().inject(syn()).expect(syn_ack());
    script.at(500).inject(syn()).expect(syn_ack()).is(State::SynReceived);
    script.at(600).inject(ack(1)).is(State::Established);
}

/// RFC 9293 section 3.10.7.4 and RFC 5961 section 4: our acknowledgment of the SYN-ACK was lost.
#[test]
fn retransmitted_syn_ack_is_acknowledged_again() {
    let mut script = Script::established(plain(|_| {}), "newreno");
    script.at(1100).inject(syn_ack()).expect(ack(1)).is(State::Established);
}

/// RFC 9293 section 3.5, figure 8: an old duplicate SYN reaches the listener, whose peer resets it.
#[test]
fn listener_recovers_from_an_old_duplicate_syn() {
    let mut script = Script::new(plain(|_| {}), "newreno");
    script.listen().inject(syn().seq(4_294_967_286)).expect(syn_ack().ack(4_294_967_287));
    script.at(10).inject(rst(4_294_967_287)).is(State::Listen).expect_nothing();
    // The number after 10 ms at 4 us each, and the SYN's own.
    script.at(20).inject(syn()).expect(syn_ack().seq(2501));
    script.at(120).inject(ack(2502)).is(State::Established);
}

/// RFC 9293 section 3.10.7.4, fourth step: another SYN in a SYN-RECEIVED that began passively returns it
/// to LISTEN, so that the peer's next SYN opens it, with another initial sequence number (section 3.4.1: one
/// every 4 us).
#[test]
fn a_different_syn_returns_to_listen() {
    let mut script = Script::new(plain(|_| {}), "newreno");
    script.listen().inject(syn()).expect(syn_ack());
    script.at(10).inject(syn().seq(500)).is(State::Listen).expect_nothing();
    script.at(1010).inject(syn().seq(500)).expect(syn_ack().seq(2501).ack(501)).is(State::SynReceived);
}

/// RFC 9293 section 3.5, figure 8, seen by the opener: an acknowledgment of something never sent is
/// reset, and the handshake goes on.
#[test]
fn opener_resets_the_answer_to_an_old_duplicate() {
    let mut script = Script::new(plain(|_| {}), "newreno");
    script.connect().expect(syn());
    script.at(10).inject(syn_ack().ack(4_294_967_200)).expect(rst(4_294_967_200)).is(State::SynSent);
    script.at(20).inject(syn_ack().ack(2)).expect(rst(2)).is(State::SynSent);
    script.at(30).inject(syn_ack()).expect(ack(1)).is(State::Established);
}

/// RFC 9293 section 3.5.1, figure 9: half-open connection, seen by the end that did not crash.
#[test]
fn half_open_connection_is_discovered_and_reset() {
    let mut script = Script::established(plain(|_| {}), "newreno");
    script.at(5000).inject(syn().seq(300)).expect(ack(1)).is(State::Established);
    script.at(5100).inject(rst(1)).is_closed(CloseReason::Reset);
}

/// RFC 9293 section 3.5.1, figure 9: seen by the end that crashed and opens again.
#[test]
fn opener_resets_a_half_open_peer_and_tries_again() {
    let mut script = Script::new(plain(|_| {}), "newreno");
    script.connect().expect(syn());
    script.at(10).inject(ack(700).seq(50_000)).expect(rst(700)).is(State::SynSent);
    script.at(1000).expect(syn());
}

/// RFC 9293 section 3.10.7.3: a reset in SYN-SENT counts only when it acknowledges the SYN.
#[test]
fn refusal_must_acknowledge_the_syn() {
    let mut script = Script::new(plain(|_| {}), "newreno");
    script.connect().expect(syn());
    script.at(10).inject(rst(0)).is(State::SynSent).expect_nothing();
    script.at(20).inject(rst_ack(0, 2)).is(State::SynSent).expect_nothing();
    script.at(30).inject(rst_ack(0, 1)).is_closed(CloseReason::Refused);
}

/// RFC 9293 section 3.10.7.4, second step: a reset during a simultaneous open refuses the connection.
#[test]
fn reset_in_simultaneous_open_refuses() {
    let mut script = Script::new(plain(|_| {}), "newreno");
    script.connect().expect(syn()).at(10).inject(syn()).expect(syn_ack());
    script.at(20).inject(rst(1)).is_closed(CloseReason::Refused);
}

/// RFC 9293 section 3.10.7.2: in LISTEN a reset is ignored and an acknowledgment reset.
#[test]
fn listener_ignores_resets_and_resets_acknowledgments() {
    let mut script = Script::new(plain(|_| {}), "newreno");
    script.listen().inject(rst(5)).expect_nothing();
    script.inject(ack(77)).expect(rst(77)).inject(syn_ack().ack(99)).expect(rst(99)).is(State::Listen);
    script.inject(fin(1, 1)).expect(rst(1)).is(State::Listen);
}

/// RFC 9293 section 3.10.7.4, fifth step: in SYN-RECEIVED an acknowledgment of something else is reset.
#[test]
fn wrong_acknowledgment_in_syn_received_is_reset() {
    let mut script = Script::new(plain(|_| {}), "newreno");
    script.listen().inject(syn()).expect(syn_ack());
    script.at(10).inject(ack(2)).expect(rst(2)).is(State::SynReceived);
    script.at(20).inject(ack(0)).expect(rst(0)).is(State::SynReceived);
    script.at(30).inject(ack(1)).is(State::Established);
}

/// RFC 9293 section 3.5.2, group 1: to a connection that does not exist everything is reset, with the
/// sequence number that the peer expects; a reset is not answered.
#[test]
fn closed_connection_resets() {
    let mut script = Script::new(plain(|_| {}), "newreno");
    let mut raw = syn().seq(40).on_wire(seamline_wire::SequenceNumber(0), seamline_wire::SequenceNumber(0));
    raw.length = 9;
    script.inject_raw(raw);
    let answer = script.take().remove(0);
    assert!(has(&answer, seamline_wire::Flags::RST | seamline_wire::Flags::ACK), "{answer}");
    assert_eq!(answer.acknowledgment.wrapping_add(7_000_000), 50, "SEG.SEQ + SEG.LEN with the SYN");
    script.inject(ack(1234)).expect(rst(1234));
    script.inject(rst(1)).expect_nothing().inject(rst_ack(1, 1)).expect_nothing();
}

/// RFC 9293 section 3.7.3: data supplied before the handshake completes leaves when it does.
#[test]
fn data_supplied_early_leaves_with_the_handshake() {
    let mut script = Script::new(plain(|_| {}), "newreno");
    script.connect().expect(syn()).supply(1500).expect_nothing();
    script.at(100).inject(syn_ack()).expect(data(1..1001)).at(100);
    script.after(50).inject(ack(1001)).expect(data(1001..1501));
}

/// RFC 9293 section 3.10.4: a close in SYN-RECEIVED waits for the handshake, and nothing may be
/// supplied after it.
#[test]
fn close_in_syn_received_is_queued() {
    let mut script = Script::new(plain(|_| {}), "newreno");
    script.listen().inject(syn()).expect(syn_ack()).close().is(State::SynReceived).supply(100);
    script.at(50).inject(ack(1)).expect(fin(1, 1)).is(State::FinWait1);
}

/// RFC 9293 section 3.10.4: a close before the handshake completes ends it.
#[test]
fn close_before_the_handshake() {
    let mut script = Script::new(plain(|_| {}), "newreno");
    script.listen().close().is_closed(CloseReason::Finished);
    let mut script = Script::new(plain(|_| {}), "newreno");
    script.connect().expect(syn()).close().is_closed(CloseReason::Finished);
}

/// RFC 9293 section 3.8.3: the user timeout covers the handshake.
#[test]
fn user_timeout_ends_the_handshake() {
    let parameters = plain(|p| p.connection.user_timeout = Some(Duration::from_secs(5)));
    let mut script = Script::new(parameters, "newreno");
    script.connect().expect(syn()).at(1000).expect(syn()).at(3000).expect(syn());
    script.at(7000).is_closed(CloseReason::TimedOut);
}

/// RFC 9293 section 3.10.7.2: data that comes with a SYN is acknowledged, and delivered when the connection is open. A FIN counts, too.
#[test]
fn data_with_a_syn_waits_for_the_connection() {
    let mut script = Script::new(plain(|_| {}), "newreno");
    script.listen().inject(syn().with_data(500)).expect(syn_ack().ack(501).window(65_035)).delivered(0);
    assert_eq!(script.endpoint.readable(), 0, "not before the connection is open");
    script.read(500).after(100).inject(syn().with_data(500)).expect(syn_ack().ack(501));
    script.inject(ack(1).seq(501)).delivered(500).is(State::Established);
    assert_eq!(script.endpoint.readable(), 500);
    script.inject(data(501..1501)).inject(data(1501..2501)).expect(ack(2501)).delivered(2500);

    let mut whole = Script::new(plain(|_| {}), "newreno");
    whole.listen().read_at_once().inject(syn().with_data(500).with_fin()).expect(syn_ack().ack(502));
    assert!(!whole.endpoint.peer_has_closed());
    whole.at(100).inject(ack(1).seq(502)).delivered(500).is(State::CloseWait);
}

/// RFC 9293 section 3.10.7.3: the same of a SYN that answers ours.
#[test]
fn data_with_a_syn_ack_is_taken() {
    let mut script = Script::new(plain(|_| {}), "newreno");
    script.connect().expect(syn()).at(100).inject(syn_ack().with_data(500)).expect(ack(501)).delivered(500);
    script.is(State::Established);
    let mut whole = Script::new(plain(|_| {}), "newreno");
    whole.connect().expect(syn()).at(100).inject(syn_ack().with_data(500).with_fin()).expect(ack(502));
    whole.delivered(500).is(State::CloseWait);
    let mut crossed = Script::new(plain(|_| {}), "newreno");
    crossed.connect().expect(syn()).at(30).inject(syn().with_data(500).with_fin()).expect(syn_ack().ack(502));
    crossed.delivered(0).at(60).inject(syn_ack()).expect(ack(502)).delivered(500).is(State::CloseWait);
}

/// RFC 9293 section 3.10.7.4: what a SYN brought is gone with a connection that never opened.
#[test]
fn data_of_a_connection_that_never_opened_is_forgotten() {
    let mut script = Script::new(plain(|_| {}), "newreno");
    script.listen().inject(syn().with_data(500)).expect(syn_ack().ack(501));
    script.at(10).inject(rst(501)).is(State::Listen).at(20).inject(syn()).expect(syn_ack().seq(2501));
    script.at(120).inject(ack(2502)).is(State::Established).delivered(0);
}

/// Linux without TCP Fast Open leaves it to the peer to send again what comes with a SYN (tcp_conn_request,
/// tcp_rcv_synsent_state_process), and drops a SYN with a FIN (tcp_rcv_state_process).
#[test]
fn data_with_a_syn_can_be_left() {
    let linux = (seamline_tcp::profile::LINUX.parameters)().connection;
    let parameters = || {
        plain(|p| {
            p.connection.data_with_syn = linux.data_with_syn;
            p.connection.syn_with_fin = linux.syn_with_fin;
        })
    };
    assert_eq!(linux.data_with_syn, DataWithSyn::Dropped);
    let mut listener = Script::new(parameters(), "newreno");
    listener.listen().inject(syn().with_fin()).expect_nothing().is(State::Listen);
    listener.inject(syn().with_data(500)).expect(syn_ack().ack(1)).at(100).inject(ack(1)).delivered(0);
    listener.inject(data(1..501)).delivered(500).at(300).expect(ack(501));
    let mut opener = Script::new(parameters(), "newreno");
    opener.connect().expect(syn()).at(100).inject(syn_ack().with_data(500).with_fin()).expect(ack(1));
    opener.delivered(0).is(State::Established);
}
