//! `papers/ID/figures.toml`: what is shown of the runs of each scenario, and the numbers of it.

use crate::claims::Claim;
use crate::documents::Documents;
use crate::evaluate::CellRecords;
use crate::run::PaperOutcome;
use seamline_scenario::statistics::Estimate;
use serde::Deserialize;

/// All figures of a paper.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figures {
    /// The figures.
    pub figure: Vec<Figure>,
}

/// One figure: bars of mean throughput with their intervals.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    /// The scenario whose records it shows.
    pub scenario: String,
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
}

impl Figures {
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

/// The bars of a figure, group by group.
#[derive(Clone, Debug)]
pub(crate) struct Bars {
    pub(crate) groups: Vec<String>,
    /// One without a name for a figure whose groups are single bars.
    pub(crate) series: Vec<String>,
    pub(crate) bars: Vec<Vec<Option<Measured>>>,
}

impl Bars {
    pub(crate) fn of(documents: &Documents, figure: &Figure, flow: &str, outcome: &PaperOutcome) -> Bars {
        let cells = cells(&outcome.records, &figure.scenario);
        let groups = values(&cells, &figure.group);
        let series = match &figure.series {
            Some(key) => values(&cells, key),
            None => vec![String::new()],
        };
        let bar = |group: &str, series: &str| {
            let cell = cells.iter().find(|cell| {
                cell.is(&figure.group, group) && figure.series.as_ref().is_none_or(|key| cell.is(key, series))
            })?;
            let rate = cell.rate(Some(flow))?;
            Some((rate, published(documents, &figure.scenario, flow, cell)))
        };
        let bars =
            groups.iter().map(|group| series.iter().map(|series| bar(group, series)).collect()).collect();
        Bars { groups, series, bars }
    }
}

/// The flows of a figure's runs, in the order of its scenario.
pub(crate) fn flows<'a>(outcome: &'a PaperOutcome, figure: &str) -> Vec<&'a str> {
    let runs = cells(&outcome.records, figure).into_iter().find_map(|cell| cell.runs.first());
    runs.map(|run| run.flows.iter().map(|flow| flow.name.as_str()).collect()).unwrap_or_default()
}
