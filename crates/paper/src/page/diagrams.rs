//! Networks of scenarios, and handovers and losses message by message: the timing diagrams of papers, drawn from the packets of a run.

use super::single_runs::{choose, unknown};
use crate::bundled::Paper;
use crate::documents::Documents;
use crate::figures::{MessageChart, Network};
use crate::job::Job;
use crate::run::{PaperError, PaperOptions};
use seamline_experiment::RunOptions;
use seamline_experiment::network::network;
use seamline_report::paper::{PaperReport, Part, Section};
use seamline_report::picture::Picture;
use seamline_report::picture::messages::chart;
use seamline_report::picture::topology::topology;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The diagrams that the paper's figures ask for; `None` when it was stopped. Writes nothing.
///
/// # Errors
/// When an override is invalid, one of the paper's files is malformed, or a run fails.
pub fn diagrams(
    paper: &Paper,
    options: &PaperOptions,
    stop: &Arc<AtomicBool>,
) -> Result<Option<Vec<Picture>>, PaperError> {
    let documents = Documents::of(paper)?;
    let networks = documents.figures.network.iter().map(|wanted| network_of(paper, wanted, options));
    let mut all = networks.collect::<Result<Vec<Picture>, PaperError>>()?;
    for wanted in &documents.figures.message_chart {
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        match drawn(paper, wanted, options, stop) {
            _ if stop.load(Ordering::Relaxed) => return Ok(None),
            picture => all.extend(picture?),
        }
    }
    Ok(Some(all))
}

/// Add them to the page, after the figures.
pub fn add(report: &mut PaperReport, diagrams: Vec<Picture>) {
    if diagrams.is_empty() {
        return;
    }
    let words = "Networks, and the packets around one handover, or one loss, of one run of the first seed, from node to node. There time runs downwards, not to scale.";
    let diagrams = diagrams.into_iter().map(Part::WidePicture);
    let section = Section {
        id: "diagrams",
        title: "Networks, and handovers and losses message by message".to_owned(),
        parts: std::iter::once(Part::Words(words.to_owned())).chain(diagrams).collect(),
    };
    report.sections.insert(report.sections.len().min(1), section);
}

/// The network of a scenario.
fn network_of(paper: &Paper, wanted: &Network, options: &PaperOptions) -> Result<Picture, PaperError> {
    let plan = Job::of_figure(paper, &wanted.scenario, Path::new(""), &options.set)?.plan;
    let picture = topology(&network(&plan), &wanted.title);
    let picture = picture.map_err(|reason| unknown(paper, reason))?;
    Ok(Picture { name: wanted.name.clone(), ..picture })
}

/// The chart; nothing when the run has no handover or loss, as with overrides it may.
fn drawn(
    paper: &Paper,
    wanted: &MessageChart,
    options: &PaperOptions,
    stop: &Arc<AtomicBool>,
) -> Result<Option<Picture>, PaperError> {
    let set = options.set.iter().chain(&wanted.set).cloned().collect();
    let options = PaperOptions { set, ..options.clone() };
    let (plan, ..) =
        choose(paper, &wanted.scenario, std::slice::from_ref(&wanted.cell), Some(wanted.until_s), &options)?;
    let run = RunOptions {
        cells_over_time: 1,
        stop: stop.clone(),
        messages_around: wanted.around,
        ..RunOptions::default()
    };
    let results =
        seamline_experiment::run(&plan, &run, &|| ()).map_err(|error| unknown(paper, error.to_string()))?;
    let series = results.into_iter().find_map(|result| result.series);
    Ok(series.and_then(|series| {
        let handover = series.messages.as_ref()?;
        let remark = format!("{}, flow {}, seed {}", series.name, handover.flow, series.seed);
        let picture = chart(handover, wanted.name.clone(), &wanted.title, &remark);
        Some(Picture { caption: wanted.caption.clone(), ..picture })
    }))
}
