//! Figures of gains: by how many percent one cell exceeds another, or a closed form.

use super::Axis;
use crate::closed_form::ClosedForm;
use crate::documents::NothingElse;
use crate::measure::{Measure, OneOrMany, Statistic};
use crate::records::{CellRecords, cells};
use seamline_report::picture::lines::Line;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Gains in goodput over a parameter, with their intervals.
#[derive(Clone, Debug, Deserialize)]
pub struct Gains {
    /// The name of its picture.
    pub name: String,
    /// Its title.
    pub title: String,
    /// What to see, in a line.
    pub caption: String,
    /// The parameter that the curves are drawn over.
    #[serde(flatten)]
    pub axis: Axis,
    /// The closed form that simulations are compared with; by default other cells (`over`).
    pub closed_form: Option<ClosedForm>,
    /// The curves.
    pub curve: Vec<GainCurve>,
    #[serde(flatten)]
    _rest: NothingElse,
}

/// One curve.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GainCurve {
    /// Its name.
    pub name: String,
    /// The scenario whose records it shows.
    pub scenario: String,
    /// The cells that are compared.
    pub of: BTreeMap<String, String>,
    /// The values in which the cells that they are compared with differ; without a closed form.
    #[serde(default)]
    pub over: BTreeMap<String, OneOrMany>,
}

impl Gains {
    /// The title of its vertical axis.
    pub(crate) fn measured(&self) -> &'static str {
        match self.closed_form {
            None => "gain in throughput (%)",
            Some(_) => "simulation over closed form (%)",
        }
    }

    /// The curves; one without the cells that it compares has no points.
    pub(crate) fn lines(&self, records: &[CellRecords]) -> Vec<Line> {
        let line = |curve: &GainCurve| {
            let points = self.measure(curve).curve(&cells(records, &curve.scenario), self.closed_form);
            Line { name: curve.name.clone(), points: points.unwrap_or_default() }
        };
        self.curve.iter().map(line).collect()
    }

    fn measure(&self, curve: &GainCurve) -> Measure {
        Measure {
            statistic: Statistic::Gain,
            of: curve.of.clone(),
            over: curve.over.clone(),
            axis: Some(self.axis.key.clone()),
            ..Measure::default()
        }
    }
}
