//! Low-latency handoffs of Mobile IPv4 by post-registration, in scenarios.

use crate::protocols::{MOVES, handovers, ms, protocol};
use seamline_experiment::record::RunRecord;

fn runs(kind: &str, more: &[&str]) -> Vec<RunRecord> {
    crate::protocols::runs(&[&protocol(kind), MOVES, "duration=40 s", "seeds=5"], more)
}

/// The interruption is that of layer 2 and one request of 61 bytes between the agents. The registration is as late as in
/// Mobile IPv4, which is unreachable until then.
#[test]
fn the_tunnel_needs_neither_advertisement_nor_home_agent() {
    let idle = ["flow.download.start=39.9 s"];
    let expected = 100.0 + 2.0 * (ms(61.0, 10.0) + 3.0);
    let (tunneled, plain) = (runs("mobile-ipv4-post-registration", &idle), runs("mobile-ipv4", &idle));
    assert_eq!(handovers(&tunneled).len(), 20);
    for (handover, plain) in handovers(&tunneled).into_iter().zip(handovers(&plain)) {
        let took = handover.interruption_ms.unwrap();
        assert!((took - expected).abs() < 0.1, "{took} {expected}");
        assert_eq!(handover.registered_ms, plain.registered_ms);
        assert!(plain.interruption_ms.unwrap() > expected + 107.0, "{plain:?}");
    }
}

/// What is sent while the node has no link is lost, and nothing more: fewer packets than with Mobile IPv4.
#[test]
fn only_the_interruption_is_lost() {
    let window = ["flow.download.tcp.window_limit=40"];
    let lost = |kind| handovers(&runs(kind, &window)).iter().map(|it| it.lost_packets).sum::<u64>();
    let (tunneled, plain) = (lost("mobile-ipv4-post-registration"), lost("mobile-ipv4"));
    assert!(tunneled > 20 && tunneled * 3 < plain * 2, "{tunneled} {plain}");
}
