//! Marks after a timeout and without one, true, forged and in storms, at a sender with the kernel's TCP.
#![cfg(all(target_os = "linux", feature = "ebpf"))]

mod support;

use seamline_sender::{Counter, What};
use seamline_wire::Duration;
use seamline_wire::codec::IpVersion;
use support::socket::{connect_again, disconnect, read_errors};
use support::{Rig, Setup};

const BOTH: [IpVersion; 2] = [IpVersion::V4, IpVersion::V6];
/// Enough for a window of some dozens of segments.
const BYTES: u32 = 1_000_000;
const AT_ONCE: Duration = Duration::from_millis(60);

/// No acknowledgment was lost, so that a plain one would be a duplicate and change nothing.
#[test]
fn after_a_timeout_a_mark_brings_the_window_back_and_the_first_segment_at_once() {
    for version in BOTH {
        let Some(mut rig) =
            Rig::or_skip("after_a_timeout_a_mark_brings_the_window_back", Setup::usual(version))
        else {
            return;
        };
        rig.peer.acknowledge_until(BYTES);
        rig.blackout();
        let Some(&What::Timeout { window, threshold, reduced }) =
            rig.events().iter().find(|what| matches!(what, What::Timeout { .. }))
        else {
            panic!("no timeout: {}", rig.counters())
        };
        assert!(window > 20 && threshold <= window && reduced < window, "{window} {threshold} {reduced}");
        rig.peer.send(rig.peer.marked());
        let came = rig.peer.watch(AT_ONCE);
        assert_eq!(came.first().map(|it| it.sequence), Some(rig.peer.expected), "{version:?}");
        let mut sequences: Vec<u32> = came.iter().map(|it| it.sequence.0).collect();
        sequences.sort_unstable();
        sequences.dedup();
        let bytes: u32 = came.iter().map(|it| it.length).sum();
        let segments = bytes / 1400;
        // Five sixths of it, and the first segment; the tail of what was under way may be beyond what was marked lost.
        assert!((window / 2..=window).contains(&segments), "{segments} segments of a window of {window}");
        let events = rig.events();
        assert!(events.iter().any(|what| matches!(what, What::Asked { doublings: 1.. })), "{events:?}");
        let restored = events.iter().find_map(|what| match what {
            What::Restored { window, .. } => Some(*window),
            _ => None,
        });
        assert_eq!(restored, Some(window * 100 / 120), "{events:?}");
        assert_eq!([rig.count(Counter::Restored), rig.count(Counter::Asked)], [1, 1]);
    }
}

#[test]
fn a_plain_acknowledgment_changes_nothing() {
    let Some(mut rig) = Rig::or_skip("a_plain_acknowledgment_changes_nothing", Setup::usual(IpVersion::V4))
    else {
        return;
    };
    rig.peer.acknowledge_until(BYTES);
    rig.blackout();
    rig.peer.send(rig.peer.acknowledgment());
    let came = rig.peer.watch(AT_ONCE);
    assert!(came.len() <= 2, "{came:?}");
    assert_eq!([rig.count(Counter::Restored), rig.count(Counter::Asked)], [0, 0]);
}

#[test]
fn without_an_interface_the_window_alone_comes_back() {
    let setup = Setup { resend: false, ..Setup::usual(IpVersion::V4) };
    let Some(mut rig) = Rig::or_skip("without_an_interface_the_window_alone_comes_back", setup) else {
        return;
    };
    rig.peer.acknowledge_until(BYTES);
    rig.blackout();
    rig.peer.send(rig.peer.marked());
    let came = rig.peer.watch(AT_ONCE);
    assert!(came.len() > 10, "{came:?}");
    assert_eq!([rig.count(Counter::Restored), rig.count(Counter::Asked)], [1, 0]);
}

#[test]
fn a_mark_without_a_timeout_is_counted_and_nothing_else() {
    let Some(mut rig) = Rig::or_skip("a_mark_without_a_timeout", Setup::usual(IpVersion::V4)) else { return };
    rig.peer.acknowledge_until(BYTES);
    rig.peer.send(rig.peer.marked());
    rig.peer.acknowledge_until(BYTES);
    assert_eq!(rig.count(Counter::NoTimeout), 1, "{}", rig.counters());
    assert_eq!([Counter::Restored, Counter::Asked, Counter::Timeouts].map(|it| rig.count(it)), [0, 0, 0]);
}

/// As somebody would forge it who does not see the connection (RFC 5961).
#[test]
fn a_mark_out_of_window_changes_nothing() {
    let Some(mut rig) = Rig::or_skip("a_mark_out_of_window", Setup::usual(IpVersion::V4)) else { return };
    rig.peer.acknowledge_until(BYTES);
    rig.blackout();
    let mut forged = [rig.peer.marked(); 3];
    forged[0].acknowledgment = rig.peer.expected + 50_000_000;
    forged[1].acknowledgment = rig.peer.expected + (u32::MAX - 5_000);
    // Beyond the receive window the kernel itself drops it, and nobody hears of it.
    forged[2].sequence = rig.peer.next + 500_000_000;
    forged.into_iter().for_each(|segment| rig.peer.send(segment));
    let came = rig.peer.watch(AT_ONCE);
    assert!(came.len() <= 2, "{came:?}");
    assert_eq!(rig.count(Counter::OutOfWindow), 2, "{}", rig.counters());
    assert_eq!([rig.count(Counter::Restored), rig.count(Counter::Asked)], [0, 0]);
    rig.peer.send(rig.peer.marked());
    rig.peer.watch(AT_ONCE);
    assert_eq!(rig.count(Counter::Restored), 1, "the true one still counts");
}

#[test]
fn of_a_storm_one_mark_counts() {
    let Some(mut rig) = Rig::or_skip("of_a_storm_one_mark_counts", Setup::usual(IpVersion::V4)) else {
        return;
    };
    rig.peer.acknowledge_until(BYTES);
    rig.blackout();
    for _ in 0..1000 {
        rig.peer.send(rig.peer.marked());
    }
    rig.peer.watch(AT_ONCE);
    assert_eq!([rig.count(Counter::Restored), rig.count(Counter::Asked)], [1, 1], "{}", rig.counters());
    let ignored: u64 =
        [Counter::Spent, Counter::NothingToRestore, Counter::TooSoon].map(|it| rig.count(it)).iter().sum();
    assert!((990..=999).contains(&ignored), "{}", rig.counters());
    let events = rig.events();
    let message = events.iter().filter(|what| matches!(what, What::Ignored(_))).count();
    assert!(message <= 1, "{message} lines about a storm");
}

/// What was restored is lost: the kernel's own reduction is where it ends.
#[test]
fn losses_at_once_take_the_window_back() {
    let Some(mut rig) = Rig::or_skip("losses_at_once_take_the_window_back", Setup::usual(IpVersion::V4))
    else {
        return;
    };
    rig.peer.acknowledge_until(BYTES);
    rig.blackout();
    rig.peer.send(rig.peer.marked());
    // Nothing of it is acknowledged, but the first segment.
    rig.peer.watch(AT_ONCE);
    rig.peer.expected += 1400;
    rig.peer.send(rig.peer.acknowledgment());
    rig.blackout();
    assert_eq!(
        [Counter::Restored, Counter::Undone, Counter::Kept].map(|it| rig.count(it)),
        [1, 1, 0],
        "{}",
        rig.counters()
    );
}

/// It would be given the messages that ask the kernel to send.
#[test]
fn who_reads_errors_gets_the_window_and_no_messages() {
    let Some(mut rig) = Rig::or_skip("who_reads_errors_gets_the_window", Setup::usual(IpVersion::V4)) else {
        return;
    };
    read_errors(&rig.stream);
    rig.peer.acknowledge_until(BYTES);
    rig.blackout();
    rig.peer.send(rig.peer.marked());
    rig.peer.watch(AT_ONCE);
    assert_eq!([rig.count(Counter::Restored), rig.count(Counter::Asked)], [1, 0], "{}", rig.counters());
}

/// What is kept of a connection is kept with its socket, which can have another one.
#[test]
fn a_socket_that_connects_again_begins_again() {
    let Some(mut rig) = Rig::or_skip("a_socket_that_connects_again", Setup::usual(IpVersion::V4)) else {
        return;
    };
    let ignored =
        |rig: &Rig| rig.events().into_iter().filter(|what| matches!(what, What::Ignored(_))).count();
    rig.peer.acknowledge_until(BYTES);
    rig.peer.send(rig.peer.marked());
    rig.peer.watch(AT_ONCE);
    assert_eq!(ignored(&rig), 1);
    rig.peer.send(rig.peer.marked());
    rig.peer.watch(AT_ONCE);
    assert_eq!(ignored(&rig), 0, "one a second is reported");
    disconnect(&rig.stream);
    connect_again(&rig.stream, rig.peer.address());
    rig.peer.accept();
    rig.peer.watch(AT_ONCE);
    rig.peer.send(rig.peer.marked());
    rig.peer.watch(AT_ONCE);
    assert_eq!(rig.count(Counter::NoTimeout), 3, "{}", rig.counters());
    assert_eq!(rig.count(Counter::Connections), 2);
    assert_eq!(ignored(&rig), 1, "of a connection that is new to the programs");
}
