//! The example test cases of draft-ietf-ccwg-bbr (appendix "BBR Example Test Cases"), on a path of 10000 segments/s and 40 ms: a
//! bandwidth-delay product of 400 segments.

use super::path::{Bottleneck, Flow};
use super::*;

const RATE: u64 = 10_000;
const PRODUCT: u64 = 400;
const ROUND_TRIP: Duration = Duration::from_millis(40);
const LONG: Duration = Duration::from_secs(20);

fn path() -> Bottleneck {
    Bottleneck { rate: RATE, round_trip: ROUND_TRIP, buffer: 100 * PRODUCT, loses_one_in: 0 }
}
fn flow(path: Bottleneck) -> Flow<Bbr3> {
    Flow::new(Bbr3::default(), path)
}
fn in_state(flow: &mut Flow<Bbr3>, state: State) {
    assert!(flow.run_until(LONG, |flow| flow.control.state == state), "{state:?} does not come");
}
/// Segments per second.
fn rate(bandwidth: Bandwidth) -> u64 {
    bandwidth.segments_in(Duration::from_secs(1))
}
#[track_caller]
fn assert_within(value: u64, least: u64, most: u64) {
    assert!((least..=most).contains(&value), "{value} is not from {least} to {most}");
}

/// "Exiting STARTUP on Bandwidth Plateau" and "Exiting DRAIN Based on Inflight".
#[test]
fn startup_ends_at_the_bandwidth_and_drain_empties_the_queue() {
    let mut flow = flow(path());
    let mut rounds = Vec::new();
    flow.run_until(LONG, |flow| {
        if flow.control.rounds.started && rounds.last() != Some(&flow.control.rounds.count) {
            rounds.push(flow.control.rounds.count);
        }
        flow.control.state != State::Startup
    });
    assert_eq!(flow.control.state, State::Drain);
    assert!(flow.control.full.now && flow.control.full.reached);
    assert_within(rate(flow.control.largest_bandwidth()), RATE * 98 / 100, RATE * 102 / 100);
    // 10, 20, 40 ... 400 takes six round trips, and three more show that nothing grows.
    assert_within(rounds.len() as u64, 7, 12);
    assert!(flow.queue() > PRODUCT / 4, "Startup has built a queue");
    assert_eq!(flow.control.state.gains(), (UNIT / 2, 2 * UNIT));
    // What is drained needs no slower phase: DOWN goes over into CRUISE with the same acknowledgment.
    in_state(&mut flow, State::Cruise);
    assert!(
        u64::from(flow.view.tracked.in_flight)
            <= flow.control.in_flight(flow.control.bandwidth(), &flow.view)
    );
}

/// "Exiting DRAIN Based on Time": the bandwidth was overestimated, so what is in flight stays above the product.
#[test]
fn drain_ends_after_three_round_trips() {
    let mut flow = flow(path());
    assert!(flow.run_until(LONG, |flow| flow.control.full.rounds == 2));
    flow.path.rate = RATE / 8;
    in_state(&mut flow, State::Drain);
    let began = flow.control.rounds.count;
    assert!(flow.run_until(LONG, |flow| flow.control.state != State::Drain));
    assert_within(flow.control.rounds.count - began, 4, 4);
    assert!(u64::from(flow.view.tracked.in_flight) > PRODUCT);
}

/// Startup ends by losses: more than 2 %, in six ranges, after a round trip of recovery.
#[test]
fn startup_ends_by_losses() {
    let mut flow = flow(Bottleneck { loses_one_in: 12, ..path() });
    in_state(&mut flow, State::Drain);
    assert_ne!(flow.control.bounds.long_in_flight, UNBOUNDED);
    assert_eq!(flow.control.undo.state, Some(State::Startup));
}

/// One burst that is lost together does not end Startup, nor do losses of less than 2 %.
#[test]
fn few_losses_do_not_end_startup() {
    let mut flow = flow(Bottleneck { loses_one_in: 200, ..path() });
    in_state(&mut flow, State::Drain);
    assert_eq!(flow.control.bounds.long_in_flight, UNBOUNDED);
}

/// The order of the phases, and their gains: CRUISE, REFILL, UP, DOWN, CRUISE.
#[test]
fn the_cycle_goes_round() {
    let mut flow = flow(path());
    in_state(&mut flow, State::Cruise);
    let mut seen = vec![State::Cruise];
    flow.run_until(Duration::from_secs(4), |flow| {
        if seen.last() != Some(&flow.control.state) {
            seen.push(flow.control.state);
        }
        seen.len() == 5
    });
    assert_eq!(seen, [State::Cruise, State::Refill, State::Up, State::Down, State::Cruise]);
    let gains = seen.iter().map(|state| state.gains().0).collect::<Vec<_>>();
    assert_eq!(gains, [256, 256, 320, 230, 256]);
}

/// "Exiting PROBE_DOWN on Inflight", and what the flow does on the whole: the link is full, and the queue is small.
#[test]
fn the_link_is_full_and_the_queue_is_small() {
    let mut flow = flow(path());
    in_state(&mut flow, State::Cruise);
    let (began, before) = (flow.view.now, flow.view.tracked.delivered);
    let (mut sum, mut samples) = (0, 0);
    flow.run_until(LONG, |flow| {
        sum += flow.queue();
        samples += 1;
        false
    });
    let seconds = (flow.view.now - began).as_secs_f64();
    let share = (flow.view.tracked.delivered - before) as f64 / seconds / RATE as f64;
    assert!((0.95..=1.0).contains(&share), "{share}");
    assert_within(sum / samples, 1, PRODUCT / 4);
}

/// The wait between probes: 2 to 3 s, or as many round trips as Reno would need; here 63 of 40 ms.
#[test]
fn probes_come_after_two_to_three_seconds_or_as_reno_would() {
    let mut flow = flow(path());
    let waits = waits(&mut flow);
    assert!(waits.iter().all(|it| (2000..=3100).contains(&it.0.as_millis()) || it.1 == 63), "{waits:?}");
    // With a product of 20 segments Reno would probe each 20 round trips.
    let mut flow = self::flow(Bottleneck { rate: RATE / 20, ..path() });
    let waits = self::waits(&mut flow);
    assert!(waits.iter().all(|it| (17..=23).contains(&it.1)), "{waits:?}");
}
/// How long the flow waits from one probe to the next, where it does not probe the round-trip time meanwhile; also in round trips.
fn waits(flow: &mut Flow<Bbr3>) -> Vec<(Duration, u64)> {
    let mut waits = Vec::new();
    for _ in 0..8 {
        in_state(flow, State::Down);
        let (began, rounds) = (flow.view.now, flow.control.rounds.count);
        flow.run_until(LONG, |flow| matches!(flow.control.state, State::Refill | State::ProbeRoundTrip));
        if flow.control.state == State::Refill {
            waits.push((flow.view.now - began, flow.control.rounds.count - rounds));
        }
    }
    assert!(waits.len() >= 3, "{waits:?}");
    waits
}

/// "Entering and Exiting PROBE_RTT": every 5 s, with half of the product, for 200 ms and a round trip.
#[test]
fn the_round_trip_time_is_probed_every_five_seconds() {
    let mut flow = flow(path());
    in_state(&mut flow, State::ProbeRoundTrip);
    let first = flow.view.now;
    let least = flow.control.round_trip_probe_window();
    assert_within(least, PRODUCT * 48 / 100, PRODUCT * 52 / 100);
    assert!(flow.view.window.congestion <= least as f64);
    in_state(&mut flow, State::Cruise);
    let lasted = flow.view.now - first;
    assert!((Duration::from_millis(200)..Duration::from_millis(400)).contains(&lasted), "{lasted:?}");
    in_state(&mut flow, State::ProbeRoundTrip);
    let interval = flow.view.now - first;
    assert!((Duration::from_secs(5)..Duration::from_millis(5700)).contains(&interval), "{interval:?}");
    assert_eq!(flow.control.delay.smallest().map(|it| it.as_millis()), Some(40));
}

/// "Increasing Bandwidth 10x": found within a few cycles, by growth that doubles with each round trip.
#[test]
fn ten_times_the_bandwidth_is_found() {
    let mut flow = flow(Bottleneck { rate: RATE / 10, ..path() });
    in_state(&mut flow, State::Cruise);
    flow.path.rate = RATE;
    let found = flow.run_until(LONG, |flow| rate(flow.control.largest_bandwidth()) > RATE * 95 / 100);
    assert!(found, "{}", rate(flow.control.largest_bandwidth()));
}

/// "Decreasing Bandwidth 10x": the bounds follow losses at once, the largest bandwidth after two cycles.
#[test]
fn a_tenth_of_the_bandwidth_is_adapted_to() {
    let mut flow = flow(Bottleneck { buffer: PRODUCT, ..path() });
    in_state(&mut flow, State::Cruise);
    flow.path.rate = RATE / 10;
    let reduced =
        flow.run_until(Duration::from_secs(2), |flow| flow.control.bounds.short_bandwidth.0 != UNBOUNDED);
    assert!(reduced);
    flow.run(Duration::from_secs(15));
    assert_within(rate(flow.control.largest_bandwidth()), RATE / 10 * 95 / 100, RATE / 10 * 105 / 100);
}

/// "Handling Loss During PROBE_UP After inflight_longterm is Set": the bound falls, and the probe ends.
#[test]
fn losses_end_a_probe() {
    let mut flow = flow(Bottleneck { buffer: PRODUCT / 20, ..path() });
    in_state(&mut flow, State::Up);
    in_state(&mut flow, State::Down);
    assert!(flow.control.cycle.was_too_high);
    // What fits is the product and the buffer; the bound is at most a little more, and at least 0.7 of the product.
    assert_within(flow.control.bounds.long_in_flight, PRODUCT * 7 / 10, PRODUCT * 5 / 4);
    in_state(&mut flow, State::Cruise);
    assert!(flow.view.window.congestion <= flow.control.bounds.with_headroom() as f64);
    // The next probe stops when it reaches the bound, or loses again.
    in_state(&mut flow, State::Up);
    in_state(&mut flow, State::Down);
    assert!(flow.control.cycle.was_cautious || flow.control.cycle.was_too_high);
}

/// "Handling Spurious Fast Recovery": what a needless recovery has changed comes back.
#[test]
fn a_needless_recovery_is_taken_back() {
    let mut flow = flow(Bottleneck { buffer: PRODUCT / 20, ..path() });
    in_state(&mut flow, State::Up);
    flow.run_until(LONG, |flow| flow.control.undo.state == Some(State::Up));
    let before = flow.control.undo.long_in_flight;
    let window = flow.control.restore(flow.view.window, &flow.view);
    assert_eq!(flow.control.state, State::Refill);
    assert!(flow.control.bounds.long_in_flight >= before);
    assert!(window.congestion >= flow.control.prior_window);
}

/// "Correctly Managing Sub-Packet BDPs": four segments are always allowed.
#[test]
fn four_segments_are_the_least() {
    let mut flow = flow(Bottleneck { rate: 20, round_trip: Duration::from_millis(10), ..path() });
    flow.run(Duration::from_secs(60));
    assert!(flow.view.window.congestion >= 4.0, "{}", flow.view.window.congestion);
    assert_within(rate(flow.control.largest_bandwidth()), 18, 22);
}

/// 1 % of random losses are below the threshold: the flow keeps most of its rate.
#[test]
fn one_percent_of_losses_costs_little() {
    let mut flow = flow(Bottleneck { loses_one_in: 100, ..path() });
    in_state(&mut flow, State::Cruise);
    let (began, before) = (flow.view.now, flow.view.tracked.delivered);
    flow.run(LONG);
    let seconds = (flow.view.now - began).as_secs_f64();
    let share = (flow.view.tracked.delivered - before) as f64 / seconds / RATE as f64;
    assert!((0.70..=1.0).contains(&share), "{share}");
}
