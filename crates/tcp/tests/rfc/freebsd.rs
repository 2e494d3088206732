//! What FreeBSD does where others do something else: the parameters of the profile `freebsd`.

use crate::script::*;
use seamline_tcp::parameters::{DataWithSyn, Parameters, SynWithFin};
use seamline_tcp::{CloseReason, EcnUse, State};
use seamline_wire::{Duration, Flags};

/// Those of the profile, in segments without timestamps and window scaling.
fn freebsd(change: impl FnOnce(&mut Parameters)) -> Parameters {
    let profile = (seamline_tcp::profile::FREEBSD.parameters)();
    plain(|p| {
        p.round_trip = profile.round_trip;
        p.receiver.reports_fin = profile.receiver.reports_fin;
        p.receiver.delayed_acknowledgment = profile.receiver.delayed_acknowledgment;
        p.segments.ecn_syn_retransmissions = profile.segments.ecn_syn_retransmissions;
        p.connection = profile.connection;
        change(p);
    })
}

/// tcp_do_segment: the answer to a SYN acknowledges the SYN alone; the data is there when the connection opens, and a FIN has to come
/// again.
#[test]
fn data_with_a_syn_waits_for_the_connection() {
    let mut script = Script::new(freebsd(|_| {}), "newreno");
    script.connect().expect(syn()).at(100).inject(syn().with_data(3).with_fin()).expect(syn_ack().ack(1));
    script.is(State::SynReceived).delivered(0);
    script.at(200).inject(ack(1).seq(4)).is(State::Established).delivered(3);
    script.at(240).expect(ack(4)).inject(fin(4, 1)).expect(ack(5)).is(State::CloseWait);
}

/// The same with what acknowledges our SYN: it opens the connection, and everything that it brings counts.
#[test]
fn data_with_an_answer_counts_at_once() {
    let mut script = Script::new(freebsd(|_| {}), "newreno");
    script.connect().expect(syn()).at(100).inject(syn_ack().with_data(3)).expect(ack(4)).delivered(3);
}

/// net.inet.tcp.drop_synfin: off by default, and then on in both states.
#[test]
fn a_syn_with_a_fin_can_be_dropped() {
    assert_eq!(freebsd(|_| {}).connection.syn_with_fin, SynWithFin::Taken);
    let dropping = |least| freebsd(|p| p.connection.syn_with_fin = least);
    for (least, answers_in) in [
        (SynWithFin::Taken, [true, true]),
        (SynWithFin::DroppedByListener, [false, true]),
        (SynWithFin::Dropped, [false, false]),
    ] {
        let mut listener = Script::new(dropping(least), "newreno");
        listener.listen().inject(syn().with_fin());
        let mut opener = Script::new(dropping(least), "newreno");
        opener.connect().expect(syn()).at(100).inject(syn().with_fin());
        let answers = [listener.take(), opener.take()].map(|sent| !sent.is_empty());
        assert_eq!(answers, answers_in, "{least:?}");
    }
}

/// tcp_input: a SYN that acknowledges is no reason to answer; other acknowledgments are.
#[test]
fn a_listener_can_ignore_answers() {
    for (ignores, sent) in [(true, 0), (false, 1)] {
        let mut script = Script::new(plain(|p| p.connection.listener_ignores_answers = ignores), "newreno");
        script.listen().inject(syn_ack().seq(17).ack(34));
        assert_eq!(script.take().len(), sent);
        script.inject(ack(34)).expect(rst(34).ack(0)).inject(syn()).expect(syn_ack());
    }
}

/// tcp_twcheck: a FIN that acknowledges nothing is dropped, wherever it stands; what acknowledges is answered.
#[test]
fn time_wait_can_ask_for_acknowledgments() {
    let mut script = Script::established(freebsd(|_| {}), "newreno");
    script.at(1000).close().expect(fin(1, 1)).at(1100).inject(fin(1, 2)).expect(ack(2).seq(2));
    let mute = |sequence| Seg { flags: Flags::FIN, ..fin(sequence, 0) };
    script.at(1200).inject(mute(1)).inject(mute(65_702)).expect_nothing();
    script.inject(fin(1, 2)).expect(ack(2).seq(2)).is(State::TimeWait);
}

/// tcp_update_sack_list: blocks end with the data, also where a FIN beyond a gap has come behind it; the FIN counts all the same.
#[test]
fn a_fin_is_not_reported() {
    for (reports, blocks) in [(false, [16..32, 8..32]), (true, [16..33, 8..33])] {
        let parameters = plain(|p| p.receiver.reports_fin = reports);
        let mut script = Script::connected(parameters, "sack", syn_ack().sack_permitted(true));
        script.inject(data(16..32)).expect(ack(1).sack(&[16..32]));
        script.inject(fin(32, 1)).expect(ack(1).sack(&blocks[..1]));
        script.inject(data(8..16)).expect(ack(1).sack(&blocks[1..]));
        script.inject(data(1..8)).expect(ack(33)).is(State::CloseWait);
    }
}

/// net.inet.tcp.rexmit_slop is added to every timeout but the first; net.inet.tcp.keepinit ends the attempt.
#[test]
fn a_syn_is_sent_again_later_and_for_a_limited_time() {
    let mut script = Script::new(freebsd(|_| {}), "newreno");
    script.connect().expect(syn());
    for at in [1000, 3200, 7400, 15_600, 31_800, 64_000] {
        script.at(at - 1).expect_nothing().at(at).expect(syn());
    }
    script.at(74_999).is(State::SynSent).at(75_000).expect_nothing().is_closed(CloseReason::TimedOut);
}

/// The limit is one for handshakes.
#[test]
fn the_limit_of_handshakes_ends_with_them() {
    let mut script = Script::new(freebsd(|p| p.connection.keepalive = None), "newreno");
    script.connect().expect(syn()).at(100).inject(syn_ack()).expect(ack(1));
    script.at(100_000).expect_nothing().is(State::Established);
}

/// net.inet.tcp.ecn.maxretries=1.
#[test]
fn a_syn_can_ask_for_ecn_again() {
    let both = Flags::ECE.union(Flags::CWR);
    let mut script = Script::new(freebsd(|p| p.segments.ecn = EcnUse::On), "newreno");
    script.connect().expect(syn().with_flags(both)).at(1000).expect(syn().with_flags(both));
    script.at(3200).expect(syn().with_flags(Flags::default()));
}

/// TCP_NOOPT: the peer has to take 536 bytes for what we accept.
#[test]
fn a_syn_can_leave_the_segment_size_out() {
    let mut script = Script::new(plain(|p| p.segments.offers_segment_size = false), "newreno");
    script.connect().expect(syn().mss(None).scale(None));
}

/// What the tests above rest on.
#[test]
fn the_profile_says_so() {
    let profile = (seamline_tcp::profile::FREEBSD.parameters)();
    assert_eq!(profile.connection.data_with_syn, DataWithSyn::KeptByOpener);
    assert!(profile.connection.listener_ignores_answers && !profile.receiver.reports_fin);
    assert_eq!(profile.connection.handshake_timeout, Some(Duration::from_secs(75)));
}

/// syncache_timer: SYNCACHE_MAXREXMTS, three; syncache_timeout: net.inet.tcp.rexmit_slop is not added.
#[test]
fn a_listener_repeats_its_answer_three_times() {
    let mut script = Script::new(freebsd(|_| {}), "newreno");
    script.listen().inject(syn()).expect(syn_ack());
    for at in [1000, 3000, 7000] {
        script.at(at - 1).expect_nothing().at(at).expect(syn_ack());
    }
    script.at(14_999).is(State::SynReceived).at(15_000).is(State::Listen).expect_nothing();
}
