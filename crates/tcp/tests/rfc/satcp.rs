//! SaTCP (Cao and Zhang, INFOCOM 2023, and the kernel patch of its authors): reports of disruptions, and what they change.

use crate::script::*;
use seamline_tcp::parameters::Parameters;
use seamline_wire::{Duration, Mark, Signal};

const GOING_DOWN: Signal = Signal::LinkGoingDown { within: Duration::from_millis(500) };

/// The end that hears of it informs the peer, once for each report.
#[test]
fn a_report_is_passed_on() {
    let mut script = Script::moving(plain(|_| {}), "cubic", "satcp");
    script.at(1000).inject(data(1..1001)).inject(data(1001..2001)).expect(ack(2001));
    script.at(1500).signal(GOING_DOWN).expect(ack(2001).mark(Mark::WillHandover)).expect_nothing();
    script.at(2000).signal(Signal::LinkDown).expect_nothing();
    script.at(2100).signal(Signal::LinkUp { rate: None, round_trip_time: None }).expect_nothing();
}

/// The window in segments of a sender of CUBIC that has lost one of its 60 segments 100 ms after the peer's report, and then has had
/// ten round trips of 100 ms acknowledged.
fn window_after_a_loss(report: bool, change: fn(&mut Parameters)) -> f64 {
    let parameters = plain(|p| {
        p.window.initial = 60.0;
        p.window.initial_bytes = f64::INFINITY;
        p.window.initial_threshold = 30.0;
        p.recovery.proportional_rate_reduction = false;
        change(p);
    });
    let answer = syn_ack().sack_permitted(true);
    let mut script = Script::moving_after(parameters, "cubic", "satcp", answer);
    script.at(1000).supply(100_000_000).take();
    if report {
        script.inject(ack(1).mark(Mark::WillHandover)).take();
    }
    script.at(1100).inject(ack(1).sack(&[1001..60_001])).take();
    let mut acknowledged = 60_001;
    script.at(1200).inject(ack(acknowledged)).take();
    for _ in 0..10 {
        script.after(100);
        let window = script.endpoint.sample().congestion_window as u32;
        for _ in 0..window {
            acknowledged += 1000;
            script.inject(ack(acknowledged)).take();
        }
    }
    script.endpoint.sample().congestion_window
}

/// The window falls to 42, and K is cbrt(18 / 0.4) = 3.6 s, a ninth of it 0.4 s: within 2.3 s of the report the window is back at 60,
/// but for a segment, after a second.
#[test]
fn the_window_comes_back_after_a_report() {
    let reported = window_after_a_loss(true, |_| {});
    assert!((59.0..61.0).contains(&reported), "{reported}");
    let none = window_after_a_loss(false, |_| {});
    assert!((47.0..56.0).contains(&none), "{none}");
    let over = window_after_a_loss(true, |p| p.handover.satcp.duration = Duration::from_millis(150));
    assert_eq!(over, none, "the report is over when the curve begins");
}
