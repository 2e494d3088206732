//! Taking back the cut of a recovery that was spurious: by timestamps (RFC 3522), by reports of duplicates (RFC 2883, RFC 3708), with
//! the window before the cut at most (RFC 4015).

use crate::script::*;
use seamline_tcp::parameters::Parameters;
use seamline_tcp::profile;
use seamline_tcp::recovery::SpuriousDetection;
use seamline_wire::{Duration, Mark};
use std::ops::Range;

/// What the timestamp clock showed when the ten segments left, and when something was sent again.
const AT_FIRST: u32 = 1001;
const AGAIN: u32 = 1101;

fn detecting(change: impl FnOnce(&mut Parameters)) -> Parameters {
    plain(|p| {
        p.segments.maximum_segment_size = 1012;
        p.segments.timestamp_tick = Some(Duration::from_millis(1));
        p.recovery.proportional_rate_reduction = false;
        p.recovery.spurious_detection = SpuriousDetection::TimestampsAndDuplicates;
        change(p);
    })
}
/// Ten segments of 1000 bytes, and no more, left at 1000 ms, over a path of 100 ms.
fn ten_segments(variant: &str, parameters: Parameters, timestamps: bool) -> Script {
    let answer = syn_ack().mss(1012).sack_permitted(variant == "sack");
    let answer = if timestamps { answer.times(500, 1) } else { answer.mss(1000) };
    let mut script = Script::connected(parameters, variant, answer);
    script.at(1000).supply(10_000).expect_run(1..10_001, 1000).at(1100);
    script
}
/// The peer's acknowledgment that echoes `echo`.
fn echoing(acknowledgment: u32, echo: u32) -> Seg {
    ack(acknowledgment).times(600, echo)
}
/// The first segment is missing, and is sent again at 1100 ms with half of the window.
fn first_is_sent_again(variant: &str) -> Script {
    let mut script = ten_segments(variant, detecting(|_| {}), true);
    for reached in [2001, 3001, 4001] {
        let block = [1001..reached];
        let blocks: &[Range<u32>] = if variant == "sack" { &block } else { &[] };
        script.inject(echoing(1, AT_FIRST).sack(blocks));
    }
    script.expect(data(1..1001)).threshold_is(5.0);
    script
}
fn undone(script: &Script) -> u64 {
    script.endpoint.statistics().sender.undone_cuts
}

/// RFC 3522 section 3.2, step 5: what fills the hole was sent before the retransmission. The window and the threshold are those before
/// the cut, and no more: the window was not full, so it does not grow.
#[test]
fn an_echo_from_before_the_retransmission_takes_the_cut_back() {
    for variant in ["sack", "newreno", "reno"] {
        let mut script = first_is_sent_again(variant);
        script.at(1110).inject(echoing(10_001, AT_FIRST)).window_is(10.0).threshold_is_unlimited();
        assert!(!script.endpoint.in_recovery());
        assert_eq!(undone(&script), 1, "{variant}");
    }
}

/// The same, step 5: what fills the hole was sent with the retransmission or later; also when both left within one tick of the clock.
#[test]
fn an_echo_of_the_retransmission_leaves_the_cut() {
    for variant in ["sack", "newreno", "reno"] {
        for echo in [AGAIN, AGAIN + 1] {
            let mut script = first_is_sent_again(variant);
            script.at(1200).inject(echoing(10_001, echo)).threshold_is(5.0);
            let window = script.endpoint.sample().congestion_window;
            assert!((1.0..=6.0).contains(&window), "{variant}: {window}");
            assert_eq!(undone(&script), 0, "{variant}");
        }
    }
}

/// RFC 3522 section 3.1: timestamps are required; section 3.2, step 4: and something new must be acknowledged.
#[test]
fn nothing_is_taken_back_without_a_timestamp_or_progress() {
    let mut script = ten_segments("sack", detecting(|_| {}), false);
    script.inject(ack(1).sack(&[1001..4001])).expect(data(1..1001));
    script.at(1110).inject(ack(10_001)).window_is(5.0);
    assert_eq!(undone(&script), 0);
    let mut script = first_is_sent_again("sack");
    script.at(1110).inject(echoing(1, AT_FIRST).sack(&[1001..5001])).threshold_is(5.0);
    assert_eq!(undone(&script), 0);
    let _ = script.take();
}

/// RFC 7323 section 5.3, R1: the echo of an old segment is not even looked at.
#[test]
fn an_old_segment_takes_nothing_back() {
    let mut script = first_is_sent_again("sack");
    script.at(1110).inject(echoing(10_001, AT_FIRST).times(400, AT_FIRST)).expect(ack(1).seq(10_001));
    script.threshold_is(5.0);
    assert_eq!(undone(&script), 0);
}

/// All cuts stay in every profile but that of Linux.
#[test]
fn only_the_profile_of_linux_takes_cuts_back() {
    for profile in profile::ALL {
        let parameters = (profile.parameters)();
        let expected = match profile.name {
            "linux" | "linux-6.12" | "linux-7.3" => SpuriousDetection::TimestampsAndDuplicates,
            _ => SpuriousDetection::None,
        };
        assert_eq!(parameters.recovery.spurious_detection, expected, "{}", profile.name);
        assert_eq!(
            parameters.receiver.reports_duplicates,
            profile.name.starts_with("linux") || profile.name == "freebsd",
            "{}",
            profile.name
        );
    }
    let mut script =
        ten_segments("sack", detecting(|p| p.recovery.spurious_detection = SpuriousDetection::None), true);
    script.inject(echoing(1, AT_FIRST).sack(&[1001..4001])).expect(data(1..1001));
    script.at(1110).inject(echoing(10_001, AT_FIRST)).window_is(5.0).threshold_is(5.0);
}

/// Two segments are missing, and both are sent again.
fn two_are_sent_again() -> Script {
    let mut script = ten_segments("sack", detecting(|_| {}), true);
    script.inject(echoing(1, AT_FIRST).sack(&[3001..9001, 1001..2001]));
    script.expect(data(1..1001)).expect(data(2001..3001)).threshold_is(5.0);
    // Rule 4 of NextSeg (RFC 6675 section 4).
    script.expect(data(9001..10_001));
    script
}

/// Linux, `tcp_try_undo_partial`: as long as something that was sent again is on its way, nothing is settled; then all is at once.
#[test]
fn a_partial_acknowledgment_settles_nothing_while_something_is_on_its_way() {
    let mut script = two_are_sent_again();
    script.at(1105).inject(echoing(2001, AT_FIRST).sack(&[3001..9001])).threshold_is(5.0);
    assert_eq!(undone(&script), 0);
    script.at(1110).inject(echoing(10_001, AT_FIRST)).threshold_is_unlimited();
    let window = script.endpoint.sample().congestion_window;
    assert!((10.0..=12.0).contains(&window), "{window}");
    assert_eq!(undone(&script), 1);
}

/// One of both was lost: the window stays cut, whichever of them it was.
#[test]
fn one_needed_retransmission_is_enough() {
    let mut script = two_are_sent_again();
    script.at(1105).inject(echoing(2001, AT_FIRST).sack(&[3001..9001]));
    script.at(1200).inject(echoing(10_001, AGAIN)).threshold_is(5.0);
    assert_eq!(undone(&script), 0);
    let mut script = two_are_sent_again();
    script.at(1200).inject(echoing(2001, AGAIN).sack(&[3001..9001]));
    script.at(1205).inject(echoing(10_001, AT_FIRST)).threshold_is(5.0);
    assert_eq!(undone(&script), 0);
}

/// Nothing that was sent again is missing any more, but another segment is: the cut is taken back, and that one begins a recovery of its
/// own once it counts as lost.
#[test]
fn another_hole_begins_another_recovery() {
    let mut script = first_is_sent_again("sack");
    script.at(1110).inject(echoing(4001, AT_FIRST)).threshold_is_unlimited().window_is(10.0);
    script.at(1111).inject(echoing(4001, AT_FIRST).sack(&[5001..8001])).expect(data(4001..5001));
    script.threshold_is(3.0);
    assert_eq!((undone(&script), script.endpoint.statistics().sender.recoveries), (1, 2));
    script.at(1211).inject(echoing(10_001, 1112)).threshold_is(3.0);
    assert_eq!(undone(&script), 1);
}

/// The first recovery has sent a segment again that fills the hole which the second one begins with: that one is not spurious by it,
/// although its own retransmission left later (Linux, `tcp_retrans_stamp_cleanup`).
#[test]
fn what_an_earlier_recovery_has_sent_again_takes_nothing_back() {
    let mut script = ten_segments("sack", detecting(|_| {}), true);
    script.supply(10_000);
    script.inject(echoing(1, AT_FIRST).sack(&[1001..4001])).expect(data(1..1001));
    for reached in [5001, 6001, 7001, 8001, 9001, 10_001] {
        script.inject(echoing(1, AT_FIRST).sack(&[1001..reached]));
    }
    let fresh = script.take();
    assert_eq!(fresh.first().map(|s| s.sequence), Some(10_001), "new data in recovery: {fresh:?}");
    let end = fresh.iter().map(|s| s.sequence + s.length).max().unwrap_or_default();
    assert!(end > 14_000, "{end}");
    // Of the new data the first is lost, too, and sent again within the first recovery.
    script.at(1150).inject(echoing(1, AT_FIRST).sack(&[11_001..end, 1001..10_001]));
    assert!(script.take().iter().any(|s| s.sequence == 10_001), "sent again in the first recovery");
    // The first hole was a loss; what is missing behind it begins the second.
    script.at(1200).inject(echoing(10_001, AGAIN).sack(&[11_001..end]));
    let later = script.take().iter().map(|s| s.sequence + s.length).max().unwrap_or_default();
    script.at(1240).inject(echoing(10_001, AGAIN).sack(&[11_001..later]));
    let again = script.take();
    assert_eq!(again.first().map(|s| s.sequence), Some(10_001), "sent again in the second, too");
    assert_eq!(script.endpoint.statistics().sender.recoveries, 2, "{again:?}");
    let threshold = script.endpoint.sample().slow_start_threshold;
    script.at(1250).inject(echoing(later, 1151)).threshold_is(threshold);
    assert_eq!(undone(&script), 0);
    let _ = script.take();
}

/// RFC 3708 section 3: the only segment that was sent again is reported as having come twice. Not needed for that: timestamps.
#[test]
fn a_reported_duplicate_takes_the_cut_back() {
    let mut script = ten_segments("sack", detecting(|_| {}), false);
    script.inject(ack(1).sack(&[1001..4001])).expect(data(1..1001)).window_is(5.0);
    script.at(1110).inject(ack(10_001)).window_is(5.0).threshold_is(5.0);
    script.at(1200).inject(ack(10_001).sack(&[1..1001])).window_is(10.0).threshold_is_unlimited();
    assert_eq!(undone(&script), 1);
    script.inject(ack(10_001).sack(&[1..1001])).window_is(10.0);
    assert_eq!(undone(&script), 1, "a cut is taken back once");
}

/// RFC 3708 section 3: all that was sent again must be reported.
#[test]
fn every_retransmission_must_be_reported() {
    let reports: [(&[Range<u32>], bool); 6] = [
        (&[1..1001, 2001..3001, 9001..10_001], true),
        (&[9001..10_001, 1..1001, 2001..3001], true),
        (&[1..1001, 2001..3001], false),
        (&[1..1001, 1..1001, 1..1001], false),
        (&[1..1001, 2001..3000, 9001..10_001], false),
        (&[1001..2001, 3001..4001, 4001..5001], false),
    ];
    for (reports, expected) in reports {
        let mut script = two_are_sent_again();
        // An acknowledgment of a retransmission: timestamps say nothing of the other two.
        script.at(1200).inject(echoing(10_001, AGAIN)).threshold_is(5.0);
        for report in reports {
            script.inject(echoing(10_001, AGAIN).sack(std::slice::from_ref(report)));
        }
        assert_eq!(undone(&script), u64::from(expected), "{reports:?}");
        let threshold = script.endpoint.sample().slow_start_threshold;
        assert_eq!(threshold, if expected { f64::INFINITY } else { 5.0 }, "{reports:?}");
    }
}

/// RFC 3708 section 3: one report does not say which of two retransmissions was needless.
#[test]
fn what_was_sent_again_twice_is_not_settled_by_one_report() {
    let mut script = ten_segments("sack", detecting(|_| {}), false);
    script.inject(ack(1).sack(&[1001..10_001])).expect(data(1..1001));
    script.at(2100).expect(data(1..1001)).window_is(1.0);
    script.at(2200).inject(ack(10_001));
    script.inject(ack(10_001).sack(&[1..1001]));
    assert_eq!(undone(&script), 0);
}

/// A report that comes after what was sent later has been acknowledged is not of that recovery.
#[test]
fn a_late_report_counts_no_more() {
    for (late, expected) in [(false, 1), (true, 0)] {
        let mut script = ten_segments("sack", detecting(|_| {}), false);
        script.inject(ack(1).sack(&[1001..4001])).expect(data(1..1001));
        script.at(1110).inject(ack(10_001));
        script.supply(2000).expect(data(10_001..11_001)).expect(data(11_001..12_001));
        if late {
            script.at(1210).inject(ack(12_001));
        }
        let acknowledgment = if late { 12_001 } else { 10_001 };
        script.at(1220).inject(ack(acknowledgment).sack(&[1..1001]));
        assert_eq!(undone(&script), expected, "late: {late}");
    }
}

/// RFC 3522 section 3.2, step 4: only what acknowledges something new is heard; a report by SACK alone does not say which copy came.
#[test]
fn a_report_by_sack_settles_nothing() {
    let mut script = first_is_sent_again("sack");
    script.inject(echoing(1, AT_FIRST).sack(&[1001..8001])).expect(data(9001..10_001));
    script.at(1110).inject(echoing(8001, AT_FIRST)).threshold_is(5.0);
    script.inject(echoing(8001, AT_FIRST).sack(&[9001..10_001])).expect(data(8001..9001)).threshold_is(5.0);
    assert_eq!(undone(&script), 0);
    script.inject(echoing(10_001, AT_FIRST)).threshold_is_unlimited();
    assert_eq!(undone(&script), 1);
}

/// RFC 5681 section 3.2, step 6: what duplicates have lent to the window does not stay.
#[test]
fn the_inflation_of_the_window_ends() {
    for variant in ["newreno", "reno"] {
        let mut script = ten_segments(variant, detecting(|_| {}), true);
        script.supply(40_000).inject_times(6, echoing(1, AT_FIRST));
        let sent = script.take();
        assert!(sent.iter().any(|s| s.sequence == 1), "{variant}: {sent:?}");
        let end = sent.iter().map(|s| s.sequence + s.length).max().unwrap_or_default();
        script.at(1110).inject(echoing(end, AT_FIRST)).window_is(11.0);
        script.expect_run(end..end + 11_000, 1000).expect_nothing();
        assert_eq!(undone(&script), 1, "{variant}");
    }
}

/// The window that a handover scheme has restored is not the one that a timeout has cut.
#[test]
fn a_move_ends_the_matter() {
    let answer = syn_ack().mss(1012).sack_permitted(true).times(500, 1);
    let mut script = Script::moving_after(detecting(|_| {}), "sack", "ehn", answer);
    script.at(1000).supply(10_000).expect_run(1..10_001, 1000).at(2000).expect(data(1..1001));
    script.at(2100).inject(echoing(1, AT_FIRST).mark(Mark::Handover)).expect_run(1..10_001, 1000);
    script.window_is(10.0).at(2150).inject(echoing(10_001, AT_FIRST));
    assert_eq!(undone(&script), 0);
}

/// RFC 4015 section 3 after a timeout: the window is back, the timer is no longer backed off, and new data follows in place of what
/// would still have been sent again.
#[test]
fn a_spurious_timeout_is_taken_back() {
    for variant in ["sack", "newreno", "reno"] {
        let mut script = ten_segments(variant, detecting(|_| {}), true);
        script.supply(20_000).at(2000).expect(data(1..1001)).window_is(1.0).threshold_is(5.0);
        script.at(2050).inject(echoing(1001, AT_FIRST)).window_is(11.0).threshold_is_unlimited();
        script.expect(data(10_001..11_001)).expect(data(11_001..12_001)).expect_nothing();
        assert_eq!(script.endpoint.sample().backoff, 1, "{variant}");
        let statistics = script.endpoint.statistics().sender;
        assert_eq!((statistics.undone_cuts, statistics.retransmissions), (1, 1), "{variant}");
        let mut script = ten_segments(variant, detecting(|_| {}), true);
        script.supply(20_000).at(2000).expect(data(1..1001));
        script.at(2100).inject(echoing(1001, 2001)).window_is(2.0).threshold_is(5.0);
        script.expect(data(1001..2001)).expect(data(2001..3001));
        assert_eq!(undone(&script), 0, "{variant}");
    }
}

/// RFC 4015 section 3: of several cuts within one recovery, the window before the first comes back, and no more.
#[test]
fn the_window_before_the_first_cut_comes_back() {
    let mut script = first_is_sent_again("sack");
    script.at(2100).window_is(1.0);
    let _ = script.take();
    script.at(2150).inject(echoing(10_001, AT_FIRST)).window_is(11.0).threshold_is_unlimited();
    let statistics = script.endpoint.statistics().sender;
    assert_eq!((statistics.window_cuts, statistics.undone_cuts), (2, 1));
}

/// A receiver that lies about each loss keeps the window that it had, and gets none that is larger: ten real losses, each reported as
/// spurious. What it gains it could have by keeping its losses to itself.
#[test]
fn lies_keep_the_window_and_do_not_raise_it() {
    let mut script = ten_segments("sack", detecting(|p| p.window.initial_threshold = 10.0), true);
    let mut before = script.endpoint.sample().congestion_window;
    for loss in 0..10u32 {
        let base = 1 + loss * 10_000;
        let now = u64::from(1100 + loss * 100);
        script.at(now).inject(echoing(base, AT_FIRST).sack(&[base + 1000..base + 4000]));
        let _ = script.take();
        assert!(script.endpoint.in_recovery());
        script.at(now + 10).inject(echoing(base + 10_000, AT_FIRST).sack(&[]));
        let after = script.endpoint.sample().congestion_window;
        assert!(
            after >= before && after <= before + 1.0,
            "{before} to {after}: a round trip without losses at most"
        );
        before = after;
        script.supply(10_000);
        let _ = script.take();
    }
    assert_eq!(undone(&script), 10);
}
