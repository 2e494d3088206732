//! Lists of losses, true, forged and in storms, at a sender with the kernel's TCP.
#![cfg(all(target_os = "linux", feature = "ebpf"))]

mod support;

use seamline_sender::Counter;
use seamline_wire::LossCause::{Air, Congestion};
use seamline_wire::codec::IpVersion;
use seamline_wire::{Duration, Loss, LossCause, Mark, SackBlock, Segment};
use support::{Rig, Setup};

/// Enough for a window of some dozens of segments.
const BYTES: u32 = 1_000_000;
const AT_ONCE: Duration = Duration::from_millis(60);
/// What the receiver offers, in units of 256 bytes: some 64 segments, few enough to be read in little of a round trip.
const OFFERED: u16 = 352;
const SEGMENT: u32 = 1400;
/// Three segments behind the missing one make it lost (RFC 6675).
const ARRIVED: u32 = 3;

/// An acknowledgment of all but the next segment, behind which some have arrived; with a list of losses, each in segments from there on.
fn gap(rig: &Rig, losses: &[(u32, LossCause)]) -> Segment {
    let missing = rig.peer.expected;
    let block = SackBlock { left: missing + SEGMENT, right: missing + (1 + ARRIVED) * SEGMENT };
    let listed = losses.iter().map(|&(at, cause)| Loss { offset: at * SEGMENT, cause }).collect();
    Segment {
        sack: [block].into_iter().collect(),
        mark: (!losses.is_empty()).then_some(Mark::Losses(listed)),
        ..rig.peer.acknowledgment()
    }
}

/// A connection with a window in flight, none of which is acknowledged; a round trip has passed, so that SACK gives no shorter one.
fn under_way(test: &str, version: IpVersion) -> Option<Rig> {
    // Long against what a busy host adds to it.
    let setup = Setup { round_trip: Duration::from_millis(40), ..Setup::usual(version) };
    let mut rig = Rig::or_skip(test, setup)?;
    // A probe for the last segment (RFC 8985) would count as sent again.
    rig.with_plain_recovery();
    rig.peer.window = OFFERED;
    rig.peer.acknowledge_until(BYTES);
    rig.peer.watch(rig.peer.round_trip);
    Some(rig)
}

/// What is sent again after a segment has come, and what the window is before, and the threshold after it.
fn answer(rig: &mut Rig, segment: Segment) -> (usize, u32, u32) {
    let (missing, window) = (rig.peer.expected, rig.info().congestion_window);
    rig.peer.send(segment);
    let again = rig.peer.watch(AT_ONCE).iter().filter(|came| came.sequence == missing).count();
    (again, window, rig.info().slow_start_threshold.unwrap())
}

#[test]
fn a_loss_over_the_air_is_sent_again_and_costs_no_window() {
    for version in [IpVersion::V4, IpVersion::V6] {
        let Some(mut rig) = under_way("a_loss_over_the_air", version) else { return };
        let segment = gap(&rig, &[(0, Air)]);
        let (again, window, threshold) = answer(&mut rig, segment);
        assert_eq!((again, threshold), (1, window), "{version:?}");
        assert_eq!(
            [Counter::Listed, Counter::WindowKept, Counter::Reduced].map(|it| rig.count(it)),
            [1, 1, 0]
        );
    }
}

#[test]
fn congestion_and_what_nobody_lists_cost_the_window() {
    let test = "congestion_and_what_nobody_lists";
    for losses in [&[][..], &[(0, Congestion)], &[(2, Congestion), (0, Air)]] {
        let Some(mut rig) = under_way(test, IpVersion::V4) else { return };
        let segment = gap(&rig, losses);
        let (again, window, threshold) = answer(&mut rig, segment);
        assert_eq!(again, 1);
        // Cubic keeps seven tenths (RFC 9438).
        assert!((window * 6 / 10..=window * 8 / 10).contains(&threshold), "{threshold} of {window}");
        assert_eq!(rig.count(Counter::WindowKept), 0);
    }
}

/// A receiver that calls every loss the air's does not keep the window while it fills a queue, here of three round trips.
#[test]
fn a_window_that_fills_a_queue_is_reduced_whatever_is_listed() {
    let Some(mut rig) = under_way("a_window_that_fills_a_queue", IpVersion::V4) else { return };
    rig.peer.round_trip = rig.peer.round_trip * 4;
    rig.peer.acknowledge_until(BYTES);
    rig.peer.watch(rig.peer.round_trip);
    let segment = gap(&rig, &[(0, Air)]);
    let (again, window, threshold) = answer(&mut rig, segment);
    assert_eq!(again, 1);
    assert!((window * 6 / 10..=window * 8 / 10).contains(&threshold), "{threshold} of {window}");
    assert_eq!([Counter::WindowKept, Counter::Queued].map(|it| rig.count(it)), [0, 1]);
}

/// Congestion that shows later in the same recovery, and a timeout.
#[test]
fn a_window_that_was_kept_is_reduced_when_it_was_congestion_after_all() {
    let test = "a_window_that_was_kept_is_reduced";
    for is_timeout in [false, true] {
        let Some(mut rig) = under_way(test, IpVersion::V4) else { return };
        let segment = gap(&rig, &[(0, Air)]);
        let (_, window, kept) = answer(&mut rig, segment);
        assert_eq!(kept, window);
        if is_timeout {
            rig.blackout();
        } else {
            let segment = gap(&rig, &[(6, Congestion), (0, Air)]);
            answer(&mut rig, segment);
        }
        let threshold = rig.info().slow_start_threshold.unwrap();
        assert!((window * 6 / 10..=window * 8 / 10).contains(&threshold), "{threshold} of {window}");
        assert_eq!([Counter::WindowKept, Counter::Reduced].map(|it| rig.count(it)), [1, 1]);
    }
}

/// Who guesses, or lists what cannot be outstanding, changes nothing; nor does a list make the kernel send anything.
#[test]
fn forged_lists_change_nothing() {
    let Some(mut rig) = under_way("forged_lists_change_nothing", IpVersion::V4) else { return };
    let before = rig.info();
    let listed = Mark::Losses([Loss { offset: 0, cause: Air }].into_iter().collect());
    let plain = Segment { mark: Some(listed), ..rig.peer.acknowledgment() };
    let far = Mark::Losses([Loss { offset: 1 << 19, cause: Air }].into_iter().collect());
    for _ in 0..500 {
        // An old acknowledgment, one of what was never sent, a sequence number outside of the window, an offset beyond what was sent.
        rig.peer.send(Segment { acknowledgment: plain.acknowledgment - 5000, ..plain });
        rig.peer.send(Segment { acknowledgment: plain.acknowledgment + (1 << 24), ..plain });
        rig.peer.send(Segment { sequence: plain.sequence - 100_000, ..plain });
        rig.peer.send(Segment { mark: Some(far), ..plain });
    }
    assert_eq!(rig.peer.watch(Duration::from_millis(20)).len(), 0, "nothing is sent");
    assert_eq!([Counter::Listed, Counter::WindowKept].map(|it| rig.count(it)), [0, 0]);
    assert!(rig.count(Counter::OutOfWindow) >= 1000, "{}", rig.counters());
    assert_eq!(rig.info().congestion_window, before.congestion_window);
}

/// A receiver that lists the same loss a thousand times gets it once, as without lists.
#[test]
fn a_storm_of_lists_is_answered_once() {
    let Some(mut rig) = under_way("a_storm_of_lists_is_answered_once", IpVersion::V4) else { return };
    let segment = gap(&rig, &[(0, Air)]);
    let missing = rig.peer.expected;
    (0..1000).for_each(|_| rig.peer.send(segment));
    let again = rig.peer.watch(AT_ONCE).iter().filter(|came| came.sequence == missing).count();
    assert_eq!((again, rig.count(Counter::WindowKept)), (1, 1));
}
