//! What happens when a queue is full.

use crate::drive::{burst, ms, run, together};
use seamline_net::{CakeConfig, FqCoDelConfig, FqConfig, QueueConfig};
use seamline_wire::DropCause;

/// 100 packets may wait. Flow 1 has 90 of them, flow 2 has 10; one more packet of flow 2 makes flow 1 lose half of its bytes, 45 packets,
/// from its head (RFC 8290 section 4.1.3), but not more than a batch. Packet 0 is in service.
#[test]
fn fq_codel_drops_from_the_fattest_flow() {
    let offers = together([burst(ms(0), 1, 91), burst(ms(0), 2, 11)]);
    for (drop_batch, count) in [(64, 45), (8, 8)] {
        let queue =
            QueueConfig::FqCoDel(FqCoDelConfig { limit: 100, drop_batch, ..FqCoDelConfig::default() });
        let log = run(queue, &offers);
        assert_eq!(log.dropped_ids(), (1..=count).collect::<Vec<_>>());
        assert!(log.dropped.iter().all(|(_, _, cause)| *cause == DropCause::QueueOverflow));
    }
}

/// The same by bytes: 100 packets of 1000 bytes.
#[test]
fn fq_codel_has_a_limit_in_bytes() {
    let offers = together([burst(ms(0), 1, 91), burst(ms(0), 2, 11)]);
    let queue = QueueConfig::FqCoDel(FqCoDelConfig { memory_limit: 100_000, ..FqCoDelConfig::default() });
    assert_eq!(run(queue, &offers).dropped_ids(), (1..=45).collect::<Vec<_>>());
}

/// CAKE drops single packets from the head of the longest queue.
#[test]
fn cake_drops_from_the_fattest_flow() {
    let offers = together([burst(ms(0), 1, 91), burst(ms(0), 2, 12)]);
    let queue = QueueConfig::Cake(CakeConfig { memory_limit: 100_000, ..CakeConfig::default() });
    assert_eq!(run(queue, &offers).dropped_ids(), [1, 2]);
}

/// A flow may have 100 packets waiting; the 49 after those are dropped, and the other flow is not affected.
#[test]
fn fq_has_a_limit_by_flow() {
    let offers = together([burst(ms(0), 1, 150), burst(ms(0), 2, 20)]);
    let log = run(QueueConfig::Fq(FqConfig::default()), &offers);
    assert_eq!(log.dropped_ids(), (101..150).collect::<Vec<_>>());
    let few = run(QueueConfig::Fq(FqConfig { limit: 90, ..FqConfig::default() }), &offers);
    assert_eq!(few.dropped_ids(), (91..170).collect::<Vec<_>>());
}

/// A flow that begins may send ten packets of 1514 bytes at once: 16 of 1000, before the old flow goes on.
#[test]
fn fq_passes_an_initial_window() {
    let offers = together([burst(ms(0), 1, 90), burst(ms(50), 2, 40)]);
    let log = run(QueueConfig::Fq(FqConfig::default()), &offers);
    let flows: Vec<u16> = log.delivered.iter().map(|it| offers[it.id].flow).collect();
    let first = flows.iter().position(|flow| *flow == 2).unwrap();
    let in_a_row = flows[first..].iter().take_while(|flow| **flow == 2).count();
    assert_eq!((first, in_a_row), (51, 16), "packet 50 is in service");
}
