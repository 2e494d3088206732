//! The paper's figures, drawn and as tables.

use super::plural;
use crate::documents::Documents;
use crate::figures::{Bars, Figure, Measured, flows};
use crate::run::PaperOutcome;
use seamline_report::paper::{Entry, Listing, Part, Section};
use seamline_report::picture::Picture;
use seamline_report::picture::bars::{Bar, Group, bars, grouped_bars};
use seamline_report::picture::frame::Names;

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
