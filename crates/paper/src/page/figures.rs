//! The paper's figures, drawn and as tables.

use crate::documents::Documents;
use crate::figures::{
    Axis, BarFigure, Bars, Equation, Figure, Gains, Layout, Lines, Measured, OverTime, flows,
};
use crate::quantity::Quantity;
use crate::records::{CellRecords, Number, cells, level as level_of, values};
use crate::run::PaperOutcome;
use seamline_experiment::record::FlowRecord;
use seamline_experiment::statistics::{Estimate, estimate};
use seamline_report::paper::{Entry, Listing, Part, Section};
use seamline_report::picture::Picture;
use seamline_report::picture::bars::{Bar, Group, bars, grouped_bars};
use seamline_report::picture::curves::{Curve, curves};
use seamline_report::picture::frame::Names;
use seamline_report::picture::lines::{Line, Parameter, lines};
use seamline_report::quantity::plural;

/// All figures.
pub(super) fn section(documents: &Documents, outcome: &PaperOutcome) -> Section {
    let figures = &documents.figures;
    let drawn = figures.equation.iter().map(draw_equation);
    let drawn = drawn.chain(figures.figure.iter().map(|figure| draw_bars(documents, figure, outcome)));
    let drawn = drawn.chain(figures.lines.iter().map(|figure| draw_lines(documents, figure, outcome)));
    let drawn = drawn.chain(figures.gains.iter().map(|figure| draw_gains(figure, outcome)));
    let drawn = drawn.chain(figures.over_time.iter().map(|figure| draw_over_time(figure, outcome)));
    let caption = "Bars and points are means over the seeds with their 95 % intervals (Student's t). A hollow diamond is \
     the number that the paper prints for that bar; without one, the paper only draws the bar.";
    let mut parts = vec![Part::Pictures(drawn.collect()), Part::Caption(caption.to_owned())];
    if !figures.not_drawn.is_empty() {
        let rows = figures
            .not_drawn
            .iter()
            .map(|it| [&it.figure, &it.reason].map(|text| Entry::Plain(text.clone())).to_vec());
        parts.push(Part::Heading("Figures that are not drawn".to_owned()));
        parts.push(super::table(&["Figure", "What it shows, and why it is not drawn"], 2, rows));
    }
    Section { id: "figures", title: "Figures".to_owned(), parts }
}

fn format_seeds(seeds: usize) -> String {
    match seeds {
        0 | 1 => "one run each".to_owned(),
        seeds => format!("mean of {} and its 95 % interval", plural(seeds, "seed")),
    }
}

fn draw_bars(documents: &Documents, bar_figure: &BarFigure, outcome: &PaperOutcome) -> Picture {
    let figure = &bar_figure.figure;
    let found = bar_figure.drawn(documents, outcome);
    let remark = format_seeds(found.seeds());
    let axis = bar_figure.percent_of.as_ref().map_or(figure.quantity.axis(), |whole| &whole.axis);
    let names = Names { picture: figure.picture(), title: &figure.title, remark: &remark, axis };
    let svg = if bar_figure.series.is_some() || bar_figure.flows.is_some() {
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

/// A picture of lines over a parameter.
fn line_picture(names: Names<'_>, axis: &Axis, drawn: &[Line], caption: &str) -> Picture {
    let svg = lines(names, Parameter { name: &axis.title, logarithmic: axis.logarithmic }, drawn);
    Picture { name: names.picture.to_owned(), svg, caption: caption.to_owned() }
}

fn draw_lines(documents: &Documents, line_figure: &Lines, outcome: &PaperOutcome) -> Picture {
    let figure = &line_figure.figure;
    let found = Bars::of(documents, line_figure.layout(), &figure.flow, outcome);
    let at: Vec<f64> = found.groups.iter().filter_map(|group| group.parse().ok()).collect();
    let mut drawn: Vec<Line> = (0..found.series.len()).map(|place| series(figure, &found, place)).collect();
    drawn.extend(level(line_figure, &at, outcome));
    drawn.extend(line_figure.closed_form.iter().flat_map(|form| form.lines(&line_figure.axis.key, &at)));
    let (remark, axis) = (format_seeds(found.seeds()), figure.quantity.axis());
    let names = Names { picture: figure.picture(), title: &figure.title, remark: &remark, axis };
    line_picture(names, &line_figure.axis, &drawn, &figure.caption)
}

/// Curves of a closed form alone. There are none when a value is outside the domain of the equations; a test of the papers'
/// files rules that out.
fn draw_equation(figure: &Equation) -> Picture {
    let drawn = figure.lines().unwrap_or_default();
    let (remark, axis) = ("closed form, no simulation", figure.shows.axis());
    let names = Names { picture: &figure.name, title: &figure.title, remark, axis };
    line_picture(names, &figure.axis, &drawn, &figure.caption)
}

fn draw_gains(figure: &Gains, outcome: &PaperOutcome) -> Picture {
    let drawn = figure.lines(&outcome.records);
    let seeds = drawn.iter().flat_map(|line| &line.points).map(|(_, value)| value.samples).max();
    let remark = format_seeds(seeds.unwrap_or(0));
    let names =
        Names { picture: &figure.name, title: &figure.title, remark: &remark, axis: figure.measured() };
    line_picture(names, &figure.axis, &drawn, &figure.caption)
}

/// A line of a figure, in the order of its axis.
fn series(figure: &Figure, found: &Bars, place: usize) -> Line {
    let points = found.groups.iter().zip(&found.bars).filter_map(|(group, bars)| {
        let (value, _) = bars[place].as_ref()?;
        Some((group.parse().ok()?, *value))
    });
    let mut points: Vec<(f64, Estimate)> = points.collect();
    points.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let name = match found.series[place].as_str() {
        "" => figure.quantity.axis(),
        series => series,
    };
    Line { name: name.to_owned(), points }
}

/// The mean, with its interval, of the scenario that a figure is compared with, as a level line.
fn level(figure: &Lines, at: &[f64], outcome: &PaperOutcome) -> Option<Line> {
    let cells = cells(&outcome.records, figure.line.as_ref()?);
    let Figure { quantity, flow, .. } = &figure.figure;
    let number = Number { quantity: *quantity, flow: Some(flow), between: None };
    let mean = estimate(&level_of(&cells, number)?)?;
    let name = figure.line_title.clone().or_else(|| figure.line.clone())?;
    Some(Line { name, points: at.iter().map(|at| (*at, mean)).collect() })
}

/// A figure of curves over time.
fn draw_over_time(curve_figure: &OverTime, outcome: &PaperOutcome) -> Picture {
    let figure = &curve_figure.figure;
    let cells = cells(&outcome.records, &figure.scenario);
    let own = |series: &String| {
        let cell = cells.iter().find(|cell| cell.is(&curve_figure.series, series))?;
        Some(Curve { name: series.clone(), points: points(figure, cell) })
    };
    let drawn: Vec<Curve> = values(&cells, &curve_figure.series).iter().filter_map(own).collect();
    let end = drawn.iter().flat_map(|curve| &curve.points).map(|(at, _)| *at).fold(0.0, f64::max);
    let between = curve_figure.between.map_or((0.0, end), |[from, to]| (from, to));
    let (remark, axis) = (remark(figure.quantity, &cells), figure.quantity.axis());
    let names = Names { picture: figure.picture(), title: &figure.title, remark: &remark, axis };
    let svg = curves(names, between, &drawn, &bands(&cells, &figure.flow), "handover, until reachable");
    Picture { name: figure.picture().to_owned(), svg, caption: figure.caption.clone() }
}

fn remark(quantity: Quantity, cells: &[&CellRecords]) -> String {
    let first = cells.iter().find_map(|cell| cell.runs.first());
    match (quantity, cells.iter().map(|cell| cell.runs.len()).max()) {
        (Quantity::SmoothedRoundTrip, _) => first.map(|run| format!("seed {}", run.seed)).unwrap_or_default(),
        (_, None | Some(0 | 1)) => "one run each".to_owned(),
        (_, Some(seeds)) => format!("mean of {}", plural(seeds, "seed")),
    }
}

fn points(figure: &Figure, cell: &CellRecords) -> Vec<(f64, f64)> {
    match figure.quantity {
        Quantity::SmoothedRoundTrip => {
            let rows = flow(cell, 0, &figure.flow).map(|flow| flow.intervals.as_slice()).unwrap_or_default();
            rows.iter().map(|row| (row.to_s, row.smoothed_round_trip_ms)).collect()
        }
        _ => rates(cell, &figure.flow),
    }
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

/// The handovers of the first run that has any: the hosts of all cells move alike.
fn bands(cells: &[&CellRecords], name: &str) -> Vec<(f64, f64)> {
    let first = cells.iter().filter_map(|cell| flow(cell, 0, name)).find(|flow| !flow.handovers.is_empty());
    let met = first.iter().flat_map(|flow| &flow.handovers);
    met.map(|met| (met.start_s, met.start_s + met.interruption_ms.unwrap_or(0.0) / 1000.0)).collect()
}

/// The figures as tables, and the flows that no figure shows.
pub(super) fn numbers(documents: &Documents, outcome: &PaperOutcome) -> Section {
    let mut parts = vec![Part::Words("Means, ± half of the 95 % interval.".to_owned())];
    for layout in documents.figures.layouts() {
        let Figure { scenario, title, flow: own, quantity, .. } = layout.figure;
        parts.push(Part::Heading(format!("{title}, flow {own}, {}", quantity.unit())));
        parts.push(Part::Table(listing(documents, layout, &[own], outcome)));
        let mut others = flows(outcome, scenario);
        others.retain(|flow| flow != own);
        if !others.is_empty() {
            let listing = listing(documents, layout, &others, outcome);
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
        let found = Bars::of(documents, layout, flow, outcome);
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
    let known = published.map(|known| format!(" (paper: {known})")).unwrap_or_default();
    value.to_text(|value| format!("{value:.1}")) + &known
}
