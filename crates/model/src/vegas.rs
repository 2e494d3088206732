//! Vegas on a path whose delay has grown.
//!
//! Vegas keeps the smallest round-trip time d that it has ever measured (BaseRTT). When the path grows, say by a
//! Mobile IP tunnel, every round-trip time D exceeds d by the detour, and Vegas takes the data in flight there for
//! queued segments: Delta = W (D - d) / D (Ho and Chiu 2020, equation 1). It keeps Delta between alpha and beta,
//! hence its window between alpha D / (D - d) and beta D / (D - d), and its rate W / D between alpha / (D - d) and
//! beta / (D - d), whatever the link could carry.
//!
//! ns-2's Vegas rounds Delta to whole segments before the comparison, so its window is constant from alpha - 1/2 to
//! beta + 1/2.
//!
//! Assumptions: no other queue builds up, no loss, and nothing else limits the window.

/// The growth of the path, and the thresholds of Vegas.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Detour {
    /// The growth of the round-trip time since BaseRTT was measured: D - d, in seconds, above zero.
    pub seconds: f64,
    /// Payload of a segment in bytes.
    pub segment_size: u32,
    /// Alpha in segments.
    pub alpha: f64,
    /// Beta in segments.
    pub beta: f64,
    /// Whether Delta is rounded to whole segments before the comparison, as in ns-2.
    pub rounds_difference: bool,
}

/// The lowest and highest rate at which Vegas settles, in bit/s of payload.
pub fn detour_rates(detour: Detour) -> [f64; 2] {
    let bits = f64::from(detour.segment_size) * 8.0;
    let half = if detour.rounds_difference { 0.5 } else { 0.0 };
    [detour.alpha - half, detour.beta + half].map(|threshold| threshold * bits / detour.seconds)
}
