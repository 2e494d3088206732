//! How a number is made of records: the statistics that claims, their conditions and conclusions name.

mod crossing;
mod gains;
mod model_error;
mod over_time;
mod paired;

use crate::closed_form::ClosedForm;
use crate::quantity::Quantity;
use crate::records::{CellRecords, Number};
use paired::Extreme;
use seamline_experiment::statistics::{Estimate, estimate, mean};
use serde::Deserialize;
use std::collections::BTreeMap;

/// What a number is made of: claims, their conditions and conclusions are measured alike.
#[derive(Clone, Debug, Deserialize)]
pub struct Measure {
    /// The statistic.
    pub statistic: Statistic,
    /// What is looked at in each run.
    #[serde(default)]
    pub quantity: Quantity,
    /// The flow or flows (`fixed-*`); the first flow otherwise.
    pub flow: Option<String>,
    /// Only what happened between these times, in seconds.
    pub between: Option<[f64; 2]>,
    /// The cells that are compared.
    #[serde(default)]
    pub of: BTreeMap<String, String>,
    /// With which.
    #[serde(default)]
    pub over: BTreeMap<String, OneOrMany>,
    /// Or the values of a key that are compared with each other.
    #[serde(default)]
    pub among: BTreeMap<String, Vec<String>>,
    /// The values of a key that count; all of them otherwise.
    #[serde(default)]
    pub only: BTreeMap<String, Vec<String>>,
    /// The key, with numbers for values, that a curve is drawn over.
    pub axis: Option<String>,
    /// The scenario whose mean is the line that a curve crosses; a condition has its claim's.
    pub line: Option<String>,
}

/// How a number is made of records; the `claims.toml` of the papers say it in words.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
pub enum Statistic {
    /// The mean of `of`.
    #[serde(rename = "value")]
    Value,
    /// By how many percent `of` exceeds `over`.
    #[serde(rename = "gain")]
    Gain,
    /// The smallest gain over several.
    #[serde(rename = "least gain")]
    LeastGain,
    /// The largest gain over several.
    #[serde(rename = "greatest gain")]
    GreatestGain,
    /// The gain in the first of two cells `among` a key less that in the second, in percentage points.
    #[serde(rename = "gain difference")]
    GainDifference,
    /// How far the curve of gains over `axis` hangs below the straight line between its ends, mean over the values between, in
    /// percent of the rise from end to end: above zero for a convex curve that rises.
    #[serde(rename = "gain sag")]
    GainSag,
    /// The largest gain over `axis` less the smallest, in percentage points.
    #[serde(rename = "gain spread")]
    GainSpread,
    /// In what share of the intervals `of` is below `over`, in percent.
    #[serde(rename = "share below")]
    ShareBelow,
    /// By how many percent the quantity exceeds the closed form of the figure, the value over `axis` with the largest error.
    #[serde(rename = "model error")]
    ModelError,
    /// By how much `over` exceeds `of`.
    #[serde(rename = "difference")]
    Difference,
    /// The largest relative difference among several, in percent.
    #[serde(rename = "spread")]
    Spread,
    /// Where a curve crosses a line.
    #[serde(rename = "crossing")]
    Crossing,
    /// By how much the crossing of `over` exceeds that of `of`.
    #[serde(rename = "crossing difference")]
    CrossingDifference,
    /// Entries of a table that agree.
    #[serde(rename = "matches")]
    Matches,
}

/// One value of a key, or several.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum OneOrMany {
    /// One.
    One(String),
    /// Several.
    Many(Vec<String>),
}

impl OneOrMany {
    /// All of them.
    pub fn as_slice(&self) -> &[String] {
        match self {
            OneOrMany::One(value) => std::slice::from_ref(value),
            OneOrMany::Many(values) => values,
        }
    }
}

/// A number with what it is made of.
#[derive(Debug)]
pub(crate) struct Measured {
    /// The number.
    pub(crate) value: Estimate,
    /// The cells, or pairs of cells, behind it.
    pub(crate) behind: Vec<Behind>,
}

/// A cell, or pair of cells, and its number.
#[derive(Debug)]
pub(crate) struct Behind {
    pub(crate) name: String,
    pub(crate) value: Estimate,
    pub(crate) unit: &'static str,
}

/// What cells are compared with.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Beside<'a> {
    /// The cells of the line that curves cross.
    pub(crate) line: &'a [&'a CellRecords],
    /// The closed form of their figure.
    pub(crate) closed_form: Option<ClosedForm>,
}

impl Measure {
    /// A mean and its interval for each value of the axis, in its order: the gain over `over` or, without that, over a closed form. `None` when a
    /// cell has nothing to be compared with.
    pub(crate) fn curve(
        &self,
        cells: &[&CellRecords],
        closed_form: Option<ClosedForm>,
    ) -> Option<Vec<(f64, Estimate)>> {
        let points: Vec<(f64, Vec<f64>)> = match closed_form {
            None => gains::curve(self, cells, &mut Vec::new())?,
            Some(form) => {
                let errors = model_error::errors(self, cells, form)?;
                errors.into_iter().map(|it| (it.at, it.percent)).collect()
            }
        };
        points.into_iter().map(|(at, found)| Some((at, estimate(&found)?))).collect()
    }

    /// The unit of what it gives; "points" are percentage points. What crosses is measured in the unit of its axis, which the words
    /// around it name.
    pub fn unit(&self) -> &'static str {
        match self.statistic {
            Statistic::Matches => "entries",
            Statistic::Value | Statistic::Difference => self.quantity.unit(),
            Statistic::Crossing | Statistic::CrossingDifference => "",
            Statistic::GainDifference | Statistic::GainSpread => "points",
            Statistic::Gain
            | Statistic::LeastGain
            | Statistic::GreatestGain
            | Statistic::GainSag
            | Statistic::ShareBelow
            | Statistic::ModelError
            | Statistic::Spread => "%",
        }
    }

    /// Whether it is measured on records, hence over seeds; a table's entries are compared without any run.
    pub(crate) fn is_of_records(&self) -> bool {
        self.statistic != Statistic::Matches
    }

    fn number(&self) -> Number<'_> {
        Number { quantity: self.quantity, flow: self.flow.as_deref(), between: self.between }
    }

    /// Whether a cell counts at all.
    fn admits(&self, cell: &CellRecords) -> bool {
        self.only
            .iter()
            .all(|(key, values)| cell.values.get(key).is_some_and(|own| values.iter().any(|it| it == own)))
    }

    /// Whether a cell has all these values.
    fn is_of(&self, cell: &CellRecords) -> bool {
        self.admits(cell) && self.of.iter().all(|(key, value)| cell.is(key, value))
    }

    /// The number over these cells.
    pub(crate) fn measure(&self, cells: &[&CellRecords], beside: Beside<'_>) -> Option<Measured> {
        match self.statistic {
            Statistic::Matches => None,
            Statistic::Value => self.mean_value(cells),
            Statistic::Spread => paired::spread(self, cells),
            Statistic::Gain | Statistic::LeastGain => {
                paired::extreme(self, cells, paired::percent, Extreme::Least)
            }
            Statistic::GreatestGain => paired::extreme(self, cells, paired::percent, Extreme::Greatest),
            Statistic::GainDifference => gains::difference(self, cells),
            Statistic::GainSag => gains::sag(self, cells),
            Statistic::GainSpread => gains::spread(self, cells),
            Statistic::ShareBelow => over_time::share_below(self, cells),
            Statistic::ModelError => model_error::largest(self, cells, beside.closed_form?),
            Statistic::Difference => paired::extreme(self, cells, |of, over| over - of, Extreme::Least),
            Statistic::Crossing => crossing::crossing(self, cells, beside.line),
            Statistic::CrossingDifference => crossing::difference(self, cells, beside.line),
        }
    }

    fn mean_value(&self, cells: &[&CellRecords]) -> Option<Measured> {
        let mut seeds = BySeed::default();
        let mut behind = Vec::new();
        for cell in cells.iter().filter(|cell| self.is_of(cell)) {
            let numbers = cell.numbers(self.number())?;
            behind.push(Behind { name: cell.name(), value: estimate(&numbers)?, unit: self.unit() });
            seeds.add(numbers);
        }
        Some(Measured { value: seeds.estimate()?, behind })
    }
}

/// Numbers of several cells, seed by seed.
#[derive(Debug, Default)]
struct BySeed(Vec<Vec<f64>>);

impl BySeed {
    fn add(&mut self, numbers: Vec<f64>) {
        self.0.resize(self.0.len().max(numbers.len()), Vec::new());
        self.0.iter_mut().zip(numbers).for_each(|(seed, number)| seed.push(number));
    }
    /// The mean over the cells for each seed.
    fn means(&self) -> Option<Vec<f64>> {
        self.0.iter().map(|numbers| mean(numbers)).collect()
    }
    /// The same over the seeds with its interval.
    fn estimate(&self) -> Option<Estimate> {
        estimate(&self.means()?)
    }
}
