//! Which marks are accepted: those on segments that pass RFC 9293 section 3.10.7.4, RFC 5961 section 5 and RFC 7323
//! section 5, not older than what is acknowledged, and not more often than ends move. Every scheme, every mark.

use crate::script::*;
use seamline_tcp::handover::{self, AfterReconnection, ResumeWith};
use seamline_tcp::parameters::Parameters;
use seamline_wire::{Duration, Flags, Mark, MarkRefusal};
use std::num::NonZeroU32;

const MARKS: [Mark; 6] = [
    Mark::Handover,
    Mark::WillHandover,
    Mark::HandoverCancelled,
    Mark::NewLink { bandwidth_delay_product: NonZeroU32::new(u32::MAX) },
    Mark::NewLink { bandwidth_delay_product: None },
    Mark::MadeBeforeBreak { bandwidth_delay_product: NonZeroU32::new(1) },
];

/// A sender with ten segments under way since 1000 ms, which accepts marks if its scheme can.
fn ten_segments(scheme: &str, change: impl FnOnce(&mut Parameters)) -> Script {
    let parameters = plain(|parameters| {
        parameters.handover.tr_acks.after = AfterReconnection::SlowStart;
        change(parameters);
    });
    let mut script = Script::moving(parameters, "newreno", scheme);
    script.at(1000).supply(40_000).expect_run(1..10_001, 1000);
    script
}

fn refused(script: &Script, reason: MarkRefusal) -> u64 {
    let marks = script.endpoint.statistics().marks;
    assert_eq!(marks.accepted, 0);
    assert_eq!(marks.all_refused(), marks.refused(reason), "{marks:?}");
    marks.refused(reason)
}

/// What a stranger sends who guesses numbers: four times a segment for which nothing leaves but one challenge ACK, and after
/// which the sender is as it was.
fn changes_nothing(reason: MarkRefusal, change: fn(&mut Parameters), stranger: impl Fn() -> Seg) {
    for scheme in handover::ALL {
        for mark in MARKS {
            let mut script = ten_segments(scheme.name, change);
            let before = script.endpoint.sample();
            script.at(1100).inject_times(4, stranger().mark(mark));
            assert!(script.take().len() <= 1, "{}: {mark:?}", scheme.name);
            assert_eq!(script.endpoint.sample(), before, "{}: {mark:?}", scheme.name);
            assert_eq!(refused(&script, reason), 4, "{}: {mark:?}", scheme.name);
        }
    }
}

#[test]
fn marks_out_of_the_window_are_refused() {
    for sequence in [70_000, 2_000_000_000, 0_u32.wrapping_sub(70_000), 0_u32.wrapping_sub(2_000_000_000)] {
        changes_nothing(MarkRefusal::OutOfWindow, |_| {}, || ack(1).seq(sequence));
        changes_nothing(MarkRefusal::OutOfWindow, |_| {}, || data(sequence..sequence.wrapping_add(1000)));
    }
}

#[test]
fn marks_with_implausible_acknowledgments_are_refused() {
    for acknowledgment in [10_002, 2_000_000_000, 0_u32.wrapping_sub(70_000)] {
        changes_nothing(MarkRefusal::ImplausibleAcknowledgment, |_| {}, || ack(acknowledgment));
        changes_nothing(MarkRefusal::ImplausibleAcknowledgment, |_| {}, || data(1..1001).ack(acknowledgment));
    }
}

/// What has come already and comes again may say where its sender is, but only with a plausible acknowledgment.
#[test]
fn marks_on_old_data_need_a_plausible_acknowledgment() {
    for scheme in handover::ALL {
        for mark in MARKS {
            let mut script = ten_segments(scheme.name, |_| {});
            script.read_at_once().at(1050).inject(data(1..1001)).skip_to(1300);
            let before = script.endpoint.sample();
            script.inject_times(4, data(1..1001).ack(20_000).mark(mark));
            assert!(script.take().len() <= 1, "{}: {mark:?}", scheme.name);
            assert_eq!(script.endpoint.sample(), before, "{}: {mark:?}", scheme.name);
            assert_eq!(refused(&script, MarkRefusal::OutOfWindow), 4);
        }
    }
}

/// Data in both directions: a segment with data and a mark, recorded and sent again, acknowledges what is old by then. And what
/// has no ACK flag acknowledges nothing.
#[test]
fn marks_on_old_data_that_is_sent_again_are_refused() {
    let mut known = Vec::new();
    for scheme in handover::ALL {
        for mark in MARKS {
            let mut script = ten_segments(scheme.name, |_| {});
            script.read_at_once().at(1050).inject(data(1..1001).ack(4001)).take();
            script.at(1100).inject(data(1001..2001).ack(5001)).skip_to(1350).take();
            let before = script.endpoint.sample();
            script.inject_times(4, data(1..1001).ack(4001).mark(mark)).take();
            assert_eq!(script.endpoint.sample(), before, "{}: {mark:?}", scheme.name);
            let marks = script.endpoint.statistics().marks;
            let old = marks.refused(MarkRefusal::OldAcknowledgment);
            assert_eq!((marks.accepted, marks.all_refused()), (0, old), "{}: {mark:?}", scheme.name);
            // What a scheme does not know is data without a mark.
            assert!(old == 4 || old == 0, "{}: {mark:?}", scheme.name);
            known.push((scheme.name, old == 4));

            let mut silent = data(1..1001).ack(5001).mark(mark);
            silent.flags = Flags::default();
            script.inject_times(4, silent).take();
            assert_eq!(script.endpoint.sample(), before, "{}: {mark:?}", scheme.name);
            assert_eq!(script.endpoint.statistics().marks.refused(MarkRefusal::OutOfWindow), 4);
        }
    }
    for scheme in ["ehn", "mobility-vegas", "cross-layer", "eclair-restore"] {
        assert!(known.contains(&(scheme, true)), "{scheme} knows a mark");
    }
}

/// An idle connection announces, moves and ends that without data: the next move is another.
#[test]
fn an_idle_connection_announces_each_move() {
    for scheme in ["mobility-vegas", "cross-layer", "eclair-restore"] {
        let end = if scheme == "mobility-vegas" { Mark::Handover } else { MARKS[4] };
        for ends in [true, false] {
            let mut script = Script::moving(plain(|_| {}), "newreno", scheme);
            script.at(1000).supply(21_000).take();
            script.at(1100).inject(ack(10_001)).take();
            script.at(1200).inject(ack(21_001)).take();
            script.at(2000).inject(ack(21_001).mark(Mark::WillHandover)).take();
            if ends {
                script.at(2100).inject(ack(21_001).mark(end)).take();
            }
            script.skip_to(62_000).inject(ack(21_001).mark(Mark::WillHandover)).take();
            let marks = script.endpoint.statistics().marks;
            assert_eq!((marks.accepted, marks.all_refused()), (2 + u64::from(ends), 0), "{scheme}");
            script.at(62_100).supply(1000).expect_nothing();
        }
    }
}

/// RFC 7323 section 5.3: what was recorded and is sent again later is older than what has come since.
#[test]
fn marks_with_old_timestamps_are_refused() {
    for scheme in handover::ALL {
        for mark in MARKS {
            let timed = plain(|p| p.segments.timestamp_tick = Some(Duration::from_millis(1)));
            let mut script = Script::moving_after(timed, "newreno", scheme.name, syn_ack().times(1000, 1));
            script.at(1000).supply(9880).take();
            script.at(1100).inject(ack(989).times(2000, 1001)).take();
            let before = script.endpoint.sample();
            script.at(1200).inject_times(4, ack(989).times(1999, 1001).mark(mark)).take();
            assert_eq!(script.endpoint.sample(), before, "{}: {mark:?}", scheme.name);
            assert_eq!(refused(&script, MarkRefusal::OldTimestamp), 4);
        }
    }
}

/// A mark that comes a second time, or late, acknowledges less than is acknowledged.
#[test]
fn late_marks_are_refused() {
    for scheme in handover::ALL {
        for mark in MARKS {
            let mut script = ten_segments(scheme.name, |_| {});
            script.at(1100).inject(ack(5001)).take();
            let before = script.endpoint.sample();
            script.at(1110).inject_times(4, ack(4001).mark(mark)).expect_nothing();
            assert_eq!(script.endpoint.sample(), before, "{}: {mark:?}", scheme.name);
            assert_eq!(refused(&script, MarkRefusal::OldAcknowledgment), 4);
        }
    }
}

/// A mark that its scheme does not know is none: the acknowledgment counts as it would without.
#[test]
fn unknown_marks_are_none() {
    for mark in MARKS {
        let mut script = ten_segments("freeze", |_| {});
        script.at(1100).inject_times(3, ack(1).mark(mark)).take();
        assert!(script.endpoint.in_recovery());
        assert_eq!(refused(&script, MarkRefusal::NotExpected), 3);
    }
}

/// Four at once, then one in four seconds: two come each time.
#[test]
fn marks_are_accepted_no_more_often_than_ends_move() {
    let mut script = ten_segments("ehn", |_| {});
    for (at, accepted) in [(1100, 2), (1110, 4), (1120, 4), (5099, 4), (5100, 5), (9100, 6), (18_000, 8)] {
        script.skip_to(at).inject_times(2, ack(1).mark(Mark::Handover)).take();
        assert_eq!(script.endpoint.statistics().marks.accepted, accepted, "at {at}");
    }
    assert_eq!(script.endpoint.statistics().marks.refused(MarkRefusal::TooOften), 6);
}

/// An end that has announced a move may always end it: nothing stays frozen because marks are refused.
#[test]
fn an_announced_move_may_end() {
    for scheme in ["mobility-vegas", "cross-layer", "eclair-restore"] {
        let end = if scheme == "mobility-vegas" { Mark::Handover } else { MARKS[4] };
        let mut script = ten_segments(scheme, |p| p.round_trip.minimum_timeout = Duration::from_secs(60));
        for n in 0..3 {
            script.at(1100 + n * 10).inject(ack(1).mark(end)).take();
        }
        script.at(1200).inject(ack(1).mark(Mark::WillHandover)).expect_nothing();
        script.at(1210).inject(ack(1).mark(end));
        assert!(!script.take().is_empty(), "{scheme} goes on");
        script.at(1220).inject(ack(1).mark(end)).take();
        let marks = script.endpoint.statistics().marks;
        assert_eq!((marks.accepted, marks.refused(MarkRefusal::TooOften)), (5, 1), "{scheme}");
    }
}

/// A move that is announced again and again lasts no longer.
#[test]
fn announcing_again_freezes_no_longer() {
    for scheme in ["mobility-vegas", "cross-layer", "eclair-restore"] {
        let mut script = ten_segments(scheme, |p| {
            p.handover.mobility_vegas.longest_disconnection = Duration::from_secs(5);
            p.handover.cross_layer.longest_disconnection = Duration::from_secs(5);
            p.handover.eclair_restore.longest_disconnection = Duration::from_secs(5);
        });
        for at in (1100..6100).step_by(100) {
            script.at(at).inject(ack(1).mark(Mark::WillHandover)).expect_nothing();
        }
        let before = script.endpoint.statistics().sender.segments_sent;
        script.skip_to(8000);
        assert!(script.endpoint.statistics().sender.segments_sent > before, "{scheme} goes on");
    }
}

/// A timestamp is whatever its sender writes: no window is derived from a way of more than half a second, nor from one that
/// has not begun yet.
#[test]
fn a_window_is_derived_from_no_incredible_way() {
    for sent in [1, 600, 601, 1_099, 1_102, 6_000] {
        let timed = plain(|p| {
            p.segments.timestamp_tick = Some(Duration::from_millis(1));
            p.handover.ehn.resume_with = ResumeWith::AdjustedWindow;
        });
        let mut script = Script::moving_after(timed, "westwood", "ehn", syn_ack().times(1, 1));
        script.at(500).supply(400_000).take();
        for (at, acknowledged) in [(550, 1977), (600, 4941)] {
            script.at(at).inject(ack(acknowledged).times(1, 501)).take();
        }
        let before = script.endpoint.sample().slow_start_threshold;
        script.at(1100).inject(ack(4941).times(sent, 501).mark(Mark::Handover)).take();
        let after = script.endpoint.sample().slow_start_threshold;
        assert_eq!(script.endpoint.statistics().marks.accepted, 1);
        // The clock shows 1101 at 1100 ms.
        let credible = (601..=1101).contains(&sent);
        assert_eq!(after != before, credible, "{sent}: {before} to {after}");
    }
}
