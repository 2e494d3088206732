//! The throughput of a flow under random loss.
//!
//! Assumptions: losses are independent, the flow has no end, and nothing else limits the window.

/// The mean window of Reno-like variants in segments at the loss ratio `loss`: sqrt(3 / (2 b p)), with one increment
/// for every `acknowledged` segments (Mathis, Semke, Mahdavi and Ott, ACM CCR 27(3), 1997).
fn reno_window(loss: f64, acknowledged: f64) -> f64 {
    libm::sqrt(1.5 / (acknowledged * loss))
}

/// The rate of Reno in segments per second, timeouts included (Padhye, Firoiu, Towsley and Kurose, ACM SIGCOMM 1998,
/// equation 30, without a receiver limit). `acknowledged` is the paper's b: how many segments are acknowledged for
/// each increment of the window. Times are in seconds.
pub fn reno_rate(loss: f64, round_trip: f64, timeout: f64, acknowledged: f64) -> f64 {
    let repair = round_trip * libm::sqrt(2.0 * acknowledged * loss / 3.0);
    let share = (3.0 * libm::sqrt(3.0 * acknowledged * loss / 8.0)).min(1.0);
    1.0 / (repair + timeout * share * loss * (1.0 + 32.0 * loss * loss))
}

/// The mean window of CUBIC in segments with the standard constants C = 0.4 and beta = 0.7 (RFC 9438 section 5.1),
/// but no less than Reno's (the Reno-friendly region). The round-trip time is in seconds.
pub fn cubic_window(loss: f64, round_trip: f64) -> f64 {
    let (c, beta) = (0.4, 0.7);
    let scale = libm::pow(c * (3.0 + beta) / (4.0 * (1.0 - beta)), 0.25);
    (scale * libm::pow(round_trip / loss, 0.75)).max(reno_window(loss, 1.0))
}
