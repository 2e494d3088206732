//! Freeze-TCP with timestamps (da Costa and Sirisena 2002): a disconnection is kept out of what is echoed.

use crate::script::*;
use seamline_wire::{Duration, Signal};

const UP: Signal = Signal::LinkUp { rate: None, round_trip_time: None };

/// A receiver whose last segment before its link went down at 1500 ms, the peer's clock showing 5400, came at 1400 ms. The link is up
/// again at 4000 ms, and one reconnection acknowledgment leaves.
fn reconnected(scheme: &str) -> Script {
    let parameters = plain(|p| {
        p.segments.timestamp_tick = Some(Duration::from_millis(1));
        p.handover.freeze.acknowledgments = 1;
        p.receiver.delayed_acknowledgment = None;
    });
    let mut script = Script::moving_after(parameters, "newreno", scheme, syn_ack().times(4100, 1));
    script.read_at_once();
    script.at(1400).inject(data(1..1001).times(5400, 101)).expect(ack(1001).times(1401, 5400));
    script.at(1500).signal(Signal::LinkDown).at(4000).signal(UP);
    script
}

/// At the reconnection the peer's clock shows 5400 + 2600, less the way: whatever left earlier echoes that, and what left later echoes
/// its own.
#[test]
fn the_disconnection_is_left_out() {
    let mut script = reconnected("freeze-timestamps");
    script.expect(ack(1001).times(4001, 8000));
    script.at(4005).inject(data(1001..2001).times(5500, 101)).expect(ack(2001).times(4006, 8000));
    script.at(4010).inject(data(2001..3001).times(7990, 101)).expect(ack(3001).times(4011, 8000));
    script.at(4030).inject(data(3001..4001).times(8020, 101)).expect(ack(4001).times(4031, 8020));
    script.at(4040).inject(data(4001..5001).times(8030, 101)).expect(ack(5001).times(4041, 8030));
}

/// Freeze-TCP alone echoes what came.
#[test]
fn freeze_alone_counts_it() {
    let mut script = reconnected("freeze");
    script.expect(ack(1001).times(4001, 5400));
    script.at(4005).inject(data(1001..2001).times(5500, 101)).expect(ack(2001).times(4006, 5500));
}

/// What is echoed does not change what is accepted: a segment from before the disconnection is no old duplicate (RFC 7323 section 5.3).
#[test]
fn old_segments_are_still_accepted() {
    let mut script = reconnected("freeze-timestamps");
    script.take();
    script.at(4005).inject(data(1001..2001).times(5400, 101)).expect(ack(2001)).delivered(2000);
    script.at(4010).inject(data(2001..3001).times(5399, 101)).expect(ack(2001)).delivered(2000);
}
