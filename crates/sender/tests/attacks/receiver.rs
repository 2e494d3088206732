//! A receiver that wants more than its share: it falls silent to have its sender time out, as if it moved, and marks every acknowledgment.

use crate::support::Rig;
use crate::{MILLISECOND, recover, remembered, sending_or_skip, sent_again};
use seamline_sender::Counter;
use seamline_wire::codec::IpVersion;

const SILENCES: u64 = 3;
const ROUND_TRIPS: u32 = 20;

/// What a receiver gets that is silent three times, and marks an acknowledgment after each.
#[derive(Debug)]
struct Got {
    /// Timeouts, windows restored, retransmissions asked for.
    counts: [u64; 3],
    retransmissions: u32,
    /// The windows that the timeouts gave up, together.
    given_up: u32,
    /// Marks that no program accepted.
    ignored: u64,
}

fn receive(test: &str, marks_all: bool) -> Option<Got> {
    let mut rig = sending_or_skip(test, IpVersion::V4)?;
    rig.peer.marks_all = marks_all;
    let begun = rig.info();
    let mut given_up = 0;
    for _ in 0..SILENCES {
        rig.blackout();
        let window = remembered(&rig);
        given_up += window;
        rig.peer.send(rig.peer.marked());
        (0..ROUND_TRIPS).for_each(|_| round_trip(&mut rig, window));
        recover(&mut rig);
    }
    Some(Got {
        counts: [Counter::Timeouts, Counter::Restored, Counter::Asked].map(|it| rig.count(it)),
        retransmissions: sent_again(&begun, &rig.info()),
        given_up,
        ignored: [Counter::NoTimeout, Counter::Spent].map(|it| rig.count(it)).iter().sum(),
    })
}

/// While the sender recovers it has no larger window than the one from before; later it gains at most one segment for each that is
/// acknowledged (RFC 5681 section 3.1).
fn round_trip(rig: &mut Rig, before_timeout: u32) {
    let before = rig.info();
    let came = rig.peer.watch(MILLISECOND * 10);
    let earned = came.len() as u32;
    came.into_iter().for_each(|came| rig.peer.acknowledge(came));
    let is_recovering = before.recovery_state_name() != "open";
    let most = if is_recovering { before_timeout } else { before.congestion_window + earned };
    let window = rig.info().congestion_window;
    assert!(window <= most, "{window}, at most {most}: {before:?}");
}

/// The bound: for each timeout the window that it gave up, once, which the honest receiver gets, too.
#[test]
fn a_receiver_that_marks_every_acknowledgment_gets_no_more_than_one_that_marks_one() {
    let test = "a_receiver_that_marks_every_acknowledgment";
    let (Some(honest), Some(greedy)) = (receive(test, false), receive(test, true)) else { return };
    assert_eq!((honest.counts, greedy.counts), ([SILENCES; 3], [SILENCES; 3]), "{honest:?} {greedy:?}");
    assert!(honest.ignored == 0 && greedy.ignored > 300, "{honest:?} {greedy:?}");
    for got in [&honest, &greedy] {
        // Sent again for the mark, by recovery where the window restored lost at once, and by the timer.
        assert!(got.retransmissions <= 2 * got.given_up + 10, "{got:?}");
    }
}
