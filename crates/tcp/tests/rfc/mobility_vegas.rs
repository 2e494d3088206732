//! Mobility-Vegas (mobility-vegas-2020, section 4.2): exact times and segments, at the sender and at the receiver, of either end's
//! handoff; and marks that are lost, late or false.

use crate::script::*;
use seamline_tcp::Parameters;
use seamline_tcp::handover::{GoOnWith, OnePerRoundTrip};
use seamline_wire::{Duration, Mark, Signal};

const WILL: Mark = Mark::WillHandover;

fn going_down(millis: u64) -> Signal {
    Signal::LinkGoingDown { within: Duration::from_millis(millis) }
}

/// A mark shortens no segment; a minimum timeout of one second; an acknowledgment for each segment.
fn parameters(change: impl FnOnce(&mut Parameters)) -> Parameters {
    plain(|p| {
        p.ns2().flat_headers = true;
        p.round_trip.minimum_timeout = Duration::from_secs(1);
        p.receiver.delayed_acknowledgment = None;
        change(p);
    })
}

/// A fixed sender whose ten segments left at 1000 ms over a path of 100 ms.
fn sender(change: impl FnOnce(&mut Parameters)) -> Script {
    let mut script = Script::moving(parameters(change), "vegas", "mobility-vegas");
    script.at(1000).supply(1_000_000).expect_run(1..10_001, 1000);
    script
}

/// The same, notified at 1100 ms by the first acknowledgment; the tenth has arrived, and nothing but that first one has let a
/// segment go.
fn notified(change: impl FnOnce(&mut Parameters)) -> Script {
    let mut script = sender(change);
    script.at(1100).inject(ack(1001).mark(WILL));
    let sent = script.take();
    assert!(sent.len() <= 2, "{sent:?}");
    let end = 10_001 + 1000 * sent.len() as u32;
    for next in (2001..end + 1).step_by(1000) {
        script.expect_nothing().inject(ack(next).mark(WILL));
    }
    script
}

/// The end of what has left, by the one segment that is to leave now.
fn one(script: &mut Script) -> u32 {
    let sent = script.take();
    let [segment] = sent.as_slice() else { panic!("{sent:?}") };
    assert_eq!(segment.length, 1000);
    segment.sequence + 1000
}

/// "The sender will halt the retransmission timer and send one packet per RTT": each when all before is acknowledged.
#[test]
fn a_notified_sender_sends_one_packet_per_round_trip() {
    let mut script = notified(|_| {});
    for round in 1..10 {
        let end = one(&mut script);
        script.at(1100 + round * 100).inject(ack(end).mark(WILL));
    }
    one(&mut script);
    assert_eq!(script.endpoint.sample().bytes_in_flight, 1000);
}

/// When the one packet is lost with the link, nothing more is sent, and no timer expires.
#[test]
fn a_notified_sender_waits_without_a_timer() {
    let mut script = notified(|_| {});
    one(&mut script);
    script.at(20_000).expect_nothing();
    assert_eq!(script.endpoint.statistics().sender.timeouts, 0);
}

/// "After that, the sender immediately resumes the communication": the window is what it was, and the lost packet is the
/// first to be sent again.
#[test]
fn the_binding_update_resumes_at_once() {
    let mut script = notified(|_| {});
    let lost = one(&mut script) - 1000;
    let window = script.endpoint.sample().congestion_window;
    script.at(4600).inject(ack(lost).mark(Mark::Handover));
    script.expect_run(lost..lost + window as u32 * 1000, 1000).expect_nothing().window_is(window);
    let statistics = script.endpoint.statistics().sender;
    assert_eq!((statistics.timeouts, statistics.window_cuts), (0, 0));
    script.at(5599).expect_nothing().at(5600).take();
    assert_eq!(
        script.endpoint.statistics().sender.timeouts,
        1,
        "the timer runs again from the resumption on"
    );
}

/// It may begin with two segments instead, as Vegas after a timeout, and slow start up to the window there was.
#[test]
fn a_resumption_may_begin_slowly() {
    let mut script = notified(|p| p.handover.mobility_vegas.resume_with = GoOnWith::SlowStart);
    let lost = one(&mut script) - 1000;
    let window = script.endpoint.sample().congestion_window;
    assert!(window > 5.0, "{window}");
    script.at(4600).inject(ack(lost).mark(Mark::Handover));
    script.expect_run(lost..lost + 2000, 1000).expect_nothing().window_is(2.0).threshold_is(window);
}

/// It may also spread the window over one round trip: the lost packet first, then a segment for each share of it.
#[test]
fn a_resumption_may_be_paced() {
    let mut script = notified(|p| p.handover.mobility_vegas.resume_with = GoOnWith::PacedWindow);
    let lost = one(&mut script) - 1000;
    let window = script.endpoint.sample().congestion_window;
    script.at(4600).inject(ack(lost).mark(Mark::Handover));
    script.expect_run(lost..lost + 1000, 1000).expect_nothing();
    let mut sent = 1;
    for millis in 1..100 {
        script.at(4600 + millis);
        let now = script.take().len();
        assert!(now <= 1, "{now} at once");
        sent += now;
    }
    assert!((window - 1.5..=window + 0.5).contains(&(sent as f64)), "{sent} of {window}");
}

/// What was outstanding may also be left to loss recovery: then what leaves is new.
#[test]
fn a_resumption_may_leave_losses_to_recovery() {
    let mut script = notified(|p| p.handover.mobility_vegas.goes_back = false);
    let end = one(&mut script);
    script.at(4600).inject(ack(end - 1000).mark(Mark::Handover));
    let sent = script.take();
    assert_eq!(sent.first().map(|segment| segment.sequence), Some(end));
    assert!(sent.len() > 4, "{sent:?}");
}

/// The packets may also be timed by SRTT, which is 100 ms here; then they go on leaving.
#[test]
fn packets_may_be_timed() {
    let mut script = sender(|p| p.handover.mobility_vegas.one_per_round_trip = OnePerRoundTrip::Timer);
    script.at(1100).inject(ack(1001).mark(WILL)).take();
    script.inject(ack(10_001).mark(WILL)).expect_nothing();
    for packet in 1..8 {
        script.at(1100 + packet * 100);
        one(&mut script);
    }
    script.at(1850).inject(ack(11_001).mark(Mark::Handover)).take();
}

/// A sender that has not been notified resumes all the same; what a timeout has cut stays cut, as the paper says nothing of it.
#[test]
fn an_unannounced_handoff_resumes_too() {
    let mut script = sender(|_| {});
    script.at(2000).expect_run(1..2001, 1000).window_is(2.0);
    script.at(2500).inject(ack(1).mark(Mark::Handover)).expect_run(1..2001, 1000).window_is(2.0);
    assert_eq!(script.endpoint.sample().backoff, 1);
}

/// When the notice of the end is lost for good, the sender goes on by itself after the longest disconnection.
#[test]
fn a_notified_sender_goes_on_by_itself() {
    let mut script = notified(|p| p.handover.mobility_vegas.longest_disconnection = Duration::from_secs(10));
    one(&mut script);
    script.at(11_099).expect_nothing().at(11_100);
    let sent = script.take();
    assert!(sent.len() > 5 && sent.iter().all(|segment| segment.sequence > 10_000), "{sent:?}");
}

/// A false alarm that the mover takes back: nothing was lost, nothing is sent again.
#[test]
fn a_handoff_that_is_cancelled_loses_nothing() {
    let mut script = notified(|_| {});
    let end = one(&mut script);
    script.at(1300).inject(ack(end).mark(Mark::HandoverCancelled));
    assert!(script.take().len() > 5);
    assert_eq!(script.endpoint.statistics().sender.retransmissions, 0);
}

/// So does a first acknowledgment without mark, should that be lost: every segment of a mover carries one.
#[test]
fn an_unmarked_acknowledgment_ends_what_a_mark_began() {
    let mut script = notified(|_| {});
    let end = one(&mut script);
    script.at(1300).inject(ack(end));
    assert!(script.take().len() > 5);
    assert_eq!(script.endpoint.statistics().sender.retransmissions, 0);
}

fn receiver(change: impl FnOnce(&mut Parameters)) -> Script {
    let mut script = Script::moving(parameters(change), "vegas", "mobility-vegas");
    script.read_at_once().at(1000).inject(data(1..1001)).expect(ack(1001));
    script
}

/// "After receiving L2 pre-trigger signal the receiver will mark the IWH flag of ACKs"; and from its new place, when it is
/// registered, it says so.
#[test]
fn a_moving_receiver_marks_its_acknowledgments() {
    let mut script = receiver(|_| {});
    script.at(1100).signal(going_down(200)).expect_nothing();
    script.at(1150).inject(data(1001..2001)).expect(ack(2001).mark(WILL));
    script.at(1300).signal(Signal::LinkDown).at(4500).signal(Signal::MovementDetected).expect_nothing();
    script.at(4600).signal(Signal::Registered).expect(ack(2001).mark(Mark::Handover)).expect_nothing();
    script.at(4700).inject(data(2001..3001)).expect(ack(3001)).at(60_000).expect_nothing();
}

/// It may say so at once, too.
#[test]
fn a_moving_receiver_may_announce_at_once() {
    let mut script = receiver(|p| p.handover.mobility_vegas.announce_at_once = true);
    script.at(1100).signal(going_down(200)).expect(ack(1001).mark(WILL)).expect_nothing();
}

/// While nothing arrives from the peer, the notice may have been lost: three in all, after one second and then two.
#[test]
fn the_notice_is_repeated_until_data_arrives() {
    let notice = || ack(1001).mark(Mark::Handover);
    let mut script = receiver(|_| {});
    script.at(1100).signal(Signal::LinkDown).signal(Signal::Registered).expect(notice());
    script.at(2100).expect(notice()).at(4100).expect(notice()).at(60_000).expect_nothing();
    let mut script = receiver(|_| {});
    script.at(1100).signal(Signal::LinkDown).signal(Signal::Registered).expect(notice());
    script.at(2100).expect(notice());
    script.at(2200).inject(data(1001..2001)).expect(ack(2001)).at(60_000).expect_nothing();
}

/// A pre-trigger that nothing follows is taken back after its time and some timeout, and marks end.
#[test]
fn a_moving_receiver_outlives_a_false_alarm() {
    let mut script = receiver(|_| {});
    script.at(1100).signal(going_down(200)).expect_nothing();
    script.at(2299).expect_nothing().at(2300).expect(ack(1001).mark(Mark::HandoverCancelled));
    script.inject(data(1001..2001)).expect(ack(2001)).at(60_000).expect_nothing();
}

/// "The sender will mark the IWH flag of data packets" and "halts the retransmission timer" (step 4); "after handoffs, the
/// sender immediately transmits data packets".
#[test]
fn a_moving_sender_halts_its_timer_and_resumes_at_once() {
    let mut script = sender(|_| {});
    script.at(1050).signal(going_down(200)).expect_nothing();
    script.at(1100).inject(ack(1001));
    let sent = script.take();
    assert!(!sent.is_empty() && sent.iter().all(|segment| segment.mark == Some(WILL)), "{sent:?}");
    let window = script.endpoint.sample().congestion_window;
    script.at(1250).signal(Signal::LinkDown).at(4500).signal(Signal::MovementDetected).expect_nothing();
    script.at(4600).signal(Signal::Registered).expect(data(1001..2001).mark(Mark::Handover));
    script.expect_run(2001..1001 + window as u32 * 1000, 1000).expect_nothing().window_is(window);
    let statistics = script.endpoint.statistics().sender;
    assert_eq!((statistics.timeouts, statistics.window_cuts), (0, 0));
    script.at(5599).expect_nothing().at(5600).take();
}

/// A sender that hears nothing of the link any more goes on after the longest disconnection.
#[test]
fn a_moving_sender_outlives_lost_news() {
    let mut script = sender(|p| p.handover.mobility_vegas.longest_disconnection = Duration::from_secs(10));
    script.at(1050).signal(Signal::LinkDown).at(11_049).expect_nothing().at(11_050);
    assert_eq!(script.take().len(), 10);
}

/// "While the receiver receives these packets, it will buffer the ACKs"; when data arrives after the handoff, "the receiver
/// sends the buffered and new ACKs": one for each.
#[test]
fn a_fixed_receiver_holds_its_acknowledgments() {
    let mut script = receiver(|_| {});
    script.at(1100).inject(data(1001..2001).mark(WILL)).inject(data(2001..3001).mark(WILL)).expect_nothing();
    script.at(4600).inject(data(3001..4001).mark(Mark::Handover));
    script.expect(ack(2001)).expect(ack(3001)).expect(ack(4001)).expect_nothing();
    script.at(4700).inject(data(4001..5001)).expect(ack(5001));
}

/// Data without a mark releases them as well: the first segment from the new place may be lost.
#[test]
fn unmarked_data_releases_acknowledgments() {
    let mut script = receiver(|_| {});
    script.at(1100).inject(data(1001..2001).mark(WILL)).expect_nothing();
    script.at(4600).inject(data(1001..2001)).expect(ack(2001)).expect(ack(2001)).expect_nothing();
}

/// And so does time.
#[test]
fn acknowledgments_are_not_held_for_ever() {
    let mut script = receiver(|p| p.handover.mobility_vegas.longest_disconnection = Duration::from_secs(10));
    script.at(1100).inject(data(1001..2001).mark(WILL)).expect_nothing();
    script.at(11_099).expect_nothing().at(11_100).expect(ack(2001)).expect(ack(2001)).expect_nothing();
}

/// The old link lasts until the node is registered by the new one (RFC 3753, section 3.1: make-before-break): nothing is lost
/// and nothing is sent again, at neither end, but an announced handoff is over.
#[test]
fn a_handoff_with_two_links_loses_nothing() {
    const MADE: Mark = Mark::MadeBeforeBreak { bandwidth_delay_product: None };
    for arrival in [Signal::Registered, Signal::LinkHandoverComplete] {
        let mut mover = receiver(|_| {});
        mover.at(1100).signal(going_down(200)).expect_nothing();
        mover
            .at(1200)
            .signal(arrival)
            .expect(ack(1001).mark(MADE))
            .inject(data(1001..2001))
            .expect(ack(2001));
        mover.at(60_000).expect_nothing();
        let mut sender = sender(|_| {});
        sender.at(1050).signal(going_down(200)).at(1100).inject(ack(1001)).take();
        sender.at(1200).signal(arrival);
        assert!(sender.take().iter().all(|segment| segment.length == 0 && segment.mark == Some(MADE)));
        assert_eq!(sender.endpoint.statistics().sender.retransmissions, 0);
        sender.at(2199).expect_nothing().at(2200).expect(data(1001..2001)).take();
        assert_eq!(sender.endpoint.statistics().sender.timeouts, 1, "its timer runs again");
    }
    let mut peer = notified(|_| {});
    let end = one(&mut peer);
    peer.at(1300).inject(ack(end).mark(MADE));
    assert!(peer.take().len() > 5);
    assert_eq!(peer.endpoint.statistics().sender.retransmissions, 0);
}
