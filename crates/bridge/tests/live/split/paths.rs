//! What the kernel knows of the paths of both halves, as it is exported.

use super::{Router, routed, settings};
use crate::hop::Hop;
use crate::hosts::pause;
use crate::net::Transfer;
use seamline_bridge::system::{Metrics, Split};

/// The hop behind the router takes 5 ms each way and loses 2 % of packets; the link before it does nothing of that.
#[test]
fn round_trips_and_retransmissions_of_both_halves_are_exported() {
    let Some(net) = routed("round_trips_and_retransmissions_of_both_halves_are_exported") else { return };
    let hop = Hop::begin(&net, 20);
    let folder = tempfile::tempdir().unwrap();
    let metrics = Metrics::File(folder.path().join("split.prom"));
    let router = Router::begin(&net, Split { metrics: Some(metrics.clone()), ..settings() });
    Transfer::begin(&net, 4, 1_500_000).finish();
    pause(2500);
    let samples = seamline_host::metrics::samples(&metrics.read().unwrap()).unwrap();
    let of = |name: &str, side: &str| {
        let name = format!("seamline_agent_{name}");
        let found = samples.iter().find(|it| it.name == name && it.label("side") == Some(side));
        found.unwrap_or_else(|| panic!("no {name} of {side}")).value
    };
    let mean = |side| of("rtt_seconds_sum", side) / of("rtt_seconds_count", side);
    assert!((0.01..1.0).contains(&mean("wireless")), "{} s", mean("wireless"));
    assert!((1e-6..0.01).contains(&mean("wired")), "{} s", mean("wired"));
    let (sent, again) =
        (of("split_segments_total", "wireless"), of("split_retransmitted_segments_total", "wireless"));
    // In segments of 1448 bytes: all of it, and what was lost, and what was overtaken at most.
    assert!((1030.0..1300.0).contains(&sent) && (5.0..200.0).contains(&again), "{sent}, {again} again");
    assert_eq!(of("split_retransmitted_segments_total", "wired"), 0.0);
    router.end(false);
    hop.end();
}
