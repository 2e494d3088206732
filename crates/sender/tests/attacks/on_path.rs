//! Who reads the connection and can add to it, so that all his numbers are right, but cannot take anything away.

use crate::{
    BOTH, MILLISECOND, accepted, assert_heard, assert_only_the_timer, recover, remembered, sending_or_skip,
    sent_again, storm,
};
use seamline_lab::system::TcpInfo;
use seamline_sender::Counter;
use seamline_wire::codec::IpVersion::{self, V4, V6};
use seamline_wire::{Duration, Segment};

/// A genuine mark is recorded, once delivered and once held back, and used when the connection has recovered, more than a second
/// later, and again after its next timeout.
#[test]
fn on_path_a_mark_replayed_or_delayed_changes_nothing() {
    for (version, is_delivered) in [(V4, true), (V4, false), (V6, true), (V6, false)] {
        let test = "on_path_a_mark_replayed_or_delayed";
        let Some(mut rig) = sending_or_skip(test, version) else { return };
        rig.blackout();
        let recorded = rig.peer.marked();
        if is_delivered {
            rig.peer.send(recorded);
        }
        let genuine = u64::from(is_delivered);
        recover(&mut rig);
        assert_eq!(accepted(&rig), [genuine; 2], "{}", rig.counters());
        let recovered = rig.info();
        storm(&mut rig, [recorded; 100]);
        assert_eq!(state(&rig.info()), state(&recovered), "while nothing is missing");
        rig.blackout();
        let silent = rig.info();
        storm(&mut rig, [recorded; 400]);
        assert_only_the_timer(&rig, &silent);
        assert_eq!(accepted(&rig), [genuine; 2], "{}", rig.counters());
        assert_heard(&rig, Counter::OutOfWindow, 500);
        // The mark of that timeout still counts.
        rig.peer.send(rig.peer.marked());
        rig.peer.watch(Duration::from_millis(60));
        assert_eq!(accepted(&rig), [genuine + 1; 2], "{}", rig.counters());
    }
}

fn state(info: &TcpInfo) -> (u32, Option<u32>, u32, Option<u16>) {
    (info.congestion_window, info.slow_start_threshold, info.total_retransmissions, info.total_timeouts)
}

/// The receiver has moved and hears nothing; somebody on the path marks all the while. One window is sent again for it, and one
/// request to send at once is made. Everything else is the timer's, with its doublings.
#[test]
fn on_path_a_storm_while_the_receiver_is_away_is_one_mark() {
    BOTH.into_iter().for_each(while_away);
}

fn while_away(version: IpVersion) {
    let Some(mut rig) = sending_or_skip("on_path_a_storm_while_the_receiver_is_away", version) else {
        return;
    };
    let before = rig.info();
    rig.blackout();
    let window = remembered(&rig);
    let mut largest = 0;
    // For more than two seconds, so that whatever is allowed once a second would come again.
    for _ in 0..2500 {
        rig.peer.send(rig.peer.marked());
        rig.peer.watch(MILLISECOND);
        largest = largest.max(rig.info().congestion_window);
    }
    let after = rig.info();
    assert_eq!(accepted(&rig), [1, 1], "{}", rig.counters());
    assert!((window / 2..=window).contains(&largest), "{largest}, and {window} before the timeout");
    let expired = u32::from(after.total_timeouts.unwrap() - before.total_timeouts.unwrap());
    let again = sent_again(&before, &after);
    assert!(again <= window + expired, "{again} of a window of {window} and {expired} timeouts: {after:?}");
    assert!(after.backoff >= 2, "the timer is doubled again: {after:?}");
    assert_heard(&rig, Counter::Spent, 2499);
}

/// The receiver is back and acknowledges; with each of its acknowledgments come five marked copies.
#[test]
fn on_path_a_storm_in_recovery_brings_no_more_than_the_window_from_before() {
    BOTH.into_iter().for_each(in_recovery);
}

fn in_recovery(version: IpVersion) {
    let Some(mut rig) = sending_or_skip("on_path_a_storm_in_recovery", version) else { return };
    let before = rig.info();
    rig.blackout();
    let window = remembered(&rig);
    let mut largest = 0;
    rig.peer.send(rig.peer.marked());
    while rig.info().recovery_state_name() != "open" {
        for came in rig.peer.watch(MILLISECOND) {
            rig.peer.acknowledge(came);
            let copies: [Segment; 5] = [rig.peer.marked(); 5];
            copies.into_iter().for_each(|copy| rig.peer.send(copy));
            largest = largest.max(rig.info().congestion_window);
        }
    }
    assert!((window / 2..=window).contains(&largest), "{largest}, and {window} before the timeout");
    assert_eq!(accepted(&rig), [1, 1], "{}", rig.counters());
    // By the timer and for the mark; a window restored that loses at once is sent again by recovery.
    let again = sent_again(&before, &rig.info());
    assert!(again <= 2 * window, "{again} of a window of {window}");
}
