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
