//! Standalone SVG files for papers and slides: text as text, readable in black and white.

pub mod bars;
pub mod cdf;
pub mod curves;
pub mod dots;
pub mod forest;
pub mod frame;
pub mod heat;
mod interruption;
pub mod lines;
pub mod matrix;
pub mod over_time;
mod shade;
pub mod style;
pub mod svg;

use crate::escape::Text;
use crate::files::File;
use crate::model::{Outcome, Provenance, Report};
use bars::{Bar, bars};
use cdf::{Distribution, cdf};
use frame::Names;

/// A picture of a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    /// The name of its file, without the ending.
    pub name: String,
    /// The picture.
    pub svg: String,
    /// What to see in it.
    pub caption: String,
}

impl Picture {
    /// As a file of its own, which says where it comes from.
    pub fn file(&self, provenance: &Provenance) -> File {
        let fields =
            provenance.fields().into_iter().map(|(name, value)| format!("{name}: {}\n", Text(&value)));
        let metadata = format!("<metadata>\n{}</metadata>\n</svg>\n", fields.collect::<String>());
        let drawn = self.svg.trim_end();
        let drawn = drawn.strip_suffix("</svg>").unwrap_or(drawn);
        File::text(format!("{}.svg", self.name), format!("{drawn}{metadata}"))
    }
}

/// More than this do not fit into a picture of curves.
const MOST_CURVES: usize = 12;
/// More than this do not fit into a picture of bars.
const MOST_BARS: usize = 60;

/// The pictures that sum a report up.
pub fn of_report(report: &Report) -> Vec<Picture> {
    let mut pictures = Vec::new();
    if !report.outcomes.is_empty() {
        pictures.push(goodput(report));
    }
    pictures.extend(interruption::interruption(report));
    pictures.extend(recovery(report));
    pictures
}

/// All pictures of a report as files: those that sum it up, and those of each run over time.
pub fn files(report: &Report) -> Vec<File> {
    let over_time = report.series.iter().flat_map(over_time::of_run);
    let pictures = of_report(report).into_iter().chain(over_time);
    pictures.map(|picture| picture.file(&report.provenance)).collect()
}

fn goodput(report: &Report) -> Picture {
    let shown = &report.outcomes[..report.outcomes.len().min(MOST_BARS)];
    let bar = |outcome: &Outcome| Bar {
        label: outcome.name.clone(),
        value: outcome.summary.goodput_bits_per_second.map(|bits_per_second| bits_per_second / 1e6),
        published: None,
    };
    let seeds =
        shown.iter().map(|outcome| outcome.summary.goodput_bits_per_second.samples).max().unwrap_or(0);
    let remark = match seeds {
        0 | 1 => "one run each".to_owned(),
        n => format!("mean of {n} seeds and its 95 % interval"),
    };
    let names = Names { picture: "goodput", title: "Goodput", remark: &remark, axis: "goodput (Mbit/s)" };
    let mut caption =
        "Longer is better. Where an interval reaches far, more seeds would tell more.".to_owned();
    if let rest @ 1.. = report.outcomes.len() - shown.len() {
        caption += &format!(" {rest} more are in the tables.");
    }
    Picture {
        name: "goodput".to_owned(),
        svg: bars(names, &shown.iter().map(bar).collect::<Vec<_>>()),
        caption,
    }
}

/// How long it took to be back at pace after handovers.
fn recovery(report: &Report) -> Option<Picture> {
    let such = report.outcomes.iter().filter(|outcome| outcome.summary.handovers > 0).take(MOST_CURVES);
    let distributions: Vec<Distribution> = such
        .map(|outcome| {
            let summary = &outcome.summary;
            let own = report
                .handovers()
                .filter(|(flow, _)| flow.cell == summary.cell && flow.it.name == summary.flow);
            let times: Vec<Option<f64>> = own.map(|(_, handover)| handover.recovery_ms).collect();
            Distribution {
                name: outcome.name.clone(),
                cases: times.len(),
                values: times.into_iter().flatten().map(|millis| millis / 1e3).collect(),
            }
        })
        .collect();
    if distributions.iter().all(|distribution| distribution.values.is_empty()) {
        return None;
    }
    let names = Names {
        picture: "recovery",
        title: "Recovery after handovers",
        remark: "share of handovers after which the flow was back at its pace by then",
        axis: "time since the handover began (s)",
    };
    let caption =
        "Higher and further left is better. A curve that ends below 1 never regained its pace in some \
                   cases before the next handover or the end of the run."
            .to_owned();
    Some(Picture {
        name: "recovery".to_owned(),
        svg: cdf(names, "share of handovers", &distributions),
        caption,
    })
}
