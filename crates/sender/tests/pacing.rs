//! The window that a mark brings back is paced while it is on trial, and no longer: by what arrives when.
#![cfg(all(target_os = "linux", feature = "ebpf"))]

mod support;

use seamline_sender::{Counter, What};
use seamline_wire::Duration;
use seamline_wire::codec::IpVersion;
use support::peer::Came;
use support::{Rig, Setup};

const BYTES: u32 = 1_000_000;
const ROUND_TRIP: Duration = Duration::from_millis(40);
/// What the peer offers, in units of 256 bytes: some 64 segments.
const OFFERED: u16 = 352;

/// From the first to the last.
fn spread(came: &[Came]) -> Duration {
    came.last().unwrap().at - came.first().unwrap().at
}

/// How long a window takes to come that one acknowledgment lets go.
fn spread_of_a_window(rig: &mut Rig) -> Duration {
    for came in rig.peer.watch(ROUND_TRIP) {
        if came.sequence == rig.peer.expected {
            rig.peer.expected += came.length;
        }
    }
    rig.peer.send(rig.peer.acknowledgment());
    let came = rig.peer.watch(ROUND_TRIP);
    assert!(came.len() > 50, "{came:?}");
    came.iter().for_each(|came| rig.peer.acknowledge(*came));
    spread(&came)
}

/// The shortest of some: this test may be stopped for a while, too, between two that came.
fn least_spread(rig: &mut Rig) -> Duration {
    (0..5).map(|_| spread_of_a_window(rig)).min().unwrap()
}

/// A busy host may stop this peer for longer than the kernel waits. The kernel then sees losses while on trial.
const TRIES: u32 = 3;

/// Before the timeout and after the trial the kernel sends in bursts. On trial it sends at its rate, or up to twice as fast: it makes
/// up for timers of its own that were late.
#[test]
fn a_window_on_trial_is_paced_and_no_other() {
    for version in [IpVersion::V4, IpVersion::V6] {
        let held = (0..TRIES).any(|_| {
            let Some(rig) = Rig::or_skip("a_window_on_trial_is_paced", Setup::usual(version)) else {
                return true;
            };
            is_held_and_paced(rig)
        });
        assert!(held, "the peer was late in each of {TRIES} tries");
    }
}

/// Whether the window was held; if it was taken back, the peer was late and nothing can be said of its pace.
fn is_held_and_paced(mut rig: Rig) -> bool {
    rig.with_plain_recovery();
    rig.with_small_bursts();
    (rig.peer.window, rig.peer.round_trip) = (OFFERED, ROUND_TRIP);
    rig.peer.acknowledge_until(BYTES);
    let before = least_spread(&mut rig);
    rig.blackout();
    let events = rig.events();
    let Some(What::Timeout { window, .. }) = events.first() else { panic!("{events:?}") };
    rig.peer.send(rig.peer.marked());
    let came = rig.peer.watch(ROUND_TRIP);
    let (info, on_trial) = (rig.info(), spread(&came));
    came.iter().for_each(|came| rig.peer.acknowledge(*came));
    rig.peer.acknowledge_until(BYTES);
    if rig.count(Counter::Undone) == 1 {
        return false;
    }
    assert_eq!([Counter::Restored, Counter::Kept].map(|it| rig.count(it)), [1, 1], "{}", rig.counters());
    let after = least_spread(&mut rig);

    let bytes: u32 = came.iter().skip(1).map(|came| came.length).sum();
    let rate = info.pacing_bytes_per_second.unwrap() as f64;
    let paced = Duration::from_secs_f64(f64::from(bytes) / rate);
    assert!(paced > ROUND_TRIP / 4 && bytes > 50 * 1400, "{paced:?} {info:?}");
    assert!((paced / 2..=paced + ROUND_TRIP / 4).contains(&on_trial), "{on_trial:?}, not {paced:?}");
    assert!(before.max(after) < ROUND_TRIP / 8, "{before:?} {after:?}");
    // The window given up in a round trip, and at most a fifth more where all of it was under way.
    let given_up = f64::from(window * 1400) / info.smoothed_round_trip_time.as_secs_f64();
    assert!((0.95..1.21).contains(&(rate / given_up)), "{rate} of {given_up}: {info:?}");
    true
}
