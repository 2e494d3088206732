//! TCP-R and TCP-MD (Kwon, Park and Cho 2002): the source is frozen while Mobile IP registers, or from the first news of a move on.

use crate::script::*;
use seamline_wire::{Duration, Signal};

const NEW_LINK: Signal = Signal::LinkParametersReport { rate: None, round_trip_time: None };

fn receiver(scheme: &str) -> Script {
    let mut script = Script::moving(plain(|_| {}), "newreno", scheme);
    script.read_at_once().at(1000).inject(data(1..1001)).at(1010).inject(data(1001..2001)).expect(ack(2001));
    script
}
fn expect_opened(script: &mut Script) {
    for _ in 0..3 {
        script.expect(ack(2001).window(65_535));
    }
    script.expect_nothing();
}

/// TCP-R: from the request for registration to its reply. The link layer's news is none to it.
#[test]
fn registration_freezes_the_source() {
    let mut script = receiver("tcp-r");
    script.at(1400).signal(Signal::LinkGoingDown { within: Duration::from_millis(100) });
    script.at(1500).signal(Signal::LinkDown).at(1600).signal(NEW_LINK).expect_nothing();
    script.at(2000).signal(Signal::MovementDetected).expect(ack(2001).window(0)).expect_nothing();
    script.at(2300).signal(Signal::Registered);
    expect_opened(&mut script);
}

/// TCP-MD: as soon as there is a new link, and again when Mobile IP has noticed it.
#[test]
fn movement_is_detected_by_the_new_link() {
    let mut script = receiver("tcp-md");
    script.at(1500).signal(Signal::LinkDown).expect_nothing();
    script.at(1600).signal(NEW_LINK).expect(ack(2001).window(0)).expect_nothing();
    script.at(2600).signal(Signal::MovementDetected).expect(ack(2001).window(0)).expect_nothing();
    script.at(2900).signal(Signal::Registered);
    expect_opened(&mut script);
}

/// TCP-MD hears of a loss of the link that is predicted; when it does not come, one acknowledgment opens the window.
#[test]
fn a_false_alarm_ends() {
    let mut script = receiver("tcp-md");
    script.at(1400).signal(Signal::LinkGoingDown { within: Duration::from_millis(100) });
    script.expect(ack(2001).window(0)).at(2499).expect_nothing();
    script.at(2500).expect(ack(2001).window(65_535)).expect_nothing();
}

/// A reply that got lost does not close the window for ever.
#[test]
fn the_window_opens_without_news() {
    let mut script = receiver("tcp-r");
    script.at(2000).signal(Signal::MovementDetected).expect(ack(2001).window(0));
    script.at(31_999).expect_nothing().at(32_000).expect(ack(2001).window(65_535));
}

/// A source that moves sends nothing while it registers, and then what is outstanding, with its window as it was.
#[test]
fn a_source_that_moves_freezes() {
    for scheme in ["tcp-r", "tcp-md"] {
        let mut script = Script::moving(plain(|_| {}), "newreno", scheme);
        script.at(1000).supply(20_000).expect_run(1..10_001, 1000);
        script.at(1500).signal(Signal::MovementDetected).expect(ack(1).seq(10_001).window(0));
        script.at(4000).expect_nothing().signal(Signal::Registered).take();
        script.window_is(10.0);
        let sender = script.endpoint.statistics().sender;
        assert_eq!((sender.timeouts, sender.retransmissions), (0, 10), "{scheme}");
    }
}
