use super::*;

fn pie() -> Pie {
    Pie::new(PieConfig::default(), Stream::new(1, "queue"))
}

/// A probability of 20 % is not scaled down. A delay that rises from 20 to 25 ms adds 0.125 * 0.010 + 1.25 * 0.005 = 0.0075.
#[test]
fn a_step_is_that_of_a_proportional_integral_controller() {
    let mut pie = pie();
    (pie.probability, pie.previous_delay, pie.delay) =
        (0.2, Duration::from_millis(20), Duration::from_millis(25));
    pie.update_once(true);
    assert!((pie.probability - 0.2075).abs() < 1e-12, "{}", pie.probability);
    assert_eq!(pie.previous_delay, Duration::from_millis(25));
}

/// From 0, the same step is divided by 2048 (RFC 8033 section 5.2), from 5 % by 2.
#[test]
fn small_probabilities_change_slowly() {
    for (before, divisor) in
        [(0.0, 2048.0), (5e-6, 512.0), (5e-5, 128.0), (5e-4, 32.0), (5e-3, 8.0), (0.05, 2.0)]
    {
        let mut pie = pie();
        (pie.probability, pie.previous_delay, pie.delay) =
            (before, Duration::from_millis(20), Duration::from_millis(25));
        pie.update_once(true);
        assert!((pie.probability - before - 0.0075 / divisor).abs() < 1e-12, "{before}: {}", pie.probability);
    }
}

/// At 10 % and more a step is at most 2 %; a delay of more than 250 ms adds 2 %. A queue that was empty twice keeps 63/64 of what the step
/// for a delay of zero (-0.125 * 0.015) leaves.
#[test]
fn steps_are_limited() {
    let after = |before, previous, delay, has_backlog| {
        let mut pie = pie();
        pie.probability = before;
        (pie.previous_delay, pie.delay) = (Duration::from_millis(previous), Duration::from_millis(delay));
        pie.update_once(has_backlog);
        pie.probability
    };
    let close = |value: f64, expected: f64| assert!((value - expected).abs() < 1e-12, "{value} {expected}");
    close(after(0.3, 0, 200, true), 0.32);
    close(after(0.3, 0, 260, true), 0.34);
    close(after(0.99, 0, 260, true), 1.0);
    close(after(0.3, 0, 0, true), 0.3 - 0.001_875);
    close(after(0.3, 0, 0, false), (0.3 - 0.001_875) * 63.0 / 64.0);
}

/// With a probability of 20 %, nothing is dropped before the sum of probabilities is 85 %, which is at the fifth packet; the drops are then
/// every 1 / 0.2 + 4 packets in the mean: four that are safe, and a geometric number with mean 5.
#[test]
fn drops_are_spread() {
    let mut pie = pie();
    (pie.burst_left, pie.delay) = (Duration::ZERO, Duration::from_millis(20));
    pie.probability = 0.2;
    let mut gaps = Vec::new();
    let mut last = 0;
    for packet in 1..=90_000 {
        if pie.is_unlucky(100_000) {
            gaps.push(packet - last);
            last = packet;
        }
    }
    assert_eq!(gaps.iter().min(), Some(&5));
    assert!(gaps.iter().all(|gap| *gap <= 43), "8.5 / 0.2 packets");
    let mean = f64::from(last) / gaps.len() as f64;
    assert!((8.8..9.2).contains(&mean), "{mean}");
}

/// Nothing is dropped while less than two packets wait, while the burst allowance lasts, and while the delay is below half the target.
#[test]
fn short_queues_and_bursts_pass() {
    let unlucky = |prepare: fn(&mut Pie) -> u64| {
        let mut pie = pie();
        (pie.burst_left, pie.delay) = (Duration::ZERO, Duration::from_millis(20));
        (pie.probability, pie.accumulated) = (0.19, 8.5);
        let backlog = prepare(&mut pie);
        pie.is_unlucky(backlog)
    };
    assert!(unlucky(|_| 3028));
    assert!(!unlucky(|_| 3027));
    assert!(!unlucky(|pie| {
        pie.burst_left = Duration::from_millis(1);
        3028
    }));
    assert!(!unlucky(|pie| {
        pie.delay = Duration::from_millis(7);
        3028
    }));
}
