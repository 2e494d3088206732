//! The paper's figures, drawn and as tables.

use super::plural;
use crate::documents::Documents;
use crate::evaluate::CellRecords;
use crate::figures::Figure;
use crate::run::PaperOutcome;
use seamline_report::paper::{Entry, Listing, Part, Section};
use seamline_report::picture::Picture;
use seamline_report::picture::bars::{Bar, Group, bars, grouped_bars};
use seamline_report::picture::frame::Names;
use seamline_scenario::statistics::Estimate;

/// All figures as bars.
pub(super) fn section(documents: &Documents, outcome: &PaperOutcome) -> Section {
    let drawn = documents.figures.figure.iter().map(|figure| draw(documents, figure, outcome)).collect();
    let caption = "Each bar is a mean over the seeds with its 95 % interval (Student's t). A hollow diamond is the \
                   number that the paper prints for that very bar; where there is none, the paper only draws.";
    Section {
        id: "figures",
        title: "Figures".to_owned(),
        parts: vec![Part::Pictures(drawn), Part::Caption(caption.to_owned())],
    }
}

/// The paper's number for a cell of a figure in kb/s, if it prints one.
pub(super) fn published(documents: &Documents, figure: &str, flow: &str, cell: &CellRecords) -> Option<f64> {
    let about = |claim: &&crate::claims::Claim| {
        claim.figures.iter().any(|known| known == figure) && claim.measure.flow.as_deref() == Some(flow)
    };
    documents.claims.claim.iter().filter(about).find_map(|claim| claim.rates.as_ref()?.of(&cell.values))
}

/// The cells of a figure.
pub(super) fn cells<'a>(outcome: &'a PaperOutcome, figure: &str) -> Vec<&'a CellRecords> {
    outcome.records.iter().filter(|cell| cell.figure == figure).collect()
}

/// The values of a key, in the order of the grid.
fn values(cells: &[&CellRecords], key: &str) -> Vec<String> {
    let mut values: Vec<String> = Vec::new();
    for value in cells.iter().filter_map(|cell| cell.values.get(key)) {
        if !values.contains(value) {
            values.push(value.clone());
        }
    }
    values
}

/// What stands in a place of a figure: the mean with its interval, and the paper's number.
type Measured = (Estimate, Option<f64>);

/// The bars of a figure, group by group.
struct Bars {
    groups: Vec<String>,
    /// One without a name for a figure whose groups are single bars.
    series: Vec<String>,
    bars: Vec<Vec<Option<Measured>>>,
}

impl Bars {
    fn of(documents: &Documents, figure: &Figure, flow: &str, outcome: &PaperOutcome) -> Bars {
        let cells = cells(outcome, &figure.scenario);
        let groups = values(&cells, &figure.group);
        let series = match &figure.series {
            Some(key) => values(&cells, key),
            None => vec![String::new()],
        };
        let bar = |group: &str, series: &str| {
            let has = |cell: &CellRecords, key: &str, value: &str| {
                cell.values.get(key).is_some_and(|own| own == value)
            };
            let cell = cells.iter().find(|cell| {
                has(cell, &figure.group, group)
                    && figure.series.as_ref().is_none_or(|key| has(cell, key, series))
            })?;
            let rate = cell.rate(Some(flow))?;
            Some((rate, published(documents, &figure.scenario, flow, cell)))
        };
        let bars =
            groups.iter().map(|group| series.iter().map(|series| bar(group, series)).collect()).collect();
        Bars { groups, series, bars }
    }
}

fn draw(documents: &Documents, figure: &Figure, outcome: &PaperOutcome) -> Picture {
    let found = Bars::of(documents, figure, &figure.flow, outcome);
    let seeds = found.bars.iter().flatten().flatten().map(|(value, _)| value.samples).max().unwrap_or(0);
    let remark = match seeds {
        0 | 1 => "one run each".to_owned(),
        seeds => format!("mean of {} and its 95 % interval", plural(seeds, "seed")),
    };
    let axis = "throughput (kb/s)";
    let names = Names { picture: &figure.scenario, title: &figure.title, remark: &remark, axis };
    let svg = if figure.series.is_some() {
        let groups = found.groups.into_iter().zip(found.bars);
        let groups: Vec<Group> = groups.map(|(label, bars)| Group { label, bars }).collect();
        grouped_bars(names, &found.series, &groups)
    } else {
        let single = found.groups.into_iter().zip(found.bars.into_iter().flatten());
        let single =
            single.filter_map(|(label, bar)| bar.map(|(value, published)| Bar { label, value, published }));
        bars(names, &single.collect::<Vec<_>>())
    };
    Picture { name: figure.scenario.clone(), svg, caption: figure.caption.clone() }
}

/// The same as tables, and the flows that no figure shows.
pub(super) fn throughputs(documents: &Documents, outcome: &PaperOutcome) -> Section {
    let mut parts = vec![Part::Words("Mean throughput in kb/s, ± half of its 95 % interval.".to_owned())];
    for figure in &documents.figures.figure {
        parts.push(Part::Heading(format!("{}, flow {}", figure.title, figure.flow)));
        let listing = listing(documents, figure, &[&figure.flow], outcome);
        parts.push(Part::Table(listing));
        let flows = flows(outcome, &figure.scenario);
        let others: Vec<&str> = flows.into_iter().filter(|flow| *flow != figure.flow).collect();
        if !others.is_empty() {
            let listing = self::listing(documents, figure, &others, outcome);
            let title = format!("The other {} of these runs", plural(others.len(), "flow"));
            parts.push(Part::Folded(title, vec![Part::Table(listing)]));
        }
    }
    Section { id: "throughput", title: "Throughput in numbers".to_owned(), parts }
}

/// The flows of a figure's runs, in the order of its scenario.
pub(super) fn flows<'a>(outcome: &'a PaperOutcome, figure: &str) -> Vec<&'a str> {
    let runs = outcome.records.iter().filter(|cell| cell.figure == figure).find_map(|cell| cell.runs.first());
    runs.map(|run| run.flows.iter().map(|flow| flow.name.as_str()).collect()).unwrap_or_default()
}

/// A row for each flow and series, a column for each group.
fn listing(documents: &Documents, figure: &Figure, flows: &[&str], outcome: &PaperOutcome) -> Listing {
    let mut columns = vec![String::new()];
    let mut rows = Vec::new();
    for flow in flows {
        let found = Bars::of(documents, figure, flow, outcome);
        columns.truncate(1);
        columns.extend(found.groups.iter().cloned());
        for (place, series) in found.series.iter().enumerate() {
            let name = match (flows.len(), series.as_str()) {
                (1, "") => (*flow).to_owned(),
                (1, series) => series.to_owned(),
                (_, series) => format!("{flow} {series}"),
            };
            let entries = found.bars.iter().map(|group| Entry::Plain(number(group[place].as_ref())));
            rows.push([Entry::Strong(name)].into_iter().chain(entries).collect());
        }
    }
    Listing { columns, words: 1, rows }
}

fn number(measured: Option<&Measured>) -> String {
    let Some((value, published)) = measured else { return "–".to_owned() };
    let half = value.half_width().map(|half| format!(" ± {half:.1}")).unwrap_or_default();
    let known = published.map(|known| format!(" (paper: {known})")).unwrap_or_default();
    format!("{:.1}{half}{known}", value.mean)
}
