//! Vegas on a path that has become longer.
//!
//! Vegas keeps the smallest round-trip time d that it has ever seen (BaseRTT). When the path grows, say by the tunnel of
//! Mobile IP, every round-trip time D is larger than d by the detour, and Vegas takes what is under way there for segments in
//! queues: Delta = W (D - d) / D (Ho and Chiu 2020, equation 1). It holds Delta between alpha and beta, hence its window
//! between alpha D / (D - d) and beta D / (D - d), and its rate W / D between alpha / (D - d) and beta / (D - d), whatever the
//! link could carry.
//!
//! ns-2's Vegas rounds Delta to whole segments before it compares, so it stands still from alpha - 1/2 to beta + 1/2.
//!
//! Assumed: no queue forms besides, no loss, and a window limited by nothing else.

/// A path that has become longer, and the thresholds of the Vegas on it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Detour {
    /// By how much the round-trip time has grown since BaseRTT was measured: D - d, in seconds, above zero.
    pub seconds: f64,
    /// Payload of a segment in bytes.
    pub segment_size: u32,
    /// Alpha in segments.
    pub alpha: f64,
    /// Beta in segments.
    pub beta: f64,
    /// Whether the difference is rounded to whole segments before it is compared, as in ns-2.
    pub rounds_difference: bool,
}

impl Detour {
    /// Between which queues, in segments, the window stands still.
    fn thresholds(self) -> [f64; 2] {
        let half = if self.rounds_difference { 0.5 } else { 0.0 };
        [self.alpha - half, self.beta + half]
    }
}

/// The least and the greatest rate at which Vegas rests, in bit/s of payload.
pub fn detour_rates(detour: Detour) -> [f64; 2] {
    let bits = f64::from(detour.segment_size) * 8.0;
    detour.thresholds().map(|threshold| threshold * bits / detour.seconds)
}
