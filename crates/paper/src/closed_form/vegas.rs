//! Where Vegas rests on a detour.

use seamline_experiment::statistics::Estimate;
use seamline_model::vegas::{Detour, detour_rates};
use seamline_report::picture::lines::Line;
use serde::Deserialize;

/// Between which rates Vegas settles when a detour of as many milliseconds as the axis says has been added to its path
/// since it measured BaseRTT: [`seamline_model::vegas`].
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct VegasDetour {
    /// Payload of a segment in bytes.
    segment_size: u32,
    /// Alpha in segments.
    alpha: f64,
    /// Beta in segments.
    beta: f64,
    /// Rate of the bottleneck in payload per second, in kb/s, that no flow exceeds.
    most: f64,
}

impl VegasDetour {
    /// Its lines at these detours.
    pub(super) fn lines(self, at: &[f64]) -> Vec<Line> {
        let VegasDetour { segment_size, alpha, beta, most } = self;
        let rate = |milliseconds: f64, rounds_difference: bool, end: usize| {
            let detour =
                Detour { seconds: milliseconds / 1000.0, segment_size, alpha, beta, rounds_difference };
            (detour_rates(detour)[end] / 1000.0).min(most)
        };
        let line = |name: &str, rounds: bool, end: usize| Line {
            name: name.to_owned(),
            points: at.iter().map(|at| (*at, Estimate::single(rate(*at, rounds, end)))).collect(),
        };
        vec![
            line("closed form: beta", false, 1),
            line("closed form: alpha", false, 0),
            line("closed form: alpha - 1/2, as ns-2 rounds", true, 0),
        ]
    }
}
