//! What tests of papers share.

use seamline_experiment::record::RunRecord;

/// A record of flows with these goodputs in kb/s.
pub(crate) fn run(seed: u64, flows: &[(&str, f64)]) -> RunRecord {
    let flow = |(name, rate): &(&str, f64)| {
        serde_json::json!({
            "name": name, "variant": "any", "delivered_bytes": 1, "goodput_bits_per_second": rate * 1000.0,
            "measured_from_s": 0.0, "measured_to_s": 300.0, "retransmissions": 0, "timeouts": 0,
            "fast_recoveries": 0, "round_trip_mean_ms": null, "round_trip_min_ms": null, "completion_s": null,
            "handovers": []
        })
    };
    let flows: Vec<_> = flows.iter().map(flow).collect();
    serde_json::from_value(serde_json::json!({ "seed": seed, "flows": flows, "links": [] }))
        .expect("a record")
}

/// A gain in percent within these bounds.
pub(crate) fn within([low, high]: [f64; 2]) -> f64 {
    match (low.is_finite(), high.is_finite()) {
        (true, true) => f64::midpoint(low, high),
        (true, false) => low + 5.0,
        _ => high - 5.0,
    }
}
