//! `papers/ID/figures.toml`: the figures drawn of each scenario, and their numbers.

mod diagrams;
mod equation;
mod gains;

use crate::claims::Claim;
use crate::closed_form::ClosedForm;
use crate::documents::{Documents, NothingElse};
use crate::quantity::Quantity;
use crate::records::{CellRecords, Number, cells, values};
use crate::run::PaperOutcome;
pub use diagrams::{MessageChart, Network, NotDrawn};
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
    pub figure: Vec<BarFigure>,
    /// Lines over a parameter.
    #[serde(default)]
    pub lines: Vec<Lines>,
    /// Gains over a parameter.
    #[serde(default)]
    pub gains: Vec<Gains>,
    /// Curves over time.
    #[serde(default)]
    pub over_time: Vec<OverTime>,
    /// Networks of scenarios.
    #[serde(default)]
    pub network: Vec<Network>,
    /// Handovers, message by message.
    #[serde(default)]
    pub message_chart: Vec<MessageChart>,
    /// Figures of the paper that are not drawn.
    #[serde(default)]
    pub not_drawn: Vec<NotDrawn>,
}

/// What bars, lines and curves over time have in common.
#[derive(Clone, Debug, Deserialize)]
pub struct Figure {
    /// The scenario whose records it shows.
    pub scenario: String,
    /// The name of its picture; by default the scenario's.
    pub name: Option<String>,
    /// Its title.
    pub title: String,
    /// What to see, in a line.
    pub caption: String,
    /// The flow shown.
    pub flow: String,
    /// The quantity shown.
    #[serde(default)]
    pub quantity: Quantity,
    /// Single runs that are shown over time.
    pub single_runs: Option<SingleRuns>,
}

impl Figure {
    /// The name of its picture.
    pub fn picture(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.scenario)
    }
}

/// Bars of means with their intervals.
#[derive(Clone, Debug, Deserialize)]
pub struct BarFigure {
    /// What it shows.
    #[serde(flatten)]
    pub figure: Figure,
    /// What the bars are percentages of.
    pub percent_of: Option<PercentOf>,
    /// Groups of bars by flow, instead of by the values of `group`.
    pub flows: Option<Vec<FlowGroup>>,
    /// The key whose values are the groups of bars.
    pub group: String,
    /// The key whose values are the bars of a group; without it a group is one bar.
    pub series: Option<String>,
    #[serde(flatten)]
    _rest: NothingElse,
}

/// What is 100 %.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PercentOf {
    /// How much, in the unit of the quantity.
    pub value: f64,
    /// The title of the axis.
    pub axis: String,
}

/// The bars of a flow, or the means of several.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FlowGroup {
    /// What stands below them.
    pub name: String,
    /// The flow, or the beginning of the names of several (`fixed-*`).
    pub flow: String,
}

/// Runs of a figure that show why its bars differ: one of each of these cells, of the first seed.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SingleRuns {
    /// What to see in them, in a line.
    pub look: String,
    /// The cells, by the values of the grid. At first the second one is shown with the first.
    pub cells: Vec<BTreeMap<String, String>>,
    /// How much of a run is shown, in seconds; by default all of it.
    pub until_s: Option<f64>,
    /// The part shown at first, in seconds; by default everything.
    pub shown_s: Option<(f64, f64)>,
    /// The flows, the most important first; by default that of the figure.
    pub flows: Option<Vec<String>>,
    /// The queues, by link or cell and direction (`air/down`); by default all that ever hold a second packet.
    pub queues: Option<Vec<String>>,
}

/// The axis of a parameter.
#[derive(Clone, Debug, Deserialize)]
pub struct Axis {
    /// The key, with numbers for values.
    #[serde(rename = "axis")]
    pub key: String,
    /// Its title, with the unit.
    #[serde(rename = "axis_title")]
    pub title: String,
    /// Whether equal factors are equally far apart on it.
    #[serde(default)]
    pub logarithmic: bool,
}

/// Lines of means over a parameter, with their intervals.
#[derive(Clone, Debug, Deserialize)]
pub struct Lines {
    /// What it shows.
    #[serde(flatten)]
    pub figure: Figure,
    /// The parameter that the lines are drawn over.
    #[serde(flatten)]
    pub axis: Axis,
    /// The key whose values are the lines; without it there is one.
    pub series: Option<String>,
    /// A scenario whose mean is also drawn, as a level line.
    pub line: Option<String>,
    /// The name of that line.
    pub line_title: Option<String>,
    /// A closed form that is also drawn.
    pub closed_form: Option<ClosedForm>,
    #[serde(flatten)]
    _rest: NothingElse,
}

/// A quantity over time: goodput as mean over the seeds, the smoothed round-trip time of the first seed alone, since a mean of
/// such traces has no meaning. The scenario keeps the rows of the runs.
#[derive(Clone, Debug, Deserialize)]
pub struct OverTime {
    /// What it shows.
    #[serde(flatten)]
    pub figure: Figure,
    /// The key whose values are the curves.
    pub series: String,
    /// The part of the run that is shown, in seconds; by default all of it.
    pub between: Option<[f64; 2]>,
    #[serde(flatten)]
    _rest: NothingElse,
}

impl Figures {
    /// The figures whose single runs are shown: bars, then lines, then curves over time.
    pub fn with_single_runs(&self) -> impl Iterator<Item = (&Figure, &SingleRuns)> {
        let bars = self.figure.iter().map(|bars| &bars.figure);
        let lines = self.lines.iter().map(|lines| &lines.figure);
        let curves = self.over_time.iter().map(|curves| &curves.figure);
        bars.chain(lines).chain(curves).filter_map(|figure| Some((figure, figure.single_runs.as_ref()?)))
    }

    /// The closed form drawn with the runs of a scenario.
    pub(crate) fn closed_form(&self, scenario: &str) -> Option<ClosedForm> {
        let mut own = self.lines.iter().filter(|lines| lines.figure.scenario == scenario);
        own.find_map(|lines| lines.closed_form)
    }

    /// The same with other values of symbols in closed forms.
    #[must_use]
    pub(crate) fn with_symbols(&self, symbols: &BTreeMap<String, f64>) -> Self {
        let mut changed = self.clone();
        let forms = changed.lines.iter_mut().filter_map(|lines| lines.closed_form.as_mut());
        forms.for_each(|form| *form = form.with(symbols));
        changed
    }

    /// The layouts of bars and lines, without other views of the same numbers.
    pub(crate) fn layouts(&self) -> impl Iterator<Item = Layout<'_>> {
        let own = self.figure.iter().filter(|bars| bars.percent_of.is_none() && bars.flows.is_none());
        own.map(BarFigure::layout).chain(self.lines.iter().map(Lines::layout))
    }
}

/// The paper's number for a cell of a figure in kb/s, if it prints one.
pub(crate) fn published(documents: &Documents, figure: &str, flow: &str, cell: &CellRecords) -> Option<f64> {
    let about = |claim: &&Claim| {
        claim.figures.iter().any(|known| known == figure) && claim.measure.flow.as_deref() == Some(flow)
    };
    documents.claims.claim.iter().filter(about).find_map(|claim| claim.rates.as_ref()?.of(&cell.values))
}

/// A number of a figure: the mean with its interval, and the paper's number.
pub(crate) type Measured = (Estimate, Option<f64>);

/// Which keys of a figure's records are its groups and series.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout<'a> {
    pub(crate) figure: &'a Figure,
    pub(crate) group: &'a str,
    pub(crate) series: Option<&'a str>,
}

impl BarFigure {
    pub(crate) fn layout(&self) -> Layout<'_> {
        Layout { figure: &self.figure, group: &self.group, series: self.series.as_deref() }
    }

    /// The bars as they are drawn: by flow if that is wanted, and as percentages.
    pub(crate) fn drawn(&self, documents: &Documents, outcome: &PaperOutcome) -> Bars {
        let mut found = match &self.flows {
            None => Bars::of(documents, self.layout(), &self.figure.flow, outcome),
            Some(flows) => Bars::by_flow(documents, self.layout(), flows, outcome),
        };
        if let Some(whole) = &self.percent_of {
            for (value, _) in found.bars.iter_mut().flatten().flatten() {
                *value = value.map(|number| 100.0 * number / whole.value);
            }
        }
        found
    }
}

impl Lines {
    pub(crate) fn layout(&self) -> Layout<'_> {
        Layout { figure: &self.figure, group: &self.axis.key, series: self.series.as_deref() }
    }
}

/// The means of a figure, group by group.
#[derive(Clone, Debug)]
pub(crate) struct Bars {
    pub(crate) groups: Vec<String>,
    /// A single one without a name when the groups are single bars.
    pub(crate) series: Vec<String>,
    pub(crate) bars: Vec<Vec<Option<Measured>>>,
}

impl Bars {
    /// The means of the figure's own flow, or of another one.
    pub(crate) fn of(
        documents: &Documents,
        Layout { figure, group, series: key }: Layout<'_>,
        flow: &str,
        outcome: &PaperOutcome,
    ) -> Bars {
        let (scenario, quantity) = (figure.scenario.as_str(), figure.quantity);
        let cells = cells(&outcome.records, scenario);
        let groups = values(&cells, group);
        let series = key.map_or_else(|| vec![String::new()], |key| values(&cells, key));
        let bar = |value: &String, series: &String| {
            let is_own =
                |cell: &&&CellRecords| cell.is(group, value) && key.is_none_or(|key| cell.is(key, series));
            let cell = cells.iter().find(is_own)?;
            let found = cell.estimate(Number { quantity, flow: Some(flow), between: None })?;
            let published = published(documents, scenario, flow, cell);
            Some((found, published.filter(|_| quantity == Quantity::Goodput)))
        };
        let bars =
            groups.iter().map(|group| series.iter().map(|series| bar(group, series)).collect()).collect();
        Bars { groups, series, bars }
    }

    /// The means by flow: of each flow a group, with a bar for each value of the layout's key of groups.
    fn by_flow(
        documents: &Documents,
        layout: Layout<'_>,
        flows: &[FlowGroup],
        outcome: &PaperOutcome,
    ) -> Bars {
        let layout = Layout { series: None, ..layout };
        let of = |group: &FlowGroup| Bars::of(documents, layout, &group.flow, outcome);
        let columns: Vec<Bars> = flows.iter().map(of).collect();
        Bars {
            groups: flows.iter().map(|group| group.name.clone()).collect(),
            series: columns.first().map(|bars| bars.groups.clone()).unwrap_or_default(),
            bars: columns.into_iter().map(|bars| bars.bars.into_iter().flatten().collect()).collect(),
        }
    }

    /// How many seeds each of them is the mean of.
    pub(crate) fn seeds(&self) -> usize {
        self.bars.iter().flatten().flatten().map(|(value, _)| value.samples).max().unwrap_or(0)
    }
}

/// The flows of a figure's runs, in the order of its scenario.
pub(crate) fn flows<'a>(outcome: &'a PaperOutcome, figure: &str) -> Vec<&'a str> {
    let runs = cells(&outcome.records, figure).into_iter().find_map(|cell| cell.runs.first());
    runs.map(|run| run.flows.iter().map(|flow| flow.name.as_str()).collect()).unwrap_or_default()
}
