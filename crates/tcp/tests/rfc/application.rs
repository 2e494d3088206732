//! What an application asks of a connection: writes into a send buffer, corks, records, data with the SYN, and what it is shown.

use crate::script::*;
use seamline_tcp::parameters::{DataWithSyn, Parameters, SendBuffer};
use seamline_tcp::{CloseReason, State, Write, variant};
use seamline_wire::Duration;

const MORE: Write = Write { more: true, ends_record: false };
const RECORD: Write = Write { more: false, ends_record: true };

/// The recovery `rack` with a send buffer and bursts of a segment at least.
fn buffered(change: impl FnOnce(&mut Parameters)) -> Parameters {
    plain(|p| {
        p.recovery.sack_algorithm = "rack";
        p.window.whole_segments = true;
        p.segments.least_burst = Some(1);
        p.segments.send_buffer = Some(SendBuffer { first: 16 << 10, most: 1 << 20 });
        change(p);
    })
}
fn open() -> Script {
    Script::connected(buffered(|_| {}), "sack", syn_ack().sack_permitted(true))
}

/// A write takes what there is room for; the application learns when it may go on.
#[test]
fn a_write_takes_what_fits() {
    let mut script = open();
    script.call(|endpoint, _, _| endpoint.set_send_buffer(20_000));
    let taken = script.write(100_000, Write::default());
    assert!((20_000..100_000).contains(&taken), "{taken}");
    assert_eq!(script.endpoint.buffered(), taken);
    assert!(script.endpoint.waits_for_room() && !script.endpoint.readiness().writable);
    script.expect_run(1..10_001, 1000).expect_nothing();
    assert_eq!(script.endpoint.information(script.now()).unsent, taken - 10_000);
    let edges = script.endpoint.edges();
    script.at(200).inject(ack(10_001)).take();
    script.at(300).inject(ack(30_001)).take();
    assert!(script.endpoint.waits_for_room());
    script.at(400).inject(ack(40_001)).take();
    assert!(!script.endpoint.waits_for_room());
    assert!(script.endpoint.edges() > edges);
    assert!(script.endpoint.readiness().writable);
}

/// An endpoint without a send buffer takes everything.
#[test]
fn without_a_buffer_everything_is_taken() {
    let mut script = Script::established(plain(|_| {}), "newreno");
    assert_eq!(script.write(100_000, Write::default()), 100_000);
    script.expect_run(1..10_001, 1000);
    assert!(script.endpoint.readiness().writable);
}

/// TCP_NOTSENT_LOWAT: what is taken in beyond what is sent is limited, to the end of the piece that is being filled.
#[test]
fn what_waits_to_be_sent_can_be_limited() {
    let mut script = open();
    script.call(|endpoint, _, _| endpoint.set_most_unsent(2000));
    let taken = script.write(60_000, Write::default());
    script.expect_run(1..10_001, 1000);
    assert!((12_000..60_000).contains(&taken), "{taken}");
}

/// Part of a segment waits while the connection is corked, but not for ever: the timer of window probes sends it.
#[test]
fn a_cork_holds_parts_back() {
    let mut script = open();
    script.cork(true);
    script.write(300, Write::default());
    script.expect_nothing().write(1000, Write::default());
    script.expect(data(1..1001)).expect_nothing();
    script.cork(false).expect(data(1001..1301).with_push());
}

/// MSG_MORE does the same for one write, whatever Nagle's algorithm is set to.
#[test]
fn more_holds_a_part_back() {
    let mut script = open();
    script.call(|endpoint, now, out| endpoint.set_nagle(now, false, out));
    script.write(300, MORE);
    script.expect_nothing().write(200, Write::default());
    script.expect(data(1..501).with_push());
}

/// Nagle's algorithm holds a second small segment until it is switched off (RFC 9293 section 3.7.4).
#[test]
fn without_nagle_what_it_held_leaves() {
    let mut script = open();
    script.write(300, Write::default());
    script.expect(data(1..301).with_push()).write(300, Write::default());
    script.expect_nothing();
    script.call(|endpoint, now, out| endpoint.set_nagle(now, false, out));
    script.expect(data(301..601).with_push());
}

/// What follows a record goes into segments of its own.
#[test]
fn a_record_ends_a_segment() {
    let mut script = open();
    script.call(|endpoint, now, out| endpoint.set_nagle(now, false, out));
    script.cork(true).write(300, RECORD);
    script.write(300, RECORD);
    script.write(300, Write::default());
    script.cork(false).expect(data(1..301).with_push()).expect(data(301..601).with_push());
    script.expect(data(601..901).with_push());
}

/// Time is counted as busy, and as limited by the peer while its window is full.
#[test]
fn what_limits_a_sender_is_counted() {
    let mut script = Script::connected(buffered(|_| {}), "sack", syn_ack().sack_permitted(true).window(0));
    script.write(1000, Write::default());
    script.expect_nothing().at(200).inject(ack(1).window(2000)).expect(data(1..1001).with_push());
    script.at(300).inject(ack(1001).window(2000));
    let known = script.endpoint.information(script.now());
    assert_eq!((known.limited_by_peer, known.busy), (Duration::from_millis(100), Duration::from_millis(200)));
    assert_eq!(known.limited_by_send_buffer, Duration::ZERO);
}

/// Options of a live connection: the user timeout, keep-alive probes and congestion control.
#[test]
fn options_change_on_a_live_connection() {
    let mut script = open();
    let cubic = variant::find("cubic", &buffered(|_| {})).expect("a variant");
    script.call(|endpoint, _, _| endpoint.set_congestion_control(&cubic));
    script.call(|endpoint, _, _| endpoint.set_user_timeout(Some(Duration::from_millis(500))));
    script.supply(1000).expect(data(1..1001).with_push());
    script.take_until(10_000);
    script.is_closed(CloseReason::TimedOut);
}

/// RFC 7413 section 4.1: data goes with the SYN; what the peer does not acknowledge follows.
#[test]
fn data_goes_with_a_syn() {
    let mut script = Script::new(plain(|_| {}), "newreno");
    script.call(|endpoint, now, out| endpoint.open_fast(now, 500, out));
    script.expect(syn().with_data(500)).at(100).inject(syn_ack().ack(201));
    script.expect(data(201..501).with_push()).is(State::Established);
    assert!(!script.endpoint.information(script.now()).agreement.data_with_syn);
    let mut whole = Script::new(plain(|_| {}), "newreno");
    whole.call(|endpoint, now, out| endpoint.open_fast(now, 500, out));
    whole.expect(syn().with_data(500)).at(100).inject(syn_ack().ack(501)).expect(ack(1).seq(501));
    assert_eq!(whole.endpoint.statistics().bytes_acknowledged, 500);
    assert!(whole.endpoint.information(whole.now()).agreement.data_with_syn);
    let mut beyond = Script::new(plain(|_| {}), "newreno");
    beyond.call(|endpoint, now, out| endpoint.open_fast(now, 500, out));
    beyond.expect(syn().with_data(500)).inject(syn_ack().ack(502)).expect(rst(502)).is(State::SynSent);
}

/// RFC 7413 section 4.1.3.1: a SYN that is sent again carries nothing.
#[test]
fn a_repeated_syn_carries_no_data() {
    let mut script = Script::new(plain(|_| {}), "newreno");
    script.call(|endpoint, now, out| endpoint.open_fast(now, 500, out));
    script.expect(syn().with_data(500)).at(1000).expect(syn());
    script.at(1100).inject(syn_ack()).expect(data(1..501).with_push());
}

/// RFC 7413 section 4.2: accepted data is for the application at once, which answers before the handshake is over. Until it is, nothing
/// but the SYN is sent again.
#[test]
fn a_listener_answers_data_with_a_syn_at_once() {
    let parameters = plain(|p| {
        p.connection.data_with_syn = DataWithSyn::Dropped;
        p.segments.nagle = false;
    });
    let mut script = Script::new(parameters, "newreno");
    script.listen().call(|endpoint, _, _| endpoint.accept_fast_open());
    script.inject(syn().with_data(300)).expect(syn_ack().ack(301)).is(State::SynReceived).delivered(300);
    assert!(script.endpoint.is_open_early());
    script.write(200, Write::default());
    script.expect(data(1..201).ack(301).with_push()).at(1000).expect(syn_ack().ack(301));
    script.at(1100).inject(ack(201).seq(301)).is(State::Established).at(5000).expect_nothing();
}
