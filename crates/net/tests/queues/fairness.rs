//! Flows that share a link: deficit round robin, sparse flows, hosts.

use crate::drive::{Log, Offer, burst, ms, run, stream, together};
use seamline_net::{CakeConfig, FqCoDelConfig, FqConfig, Limit, QueueConfig};
use seamline_wire::Duration;

/// Without drops: the target is never missed.
fn patient() -> [(QueueConfig, u64); 3] {
    let target = Duration::from_secs(1000);
    [
        (QueueConfig::FqCoDel(FqCoDelConfig { target, ..FqCoDelConfig::default() }), 1514),
        (QueueConfig::Cake(CakeConfig { target, ..CakeConfig::default() }), 1514),
        (QueueConfig::Fq(FqConfig { flow_limit: 5000, ..FqConfig::default() }), 3028),
    ]
}

fn two_sizes() -> Vec<Offer> {
    let small = Offer { size: 300, ..burst(ms(0), 2, 1)[0] };
    together([vec![Offer { size: 1500, ..burst(ms(0), 1, 1)[0] }; 700], vec![small; 3500]])
}

/// A flow of packets of 1500 bytes and one of 300 bytes get the same number of bytes: they differ by not more than a quantum and the largest
/// packet (Shreedhar and Varghese, 1995), after the first quantum of each.
#[test]
fn packets_of_different_sizes_get_the_same_rate() {
    let offers = two_sizes();
    for (queue, quantum) in patient() {
        let log = run(queue, &offers);
        assert!(log.dropped.is_empty());
        for until in [500, 1000, 1500].map(ms) {
            let [large, small] = [1, 2].map(|flow| log.bytes(&offers, flow, until));
            assert!(large.abs_diff(small) <= quantum + 1500, "{queue:?}: {large} {small}");
        }
    }
    let log = run(QueueConfig::Unlimited, &offers);
    assert_eq!(log.bytes(&offers, 2, ms(1000)), 0, "first in, first out");
}

/// A packet each 50 ms next to a standing queue leaves after the packet in service (1 ms) and its own transmission (0.1 ms), because its flow
/// is new each time (RFC 8290 section 4.2).
#[test]
fn a_sparse_flow_goes_first() {
    let bulk = burst(ms(0), 1, 1500);
    let sparse: Vec<Offer> = stream(102, 100, Duration::from_millis(50), ms(1000));
    let offers = together([bulk, sparse]);
    let longest = |log: &Log| log.delays(&offers, 102).into_iter().skip(1).max().unwrap();
    for (queue, _) in patient() {
        let log = run(queue, &offers);
        assert!(longest(&log) <= Duration::from_micros(1100), "{queue:?}: {:?}", longest(&log));
    }
    assert!(longest(&run(QueueConfig::DropTail(Limit::Packets(9999)), &offers)) > Duration::from_millis(500));
}

/// A flow that sends more than its share of packets is no longer new: then it waits for its turn, and two such flows alternate.
#[test]
fn a_new_flow_that_goes_on_sending_is_served_in_turn() {
    let queue = patient()[0].0;
    let offers = together([burst(ms(0), 1, 50), burst(ms(10), 2, 20)]);
    let log = run(queue, &offers);
    let flows: Vec<u16> = log.delivered.iter().map(|it| offers[it.id].flow).collect();
    // At 10 ms packet 10 is in service. Flow 2 begins with a quantum of 1514 bytes, which two packets of 1000 use up; then they alternate.
    assert_eq!(flows[10..13], [1, 2, 2]);
    let of_second = |range: std::ops::Range<usize>| flows[range].iter().filter(|flow| **flow == 2).count();
    assert!((8..=11).contains(&of_second(13..33)), "{flows:?}");
}

/// One host with four flows and one with a single flow: by hosts 1 : 1, by flows 4 : 1.
#[test]
fn hosts_share_before_their_flows_do() {
    let flows = [101, 102, 103, 104, 201];
    let offers = together(flows.map(|flow| burst(ms(0), flow, 800)));
    for (host_isolation, expected) in [(true, 0.5), (false, 0.2)] {
        let target = Duration::from_secs(1000);
        let queue = QueueConfig::Cake(CakeConfig { target, host_isolation, ..CakeConfig::default() });
        let log = run(queue, &offers);
        let share = log.bytes(&offers, 201, ms(1000)) as f64 / 1e6;
        assert!((share - expected).abs() < 0.01, "{host_isolation}: {share}");
        let own = log.bytes(&offers, 101, ms(1000)) as f64 / 1e6;
        assert!((own - (1.0 - expected) / 4.0).abs() < 0.01, "{host_isolation}: {own}");
    }
}
