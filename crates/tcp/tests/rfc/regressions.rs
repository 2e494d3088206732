//! Behaviours that were once wrong in ways no other script showed.

use crate::script::*;
use seamline_tcp::State;
use seamline_tcp::parameters::{CutBase, Growth};

/// RFC 6298 section 3 (Karn): a retransmission that takes new bytes along gives no sample of the old ones.
#[test]
fn a_retransmission_with_new_bytes_is_not_timed_from_its_old_ones() {
    let mut script = Script::established(plain(|_| {}), "newreno");
    script.at(1000).supply(500).expect(data(1..501));
    script.at(1100).supply(500).expect_nothing();
    script.at(2000).expect(data(1..1001)).at(2010).inject(ack(501));
    script.take();
    assert_eq!(script.endpoint.round_trip().minimum.as_millis(), 100);
}

/// RFC 6675 section 5: an acknowledgment with news by SACK counts as a duplicate whatever it acknowledges
/// cumulatively; seven segments above a hole are a loss.
#[test]
fn news_by_sack_on_a_cumulative_acknowledgment_begin_recovery() {
    let mut script = Script::connected(plain(|_| {}), "sack", syn_ack().sack_permitted(true));
    script.at(1000).supply(10_000).expect_run(1..10_001, 1000);
    script.at(1100).inject(ack(2001).sack(&[3001..10_001])).expect(data(2001..3001));
    assert!(script.endpoint.in_recovery());
}

/// RFC 9438 section 4.2 and Linux: what Nagle holds does not fill the window, so the window does not grow.
#[test]
fn what_nagle_holds_does_not_count_as_a_full_window() {
    let mut script = Script::established(plain(|_| {}), "newreno");
    for round in 0..40 {
        let (start, sent) = (1000 + u64::from(round) * 100, 1 + round * 600);
        script.at(start).supply(300).expect(data(sent..sent + 300)).supply(300);
        script.at(start + 40).inject(ack(sent + 300)).expect(data(sent + 300..sent + 600));
        script.at(start + 80).inject(ack(sent + 600)).expect_nothing();
    }
    assert_eq!(script.endpoint.sample().congestion_window, 10.0);
}

/// A source that is stopped before a closed window leaves nothing to probe, and a connection that lives.
#[test]
fn nothing_is_probed_for_a_source_that_has_stopped() {
    let mut script = Script::connected(plain(|_| {}), "newreno", syn_ack().window(1000));
    script.at(900).supply(5000).expect(data(1..1001)).at(1000).inject(ack(1001).window(0)).expect_nothing();
    script.endpoint.cut_supply();
    script.at(1_000_000).expect_nothing().is(State::Established);
}

/// Linux's slow start ends at the threshold even within one acknowledgment: the rest grows the window as
/// congestion avoidance does.
#[test]
fn a_stretch_acknowledgment_does_not_pass_the_threshold() {
    let parameters = plain(|p| {
        p.window.growth = Growth::PerByte { most_per_ack: f64::INFINITY };
        p.window.cut_base = CutBase::Window;
    });
    let mut script = Script::established(parameters, "newreno");
    script.at(1000).supply(200_000).expect_run(1..10_001, 1000);
    script.at(2000).expect(data(1..1001)).at(2100).inject(ack(10_001));
    script.take();
    let window = script.endpoint.sample().congestion_window;
    assert!((6.0..6.5).contains(&window), "{window}");
}

/// RFC 9293 section 3.8.6: a window that opens between duplicates lets new data leave.
#[test]
fn a_window_update_between_duplicates_is_used() {
    for variant in ["reno", "newreno"] {
        let mut script = Script::connected(plain(|_| {}), variant, syn_ack().window(5000));
        script.at(1000).supply(50_000).expect_run(1..5001, 1000);
        script.at(1100).inject(ack(2001).window(3000)).inject(ack(2001).window(3000)).expect_nothing();
        script.inject(ack(2001).window(9000)).expect_run(5001..11_001, 1000);
    }
}

/// RFC 7323 section 4.3: a SYN that comes again brings the timestamp to echo.
#[test]
fn a_syn_again_renews_the_timestamp_to_echo() {
    let parameters = plain(|p| p.segments.timestamp_tick = Some(seamline_wire::Duration::from_millis(1)));
    let mut script = Script::new(parameters, "newreno");
    script.listen().at(50).inject(syn().times(1, 0)).expect(syn_ack().times(51, 1));
    script.at(900).inject(syn().times(851, 0)).expect(syn_ack().times(901, 851));
}

/// RFC 9293 section 3.8.6.2.1: what a small window holds leaves after the override timeout, however often
/// the peer repeats that window with data of its own.
#[test]
fn the_peers_data_do_not_starve_a_small_window() {
    let mut script = Script::connected(plain(|_| {}), "newreno", syn_ack().window(4000));
    script.read_at_once();
    script.at(1000).supply(10_000).expect_run(1..4001, 1000);
    script.at(1100).inject(ack(4001).window(500)).expect_nothing();
    for n in 0..6_u32 {
        script.at(1250 + u64::from(n) * 150).inject(data(1 + n * 100..101 + n * 100).ack(4001).window(500));
        assert!(script.take().iter().all(|sent| sent.length == 0), "before the override timeout");
    }
    script.at(2100).expect(data(4001..4501).ack(601));
}

/// A peer that offers segments of one byte does not get them.
#[test]
fn tiny_segments_are_not_for_the_asking() {
    let mut script = Script::connected(plain(|_| {}), "newreno", syn_ack().mss(1));
    script.supply(100);
    let lengths: Vec<u32> = script.take().iter().map(|sent| sent.length).collect();
    assert_eq!(lengths.first(), Some(&48));
}

/// RFC 9293 section 3.5: a bad acknowledgment in simultaneous open is answered with a reset and nothing else.
#[test]
fn a_bad_acknowledgment_in_simultaneous_open_gets_a_reset_only() {
    let mut script = Script::new(plain(|_| {}), "newreno");
    script.connect().expect(syn()).at(50).inject(syn()).expect(syn_ack());
    script.at(100).inject(syn_ack().ack(77));
    let sent = script.take();
    assert_eq!(sent.len(), 1, "{sent:?}");
    assert!(format!("{:?}", sent[0].flags).contains('R'), "{sent:?}");
}

/// Brakmo and Peterson 1995, section 3.1: the first duplicate sends again what has waited longer than the
/// fine-grained timeout, however small the application's writes were. What was acknowledged first began in
/// the same full segment's place.
#[test]
fn fine_grained_timers_know_segments_that_are_not_full() {
    let mut script = Script::established(plain(|p| p.segments.nagle = false), "vegas");
    script.at(1000).supply(500).expect(data(1..501));
    script.at(1050).supply(500).expect(data(501..1001));
    script.at(1060).supply(500).expect(data(1001..1501));
    // One sample of 100 ms: the fine timeout is 17/16 * (0.1 * 8 / 4 + 0.1 * 3 / 4) / 2 = 146 ms.
    script.at(1100).inject(ack(501)).expect_nothing();
    script.at(1190).inject(ack(501)).expect_nothing();
    script.at(1197).inject(ack(501)).expect(data(501..1501));
}

/// A peer that leaves out every other byte does not make the receiver remember all its gaps: 1024, and one
/// for each full segment of the window, 65. What comes beyond is refused, and taken when it comes again.
#[test]
fn gaps_to_remember_are_bounded_at_the_receiver() {
    let mut script = Script::connected(plain(|_| {}), "sack", syn_ack().sack_permitted(true));
    script.read_at_once();
    let mut taken = 0;
    for n in 0..20_000_u32 {
        let byte = 3 + 2 * n;
        script.inject(data(byte..byte + 1));
        let answer = script.take();
        assert_eq!(answer.len(), 1, "each is answered");
        taken += u32::from(answer[0].sack.first() == Some(&(byte..byte + 1)));
    }
    assert_eq!(taken, 1024 + 65);
    assert_eq!(script.endpoint.statistics().duplicate_segments_received, 0, "refused is not duplicate");
    script.inject(data(1..3)).take();
    script.delivered(3);
    for n in 0..41_u32 {
        script.inject(data(1 + n * 1000..1001 + n * 1000)).take();
    }
    script.delivered(41_000);
}

/// The same at the sender: the scoreboard is bounded, and what it does not hold is sent again.
#[test]
fn gaps_to_remember_are_bounded_at_the_sender() {
    let mut script = Script::connected(plain(|_| {}), "sack", syn_ack().sack_permitted(true));
    script.at(1000).supply(10_000).expect_run(1..10_001, 1000).at(1050);
    let mut arrived = vec![false; 10_001];
    for n in 0..4998_u32 {
        let byte = 3 + 2 * n;
        arrived[byte as usize] = true;
        script.inject(ack(1).sack(&[byte..byte + 1]));
        script.take();
    }
    // Nothing of what has left again since is counted as arrived: all of it is lost.
    let mut sent_though_reported = 0;
    for _ in 0..20_000 {
        let Some(due) = script.endpoint.wake_at() else { break };
        script.at_time(due);
        let mut segments = script.take();
        while let Some(segment) = segments.pop() {
            for byte in segment.sequence..segment.sequence + segment.length {
                sent_though_reported += u32::from(std::mem::replace(&mut arrived[byte as usize], true));
            }
            let next = arrived.iter().skip(1).position(|there| !there).map_or(10_001, |at| at as u32 + 1);
            script.inject(ack(next));
            segments.extend(script.take());
        }
    }
    assert_eq!(script.endpoint.statistics().bytes_acknowledged, 10_000);
    assert!(sent_though_reported >= 4998 - 1089, "{sent_though_reported}");
}

/// RFC 6582 section 3.2, step 1: `recover` begins at the initial sequence number, before the first byte, so
/// that the first segment of a connection without handshake can be sent again before the timer.
#[test]
fn the_first_segment_can_be_sent_again_fast() {
    for variant in ["tahoe", "reno", "newreno", "sack", "vegas"] {
        let mut script = Script::without_handshake(plain(|_| {}), variant);
        script.supply(10_000).expect_run(1..10_001, 1000).at(100);
        let duplicate =
            |n: u32| if variant == "sack" { ack(1).sack(&[1001..2001 + n * 1000]) } else { ack(1) };
        script.inject(duplicate(0)).inject(duplicate(1)).expect_nothing();
        script.inject(duplicate(2)).expect(data(1..1001));
        script.take();
    }
}

/// In ns-2's books `recover` begins at the first segment: duplicates do not send it again, the timer does.
#[test]
fn ns2_does_not_send_the_first_segment_again_fast() {
    let mut parameters = (seamline_tcp::ns2::NS2_2010.parameters)();
    parameters.window.initial = 10.0;
    let mut script = Script::without_handshake(parameters, "newreno");
    script.supply(10_000).expect_run(1..10_001, 1000).at(100);
    script.inject_times(8, ack(1)).expect_nothing();
    script.at(3000).expect(data(1..1001));
}

/// RFC 9293 section 3.10.7.4: the segment that opens a connection in SYN-RECEIVED is processed to its end,
/// timestamp and payload, before anything answers it.
#[test]
fn the_third_segment_is_taken_in_before_data_leave() {
    let parameters = plain(|p| p.segments.timestamp_tick = Some(seamline_wire::Duration::from_millis(1)));
    let mut script = Script::new(parameters, "newreno");
    script.listen().read_at_once().inject(syn().times(1, 0)).expect(syn_ack().times(1, 1)).supply(988);
    script.at(100).inject(data(1..501).times(101, 1)).delivered(500);
    script.expect(data(1..989).ack(501).times(101, 101)).expect_nothing();
}

/// RFC 9293 section 3.8.3 (R2 for SYN): a peer that repeats its SYN for ever does not keep a half-open
/// connection: with three retransmissions the fourth timeout, after 1 + 2 + 4 + 8 s, ends it. The listener goes on as if there had
/// been none (Linux: reqsk_timer_handler; FreeBSD: syncache_timer): a peer for whom the connection is open is reset, and a new SYN
/// opens another one, with what the application has written.
#[test]
fn repeated_syns_do_not_keep_a_half_open_connection() {
    let mut script = Script::new(plain(|p| p.connection.most_syn_ack_retransmissions = 3), "newreno");
    script.listen().supply(1000);
    for n in 0..30 {
        script.skip_to(n * 500).inject(syn()).is(State::SynReceived);
        assert!(!script.take().is_empty(), "each SYN is answered");
    }
    script.skip_to(15_000).is(State::Listen).expect_nothing();
    script.at(16_000).inject(ack(1)).expect(rst(1)).is(State::Listen);
    script.at(17_000).inject(syn().seq(500));
    let answer = script.take().remove(0);
    let initial = answer.sequence;
    assert_ne!(initial, 0, "the old number is not used again");
    script.at(17_100).inject(data(501..601).ack(initial + 1)).is(State::Established).delivered(100);
    script.expect(data(initial + 1..initial + 1001).ack(601));
}

/// The user timeout (RFC 9293 section 3.10.8) ends a half-open connection, but not the listener. Retransmissions leave after 3 and 9 s.
/// The timer of the next one, after 21 s, finds that the user timeout has passed.
#[test]
fn the_user_timeout_leaves_a_listener() {
    let parameters = plain(|p| {
        p.round_trip.initial_timeout = seamline_wire::Duration::from_secs(3);
        p.connection.user_timeout = Some(seamline_wire::Duration::from_secs(20));
    });
    let mut script = Script::new(parameters, "newreno");
    script.listen().inject(syn()).skip_to(20_000).is(State::SynReceived).take();
    script.skip_to(21_000).is(State::Listen).expect_nothing();
    script.at(22_000).inject(syn().seq(500)).is(State::SynReceived);
    assert_eq!(script.take().len(), 1);
}

/// RFC 9293 section 3.10.7.4 (SND.WL1): the window of a segment that the peer sent before the last one is
/// no news, even when a retransmission came between.
#[test]
fn a_retransmission_does_not_make_older_windows_new() {
    let mut script = Script::established(plain(|_| {}), "newreno");
    script.at(1000).supply(20_000).expect_run(1..10_001, 1000).at(1100);
    script.inject(data(2001..3001).window(20_000)).expect(ack(1).seq(10_001));
    script.inject(data(1..1001).ack(1001).window(3000)).expect(ack(1001).seq(4001));
    script.inject(data(1001..2001).ack(1001).window(30_000)).expect(ack(3001).seq(4001)).expect_nothing();
}
