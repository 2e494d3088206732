//! DCTCP's estimate and reduction against RFC 8257 section 3.3 in the arithmetic of Linux.

use crate::flow::{Flow, window};
use seamline_tcp::Offset;
use seamline_tcp::cc::Loss;
use seamline_wire::Duration;

fn flow() -> Flow {
    Flow::new("dctcp", Duration::from_millis(1), window(100.0, 50.0))
}
/// A round of a hundred segments, so many of them marked.
fn round(flow: &mut Flow, marked: u64) {
    flow.view.tracked.delivered += 100;
    flow.view.tracked.marked += marked;
    flow.view.unacknowledged = flow.view.highest_sent;
    flow.view.highest_sent = Offset(flow.view.highest_sent.0 + 100_000);
    flow.control.on_feedback(&flow.view);
}
fn reduced(flow: &mut Flow) -> f64 {
    flow.control.on_marks(&flow.view).congestion
}

/// Without an estimate a mark counts as if all were marked; without marks it decays by 1/16 a round, to nothing.
#[test]
fn the_estimate_begins_at_all_and_decays() {
    let mut flow = flow();
    assert_eq!(reduced(&mut flow), 50.0);
    round(&mut flow, 0);
    // 960 of 1024: 100 * 960 / 2048 = 46 segments.
    assert_eq!(reduced(&mut flow), 54.0);
    (0..200).for_each(|_| round(&mut flow, 0));
    assert_eq!(reduced(&mut flow), 100.0);
}

/// A constant share of marks is what the estimate converges to; the window falls by half of that.
#[test]
fn a_constant_share_is_found() {
    for (marked, left) in [(100, 50.0), (50, 75.0), (20, 90.0)] {
        let mut flow = flow();
        (0..200).for_each(|_| round(&mut flow, marked));
        let after = reduced(&mut flow);
        assert!((left..=left + 1.0).contains(&after), "{marked} %: {after}");
    }
}

/// Within a round nothing is estimated.
#[test]
fn an_estimate_is_made_once_a_round() {
    let mut flow = flow();
    round(&mut flow, 0);
    flow.view.tracked.marked += 100;
    flow.control.on_feedback(&flow.view);
    assert_eq!(reduced(&mut flow), 54.0);
}

/// Section 3.5: a loss halves the window, whatever the estimate is, also while it falls for marks.
#[test]
fn a_loss_halves() {
    let mut flow = flow();
    (0..200).for_each(|_| round(&mut flow, 0));
    assert_eq!(flow.control.on_loss_in_reduction(&flow.view).map(|window| window.threshold), Some(50.0));
    flow.lose(Loss::Detected);
    assert_eq!(flow.window(), 50.0);
}
