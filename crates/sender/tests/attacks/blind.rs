//! Who sees nothing of the connection, but knows its addresses and ports.

use crate::support::peer::Peer;
use crate::{BOTH, MILLISECOND, accepted, assert_heard, assert_only_the_timer, sending_or_skip, storm};
use seamline_sender::Counter;
use seamline_wire::codec::IpVersion;
use seamline_wire::{Duration, Segment};

/// Marks that miss, in turn: acknowledging what nobody has sent, what is long past, and out of the receive window.
fn missing_all(peer: &Peer, count: u32) -> Vec<Segment> {
    let honest = peer.marked();
    // Spread over some 200 MB, beyond any window here.
    let far = |number: u32| 20_000_000 + number.wrapping_mul(0x9e37_79b1) % 200_000_000;
    let missing = |number| match number % 3 {
        0 => Segment { acknowledgment: honest.acknowledgment + far(number), ..honest },
        1 => Segment { acknowledgment: honest.acknowledgment + (u32::MAX - far(number)), ..honest },
        _ => Segment { sequence: honest.sequence + far(number), ..honest },
    };
    (0..count).map(missing).collect()
}

/// Those of them that the programs hear of: the kernel itself drops what is out of the receive window.
fn heard(count: u32) -> u64 {
    (0..count).filter(|number| number % 3 != 2).count() as u64
}

#[test]
fn blind_marks_change_nothing_of_a_transfer() {
    BOTH.into_iter().for_each(transfer);
}

fn transfer(version: IpVersion) {
    let test = "blind_marks_change_nothing_of_a_transfer";
    let Some(mut rig) = sending_or_skip(test, version) else { return };
    let before = rig.info();
    let (rounds, each) = (100, 30);
    for _ in 0..rounds {
        missing_all(&rig.peer, each).into_iter().for_each(|segment| rig.peer.send(segment));
        for came in rig.peer.watch(MILLISECOND * 5) {
            rig.peer.acknowledge(came);
        }
    }
    let after = rig.info();
    assert_eq!([after.total_retransmissions, after.lost], [0, 0], "{after:?}");
    assert_eq!((after.total_timeouts, after.recovery_state_name()), (before.total_timeouts, "open"));
    let acknowledged = after.acknowledged_bytes - before.acknowledged_bytes;
    assert!(acknowledged > u64::from(crate::BYTES), "the transfer goes on: {acknowledged}");
    // At most one segment for each that is acknowledged (RFC 5681): so no window comes from a mark.
    let most = u64::from(before.congestion_window) + acknowledged / 1000;
    let window = u64::from(after.congestion_window);
    assert!((u64::from(before.congestion_window)..=most).contains(&window), "{window}, at most {most}");
    assert_eq!(accepted(&rig), [0, 0]);
    assert_heard(&rig, Counter::OutOfWindow, rounds * heard(each));
}

#[test]
fn blind_marks_change_nothing_after_a_timeout() {
    BOTH.into_iter().for_each(after_a_timeout);
}

fn after_a_timeout(version: IpVersion) {
    let test = "blind_marks_change_nothing_after_a_timeout";
    let Some(mut rig) = sending_or_skip(test, version) else { return };
    rig.blackout();
    let silent = rig.info();
    let marks = missing_all(&rig.peer, 1500);
    storm(&mut rig, marks);
    assert_only_the_timer(&rig, &silent);
    assert_eq!(accepted(&rig), [0, 0]);
    assert_heard(&rig, Counter::OutOfWindow, heard(1500));
    // The true one still counts.
    rig.peer.send(rig.peer.marked());
    rig.peer.watch(Duration::from_millis(60));
    assert_eq!(rig.count(Counter::Restored), 1, "{}", rig.counters());
}
