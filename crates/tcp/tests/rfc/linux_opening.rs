//! What Linux does while a connection opens, and with what cannot be: parameters of the profile `linux`.

use crate::script::*;
use seamline_tcp::State;
use seamline_tcp::parameters::Parameters;
use seamline_wire::Duration;

fn linux(change: impl FnOnce(&mut Parameters)) -> Parameters {
    let mut parameters = (seamline_tcp::profile::LINUX.parameters)();
    change(&mut parameters);
    parameters
}

/// tcp_ack: what acknowledges bytes that were not sent is dropped in silence; RFC 9293 section 3.10.7.4 answers it. Neither takes
/// anything of it in.
#[test]
fn acknowledgments_of_what_was_not_sent_can_be_ignored() {
    assert!(linux(|_| {}).connection.ignores_acknowledgments_of_unsent);
    for ignores in [true, false] {
        let parameters = plain(|p| p.connection.ignores_acknowledgments_of_unsent = ignores);
        let mut script = Script::established(parameters, "newreno");
        script.at(1000).inject(fin(1, 9999));
        match ignores {
            true => script.expect_nothing(),
            false => script.expect(ack(1)),
        };
        script.is(State::Established).inject(data(1..1001)).at(1200).expect(ack(1001));
    }
}

/// tcp_rcv_synsent_state_process: an echo that our SYN cannot have caused is answered by a reset, and the next answer counts.
#[test]
fn false_echoes_can_be_rejected() {
    let timed = |rejects| {
        plain(|p| {
            p.segments.timestamp_tick = Some(Duration::from_millis(1));
            p.connection.rejects_false_echoes = rejects;
        })
    };
    assert!(linux(|_| {}).connection.rejects_false_echoes);
    for echo in [500, 9999] {
        let mut script = Script::new(timed(true), "newreno");
        script.at(1000).connect().expect(syn().times(1001, 0)).at(1100);
        script.inject(syn_ack().times(7, echo)).expect(rst(1).ack(0)).is(State::SynSent);
        script.inject(syn_ack().times(7, 1001)).expect(ack(1).times(1101, 7)).is(State::Established);
        let mut other = Script::new(timed(false), "newreno");
        other.at(1000).connect().expect(syn()).at(1100).inject(syn_ack().times(7, echo)).expect(ack(1));
    }
}

/// tcp_rcv_fastopen_synack: what went with the SYN and was not acknowledged counts as sent again until it is, but not as more in flight.
#[test]
fn data_that_went_with_a_syn_counts_as_sent_again() {
    let parameters = plain(|p| *p = linux(|l| l.segments = p.segments.clone()));
    let mut script = Script::new(parameters, "cubic");
    script.call(|endpoint, now, out| endpoint.open_fast(now, 1000, out));
    script.expect(syn().with_data(1000)).at(100);
    script
        .inject(syn_ack().mss(600).sack_permitted(true).ack(101))
        .expect(data(101..701))
        .expect(data(701..1001));
    let resent = |script: &Script| {
        let information = script.endpoint.information(script.now());
        (information.resent, information.lost, information.outstanding)
    };
    assert_eq!(resent(&script), (2, 2, 2));
    script.at(200).inject(ack(1001).seq(1));
    assert_eq!(resent(&script), (0, 0, 0));
}

/// tcp_select_initial_window: a SYN offers no more than 16 bits can say, and the window begins there however much memory there is
/// (rcv_ssthresh); data that comes with a SYN lets it grow no further (tcp_fastopen_add_skb).
#[test]
fn the_window_begins_within_sixteen_bits() {
    let parameters = linux(|p| {
        let tuning = p.receiver.tuning.as_mut().expect("a window that grows");
        tuning.first_memory = 540_000;
        p.segments.timestamp_tick = None;
    });
    let mut script = Script::new(parameters, "cubic");
    script.listen().call(|endpoint, _, _| endpoint.accept_fast_open());
    script.inject(syn().with_data(1000).mss(1460).scale(7).sack_permitted(true));
    script
        .expect(syn_ack().ack(1001).window(65_535))
        .read(1000)
        .supply(100)
        .expect(data(1..101).ack(1001).window(512));
}

/// tcp_syn_linear_timeouts: the side that opens waits a second each time at first, and only then twice as long. It gives up after the time
/// that its retransmissions take otherwise (tcp_write_timeout). The other side always waits twice as long.
#[test]
fn timeouts_of_a_syn_can_be_linear_at_first() {
    let parameters = |linear, most| {
        plain(|p| {
            p.connection.linear_syn_timeouts = linear;
            p.connection.most_syn_retransmissions = most;
            p.connection.most_syn_ack_retransmissions = most;
        })
    };
    for (linear, most, again, end) in
        [(2, 2, &[1000, 2000, 3000, 5000][..], 9000), (4, 1, &[1000, 2000], 3000)]
    {
        let mut opener = Script::new(parameters(linear, most), "newreno");
        opener.connect().expect(syn());
        for at in again {
            opener.at(*at).expect(syn());
        }
        opener.at(end).is_closed(seamline_tcp::CloseReason::TimedOut);
    }
    let mut other = Script::new(parameters(2, 2), "newreno");
    other.listen().inject(syn()).expect(syn_ack());
    for at in [1000, 3000] {
        other.at(at).expect(syn_ack());
    }
    other.at(7000).is(State::Listen);
    assert_eq!(linux(|_| {}).connection.linear_syn_timeouts, 4);
}

/// The timer of a SYN is in the kernel's wheel: a second from 0.1 s is over in a slot of 64 ms.
#[test]
fn the_timer_of_a_syn_has_the_resolution_of_the_kernels() {
    let mut script = Script::new(linux(|_| {}), "cubic");
    script.at(100).connect().skip_to(1151).expect_nothing().at(1152);
    assert!(!script.take().is_empty());
}

/// tcp_init_transfer: one retransmission of a SYN leaves the window as it is, two let it begin with one segment (RFC 5681 section 3.1:
/// one does), unless the answer echoes the first SYN (tcp_try_undo_spurious_syn).
#[test]
fn retransmissions_of_a_syn_can_be_forgiven() {
    assert_eq!(linux(|_| {}).window.forgiven_syn_retransmissions, 1);
    let segments = |forgiven, retransmissions: u64, echo| {
        let mut script = Script::new(
            plain(|p| {
                p.segments.timestamp_tick = Some(Duration::from_millis(1));
                p.segments.nagle = false;
                p.window.initial = 4.0;
                p.window.forgiven_syn_retransmissions = forgiven;
                p.recovery.spurious_detection =
                    seamline_tcp::recovery::SpuriousDetection::TimestampsAndDuplicates;
            }),
            "newreno",
        );
        script.connect().skip_to((1000 << retransmissions) - 900);
        script.take();
        script.inject(syn_ack().times(7, echo)).take();
        script.supply(20_000).take().len()
    };
    assert_eq!(segments(0, 0, 1), 4);
    assert_eq!(segments(0, 1, 1001), 1);
    assert_eq!(segments(1, 1, 1001), 4);
    assert_eq!(segments(1, 2, 3001), 1);
    assert_eq!(segments(1, 2, 1), 4);
}

/// tcp_check_req: the answer to a SYN that came again echoes the first one's timestamp; RFC 7323 section 4.3 has the latest.
#[test]
fn the_answer_to_a_repeated_syn_can_echo_the_first() {
    assert!(linux(|_| {}).connection.echoes_first_syn);
    for (first, echo) in [(true, 5), (false, 905)] {
        let parameters = plain(|p| {
            p.segments.timestamp_tick = Some(Duration::from_millis(1));
            p.connection.echoes_first_syn = first;
        });
        let mut script = Script::new(parameters, "newreno");
        script.listen().inject(syn().times(5, 0)).expect(syn_ack().times(1, 5));
        script.at(900).inject(syn().times(905, 0)).expect(syn_ack().times(901, echo));
    }
}

/// tcp_write_timeout: only a SYN that nothing has answered is sent again at a constant interval. Where both ends have opened, the
/// timeout doubles from the beginning.
#[test]
fn timeouts_double_where_both_ends_open() {
    let parameters = plain(|p| {
        p.connection.linear_syn_timeouts = 4;
        p.connection.most_syn_retransmissions = 2;
    });
    let mut script = Script::new(parameters, "newreno");
    script.connect().expect(syn()).at(10).inject(syn()).expect(syn_ack()).is(State::SynReceived);
    for at in [1000, 3000] {
        script.at(at).expect(syn_ack());
    }
    script.at(7000).is_closed(seamline_tcp::CloseReason::TimedOut);
}

/// tcp_check_req: a SYN that comes again restarts the timer of its answer; RFC 6298 section 5.1 lets it run.
#[test]
fn a_repeated_syn_can_restart_the_timer_of_its_answer() {
    assert!(linux(|_| {}).connection.repeated_syn_restarts_timer);
    for (restarts, again) in [(true, 1600), (false, 1000)] {
        let mut script =
            Script::new(plain(|p| p.connection.repeated_syn_restarts_timer = restarts), "newreno");
        script.listen().inject(syn()).expect(syn_ack());
        script.at(600).inject(syn()).expect(syn_ack()).at(again).expect(syn_ack());
    }
}

/// A connection that went back to LISTEN begins as if there had been none before: what was sent again then says nothing of this path.
#[test]
fn the_window_after_a_return_to_listen_is_whole() {
    let mut script = Script::new(plain(|p| p.window.initial = 4.0), "newreno");
    script.listen().inject(syn()).expect(syn_ack()).at(1000).expect(syn_ack());
    script.inject(rst(1)).is(State::Listen).at(1100).inject(syn()).take();
    // The next initial sequence number is that of its clock of 4 us.
    script.at(1200).inject(ack(250_002).seq(1)).is(State::Established);
    assert_eq!(script.supply(20_000).take().len(), 4);
}

/// tcp_init_metrics: without a round-trip time from the handshake, data waits three seconds, however short the timeouts of the SYN were.
#[test]
fn data_waits_three_seconds_after_a_handshake_without_a_sample() {
    let parameters = || {
        linux(|p| {
            p.segments = plain(|_| {}).segments;
            p.recovery.timer_tick = Duration::ZERO;
        })
    };
    for answer in [syn_ack(), syn_ack().sack_permitted(true)] {
        let mut script = Script::new(parameters(), "cubic");
        script.connect().skip_to(1000).take();
        script.at(1100).inject(answer).timeout_is(3000).take();
    }
}

/// tcp_init_transfer: after two lost SYNs the window begins with one segment. tcp_cwnd_restart asks for the initial window of the route: what
/// is left after a pause is ten segments, as in any connection, with SACK or without.
#[test]
fn lost_syns_say_nothing_about_the_window_after_a_pause() {
    for sack in [true, false] {
        let parameters = plain(|p| *p = linux(|l| l.segments = p.segments.clone()));
        let mut script = Script::new(parameters, "cubic");
        script.connect().expect(syn()).at(1024).expect(syn()).at(2048).expect(syn());
        script.at(2400).inject(syn_ack().sack_permitted(sack)).expect(ack(1));
        script.supply(60_000).window_is(1.0).expect(data(1..1001));
        for acknowledged in 1..=60 {
            script.at(2400 + 100 * acknowledged).inject(ack(acknowledged as u32 * 1000 + 1));
            script.take();
        }
        let window = script.endpoint.sample().congestion_window;
        assert!(window > 10.0, "{window}");
        script.at(60_000).supply(60_000).window_is(10.0);
        assert_eq!(script.take().len(), 10);
    }
}

/// reqsk_timer_handler: a listener repeats its answer tcp_synack_retries times, five, and a side that opens its SYN
/// tcp_syn_retries times, six. TCP_SYNCNT sets both.
#[test]
fn the_answer_to_a_syn_is_repeated_less_often_than_a_syn() {
    let parameters = || {
        plain(|p| {
            *p = linux(|l| l.segments = p.segments.clone());
            p.connection.linear_syn_timeouts = 0;
        })
    };
    for (most, of_syn, of_answer) in [(None, 6, 5), (Some(2), 2, 2)] {
        for (listens, expected) in [(false, of_syn), (true, of_answer)] {
            let mut script = Script::new(parameters(), "cubic");
            most.into_iter().for_each(|most| script.endpoint.set_most_syn_retransmissions(most));
            match listens {
                true => script.listen().inject(syn()),
                false => script.connect(),
            };
            script.take();
            match listens {
                true => script.skip_to(400_000).is(State::Listen),
                false => script.skip_to(400_000).is_closed(seamline_tcp::CloseReason::TimedOut),
            };
            let repeated = script.endpoint.statistics().sender.retransmissions;
            assert_eq!(repeated, expected, "{most:?}, listens: {listens}");
        }
    }
}
