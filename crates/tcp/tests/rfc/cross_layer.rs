//! The cross-layer adaptations of paper cross-layer-handover, section V, and the original ECLAIR, which restores the window: exact times,
//! segments and windows, at the sender and at the receiver; and marks that are lost or false. The links are the paper's:
//! a satellite of 1 Mbit/s and 550 ms, 68 750 bytes; a wireless LAN of 11 Mbit/s and 25 ms, 34 375 bytes.

use crate::script::*;
use seamline_tcp::Parameters;
use seamline_tcp::handover::{CrossLayerParameters, WithoutProduct};
use seamline_wire::{Duration, Mark, Rate, Signal};
use std::num::NonZeroU32;

const WILL: Mark = Mark::WillHandover;

fn new_link(bytes: u32) -> Mark {
    Mark::NewLink { bandwidth_delay_product: NonZeroU32::new(bytes) }
}
fn up(megabits: u64, millis: u64) -> Signal {
    Signal::LinkUp {
        rate: Some(Rate::from_megabits_per_second(megabits)),
        round_trip_time: Some(Duration::from_millis(millis)),
    }
}
fn going_down(millis: u64) -> Signal {
    Signal::LinkGoingDown { within: Duration::from_millis(millis) }
}

/// A sender whose ten segments left at 1000 ms over a path of 100 ms; a minimum timeout of 200 ms, and one of 300 ms by
/// the first sample; one second before any.
fn sender(scheme: &str, change: impl FnOnce(&mut Parameters)) -> Script {
    let parameters = plain(|p| {
        p.ns2().flat_headers = true;
        p.round_trip.minimum_timeout = Duration::from_millis(200);
        change(p);
    });
    let mut script = Script::moving(parameters, "newreno", scheme);
    script.at(1000).supply(1_000_000).expect_run(1..10_001, 1000);
    script
}
fn only(change: impl FnOnce(&mut CrossLayerParameters)) -> CrossLayerParameters {
    let mut parameters =
        CrossLayerParameters { freeze: false, reset_round_trip: false, restart: false, ..Default::default() };
    change(&mut parameters);
    parameters
}

/// Section V.A: notified of the change the sender is frozen: nothing leaves, acknowledgments or not, and no timer expires.
#[test]
fn a_notified_sender_is_frozen() {
    let mut script = sender("cross-layer", |_| {});
    script.at(1100).inject(ack(1).mark(WILL)).inject(ack(4001).mark(WILL)).expect_nothing();
    script.at(20_000).expect_nothing();
    assert_eq!(script.endpoint.statistics().sender.timeouts, 0);
}

/// Sections V.B and V.C: over the new link one segment leaves, the first unacknowledged; the threshold is the product in
/// segments, and the timeout that of a connection without samples.
#[test]
fn a_new_link_begins_again_with_one_segment() {
    let mut script = sender("cross-layer", |_| {});
    script.timeout_is(300);
    script.at(1100).inject(ack(4001).mark(WILL)).expect_nothing();
    script.at(3600).inject(ack(4001).mark(new_link(68_750))).expect(data(4001..5001)).expect_nothing();
    script.window_is(1.0).threshold_is(68.75).timeout_is(1000);
    assert_eq!(script.endpoint.sample().smoothed_round_trip_time, Duration::ZERO);
    script.at(4599).expect_nothing().at(4600).expect(data(4001..5001));
}

/// Section V.C: slow start runs up to the product and no further: eight segments here, so after 1, 2, 4 and 8 segments the
/// window grows by one a round.
#[test]
fn slow_start_ends_at_the_product() {
    let mut script = sender("cross-layer", |_| {});
    script.at(1100).inject(ack(10_001).mark(WILL)).expect_nothing();
    script.at(2000).inject(ack(10_001).mark(new_link(8000))).expect(data(10_001..11_001));
    let (mut acknowledged, mut sent) = (10_001, 11_001);
    for window in [2.0, 4.0, 8.0, 9.0, 10.0] {
        script.after(100);
        for next in (acknowledged + 1000..=sent).step_by(1000) {
            script.inject(ack(next));
        }
        acknowledged = sent;
        sent += 1000 * script.take().len() as u32;
        let seen = script.endpoint.sample().congestion_window;
        assert!((seen - window).abs() < 0.2, "{seen} instead of {window}");
    }
}

/// A link that does not tell what it holds: the threshold is arbitrarily high, or as it was.
#[test]
fn an_unknown_product_is_a_choice() {
    let mut script = sender("cross-layer", |_| {});
    script.at(1100).inject(ack(1).mark(new_link(0))).expect(data(1..1001)).threshold_is_unlimited();
    let mut script = sender("cross-layer", |p| {
        p.window.initial_threshold = 50.0;
        p.handover.cross_layer.without_product = WithoutProduct::AsItWas;
    });
    script.at(1100).inject(ack(1).mark(new_link(0))).expect(data(1..1001)).threshold_is(50.0);
}

/// Each adaptation works alone: the reset.
#[test]
fn the_reset_alone_leaves_window_and_data() {
    let mut script =
        sender("cross-layer", |p| p.handover.cross_layer = only(|it| it.reset_round_trip = true));
    script.at(1100).inject(ack(1).mark(new_link(8000))).expect_nothing().window_is(10.0).timeout_is(1000);
}

/// The freeze: what was in flight is sent again, in the window there was, with the timeout there was.
#[test]
fn the_freeze_alone_sends_again_what_was_lost() {
    let mut script = sender("cross-layer", |p| p.handover.cross_layer = only(|it| it.freeze = true));
    script.at(1100).inject(ack(1).mark(WILL)).at(3600).expect_nothing();
    script.inject(ack(1).mark(new_link(8000))).expect_run(1..10_001, 1000).expect_nothing();
    script.window_is(10.0).timeout_is(300);
}

/// The restart.
#[test]
fn the_restart_alone_does_not_freeze() {
    let mut script = sender("cross-layer", |p| p.handover.cross_layer = only(|it| it.restart = true));
    script.at(1100).inject(ack(1).mark(WILL)).expect_nothing().inject(ack(1001).mark(WILL));
    assert_eq!(script.take().len(), 2);
    script.at(1150).inject(ack(1001).mark(new_link(8000))).expect(data(1001..2001)).expect_nothing();
    script.window_is(1.0).threshold_is(8.0);
}

/// Two optimizers that ask for different windows: the smaller window, and the smaller threshold.
#[test]
fn of_two_wishes_the_more_cautious_counts() {
    for (product, threshold) in [(8000, 8.0), (68_750, 50.0)] {
        let mut script = sender("cross-layer", |p| {
            p.window.initial_threshold = 50.0;
            p.handover.cross_layer.restore = true;
        });
        script.at(1100).inject(ack(1).mark(WILL)).at(3600).inject(ack(1).mark(new_link(product)));
        script.expect(data(1..1001)).expect_nothing().window_is(1.0).threshold_is(threshold);
    }
}

/// The original ECLAIR restores window and threshold, whatever the new link holds.
#[test]
fn eclair_restores_the_window() {
    let mut script = sender("eclair-restore", |p| p.window.initial_threshold = 50.0);
    script.at(1100).inject(ack(1).mark(WILL)).at(3600).expect_nothing();
    script.inject(ack(1).mark(new_link(8000))).expect_run(1..10_001, 1000).expect_nothing();
    script.window_is(10.0).threshold_is(50.0);
}

/// So it does when no signal has reported the change, and timeouts have cut.
#[test]
fn eclair_takes_back_what_timeouts_cut() {
    let mut script = sender("eclair-restore", |p| p.window.initial_threshold = 50.0);
    script.at(1300).expect(data(1..1001)).window_is(1.0).at(1900).expect(data(1..1001));
    script.at(2000).inject(ack(1).mark(new_link(0))).expect_run(1..10_001, 1000).expect_nothing();
    script.window_is(10.0).threshold_is(50.0);
}

/// A sender that moves itself needs no marks: its layers tell. From a wireless LAN to a satellite.
#[test]
fn a_moving_sender_hears_its_own_layers() {
    let mut script = sender("cross-layer", |_| {});
    script.at(1050).signal(Signal::LinkDown).at(3550).expect_nothing().signal(up(1, 550));
    script.expect(ack(1).seq(10_001).mark(new_link(68_750))).expect(data(1..1001)).expect_nothing();
    script.window_is(1.0).threshold_is(68.75).timeout_is(1000);
    assert_eq!(script.endpoint.statistics().sender.timeouts, 0);
    script.inject(ack(1001)).take();
}

fn receiver() -> Script {
    let parameters = plain(|p| p.receiver.delayed_acknowledgment = None);
    let mut script = Script::moving(parameters, "newreno", "cross-layer");
    script.read_at_once().at(1000).inject(data(1..1001)).expect(ack(1001));
    script
}

/// A receiver that moves says so as soon as it knows, in all it sends; then what its new link holds.
#[test]
fn a_moving_receiver_tells_the_sender() {
    let mut script = receiver();
    script.at(1100).signal(going_down(200)).expect(ack(1001).mark(WILL));
    script.at(1150).inject(data(1001..2001)).expect(ack(2001).mark(WILL));
    script
        .at(1300)
        .signal(Signal::LinkDown)
        .at(3800)
        .signal(up(11, 25))
        .expect(ack(2001).mark(new_link(34_375)));
    script.at(4000).inject(data(2001..3001)).expect(ack(3001)).at(60_000).expect_nothing();
}

/// With a mobility protocol the link layer reports the new link at once, and the network layer says later that the node can be
/// reached: the reported product is that of the link reported, whether or not the old one's end is heard of in between.
#[test]
fn a_reported_link_is_marked_when_the_node_is_registered() {
    for late_end in [false, true] {
        let mut script = receiver();
        script.at(1300).signal(Signal::LinkDown);
        script.at(1400).signal(Signal::LinkParametersReport {
            rate: Some(Rate::from_megabits_per_second(11)),
            round_trip_time: Some(Duration::from_millis(25)),
        });
        if late_end {
            script.at(1450).signal(Signal::LinkDown);
        }
        script.at(1500).signal(Signal::MovementDetected).expect_nothing();
        script.at(1600).signal(Signal::Registered).expect(ack(1001).mark(new_link(34_375)));
    }
}

/// It repeats that while nothing arrives, after one second and then two.
#[test]
fn a_new_link_is_marked_until_data_arrives() {
    let mut script = receiver();
    let marked = || ack(1001).mark(new_link(34_375));
    script.at(1300).signal(Signal::LinkDown).at(3800).signal(up(11, 25)).expect(marked());
    script.at(4800).expect(marked()).at(6800).expect(marked()).at(60_000).expect_nothing();
}

/// What was announced and has not come is taken back, and the sender goes on where it was.
#[test]
fn a_false_alarm_ends() {
    let mut script = receiver();
    script.at(1100).signal(going_down(200)).expect(ack(1001).mark(WILL));
    script.at(2300).expect(ack(1001).mark(Mark::HandoverCancelled));
    script.inject(data(1001..2001)).expect(ack(2001)).at(60_000).expect_nothing();
    let mut script = sender("cross-layer", |_| {});
    script.at(1100).inject(ack(10_001).mark(WILL)).expect_nothing();
    script.at(1200).inject(ack(10_001).mark(Mark::HandoverCancelled));
    assert!(script.take().iter().all(|segment| segment.sequence > 10_000));
    assert_eq!(script.endpoint.statistics().sender.retransmissions, 0);
    assert!(script.endpoint.sample().congestion_window > 10.0);
}

/// When all notices of the new link are lost, the sender thaws after the longest disconnection, and its timer runs.
#[test]
fn a_frozen_sender_thaws_by_itself() {
    let mut script =
        sender("cross-layer", |p| p.handover.cross_layer.longest_disconnection = Duration::from_secs(5));
    script.at(1100).inject(ack(1).mark(WILL)).at(6399).expect_nothing();
    script.at(6400).expect(data(1..1001));
    assert_eq!(script.endpoint.statistics().sender.timeouts, 1);
}

/// Where the old link lasts until the new one is in force nothing is lost: the window begins again, and what is outstanding is
/// not sent again.
#[test]
fn a_change_with_two_links_loses_nothing() {
    let made = Mark::MadeBeforeBreak { bandwidth_delay_product: NonZeroU32::new(34_375) };
    let mut mover = receiver();
    mover.at(1400).signal(Signal::LinkParametersReport {
        rate: Some(Rate::from_megabits_per_second(11)),
        round_trip_time: Some(Duration::from_millis(25)),
    });
    mover.signal(Signal::LinkHandoverComplete).expect(ack(1001).mark(made));
    let mut peer = sender("cross-layer", |_| {});
    peer.at(1100).inject(ack(1001).mark(made)).expect_nothing().window_is(1.0).threshold_is(34.375);
    peer.inject(ack(9001)).inject(ack(10_001));
    assert!(peer.take().iter().all(|segment| segment.sequence > 10_000));
    assert_eq!(peer.endpoint.statistics().sender.retransmissions, 0);
}
