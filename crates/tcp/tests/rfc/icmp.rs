//! What the network reports by ICMP.

use crate::script::*;
use seamline_tcp::NetworkError::{Expired, Prohibited, Refused, TooBig, Unreachable};
use seamline_tcp::parameters::{ErrorsEndingHandshakes, Parameters};
use seamline_tcp::{CloseReason, State};

/// RFC 9293 section 3.9.2.2 (SHLD-25): a hard error about the SYN ends the attempt.
#[test]
fn hard_errors_end_a_handshake() {
    let mut opener = Script::new(plain(|_| {}), "newreno");
    opener.connect().expect(syn()).icmp(0, Refused).is_closed(CloseReason::Refused);
    let mut crossed = Script::new(plain(|_| {}), "newreno");
    crossed.connect().expect(syn()).inject(syn()).expect(syn_ack()).icmp(0, Refused);
    crossed.is_closed(CloseReason::Refused);
}

/// RFC 9293 section 3.9.2.2 (MUST-56): a soft error does not, but it is noted until the peer is heard of.
#[test]
fn soft_errors_are_noted() {
    let mut script = Script::new(plain(|_| {}), "newreno");
    script.connect().expect(syn()).icmp(0, Unreachable).is(State::SynSent);
    assert_eq!(script.endpoint.network_error(), Some(Unreachable));
    script.at(1000).expect(syn()).inject(syn_ack()).expect(ack(1)).inject(data(1..101));
    assert_eq!(script.endpoint.network_error(), None);
    script.at(1200).expect(ack(101));
}

fn ending(least: ErrorsEndingHandshakes) -> Parameters {
    plain(|p| p.connection.errors_ending_handshakes = least)
}

/// Linux gives up at once where the peer cannot be reached (tcp_v4_err), FreeBSD where a filter forbids the way or the packet lived too
/// long (icmp_may_rst=1), or never (icmp_may_rst=0).
#[test]
fn systems_differ_in_the_errors_that_end_a_handshake() {
    let linux = (seamline_tcp::profile::LINUX.parameters)().connection.errors_ending_handshakes;
    let freebsd = (seamline_tcp::profile::FREEBSD.parameters)().connection.errors_ending_handshakes;
    let (refused, unreachable) = (Some(CloseReason::Refused), Some(CloseReason::Unreachable));
    for (least, errors) in [
        (ErrorsEndingHandshakes::None, [None; 4]),
        (ErrorsEndingHandshakes::Hard, [refused, None, None, None]),
        (freebsd, [refused, refused, unreachable, None]),
        (linux, [refused, unreachable, unreachable, unreachable]),
    ] {
        for (error, reason) in [Refused, Prohibited, Expired, Unreachable].into_iter().zip(errors) {
            let mut script = Script::new(ending(least), "newreno");
            script.connect().expect(syn()).icmp(0, error);
            assert_eq!(script.endpoint.close_reason(), reason, "{least:?} {error:?}");
        }
    }
    let mut open = Script::established(ending(linux), "newreno");
    open.supply(1000).expect(data(1..1001)).icmp(1, Unreachable).is(State::Established);
}

/// RFC 5927 section 5.2: an open connection outlives hard errors, which anybody may send.
#[test]
fn an_open_connection_outlives_hard_errors() {
    let mut script = Script::established(plain(|_| {}), "newreno");
    script.supply(1000).expect(data(1..1001)).icmp(1, Refused).is(State::Established);
    assert_eq!(script.endpoint.network_error(), Some(Refused));
}

/// RFC 5927 section 4.1: what quotes nothing outstanding is a guess.
#[test]
fn errors_about_nothing_outstanding_are_ignored() {
    let mut opener = Script::new(plain(|_| {}), "newreno");
    opener.connect().expect(syn()).icmp(1, Refused).icmp(u32::MAX, Refused).is(State::SynSent);
    let mut script = Script::established(plain(|_| {}), "newreno");
    script.icmp(1, TooBig { next_hop_mtu: 600 }).supply(2000).expect_run(1..2001, 1000);
    script.icmp(2001, TooBig { next_hop_mtu: 600 }).icmp(0, TooBig { next_hop_mtu: 600 }).expect_nothing();
    assert_eq!(script.endpoint.segment_size(), 1000);
}

/// RFC 1191 section 6.5: what did not fit leaves again at once, in segments that do; so does what follows.
#[test]
fn packets_that_are_too_big_leave_again_in_parts() {
    let mut script = Script::established(plain(|p| p.segments.nagle = false), "newreno");
    script.supply(3000).expect_run(1..3001, 1000).icmp(1, TooBig { next_hop_mtu: 840 });
    assert_eq!(script.endpoint.segment_size(), 800);
    let mut next = 1;
    for _ in 0..4 {
        let again = script.take();
        assert!(
            !again.is_empty() && again.iter().all(|s| s.sequence >= next && s.length <= 800),
            "{again:?}"
        );
        next = again.last().map_or(next, |last| last.sequence + last.length);
        if next == 3001 {
            break;
        }
        script.after(100).inject(ack(next));
    }
    assert_eq!(next, 3001);
    script.after(100).inject(ack(3001)).supply(1600).expect_run(3001..4601, 800);
}

/// RFC 1191 section 5: a router that does not say leaves the next of the sizes that links have; a size that would not help is ignored,
/// and one that no link has does not make segments tiny.
#[test]
fn sizes_are_plausible() {
    let size_after = |mtu| {
        let mut script = Script::established(plain(|_| {}), "newreno");
        script.supply(2000).expect_run(1..2001, 1000).icmp(1, TooBig { next_hop_mtu: mtu }).take();
        script.endpoint.segment_size()
    };
    assert_eq!([0, 1, 552, 1039, 1040, 9000].map(size_after), [966, 512, 512, 999, 1000, 1000]);
}
