//! Figures of gains: by how many percent one cell exceeds another, or a closed form.

use super::cells;
use crate::closed_form::ClosedForm;
use crate::measure::{Measure, OneOrMany, Statistic};
use crate::quantity::Quantity;
use crate::records::CellRecords;
use seamline_report::picture::lines::Line;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Gains in goodput over a parameter, with their intervals.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gains {
    /// What its picture is called.
    pub name: String,
    /// Its title.
    pub title: String,
    /// What to see, in a line.
    pub caption: String,
    /// The key, with numbers for values, that the curves are drawn over.
    pub axis: String,
    /// What that is, with its unit.
    pub axis_title: String,
    /// Whether equal factors are equally far apart on it.
    #[serde(default)]
    pub logarithmic: bool,
    /// The closed form that simulations are compared with; other cells (`over`) without this.
    pub closed_form: Option<ClosedForm>,
    /// The curves.
    pub curve: Vec<GainCurve>,
}

/// One curve.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GainCurve {
    /// What it is called.
    pub name: String,
    /// The scenario whose records it shows.
    pub scenario: String,
    /// The cells that are compared.
    pub of: BTreeMap<String, String>,
    /// With those that differ from them in this; without a closed form.
    #[serde(default)]
    pub over: BTreeMap<String, OneOrMany>,
}

impl Gains {
    /// What its axis upwards is called.
    pub(crate) fn measured(&self) -> &'static str {
        match self.closed_form {
            None => "gain in throughput (%)",
            Some(_) => "simulation over closed form (%)",
        }
    }

    /// The curves; one whose runs do not hold what it compares has no points.
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
            quantity: Quantity::Goodput,
            flow: None,
            between: None,
            of: curve.of.clone(),
            over: curve.over.clone(),
            among: BTreeMap::new(),
            only: BTreeMap::new(),
            axis: Some(self.axis.clone()),
            line: None,
        }
    }
}
