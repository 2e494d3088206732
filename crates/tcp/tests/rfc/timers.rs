//! The retransmission timer (RFC 6298).

use crate::script::*;
use seamline_tcp::backoff;
use seamline_wire::Duration;

/// RFC 6298 sections 2.2 and 2.3, worked by hand: samples of 2 s and 1.6 s.
#[test]
fn timeout_follows_the_samples() {
    let parameters = plain(|p| p.round_trip.initial_timeout = Duration::from_secs(10));
    let mut script = Script::new(parameters, "newreno");
    script.connect().expect(syn()).at(2000).inject(syn_ack()).expect(ack(1)).timeout_is(6000);
    script.supply(1000).expect(data(1..1001)).at(3600).inject(ack(1001)).timeout_is(5350);
}

/// RFC 6298 section 2.4: not below one second.
#[test]
fn timeout_has_a_minimum() {
    let mut script = Script::established(plain(|_| {}), "newreno");
    script.timeout_is(1000).at(1000).supply(1000).expect(data(1..1001)).at(2000).expect(data(1..1001));
}

/// RFC 6298 sections 5.4 to 5.6 and 2.5: the earliest segment, doubling up to the bound of 60 s.
#[test]
fn timeout_doubles_up_to_its_bound() {
    let mut script = Script::established(plain(|_| {}), "newreno");
    script.at(1000).supply(3000).expect_run(1..3001, 1000);
    for at in [2, 4, 8, 16, 32, 64, 124, 184, 244] {
        script.at(at * 1000).expect(data(1..1001));
    }
}

/// RFC 6298 section 5.1 and 5.2: the timer starts with the first segment, is not restarted by the next,
/// and stops when everything is acknowledged.
#[test]
fn timer_runs_while_data_is_outstanding() {
    let mut script = Script::established(plain(|p| p.segments.nagle = false), "newreno");
    script.at(1000).supply(1000).expect(data(1..1001)).at(1500).supply(1000).expect(data(1001..2001));
    script.at(2000).expect(data(1..1001)).at(2100).inject(ack(2001));
    assert_eq!(script.endpoint.wake_at(), None);
}

/// RFC 6298 section 5.3: an acknowledgment of new data restarts the timer; a duplicate does not.
#[test]
fn new_acknowledgments_restart_the_timer() {
    let mut script = Script::established(plain(|_| {}), "newreno");
    script.at(1000).supply(3000).expect_run(1..3001, 1000);
    script.at(1600).inject(ack(1001)).at(2000).inject(ack(1001));
    script.at(2600).expect(data(1001..2001));
}

/// RFC 6298 section 3 (Karn): what was sent twice gives no sample, and the back-off stays until something
/// sent once is acknowledged.
#[test]
fn karns_algorithm() {
    let mut script = Script::established(plain(|_| {}), "newreno");
    script.at(1000).supply(1000).expect(data(1..1001)).at(2000).expect(data(1..1001));
    script.at(2050).inject(ack(1001)).timeout_is(2000);
    assert_eq!(script.endpoint.round_trip().latest, Duration::from_millis(100), "the sample of the SYN");
    script.at(3000).supply(1000).expect(data(1001..2001)).at(5000).expect(data(1001..2001)).timeout_is(4000);
    script.at(5050).inject(ack(2001)).timeout_is(4000);
    script.at(6000).supply(1000).expect(data(2001..3001)).at(6080).inject(ack(3001)).timeout_is(1000);
    assert_eq!(script.endpoint.round_trip().latest, Duration::from_millis(80));
}

/// RFC 6298 section 5.7: when the SYN timed out and gave no sample, data begins with three seconds.
#[test]
fn three_seconds_after_a_lost_syn() {
    let mut script = Script::new(plain(|_| {}), "newreno");
    script.connect().expect(syn()).at(1000).expect(syn()).at(1100).inject(syn_ack()).expect(ack(1));
    script.at(2000).supply(1000).expect(data(1..1001)).at(5000).expect(data(1..1001));
}

/// RFC 7323 section 4.1: with timestamps a retransmission gives a sample too.
#[test]
fn timestamps_resolve_the_ambiguity() {
    let parameters = plain(|p| p.segments.timestamp_tick = Some(Duration::from_millis(1)));
    let mut script = Script::new(parameters, "newreno");
    script.connect().expect(syn()).at(1000).expect(syn().times(1001, 0));
    script.at(1100).inject(syn_ack().times(5000, 1001)).expect(ack(1)).timeout_is(1000);
    assert_eq!(script.endpoint.round_trip().latest, Duration::from_millis(100));
    script.at(2000).supply(988).expect(data(1..989)).at(3000).expect(data(1..989).times(3001, 5000));
    script.at(3070).inject(ack(989).times(5100, 3001)).timeout_is(1000);
    assert_eq!(script.endpoint.round_trip().latest, Duration::from_millis(70));
}

/// RFC 7323 section 4.1: a sender that goes by timestamps takes the age of the echo, and not the time since it sent a segment. An echo that is
/// later than that segment shortens the sample. By default the segment is timed.
#[test]
fn a_sender_can_go_by_timestamps_alone() {
    for (by_timestamps, expected) in [(false, 70), (true, 30)] {
        let parameters = plain(|p| {
            p.segments.timestamp_tick = Some(Duration::from_millis(1));
            p.round_trip.by_timestamps = by_timestamps;
        });
        let mut script = Script::new(parameters, "newreno");
        script.connect().expect(syn()).at(100).inject(syn_ack().times(5000, 1)).expect(ack(1));
        script.at(2000).supply(988).expect(data(1..989).times(2001, 5000));
        script.at(2070).inject(ack(989).times(5100, 2041));
        assert_eq!(script.endpoint.round_trip().latest, Duration::from_millis(expected));
    }
}

/// RFC 7323 section 4.1 with section 7: an echo that we never sent is no sample.
#[test]
fn echoes_from_the_future_are_no_samples() {
    let parameters = plain(|p| p.segments.timestamp_tick = Some(Duration::from_millis(1)));
    let mut script = Script::new(parameters, "newreno");
    script.connect().expect(syn()).at(100).inject(syn_ack().times(5000, 1)).expect(ack(1));
    script.at(200).supply(988).expect(data(1..989)).at(1200).expect(data(1..989));
    script.at(1250).inject(ack(989).times(5100, 900_000)).timeout_is(2000);
    assert_eq!(script.endpoint.round_trip().latest, Duration::from_millis(100));
}

/// FxRTO (Mohamed, Fisal and Mohd 2002): the timeout is not doubled; fixed-RTO (Dyer and Boppana 2001): only by the first of several
/// timeouts in a row. An acknowledgment of what was sent once begins a new row.
#[test]
fn back_off_may_be_left_out() {
    // With `rack` the timeout begins at the tail loss probe, and the round trip adds to the minimum.
    for (recovery, start, timeout) in [("sack", 1000, 1000), ("rack", 1202, 1100)] {
        for (name, seconds) in [("fixed", [1, 2, 3, 4]), ("fixed-after-first", [1, 3, 5, 7])] {
            let parameters = plain(|p| {
                p.round_trip.most_doublings = backoff::find(name).unwrap().most_doublings;
                p.recovery.sack_algorithm = recovery;
                p.segments.nagle = false;
            });
            let mut script = Script::connected(parameters, "sack", syn_ack().sack_permitted(true));
            script.at(1000).supply(10_000).expect_run(1..10_001, 1000);
            script.skip_to(start);
            for after in seconds {
                script.at(start + after * timeout).expect(data(1..1001));
            }
            script.timeout_is(if name == "fixed" { timeout } else { 2 * timeout });
            script.after(50).inject(ack(10_001)).supply(1000).expect(data(10_001..11_001));
            script.after(100).inject(ack(11_001)).timeout_is(timeout);
        }
    }
}

/// Probes of a closed window back off under each rule (RFC 9293 section 3.8.6.1).
#[test]
fn window_probes_back_off_without_back_off() {
    let mut script = Script::established(plain(|p| p.round_trip.most_doublings = 0), "newreno");
    script.at(1000).inject(ack(1).window(0)).supply(1000);
    for at in [2, 4, 8, 16] {
        script.at(at * 1000).expect(data(1..2));
    }
}
