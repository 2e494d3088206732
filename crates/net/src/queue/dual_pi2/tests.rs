use super::*;

fn dual_pi2() -> DualPi2 {
    DualPi2::new(DualPi2Config::default(), Stream::new(1, "queue"))
}

/// A delay that rises from 20 to 25 ms adds 0.16 * 0.010 + 3.2 * 0.005 = 0.0176, without scaling.
#[test]
fn a_step_is_that_of_a_proportional_integral_controller() {
    let mut queue = dual_pi2();
    (queue.base, queue.delay) = (0.1, Duration::from_millis(20));
    queue.update_once(Duration::from_millis(25));
    assert!((queue.base - 0.1176).abs() < 1e-12, "{}", queue.base);
    queue.update_once(Duration::ZERO);
    assert!((queue.base - (0.1176 - 0.16 * 0.015 - 3.2 * 0.025)).abs() < 1e-12, "{}", queue.base);
}

/// With p' = 20 % and k = 2, a classic packet is dropped or marked with probability 4 %, a low-latency one is marked with 40 %.
#[test]
fn probabilities_are_coupled() {
    let (mut out, mut counters) = (seamline_wire::Outbox::new(), crate::Counters::default());
    let mut sink = Sink::for_tests(&mut out, &mut counters);
    let count = 100_000;
    let mut shares = Vec::new();
    for (ecn, base) in
        [(Ecn::NotEct, 0.2), (Ecn::Ect0, 0.2), (Ecn::Ect1, 0.2), (Ecn::Ect1, 0.6), (Ecn::Ect0, 0.6)]
    {
        let mut queue = dual_pi2();
        queue.base = base;
        let (mut dropped, mut marked) = (0, 0);
        for _ in 0..count {
            let packet = Box::new(Packet { ecn, ..Packet::default() });
            let mut waited = Waited { since: Instant::ZERO, packet };
            let passes = match DualPi2::is_low_latency(&waited.packet) {
                true => queue.passes_low_latency(Instant::ZERO, &mut waited, &mut sink),
                false => queue.passes_classic(&mut waited, &mut sink),
            };
            dropped += u32::from(!passes);
            marked += u32::from(passes && waited.packet.ecn == Ecn::Ce);
        }
        shares.push([dropped, marked].map(|packets| f64::from(packets) / f64::from(count)));
    }
    // From p' = 50 % on, both queues drop, and every low-latency packet that passes is marked.
    let expected = [[0.04, 0.0], [0.0, 0.04], [0.0, 0.4], [0.36, 0.64], [0.36, 0.0]];
    for (share, expected) in shares.iter().flatten().zip(expected.iter().flatten()) {
        assert!((share - expected).abs() < 0.005, "{shares:?}");
    }
}

/// Above a delay of 1 ms each low-latency packet is marked.
#[test]
fn a_step_marks_late_packets() {
    let (mut out, mut counters) = (seamline_wire::Outbox::new(), crate::Counters::default());
    let mut sink = Sink::for_tests(&mut out, &mut counters);
    for (micros, expected) in [(1000, Ecn::Ect1), (1001, Ecn::Ce)] {
        let packet = Box::new(Packet { ecn: Ecn::Ect1, ..Packet::default() });
        let mut waited = Waited { since: Instant::ZERO, packet };
        let now = Instant::ZERO + Duration::from_micros(micros);
        assert!(dual_pi2().passes_low_latency(now, &mut waited, &mut sink));
        assert_eq!(waited.packet.ecn, expected);
    }
}

/// Turns follow the weights: of packets of one size, one in ten is classic while both wait, and the first ones are of low latency.
#[test]
fn the_classic_queue_keeps_its_share() {
    let mut queue = dual_pi2();
    for _ in 0..1000 {
        for ecn in [Ecn::NotEct, Ecn::Ect1] {
            let packet = Box::new(Packet { ecn, wire_bytes: 1514, ..Packet::default() });
            queue.queue_of(&packet.clone()).push(Instant::ZERO, packet);
        }
    }
    let turns: Vec<bool> = (0..1000).filter_map(|_| queue.take_turn()).map(|(is_low, _)| is_low).collect();
    assert!(turns[..8].iter().all(|is_low| *is_low), "credit of 0.8 packets at 0.1 each");
    let classic = turns.iter().filter(|is_low| !**is_low).count();
    assert!((98..=101).contains(&classic), "{classic}");
}
