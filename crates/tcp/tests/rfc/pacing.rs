//! Pacing of senders whose congestion control has no rate of its own (Linux, `tcp_update_pacing_rate` and `tcp_pacing_check`).

use crate::script::*;
use seamline_wire::Instant;

fn paced(paced: bool) -> Script {
    let parameters = plain(|p| {
        p.recovery.sack_algorithm = "rack";
        p.window.whole_segments = true;
        p.window.initial = 20.0;
        p.window.initial_bytes = f64::INFINITY;
        p.segments.nagle = false;
        p.segments.paced = paced;
    });
    Script::connected(parameters, "sack", syn_ack().sack_permitted(true))
}

/// In slow start the rate is twice the window in a round-trip time: 20 segments in 50 ms, one every 2.5 ms. The first ten leave at once.
#[test]
fn slow_start_spreads_a_window_over_half_a_round_trip() {
    let mut script = paced(true);
    script.at(1000).supply(20_000).expect_run(1..10_001, 1000);
    for segment in 10..20 {
        let at = Instant::from_nanos(1_002_500_000 + 2_500_000 * (segment - 10));
        let start = (segment * 1000 + 1) as u32;
        script.at_time(at);
        script.expect_run(start..start + 1000, 1000).expect_nothing();
    }
}

#[test]
fn without_the_parameter_a_window_leaves_at_once() {
    let mut script = paced(false);
    script.at(1000).supply(20_000).expect_run(1..20_001, 1000);
}
