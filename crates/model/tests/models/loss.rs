//! Expected values were worked out by hand.

use seamline_model::loss::*;

#[track_caller]
fn close(found: f64, expected: f64) {
    assert!((found / expected - 1.0).abs() < 1e-3, "{found} is not {expected}");
}

/// p = 1 %, RTT 0.1 s, T0 0.4 s, b = 2: 0.1 sqrt(0.04/3) = 0.011547; 3 sqrt(0.0075) = 0.2598; 0.4 * 0.2598 * 0.01 * 1.0032 =
/// 0.0010426; together 0.0125896.
#[test]
fn reno_with_timeouts() {
    close(reno_rate(0.01, 0.1, 0.4, 2.0), 1.0 / 0.012_589_6);
    // At this loss ratio every loss ends in a timeout: 0.1 sqrt(0.4) + 0.4 * 0.3 * (1 + 2.88).
    close(reno_rate(0.3, 0.1, 0.4, 2.0), 1.0 / (0.063_246 + 0.4 * 0.3 * 3.88));
}

/// (0.4 * 3.7 / 1.2)^(1/4) = 1.0538; with RTT 0.1 s and p = 10^-4, 1000^(3/4) = 177.83. At frequent losses Reno's
/// window is larger: sqrt(1.5 / 0.01) = 12.247.
#[test]
fn cubic() {
    close(cubic_window(1e-4, 0.1), 187.40);
    close(cubic_window(0.01, 0.01), 12.247);
}
