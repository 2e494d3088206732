//! Closed forms that are drawn beside what was simulated.

use seamline_model::vegas::{Detour, detour_rates};
use seamline_report::picture::lines::Line;
use seamline_scenario::statistics::Estimate;
use serde::Deserialize;

/// A closed form over the axis of a figure.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum ClosedForm {
    /// Between which rates Vegas settles when a detour of as many milliseconds as the axis says has been added to its path
    /// since it measured BaseRTT: [`seamline_model::vegas`].
    VegasDetour {
        /// Payload of a segment in bytes.
        segment_size: u32,
        /// Alpha in segments.
        alpha: f64,
        /// Beta in segments.
        beta: f64,
        /// Rate of the bottleneck in payload per second, in kb/s, that no flow exceeds.
        most: f64,
    },
}

impl ClosedForm {
    /// Its lines at these places of the axis, in the unit of goodput, kb/s.
    pub fn lines(self, at: &[f64]) -> Vec<Line> {
        let ClosedForm::VegasDetour { segment_size, alpha, beta, most } = self;
        let found: Vec<[f64; 2]> = at
            .iter()
            .map(|milliseconds| {
                let detour = Detour { seconds: milliseconds / 1000.0, segment_size, alpha, beta };
                detour_rates(detour).map(|rate| (rate / 1000.0).min(most))
            })
            .collect();
        let line = |name: &str, end: usize| Line {
            name: name.to_owned(),
            points: at.iter().zip(&found).map(|(at, ends)| (*at, Estimate::single(ends[end]))).collect(),
        };
        vec![line("closed form, alpha / detour", 0), line("closed form, beta / detour", 1)]
    }
}
