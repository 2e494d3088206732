//! What the schemes do about a move: Explicit Handover Notification (ehn-2004, section 3), TR-ACKs (Caceres and
//! Iftode 1995) and Freeze-TCP (Goff et al. 2000).

use crate::script::*;
use seamline_tcp::handover::{AfterReconnection, ResumeWith};
use seamline_tcp::parameters::Parameters;
use seamline_wire::{Duration, Mark, Signal};

const UP: Signal = Signal::LinkUp { rate: None, round_trip_time: None };
const VARIANTS: [&str; 5] = ["tahoe", "reno", "newreno", "sack", "westwood"];

fn going_down(millis: u64) -> Signal {
    Signal::LinkGoingDown { within: Duration::from_millis(millis) }
}

/// A sender with `scheme`, ten segments of which left at 1000 ms; a minimum timeout of one second.
fn ten_segments(scheme: &str, variant: &str, change: impl FnOnce(&mut Parameters)) -> Script {
    let parameters = plain(|parameters| {
        parameters.round_trip.minimum_timeout = Duration::from_secs(1);
        change(parameters);
    });
    let mut script = Script::moving(parameters, variant, scheme);
    script.at(1000).supply(20_000).expect_run(1..10_001, 1000);
    script
}

fn receiver(scheme: &str, change: impl FnOnce(&mut Parameters)) -> Script {
    let mut script = Script::moving(plain(change), "newreno", scheme);
    script.read_at_once().at(1000).inject(data(1..1001)).at(1010).inject(data(1001..2001)).expect(ack(2001));
    script
}

/// Paper ehn-2004, section 3: the mover sends its last acknowledgment again with the handover mark, once.
#[test]
fn ehn_marks_the_last_acknowledgment() {
    let mut script = receiver("ehn", |_| {});
    script.at(1500).signal(Signal::LinkDown).expect_nothing();
    script.at(1600).signal(UP).expect(ack(2001).mark(Mark::Handover)).expect_nothing();
}

/// Where a mobility protocol runs, movement detection is the news, and registration is none for TCP.
#[test]
fn ehn_notifies_when_movement_is_detected() {
    let mut script = receiver("ehn", |_| {});
    script.at(1600).signal(Signal::MovementDetected).expect(ack(2001).mark(Mark::Handover));
    script.at(1700).signal(Signal::Registered).expect_nothing();
}

/// Paper ehn-2004, section 3: on the notification the sender goes back to SND.UNA with its window as it was, although
/// nothing but one acknowledgment has arrived.
#[test]
fn ehn_goes_back_without_a_cut() {
    for variant in VARIANTS {
        let mut script = ten_segments("ehn", variant, |_| {});
        script.at(1300).inject(ack(1).mark(Mark::Handover)).expect_run(1..10_001, 1000).expect_nothing();
        script.window_is(10.0);
        assert_eq!(script.endpoint.statistics().sender.window_cuts, 0, "{variant}");
    }
}

/// Paper ehn-2004, section 3: the send window is first adjusted to the acknowledgment number of the notification.
#[test]
fn ehn_takes_the_acknowledgment_number() {
    for variant in VARIANTS {
        let mut script = ten_segments("ehn", variant, |_| {});
        script.at(1300).inject(ack(4001).mark(Mark::Handover));
        let sent: Vec<u32> = script.take().iter().map(|segment| segment.sequence).collect();
        let window = script.endpoint.sample().congestion_window as u32;
        assert_eq!(sent, (0..window).map(|n| 4001 + n * 1000).collect::<Vec<_>>(), "{variant}");
        assert_eq!(script.endpoint.statistics().sender.window_cuts, 0, "{variant}");
    }
}

/// Paper ehn-2004, section 3: the notification restarts the timer: it expires one timeout after it, not before.
#[test]
fn ehn_restarts_the_timer() {
    let mut script = ten_segments("ehn", "newreno", |_| {});
    script.at(1900).inject(ack(1).mark(Mark::Handover)).expect_run(1..10_001, 1000);
    script.at(2899).expect_nothing().at(2900).expect(data(1..1001));
    assert_eq!(script.endpoint.statistics().sender.timeouts, 1);
}

/// Paper ehn-2004, section 3: when the timer has expired, window and threshold from before the first expiry come
/// back; repeated expiries do not overwrite them.
#[test]
fn ehn_restores_what_timeouts_took() {
    for variant in VARIANTS {
        let mut script = ten_segments("ehn", variant, |_| {});
        let before = script.endpoint.sample();
        script.at(2000).expect(data(1..1001)).window_is(1.0);
        script.at(4000).expect(data(1..1001)).window_is(1.0);
        script.at(4500).inject(ack(1).mark(Mark::Handover)).expect_run(1..10_001, 1000).expect_nothing();
        let after = script.endpoint.sample();
        assert_eq!(after.congestion_window, before.congestion_window, "{variant}");
        assert_eq!(after.slow_start_threshold, before.slow_start_threshold, "{variant}");
        assert_eq!(after.backoff, 1, "{variant}: the back-off ends");
        script.at(5499).expect_nothing().at(5500).expect(data(1..1001));
    }
}

/// Paper ehn-2004, section 3: so they do when the notification itself acknowledges some of what is outstanding, because the
/// acknowledgments before it were lost with the old link.
#[test]
fn ehn_restores_what_timeouts_took_and_takes_the_acknowledgment() {
    for variant in VARIANTS {
        let mut script = ten_segments("ehn", variant, |_| {});
        let before = script.endpoint.sample();
        script.at(2000).expect(data(1..1001)).window_is(1.0);
        script
            .at(2500)
            .inject(ack(4001).mark(Mark::Handover))
            .expect_run(4001..14_001, 1000)
            .expect_nothing();
        let after = script.endpoint.sample();
        assert_eq!(after.congestion_window, before.congestion_window, "{variant}");
        assert_eq!(after.slow_start_threshold, before.slow_start_threshold, "{variant}");
    }
}

/// Once there was progress after a timeout, its cut stands: the loss was another one.
#[test]
fn ehn_leaves_an_older_cut_alone() {
    let mut script = ten_segments("ehn", "newreno", |_| {});
    script.at(2000).expect(data(1..1001)).at(2100).inject(ack(10_001)).expect_run(10_001..12_001, 1000);
    let window = script.endpoint.sample().congestion_window;
    script.at(2300).inject(ack(10_001).mark(Mark::Handover)).expect_run(10_001..12_001, 1000);
    script.window_is(window);
    assert!(window < 3.0, "{window}");
}

/// Vegas lends itself window for each duplicate: a move that ends its recovery takes that back, and leaves the window as
/// the loss before the move had cut it.
#[test]
fn ehn_ends_a_recovery_of_vegas() {
    let mut script = ten_segments("ehn", "vegas", |_| {});
    script.at(1100).inject_times(3, ack(1)).expect(data(1..1001)).window_is(8.0 + 3.0);
    script.inject(ack(1)).window_is(8.0 + 4.0).take();
    script.at(1300).inject(ack(1).mark(Mark::Handover)).expect_run(1..8001, 1000).expect_nothing();
    script.window_is(8.0);
    assert_eq!(script.endpoint.statistics().sender.window_cuts, 0);
}

/// The time between the last segment and the notification says nothing about the path: no sample is taken.
#[test]
fn a_notification_is_no_round_trip_sample() {
    let mut script = ten_segments("ehn", "newreno", |_| {});
    let before = script.endpoint.sample();
    script.at(1900).inject(ack(10_001).mark(Mark::Handover)).expect_run(10_001..20_001, 1000);
    let after = script.endpoint.sample();
    assert_eq!(after.smoothed_round_trip_time, before.smoothed_round_trip_time);
    assert_eq!(after.round_trip_time_variation, before.round_trip_time_variation);
}

/// A notification that acknowledges everything while more waits begins no window probing: what it lets go is not
/// sent again by the next acknowledgment.
#[test]
fn a_notification_of_everything_sends_what_waits_once() {
    for variant in VARIANTS {
        let mut script = ten_segments("ehn", variant, |_| {});
        script.at(1900).inject(ack(10_001).mark(Mark::Handover)).expect_run(10_001..20_001, 1000);
        script.at(2000).inject(ack(11_001)).expect_nothing();
        assert_eq!(script.endpoint.statistics().sender.retransmissions, 0, "{variant}");
    }
}

/// Paper ehn-2004, section 4.2 B: slow start is one of the policies.
#[test]
fn ehn_may_begin_with_slow_start() {
    let mut script = ten_segments("ehn", "newreno", |p| p.handover.ehn.resume_with = ResumeWith::SlowStart);
    script.at(1300).inject(ack(1).mark(Mark::Handover)).expect(data(1..1001)).expect_nothing();
    script.window_is(1.0).threshold_is(5.0);
}

/// A mover that is a sender itself needs no notification to go back.
#[test]
fn a_moving_sender_goes_back_at_once() {
    let mut script = ten_segments("ehn", "newreno", |_| {});
    script.at(1300).signal(UP).expect(ack(1).seq(10_001).mark(Mark::Handover));
    script.expect_run(1..10_001, 1000).expect_nothing().window_is(10.0);
}

/// To a sender without the scheme the notification is a duplicate acknowledgment like any other.
#[test]
fn a_sender_without_the_scheme_counts_a_duplicate() {
    let mut script = Script::established(plain(|_| {}), "newreno");
    script.at(1000).supply(10_000).expect_run(1..10_001, 1000);
    script.at(1100).inject_times(2, ack(1)).inject(ack(1).mark(Mark::Handover)).expect(data(1..1001));
    assert_eq!(script.endpoint.statistics().sender.window_cuts, 1);
}

/// Caceres and Iftode, section 5: three acknowledgments, all the same and unmarked, at the reconnection.
#[test]
fn tr_acks_repeat_the_acknowledgment_three_times() {
    let mut script = receiver("tr-acks", |_| {});
    script.at(1600).signal(UP).expect(ack(2001)).expect(ack(2001)).expect(ack(2001)).expect_nothing();
}

fn slow_start(p: &mut Parameters) {
    p.handover.tr_acks.after = AfterReconnection::SlowStart;
}

/// Paper ehn-2004, section 2.3: by its reading the sender begins with slow start; the third one is what counts.
#[test]
fn tr_acks_may_lead_to_slow_start() {
    for variant in VARIANTS {
        let mut script = ten_segments("tr-acks", variant, slow_start);
        script.at(1300).inject_times(2, ack(1).mark(Mark::Handover)).expect_nothing();
        script.inject(ack(1).mark(Mark::Handover)).expect(data(1..1001)).expect_nothing();
        script.window_is(1.0);
    }
}

/// Marks of a move whose third one got lost do not count for the next move.
#[test]
fn tr_acks_count_the_marks_of_one_move() {
    let mut script = ten_segments("tr-acks", "newreno", slow_start);
    script.at(1300).inject_times(2, ack(1).mark(Mark::Handover)).expect_nothing();
    script.at(1400).inject(ack(10_001)).expect_run(10_001..20_001, 1000);
    script.at(1800).inject(ack(10_001).mark(Mark::Handover)).expect_nothing();
    script.inject(ack(10_001).mark(Mark::Handover)).expect_nothing();
    script.inject(ack(10_001).mark(Mark::Handover)).expect(data(10_001..11_001)).expect_nothing();
    script.window_is(1.0);
}

/// Nor does a mark that acknowledges something begin to count again: it is one of the three.
#[test]
fn tr_acks_count_marks_that_acknowledge() {
    let mut script = ten_segments("tr-acks", "newreno", slow_start);
    script.at(1300).inject(ack(1).mark(Mark::Handover)).expect_nothing();
    script.inject(ack(4001).mark(Mark::Handover)).take();
    script.inject(ack(4001).mark(Mark::Handover)).expect(data(4001..5001)).expect_nothing();
    script.window_is(1.0);
}

/// Goff et al., section 3: a window of zero when the disconnection is announced, and none while it lasts.
#[test]
fn freeze_closes_the_window() {
    let mut script = receiver("freeze", |_| {});
    script.at(1500).signal(going_down(100)).expect(ack(2001).window(0)).expect_nothing();
    script.at(1550).inject(data(2001..3001)).at(1560).inject(data(3001..4001)).expect(ack(4001).window(0));
    script.at(1600).signal(Signal::LinkDown).at(9000).expect_nothing();
    script.signal(UP);
    for _ in 0..3 {
        script.expect(ack(4001).window(65_535));
    }
    script.expect_nothing();
}

/// While the window is closed on purpose, reading opens none: there is nothing to tell the peer.
#[test]
fn freeze_does_not_announce_what_is_read() {
    let mut script = Script::moving(plain(|p| p.receiver.buffer = 10_000), "newreno", "freeze");
    script.at(1000).inject(data(1..1001)).inject(data(1001..2001)).expect(ack(2001).window(8000));
    script.inject(data(2001..3001)).inject(data(3001..4001)).expect(ack(4001).window(6000));
    script.at(1500).signal(going_down(100)).expect(ack(4001).window(0));
    script.at(1510).read(2000).expect_nothing().read(2000).expect_nothing();
    script.at(1600).signal(Signal::LinkDown).at(2000).signal(UP);
    for _ in 0..3 {
        script.expect(ack(4001).window(10_000));
    }
}

/// A warning that nothing follows is taken back after its time plus a timeout.
#[test]
fn freeze_outlives_a_false_alarm() {
    let mut script = receiver("freeze", |p| p.handover.freeze.timeout = Duration::from_millis(400));
    script.at(1500).signal(going_down(100)).expect(ack(2001).window(0));
    script.at(1999).expect_nothing().at(2000).expect(ack(2001).window(65_535)).expect_nothing();
}

/// Without a report that the link is back, the disconnection ends after its longest time.
#[test]
fn freeze_outlives_lost_news() {
    let mut script = receiver("freeze", |_| {});
    script.at(1500).signal(going_down(0)).expect(ack(2001).window(0)).signal(Signal::LinkDown);
    script.at(31_499).expect_nothing().at(31_500).expect(ack(2001).window(65_535)).expect_nothing();
}

/// Goff et al., section 3: the sender of a frozen peer keeps its congestion window, and any sender will do.
#[test]
fn a_stock_sender_keeps_its_window_over_a_freeze() {
    let mut script = Script::established(plain(|_| {}), "newreno");
    script.at(1000).supply(40_000).expect_run(1..10_001, 1000);
    script.at(1100).inject(ack(10_001).window(0));
    let window = script.endpoint.sample().congestion_window;
    script.skip_to(6000).inject(ack(10_001).window(65_535));
    let sent = script.take().len();
    script.window_is(window);
    assert_eq!(sent as f64, window.floor());
    assert_eq!(script.endpoint.statistics().sender.timeouts, 0);
}

/// A mover that is a sender itself sends nothing while it has no link, and its timer stands still.
#[test]
fn freeze_holds_a_moving_sender() {
    let mut script = ten_segments("freeze", "newreno", |_| {});
    script.at(1200).signal(Signal::LinkDown).at(9000).expect_nothing().signal(UP);
    let sent = script.take();
    assert_eq!(sent.iter().filter(|segment| segment.length == 0).count(), 3);
    assert_eq!(sent.iter().filter(|segment| segment.length > 0).count(), 10);
    script.window_is(10.0);
    assert_eq!(script.endpoint.statistics().sender.timeouts, 0);
}

/// Two ends that have closed their windows on purpose, with data outstanding: what opens one of them stands where
/// its data ended, not at the edge that the other has taken back, or neither would ever hear the other.
#[test]
fn two_frozen_ends_thaw() {
    let mut script = ten_segments("freeze", "newreno", |_| {});
    script.at(1100).inject(data(1001..2001)).expect(ack(1).seq(10_001));
    script.signal(going_down(0)).expect(ack(1).seq(10_001).window(0));
    script.at(1200).inject(ack(1).seq(2001).window(0)).expect_nothing().signal(UP);
    for _ in 0..3 {
        script.expect(ack(1).seq(10_001).window(65_535));
    }
    script.at(1300).inject(ack(1).seq(2001)).expect_run(1..10_001, 1000);
}

/// A notification counts as well on a segment that no window is left for: what it lets go leaves at once.
#[test]
fn a_notification_beyond_our_window_is_heard() {
    let mut script = ten_segments("ehn", "newreno", |p| p.receiver.buffer = 2000);
    script.at(1100).inject(data(1..1001)).inject(data(1001..2001)).expect(ack(2001).seq(10_001).window(0));
    script.at(1900).inject(data(2001..2002).ack(10_001).mark(Mark::Handover));
    let sent: Vec<u32> = script.take().iter().map(|segment| segment.sequence).collect();
    assert_eq!(sent, (0..10).map(|n| 10_001 + n * 1000).collect::<Vec<_>>());
    assert_eq!(script.endpoint.statistics().sender.retransmissions, 0);
}

/// What the application supplies while the link is down leaves once when it is up, and nothing of it again when the
/// first of it is acknowledged.
#[test]
fn what_is_supplied_to_a_frozen_sender_leaves_once() {
    let mut script = Script::moving(plain(|_| {}), "newreno", "freeze");
    script.at(1000).signal(Signal::LinkDown).at(1100).supply(12_000).at(4000).expect_nothing().signal(UP);
    script.expect_run(1..10_001, 1000);
    for _ in 0..3 {
        script.expect(ack(1).seq(10_001));
    }
    script.at(4100).inject(ack(1001)).expect_run(10_001..12_001, 1000).expect_nothing();
    assert_eq!(script.endpoint.statistics().sender.retransmissions, 0);
    assert_eq!(script.endpoint.statistics().sender.window_probes, 0);
}

/// A sender that was about to probe the window of its peer when its link went down still probes it afterwards:
/// otherwise neither would ever speak again, should the update of the window be lost.
#[test]
fn probing_survives_a_freeze() {
    let mut script = Script::moving(plain(|_| {}), "newreno", "freeze");
    script
        .at(1000)
        .inject(data(1..1001).window(0))
        .at(1010)
        .inject(data(1001..2001).window(0))
        .expect(ack(2001));
    script.at(1100).supply(5000).at(1200).signal(Signal::LinkDown).at(4000).expect_nothing().signal(UP);
    for _ in 0..3 {
        script.expect(ack(2001));
    }
    script.expect_nothing().skip_to(60_000);
    assert!(script.endpoint.statistics().sender.window_probes > 1);
}

/// So does one that hears of a move of its peer.
#[test]
fn probing_survives_a_notification() {
    let mut script = Script::moving(plain(|_| {}), "newreno", "ehn");
    script
        .at(1000)
        .inject(data(1..1001).window(0))
        .at(1010)
        .inject(data(1001..2001).window(0))
        .expect(ack(2001));
    script
        .at(1100)
        .supply(5000)
        .at(1200)
        .inject(ack(1).seq(2001).window(0).mark(Mark::Handover))
        .expect_nothing();
    script.skip_to(60_000);
    assert!(script.endpoint.statistics().sender.window_probes > 1);
}

/// The window of the handshake is a window: when the first segment after it takes it back, acknowledgments still stand
/// where our data ended, because the peer has taken that in and looks no further left.
#[test]
fn a_window_taken_back_at_once_leaves_acknowledgments_where_they_are_heard() {
    let mut script = ten_segments("freeze", "newreno", |_| {});
    script.at(1100).inject(data(1..1001).window(0)).inject(data(1001..2001).window(0));
    script.expect(ack(2001).seq(10_001)).expect_nothing();
}
