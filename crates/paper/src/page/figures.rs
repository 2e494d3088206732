//! The paper's figures, drawn and as tables.

use super::plural;
use crate::documents::Documents;
use crate::figures::{Bars, Figure, Layout, Lines, Measured, OverTime, cells, flows, values};
use crate::records::{CellRecords, Number};
use crate::run::PaperOutcome;
use seamline_report::paper::{Entry, Listing, Part, Section};
use seamline_report::picture::Picture;
use seamline_report::picture::bars::{Bar, Group, bars, grouped_bars};
use seamline_report::picture::curves::{Curve, curves};
use seamline_report::picture::frame::Names;
use seamline_report::picture::lines::{Line, Parameter, lines};
use seamline_scenario::record::FlowRecord;
use seamline_scenario::statistics::{Estimate, estimate};

/// All figures.
pub(super) fn section(documents: &Documents, outcome: &PaperOutcome) -> Section {
    let figures = &documents.figures;
    let drawn = figures.figure.iter().map(|figure| draw(documents, figure, outcome));
    let drawn = drawn.chain(figures.lines.iter().map(|figure| draw_lines(documents, figure, outcome)));
    let drawn = drawn.chain(figures.over_time.iter().map(|figure| draw_over_time(figure, outcome)));
    let caption = "Bars and points are means over the seeds with their 95 % intervals (Student's t). A hollow diamond is the \
                   number that the paper prints for that very bar; where there is none, the paper only draws.";
    Section {
        id: "figures",
        title: "Figures".to_owned(),
        parts: vec![Part::Pictures(drawn.collect()), Part::Caption(caption.to_owned())],
    }
}

fn seeds_in_words(seeds: usize) -> String {
    match seeds {
        0 | 1 => "one run each".to_owned(),
        seeds => format!("mean of {} and its 95 % interval", plural(seeds, "seed")),
    }
}

fn draw(documents: &Documents, figure: &Figure, outcome: &PaperOutcome) -> Picture {
    let found = Bars::of(documents, figure.layout(), outcome);
    let remark = seeds_in_words(found.seeds());
    let axis = figure.quantity.axis();
    let names = Names { picture: figure.picture(), title: &figure.title, remark: &remark, axis };
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
    Picture { name: figure.picture().to_owned(), svg, caption: figure.caption.clone() }
}

fn draw_lines(documents: &Documents, figure: &Lines, outcome: &PaperOutcome) -> Picture {
    let found = Bars::of(documents, figure.layout(), outcome);
    let at: Vec<f64> = found.groups.iter().filter_map(|group| group.parse().ok()).collect();
    let mut drawn: Vec<Line> = (0..found.series.len()).map(|place| series(&found, place)).collect();
    drawn.extend(level(figure, &at, outcome));
    drawn.extend(figure.closed_form.iter().flat_map(|form| form.lines(&at)));
    let (remark, axis) = (seeds_in_words(found.seeds()), figure.quantity.axis());
    let names = Names { picture: &figure.scenario, title: &figure.title, remark: &remark, axis };
    let svg = lines(names, Parameter { name: &figure.axis_title, logarithmic: figure.logarithmic }, &drawn);
    Picture { name: figure.scenario.clone(), svg, caption: figure.caption.clone() }
}

/// A line of a figure, in the order of its axis.
fn series(found: &Bars, place: usize) -> Line {
    let points = found.groups.iter().zip(&found.bars).filter_map(|(group, bars)| {
        let (value, _) = bars[place].as_ref()?;
        Some((group.parse().ok()?, *value))
    });
    let mut points: Vec<(f64, Estimate)> = points.collect();
    points.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    Line { name: found.series[place].clone(), points }
}

/// The mean of the scenario that a figure is compared with and its interval, as a level line.
fn level(figure: &Lines, at: &[f64], outcome: &PaperOutcome) -> Option<Line> {
    let cells = cells(&outcome.records, figure.line.as_ref()?);
    let number = Number { quantity: figure.quantity, flow: Some(&figure.flow), between: None };
    let mean = estimate(&crate::records::level(&cells, number)?)?;
    let name = figure.line_title.clone().or_else(|| figure.line.clone())?;
    Some(Line { name, points: at.iter().map(|at| (*at, mean)).collect() })
}

fn draw_over_time(figure: &OverTime, outcome: &PaperOutcome) -> Picture {
    let cells = cells(&outcome.records, &figure.scenario);
    let own = |series: &String| {
        let cell = cells.iter().find(|cell| cell.is(&figure.series, series))?;
        Some(Curve { name: series.clone(), points: rates(cell, &figure.flow) })
    };
    let drawn: Vec<Curve> = values(&cells, &figure.series).iter().filter_map(own).collect();
    let end = drawn.iter().flat_map(|curve| &curve.points).map(|(at, _)| *at).fold(0.0, f64::max);
    let between = figure.between.map_or((0.0, end), |[from, to]| (from, to));
    let seeds = cells.iter().map(|cell| cell.runs.len()).max().unwrap_or(0);
    let remark = match seeds {
        0 | 1 => "one run each".to_owned(),
        seeds => format!("mean of {}", plural(seeds, "seed")),
    };
    let axis = "throughput (kb/s)";
    let names = Names { picture: &figure.name, title: &figure.title, remark: &remark, axis };
    let svg = curves(names, between, &drawn, &bands(&cells, &figure.flow), "handover, until reachable");
    Picture { name: figure.name.clone(), svg, caption: figure.caption.clone() }
}

fn flow<'a>(cell: &'a CellRecords, seed: usize, name: &str) -> Option<&'a FlowRecord> {
    cell.runs.get(seed)?.flows.iter().find(|flow| flow.name == name)
}

/// Mean throughput over the seeds in kb/s, row by row.
fn rates(cell: &CellRecords, name: &str) -> Vec<(f64, f64)> {
    let seeds: Vec<&FlowRecord> = (0..cell.runs.len()).filter_map(|seed| flow(cell, seed, name)).collect();
    let Some(first) = seeds.first() else { return Vec::new() };
    let rows = first.intervals.iter().enumerate().map(|(place, row)| {
        let seconds = row.to_s - row.from_s;
        let bytes: u64 = seeds.iter().filter_map(|flow| flow.intervals.get(place)).map(|row| row.bytes).sum();
        (row.from_s, bytes as f64 * 8.0 / 1000.0 / seconds / seeds.len() as f64)
    });
    let end = first.intervals.last().map(|row| (row.to_s, 0.0));
    rows.chain(end).collect()
}

/// The handovers of the first run that met any: all cells move alike.
fn bands(cells: &[&CellRecords], name: &str) -> Vec<(f64, f64)> {
    let first = cells.iter().filter_map(|cell| flow(cell, 0, name)).find(|flow| !flow.handovers.is_empty());
    let met = first.iter().flat_map(|flow| &flow.handovers);
    met.map(|met| (met.start_s, met.start_s + met.interruption_ms.unwrap_or(0.0) / 1000.0)).collect()
}

/// The same as tables, and the flows that no figure shows.
pub(super) fn numbers(documents: &Documents, outcome: &PaperOutcome) -> Section {
    let mut parts = vec![Part::Words("Means, ± half of the 95 % interval.".to_owned())];
    for layout in documents.figures.layouts() {
        let Layout { scenario, title, flow: own, quantity, .. } = layout;
        parts.push(Part::Heading(format!("{title}, flow {own}, {}", quantity.unit())));
        parts.push(Part::Table(listing(documents, layout, &[own], outcome)));
        let others: Vec<&str> = flows(outcome, scenario).into_iter().filter(|flow| *flow != own).collect();
        if !others.is_empty() {
            let listing = self::listing(documents, layout, &others, outcome);
            let title = format!("The other {} of these runs", plural(others.len(), "flow"));
            parts.push(Part::Folded(title, vec![Part::Table(listing)]));
        }
    }
    Section { id: "throughput", title: "The figures in numbers".to_owned(), parts }
}

/// A row for each flow and series, a column for each group.
fn listing(documents: &Documents, layout: Layout<'_>, flows: &[&str], outcome: &PaperOutcome) -> Listing {
    let mut columns = vec![String::new()];
    let mut rows = Vec::new();
    for flow in flows {
        let found = Bars::of(documents, Layout { flow, ..layout }, outcome);
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
