//! Prague's window and rate against draft-briscoe-iccrg-prague-congestion-control-04.

use crate::flow::{Flow, SEGMENT, assert_near, window};
use seamline_tcp::Offset;
use seamline_tcp::cc::{Loss, RateSample, RecoveryState};
use seamline_wire::Duration;

fn flow(round_trip: Duration) -> Flow {
    let mut flow = Flow::new("prague", round_trip, window(100.0, 50.0));
    flow.view.highest_sent = flow.view.unacknowledged + 100_000;
    flow
}
/// A round of as many segments as the window has, the first `marked` of them marked.
fn round(flow: &mut Flow, marked: u64) {
    let segments = flow.window() as u64;
    for number in 0..segments {
        flow.view.now += flow.round_trip / segments;
        flow.view.unacknowledged += u64::from(SEGMENT);
        flow.view.highest_sent = Offset(flow.view.unacknowledged.0 + segments * u64::from(SEGMENT));
        flow.view.tracked.delivered += 1;
        flow.view.tracked.marked += u64::from(number < marked);
        let sample = RateSample { acknowledged: 1, ..RateSample::default() };
        flow.view.window = flow.control.on_rate_sample(&sample, &flow.view).window;
    }
}

/// Without marks the window grows by a segment a round, and by nothing for marked segments.
#[test]
fn it_grows_by_what_is_not_marked() {
    let mut flow = flow(Duration::from_millis(50));
    round(&mut flow, 0);
    assert_near(flow.window(), 101.0, 0.001);
    let before = flow.window();
    (0..10).for_each(|_| round(&mut flow, u64::MAX));
    assert_eq!(flow.window(), before);
}

/// A mark reduces by half of the estimated share, and the window follows a segment at a time.
#[test]
fn marks_reduce_by_half_of_their_share() {
    let mut flow = flow(Duration::from_millis(50));
    let marked = 20;
    for _ in 0..300 {
        let share = flow_share(&flow, marked);
        round(&mut flow, share);
    }
    let before = flow.window();
    flow.view.window = flow.control.on_marks(&flow.view);
    assert_eq!(flow.window(), before, "not at once");
    round(&mut flow, u64::MAX);
    assert_near(flow.window(), before * 0.9, 0.02);
}
/// So many percent of the window.
fn flow_share(flow: &Flow, percent: u64) -> u64 {
    flow.window() as u64 * percent / 100
}

/// After 500 rounds a flow with a fifth of the target round-trip time grows by a 25th of a segment in each, and reduces once in 25 ms.
#[test]
fn a_short_path_behaves_as_one_of_25_ms() {
    let mut flow = flow(Duration::from_millis(5));
    (0..502).for_each(|_| round(&mut flow, 0));
    let before = flow.window();
    (0..250).for_each(|_| round(&mut flow, 0));
    assert_near(flow.window() - before, 10.0, 0.11);
    let full = flow.window();
    let _ = flow.control.on_marks(&flow.view);
    let _ = flow.control.on_marks(&flow.view);
    (0..3).for_each(|_| round(&mut flow, u64::MAX));
    assert_near(flow.window(), full / 2.0, 0.02);
}

/// A loss halves, and nothing grows until it is repaired.
#[test]
fn a_loss_halves() {
    let mut flow = flow(Duration::from_millis(50));
    round(&mut flow, 0);
    let before = flow.window();
    flow.lose(Loss::Detected);
    (0..2).for_each(|_| round(&mut flow, 0));
    assert_near(flow.window(), before / 2.0, 0.02);
    flow.control.on_state(RecoveryState::Open, &flow.view);
    let repaired = flow.window();
    round(&mut flow, 0);
    assert_near(flow.window() - repaired, 1.0, 0.01);
}

/// The rate is window / round-trip time, and bursts are what it sends in 1/4096 s.
#[test]
fn it_paces_at_the_window() {
    let mut flow = flow(Duration::from_millis(50));
    let sample = RateSample::default();
    assert_eq!(flow.control.on_rate_sample(&sample, &flow.view).pacing_rate, 2_000_000);
    assert_eq!(flow.control.most_burst(2_000_000), Some(1));
    assert_eq!(flow.control.most_burst(125_000_000), Some(29));
}
