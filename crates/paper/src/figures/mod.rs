//! `papers/ID/figures.toml`: what is shown of the runs of each scenario, and the numbers of it.

mod equation;
mod gains;

use crate::claims::Claim;
use crate::closed_form::ClosedForm;
use crate::documents::Documents;
use crate::quantity::Quantity;
use crate::records::{CellRecords, Number};
use crate::run::PaperOutcome;
pub use equation::Equation;
pub use gains::{GainCurve, Gains};
use seamline_experiment::statistics::Estimate;
use serde::Deserialize;
use std::collections::BTreeMap;

/// All figures of a paper.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figures {
    /// Closed forms alone.
    #[serde(default)]
    pub equation: Vec<Equation>,
    /// Bars.
    #[serde(default)]
    pub figure: Vec<Figure>,
    /// Lines over a parameter.
    #[serde(default)]
    pub lines: Vec<Lines>,
    /// Gains over a parameter.
    #[serde(default)]
    pub gains: Vec<Gains>,
    /// Curves over time.
    #[serde(default)]
    pub over_time: Vec<OverTime>,
}

/// Bars of means with their intervals.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    /// The scenario whose records it shows.
    pub scenario: String,
    /// What its picture is called; otherwise as the scenario.
    pub name: Option<String>,
    /// Its title.
    pub title: String,
    /// What to see, in a line.
    pub caption: String,
    /// The key whose values are the groups of bars.
    pub group: String,
    /// The key whose values are the bars of a group; without it a group is one bar.
    pub series: Option<String>,
    /// The flow shown.
    pub flow: String,
    /// What is shown of it.
    #[serde(default)]
    pub quantity: Quantity,
    /// Single runs of it that are shown over time.
    pub single_runs: Option<SingleRuns>,
}

/// Runs of a figure that show why its bars differ: one of each of these cells, of the first seed.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SingleRuns {
    /// What to see in them, in a line.
    pub look: String,
    /// The cells, by what the grid set. The second one is shown beside the first at first.
    pub cells: Vec<BTreeMap<String, String>>,
    /// So much of a run is shown, in seconds; all of it without this.
    pub until_s: Option<f64>,
    /// What a reader sees at first, in seconds; everything without this.
    pub shown_s: Option<(f64, f64)>,
    /// The flows, the most important first; that of the figure without this.
    pub flows: Option<Vec<String>>,
    /// The queues, by link or cell and direction (`air/down`); all that ever hold a second packet without this.
    pub queues: Option<Vec<String>>,
}

/// Lines of means over a parameter, with their intervals.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Lines {
    /// The scenario whose records it shows.
    pub scenario: String,
    /// What its picture is called; otherwise as the scenario.
    pub name: Option<String>,
    /// Its title.
    pub title: String,
    /// What to see, in a line.
    pub caption: String,
    /// The key, with numbers for values, that the lines are drawn over.
    pub axis: String,
    /// What that is, with its unit.
    pub axis_title: String,
    /// Whether equal factors are equally far apart on it.
    #[serde(default)]
    pub logarithmic: bool,
    /// The key whose values are the lines; without it there is one.
    pub series: Option<String>,
    /// The flow shown.
    pub flow: String,
    /// What is shown of it.
    #[serde(default)]
    pub quantity: Quantity,
    /// A scenario whose mean is drawn as a level line besides.
    pub line: Option<String>,
    /// What that line is called.
    pub line_title: Option<String>,
    /// A closed form that is drawn besides.
    pub closed_form: Option<ClosedForm>,
    /// Single runs of it that are shown over time.
    pub single_runs: Option<SingleRuns>,
}

/// A quantity over time: goodput as mean over the seeds, the smoothed round-trip time of the first seed alone, since a mean of such traces is none.
/// The scenario keeps the rows of the runs.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OverTime {
    /// The scenario whose records it shows.
    pub scenario: String,
    /// What its picture is called.
    pub name: String,
    /// Its title.
    pub title: String,
    /// What to see, in a line.
    pub caption: String,
    /// The key whose values are the curves.
    pub series: String,
    /// The flow shown.
    pub flow: String,
    /// What is shown of it.
    #[serde(default)]
    pub quantity: Quantity,
    /// The part of the run that is shown, in seconds; otherwise all of it.
    pub between: Option<[f64; 2]>,
    /// Single runs of it that are shown over time.
    pub single_runs: Option<SingleRuns>,
}

/// A figure whose single runs are shown.
#[derive(Clone, Copy, Debug)]
pub struct ShownSingly<'a> {
    /// The scenario.
    pub scenario: &'a str,
    /// What the picture of the figure is called.
    pub picture: &'a str,
    /// The title of the figure.
    pub title: &'a str,
    /// The flow of the figure.
    pub flow: &'a str,
    /// The runs.
    pub wanted: &'a SingleRuns,
}

impl Figure {
    /// What its picture is called.
    pub fn picture(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.scenario)
    }
}

impl Figures {
    /// The figures whose single runs are shown: bars, then lines, then curves over time.
    pub fn shown_singly(&self) -> impl Iterator<Item = ShownSingly<'_>> {
        let bars = self.figure.iter().map(|it| {
            ((it.scenario.as_str(), it.picture()), (it.title.as_str(), it.flow.as_str()), &it.single_runs)
        });
        let lines = self.lines.iter().map(|it| {
            ((it.scenario.as_str(), it.picture()), (it.title.as_str(), it.flow.as_str()), &it.single_runs)
        });
        let curves = self.over_time.iter().map(|it| {
            ((it.scenario.as_str(), it.name.as_str()), (it.title.as_str(), it.flow.as_str()), &it.single_runs)
        });
        bars.chain(lines).chain(curves).filter_map(|((scenario, picture), (title, flow), wanted)| {
            Some(ShownSingly { scenario, picture, title, flow, wanted: wanted.as_ref()? })
        })
    }

    /// The closed form beside the runs of a scenario.
    pub(crate) fn closed_form(&self, scenario: &str) -> Option<ClosedForm> {
        self.lines.iter().filter(|lines| lines.scenario == scenario).find_map(|lines| lines.closed_form)
    }

    /// Read the file.
    ///
    /// # Errors
    /// When it is not as it should be.
    pub fn parse(text: &str) -> Result<Self, toml::de::Error> {
        toml::from_str(text)
    }
}

/// The paper's number for a cell of a figure in kb/s, if it prints one.
pub(crate) fn published(documents: &Documents, figure: &str, flow: &str, cell: &CellRecords) -> Option<f64> {
    let about = |claim: &&Claim| {
        claim.figures.iter().any(|known| known == figure) && claim.measure.flow.as_deref() == Some(flow)
    };
    documents.claims.claim.iter().filter(about).find_map(|claim| claim.rates.as_ref()?.of(&cell.values))
}

/// The cells of a figure.
pub(crate) fn cells<'a>(records: &'a [CellRecords], figure: &str) -> Vec<&'a CellRecords> {
    records.iter().filter(|cell| cell.figure == figure).collect()
}

/// The values of a key, in the order of the grid.
pub(crate) fn values(cells: &[&CellRecords], key: &str) -> Vec<String> {
    let mut values: Vec<String> = Vec::new();
    for value in cells.iter().filter_map(|cell| cell.values.get(key)) {
        if !values.contains(value) {
            values.push(value.clone());
        }
    }
    values
}

/// What stands in a place of a figure: the mean with its interval, and the paper's number.
pub(crate) type Measured = (Estimate, Option<f64>);

/// What of a scenario's records stands where.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout<'a> {
    pub(crate) scenario: &'a str,
    pub(crate) title: &'a str,
    pub(crate) group: &'a str,
    pub(crate) series: Option<&'a str>,
    pub(crate) flow: &'a str,
    pub(crate) quantity: Quantity,
}

impl Figures {
    /// The layouts of bars and lines.
    pub(crate) fn layouts(&self) -> impl Iterator<Item = Layout<'_>> {
        self.figure.iter().map(Figure::layout).chain(self.lines.iter().map(Lines::layout))
    }
}

impl Figure {
    pub(crate) fn layout(&self) -> Layout<'_> {
        Layout {
            scenario: &self.scenario,
            title: &self.title,
            group: &self.group,
            series: self.series.as_deref(),
            flow: &self.flow,
            quantity: self.quantity,
        }
    }
}

impl Lines {
    /// What its picture is called.
    pub fn picture(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.scenario)
    }
    pub(crate) fn layout(&self) -> Layout<'_> {
        Layout {
            scenario: &self.scenario,
            title: &self.title,
            group: &self.axis,
            series: self.series.as_deref(),
            flow: &self.flow,
            quantity: self.quantity,
        }
    }
}

/// The means of a figure, group by group.
#[derive(Clone, Debug)]
pub(crate) struct Bars {
    pub(crate) groups: Vec<String>,
    /// One without a name for a figure whose groups are single bars.
    pub(crate) series: Vec<String>,
    pub(crate) bars: Vec<Vec<Option<Measured>>>,
}

impl Bars {
    pub(crate) fn of(documents: &Documents, layout: Layout<'_>, outcome: &PaperOutcome) -> Bars {
        let Layout { scenario, group, series: key, flow, quantity, .. } = layout;
        let cells = cells(&outcome.records, scenario);
        let groups = values(&cells, group);
        let series = key.map_or_else(|| vec![String::new()], |key| values(&cells, key));
        let bar = |value: &str, series: &str| {
            let cell = cells
                .iter()
                .find(|cell| cell.is(group, value) && key.is_none_or(|key| cell.is(key, series)))?;
            let found = cell.estimate(Number { quantity, flow: Some(flow), between: None })?;
            let published = published(documents, scenario, flow, cell);
            Some((found, published.filter(|_| quantity == Quantity::Goodput)))
        };
        let bars =
            groups.iter().map(|group| series.iter().map(|series| bar(group, series)).collect()).collect();
        Bars { groups, series, bars }
    }

    /// How many seeds are behind each of them.
    pub(crate) fn seeds(&self) -> usize {
        self.bars.iter().flatten().flatten().map(|(value, _)| value.samples).max().unwrap_or(0)
    }
}

/// The flows of a figure's runs, in the order of its scenario.
pub(crate) fn flows<'a>(outcome: &'a PaperOutcome, figure: &str) -> Vec<&'a str> {
    let runs = cells(&outcome.records, figure).into_iter().find_map(|cell| cell.runs.first());
    runs.map(|run| run.flows.iter().map(|flow| flow.name.as_str()).collect()).unwrap_or_default()
}
