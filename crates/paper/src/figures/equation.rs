//! Figures of closed forms alone.

use crate::closed_form::TwoLinks;
use seamline_experiment::statistics::Estimate;
use seamline_model::obtcp::Path;
use seamline_report::picture::lines::Line;
use serde::Deserialize;

/// Curves of the recovery times of Snoop and obTCP over two wireless links ([`seamline_model::obtcp`]).
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Equation {
    /// What its picture is called.
    pub name: String,
    /// Its title.
    pub title: String,
    /// What to see, in a line.
    pub caption: String,
    /// What is drawn.
    pub shows: Shows,
    /// The way.
    pub path: TwoLinks,
    /// The symbol that the curves are drawn over, from its first value to its last.
    pub axis: String,
    /// Its first value.
    pub from: f64,
    /// Its last value.
    pub to: f64,
    /// What it is, with its unit.
    pub axis_title: String,
    /// The symbol that tells the curves apart.
    pub series: String,
    /// Its values.
    pub values: Vec<f64>,
}

/// What is drawn of the equations.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
pub enum Shows {
    /// R_gain = R_s - R_o (equation 7), in ms.
    #[serde(rename = "gain in recovery time")]
    Gain,
    /// R_s / R_o (equations 10 and 11).
    #[serde(rename = "ratio of recovery times")]
    Ratio,
}

impl Shows {
    /// What an axis calls it.
    pub(crate) fn axis(self) -> &'static str {
        match self {
            Shows::Gain => "R_gain, recovery time saved (ms)",
            Shows::Ratio => "recovery time of Snoop over that of obTCP",
        }
    }
    fn of(self, path: &Path) -> Option<f64> {
        match self {
            Shows::Gain => Some(1000.0 * path.recovery_gain_seconds()),
            Shows::Ratio => path.recovery_ratio(),
        }
    }
}

/// How many parts an axis is divided into.
const STEPS: u32 = 20;

impl Equation {
    /// The curves; `None` when a symbol is none, or a value means nothing to the equations.
    pub fn lines(&self) -> Option<Vec<Line>> {
        self.values.iter().map(|value| self.line(*value)).collect()
    }

    fn line(&self, value: f64) -> Option<Line> {
        let path = self.path.with(&self.series, value)?;
        let point = |step: u32| {
            let at = self.from + (self.to - self.from) * f64::from(step) / f64::from(STEPS);
            let value = self.shows.of(&path.with(&self.axis, at)?.path().ok()?)?;
            Some((at, Estimate::single(value)))
        };
        let unit = if self.series.starts_with('d') { " ms" } else { "" };
        Some(Line {
            name: format!("{} = {value}{unit}", self.series),
            points: (0..=STEPS).map(point).collect::<Option<_>>()?,
        })
    }
}
