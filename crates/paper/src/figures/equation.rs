//! Figures of closed forms alone.

use super::Axis;
use crate::closed_form::TwoLinks;
use crate::documents::NothingElse;
use seamline_experiment::statistics::Estimate;
use seamline_model::obtcp::Path;
use seamline_report::picture::lines::Line;
use serde::Deserialize;

/// Curves of the recovery times of Snoop and obTCP over two wireless links ([`seamline_model::obtcp`]).
#[derive(Clone, Debug, Deserialize)]
pub struct Equation {
    /// The name of its picture.
    pub name: String,
    /// Its title.
    pub title: String,
    /// What to see, in a line.
    pub caption: String,
    /// What is drawn.
    pub shows: Shows,
    /// The path.
    pub path: TwoLinks,
    /// The symbol that the curves are drawn over.
    #[serde(flatten)]
    pub axis: Axis,
    /// Its first value.
    pub from: f64,
    /// Its last value.
    pub to: f64,
    /// The symbol that differs between the curves.
    pub series: String,
    /// Its values.
    pub values: Vec<f64>,
    #[serde(flatten)]
    _rest: NothingElse,
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
    /// The title of its axis.
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
    /// The curves; `None` when a symbol is unknown, or a value is outside the domain of the equations.
    pub fn lines(&self) -> Option<Vec<Line>> {
        self.values.iter().map(|value| self.line(*value)).collect()
    }

    fn line(&self, value: f64) -> Option<Line> {
        let path = self.path.with(&self.series, value)?;
        let point = |step: u32| {
            let at = self.from + (self.to - self.from) * f64::from(step) / f64::from(STEPS);
            let value = self.shows.of(&path.with(&self.axis.key, at)?.path().ok()?)?;
            Some((at, Estimate::single(value)))
        };
        let unit = if self.series.starts_with('d') { " ms" } else { "" };
        Some(Line {
            name: format!("{} = {value}{unit}", self.series),
            points: (0..=STEPS).map(point).collect::<Option<_>>()?,
        })
    }
}
