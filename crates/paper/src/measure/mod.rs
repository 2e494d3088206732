//! The statistics that claims, their conditions and conclusions name: from records to one number.

mod crossing;
mod gains;
mod model_error;
mod over_time;
mod paired;
mod range;

use crate::closed_form::ClosedForm;
use crate::evaluate::CellResult;
use crate::quantity::Quantity;
use crate::records::{CellRecords, Number};
pub use crossing::PaysOff;
use paired::Extreme;
pub(crate) use range::parts;
use seamline_experiment::statistics::{Estimate, estimate, mean};
use serde::Deserialize;
use std::collections::BTreeMap;

/// How a claim, a condition or a conclusion is measured.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct Measure {
    /// The statistic.
    pub statistic: Statistic,
    /// The quantity measured in each run.
    #[serde(default)]
    pub quantity: Quantity,
    /// The flow or flows (`fixed-*`); by default the first flow.
    pub flow: Option<String>,
    /// Only what happened between these times, in seconds.
    pub between: Option<[f64; 2]>,
    /// The cells that are compared.
    #[serde(default)]
    pub of: BTreeMap<String, String>,
    /// The cells that they are compared with.
    #[serde(default)]
    pub over: BTreeMap<String, OneOrMany>,
    /// How a gain over another cell is counted.
    #[serde(default)]
    pub gain: Gain,
    /// The values of a key that are compared with each other.
    #[serde(default)]
    pub among: BTreeMap<String, Vec<String>>,
    /// The values of a key that count; by default all of them.
    #[serde(default)]
    pub only: BTreeMap<String, Vec<String>>,
    /// The keys of the range that a claim is about: it has to hold for each of their values. `figure` stands for the scenario. Of a
    /// claim about an average there are none.
    #[serde(default)]
    pub each: Vec<String>,
    /// The key, with numbers for values, that a curve is drawn over.
    pub axis: Option<String>,
    /// The scenario whose mean is the line that a curve crosses; a condition has its claim's.
    pub line: Option<String>,
    /// On which side of its crossing a curve is below the line.
    #[serde(default)]
    pub pays_off: PaysOff,
}

/// How records become one number. The `claims.toml` of the papers describe each in more detail.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Statistic {
    /// The mean of `of`.
    #[default]
    Value,
    /// By how many percent `of` exceeds `over`.
    Gain,
    /// The smallest gain over several.
    LeastGain,
    /// The largest gain over several.
    GreatestGain,
    /// The gain in the first of two cells `among` a key less that in the second, in percentage points.
    GainDifference,
    /// How far the curve of gains over `axis` lies below the straight line between its ends, mean over the values between, in
    /// percent of the rise from end to end: above zero for a convex curve that rises.
    GainSag,
    /// The largest gain over `axis` less the smallest, in percentage points.
    GainSpread,
    /// In what share of the intervals `of` is below `over`, in percent.
    ShareBelow,
    /// By how many percent the quantity exceeds the closed form of the figure, at the value of `axis` with the largest error.
    ModelError,
    /// By how much `over` exceeds `of`.
    Difference,
    /// The largest relative difference among several, in percent.
    Spread,
    /// Where the mean curve crosses the mean of a line.
    Crossing,
    /// By how much the crossing of `over` exceeds that of `of`.
    CrossingDifference,
    /// Entries of a table that agree.
    Matches,
}

/// How a gain over another cell is counted.
#[derive(Clone, Copy, Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Gain {
    /// By how many percent the cell exceeds the other.
    #[default]
    Percent,
    /// By how much the cell is below the other, in the unit of the quantity: the gain in a time.
    Less,
}

impl Gain {
    fn of(self, own: f64, other: f64) -> f64 {
        match self {
            Gain::Percent => paired::percent(own, other),
            Gain::Less => other - own,
        }
    }
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

/// A number and the cells, or pairs of cells, behind it.
#[derive(Debug)]
pub(crate) struct Measured {
    pub(crate) value: Estimate,
    pub(crate) cells: Vec<CellResult>,
}

impl Measure {
    /// A mean and its interval for each value of the axis, in its order: the gain over `over` or, if given, over a closed form.
    /// `None` when a cell has no counterpart.
    pub(crate) fn curve(
        &self,
        cells: &[&CellRecords],
        closed_form: Option<ClosedForm>,
    ) -> Option<Vec<(f64, Estimate)>> {
        let points: Vec<(f64, Vec<f64>)> = match closed_form {
            None => gains::curve(self, cells, &mut Vec::new())?,
            Some(form) => {
                let errors = model_error::errors(self, cells, form)?;
                errors.into_iter().map(|(at, _, percent)| (at, percent)).collect()
            }
        };
        points.into_iter().map(|(at, found)| Some((at, estimate(&found)?))).collect()
    }

    /// The unit of the number; "points" are percentage points. A crossing is in the unit of its axis, which the claim states.
    pub fn unit(&self) -> &'static str {
        match self.statistic {
            Statistic::Matches => "entries",
            Statistic::Value | Statistic::Difference => self.quantity.unit(),
            Statistic::Crossing | Statistic::CrossingDifference => "",
            Statistic::GainDifference | Statistic::GainSpread if self.gain == Gain::Percent => "points",
            Statistic::GainDifference | Statistic::GainSpread => self.quantity.unit(),
            Statistic::Gain | Statistic::LeastGain | Statistic::GreatestGain => self.unit_of_gains(),
            Statistic::GainSag | Statistic::ShareBelow | Statistic::ModelError | Statistic::Spread => "%",
        }
    }

    fn unit_of_gains(&self) -> &'static str {
        match self.gain {
            Gain::Percent => "%",
            Gain::Less => self.quantity.unit(),
        }
    }

    /// Whether it is measured on records, hence over seeds; a table's entries are compared without any run.
    pub(crate) fn is_of_records(&self) -> bool {
        self.statistic != Statistic::Matches
    }

    fn number(&self) -> Number<'_> {
        Number { quantity: self.quantity, flow: self.flow.as_deref(), between: self.between }
    }

    /// The key of `over` and its values.
    fn over(&self) -> Option<(&str, &[String])> {
        self.over.iter().next().map(|(key, values)| (key.as_str(), values.as_slice()))
    }

    /// The cells that count and have the values of `of`.
    fn cells_of<'a>(&self, cells: &[&'a CellRecords], of: &BTreeMap<String, String>) -> Vec<&'a CellRecords> {
        let is_of = |cell: &&CellRecords| {
            let counts = self.only.iter().all(|(key, values)| values.iter().any(|value| cell.is(key, value)));
            counts && of.iter().all(|(key, value)| cell.is(key, value))
        };
        cells.iter().copied().filter(is_of).collect()
    }

    /// The same in the order of the axis; `None` without such a cell.
    fn cells_on_axis<'a>(
        &self,
        cells: &[&'a CellRecords],
        of: &BTreeMap<String, String>,
    ) -> Option<Vec<(f64, &'a CellRecords)>> {
        let axis = self.axis.as_ref()?;
        let own = self.cells_of(cells, of).into_iter();
        let own = own.filter_map(|cell| Some((cell.values.get(axis)?, cell)));
        let mut curve: Vec<(f64, &CellRecords)> =
            own.map(|(at, cell)| Some((at.parse().ok()?, cell))).collect::<Option<_>>()?;
        curve.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        (!curve.is_empty()).then_some(curve)
    }

    /// The number over these cells; `line` are the cells of the line that curves cross.
    pub(crate) fn measure(
        &self,
        cells: &[&CellRecords],
        line: &[&CellRecords],
        closed_form: Option<ClosedForm>,
    ) -> Option<Measured> {
        let gain = |of, over| self.gain.of(of, over);
        match self.statistic {
            Statistic::Matches => None,
            Statistic::Value => self.mean_value(cells),
            Statistic::Spread => paired::spread(self, cells),
            Statistic::Gain | Statistic::LeastGain => paired::extreme(self, cells, gain, Extreme::Least),
            Statistic::GreatestGain => paired::extreme(self, cells, gain, Extreme::Greatest),
            Statistic::GainDifference => gains::difference(self, cells),
            Statistic::GainSag => gains::sag(self, cells),
            Statistic::GainSpread => gains::spread(self, cells),
            Statistic::ShareBelow => over_time::share_below(self, cells),
            Statistic::ModelError => model_error::largest(self, cells, closed_form?),
            Statistic::Difference => {
                paired::extreme(self, cells, |of, over| Gain::Less.of(of, over), Extreme::Least)
            }
            Statistic::Crossing => crossing::crossing(self, cells, line),
            Statistic::CrossingDifference => crossing::difference(self, cells, line),
        }
    }

    fn mean_value(&self, cells: &[&CellRecords]) -> Option<Measured> {
        let named = |cell: &CellRecords| Some((cell.name(), cell.numbers(self.number())?));
        BySeed::of(self.cells_of(cells, &self.of), self.unit(), named)?.measured()
    }
}

/// Numbers of several cells, seed by seed.
#[derive(Debug, Default)]
struct BySeed {
    seeds: Vec<Vec<f64>>,
    cells: Vec<CellResult>,
}

impl BySeed {
    /// Of each cell a name and a number for each seed; `None` when a cell has none.
    fn of<'a>(
        cells: Vec<&'a CellRecords>,
        unit: &'static str,
        named: impl Fn(&'a CellRecords) -> Option<(String, Vec<f64>)>,
    ) -> Option<Self> {
        let mut all = BySeed::default();
        for cell in cells {
            let (name, numbers) = named(cell)?;
            all.cells.push(CellResult::new(name, unit, Some(estimate(&numbers)?)));
            all.seeds.resize(all.seeds.len().max(numbers.len()), Vec::new());
            all.seeds.iter_mut().zip(numbers).for_each(|(seed, number)| seed.push(number));
        }
        Some(all)
    }

    /// The mean over the cells for each seed.
    fn means(&self) -> Option<Vec<f64>> {
        self.seeds.iter().map(|numbers| mean(numbers)).collect()
    }

    /// The same over the seeds with its interval.
    fn measured(self) -> Option<Measured> {
        Some(Measured { value: estimate(&self.means()?)?, cells: self.cells })
    }
}
