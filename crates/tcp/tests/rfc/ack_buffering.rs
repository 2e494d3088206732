//! The mobile node extension that buffers acknowledgments (Omae et al. 2002; paper mobility-vegas-2020, section 3).

use crate::script::*;
use seamline_wire::{Duration, Signal};

const UP: Signal = Signal::LinkUp { rate: None, round_trip_time: None };

/// A receiver that acknowledges each segment, and hears at 1000 ms that its link goes down at 1500 ms.
fn warned() -> Script {
    let parameters = plain(|p| p.receiver.delayed_acknowledgment = None);
    let mut script = Script::moving(parameters, "newreno", "ack-buffering");
    script.read_at_once().at(1000).signal(Signal::LinkGoingDown { within: Duration::from_millis(500) });
    script
}

/// "Before L2 handoff, the MN extension sets pre-buffer timer and then buffers the ACKs during the pre-buffer time. After the MN completes
/// its L2 and L3 handoffs, it sends all buffered ACKs." The time is 200 ms.
#[test]
fn acknowledgments_wait_for_the_end_of_the_handoff() {
    let mut script = warned();
    script.at(1299).inject(data(1..1001)).expect(ack(1001));
    script.at(1301).inject(data(1001..2001)).at(1400).inject(data(2001..3001)).expect_nothing();
    script.at(1500).signal(Signal::LinkDown).at(1900).signal(UP);
    script.expect(ack(2001)).expect(ack(3001)).take();
    script.at(1910).inject(data(3001..4001)).expect(ack(4001)).expect_nothing();
}

/// Where a mobility protocol runs, the handoff ends with the registration.
#[test]
fn registration_ends_the_handoff() {
    let mut script = warned();
    script.at(1400).inject(data(1..1001)).at(1500).signal(Signal::LinkDown);
    script.at(1700).signal(Signal::MovementDetected).expect_nothing();
    script.at(1800).signal(Signal::Registered).expect(ack(1001));
}

/// A handoff that does not come releases them a second after its time.
#[test]
fn a_false_alarm_ends() {
    let mut script = warned();
    script.at(1400).inject(data(1..1001)).at(2499).expect_nothing().at(2500).expect(ack(1001));
    script.take();
    script.at(2600).inject(data(1001..2001)).expect(ack(2001));
}

/// A notice that comes later than the pre-buffer time begins it at once.
#[test]
fn a_late_notice_holds_at_once() {
    let mut script = warned();
    script.at(1100).signal(Signal::LinkGoingDown { within: Duration::from_millis(50) });
    script.inject(data(1..1001)).at(1140).expect_nothing();
}
