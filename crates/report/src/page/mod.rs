//! A report as one HTML file that needs no network: its policy forbids every request.

mod columns;
pub(crate) mod downloads;
pub mod html;
mod tables;
mod thin;
pub(crate) mod timeline;

use crate::escape::Text;
use crate::export::table::Table;
use crate::model::{Outcome, Report};
use crate::picture::Picture;
use crate::provenance::{Provenance, format_seeds};
use crate::quantity::{bit_rate, count, millis, plural};
use crate::summary::{Comparison, axes};
pub(crate) use columns::{Encoded, Group, encode};
use html::{command, figure, folded, page, section, table, warnings, words};
use std::fmt::Write;
pub(crate) use thin::thinned;

/// The whole page. `downloads` is the section of what can be saved from it, empty when the other files are next to it.
pub(crate) fn render(
    report: &Report,
    tables: &[Table],
    network: Option<&Result<Picture, String>>,
    pictures: &[Picture],
    charts: &[(&str, Picture)],
    downloads: &str,
) -> String {
    let header = header(report);
    let encoded = runs_over_time(report);
    let mut body = verdict(report);
    body += &network.map(drawn_network).unwrap_or_default();
    body += &figures(pictures);
    body += &timeline::section(&encoded);
    body += &handovers(charts);
    body += &tables::tables(tables);
    body += downloads;
    body += &provenance(&report.provenance);
    page(&report.title, &header, &body, &timeline::script_of(&encoded))
}

/// The runs of the time panels, with a remark on the cells that are not among them.
fn runs_over_time(report: &Report) -> Encoded {
    let mut encoded = encode(&report.series.iter().collect::<Vec<_>>());
    if let rest @ 1.. = report.cells.len().saturating_sub(report.series.len())
        && !report.series.is_empty()
    {
        let kept = report.series.len();
        encoded.remarks.push(format!(
            "Only the first {kept} cells are recorded over time; the other {rest} are in the tables and in the figures of \
             means. Run a smaller grid to record them."
        ));
    }
    encoded
}

fn header(report: &Report) -> String {
    let (cells, seeds) = (report.cells.len(), report.provenance.seeds.len());
    let warm_up = match report.warm_up_s {
        0.0 => String::new(),
        seconds => format!(", the first {seconds} s excluded from means"),
    };
    format!(
        "<div class=\"brand\">Seamline report</div><h1>{}</h1><p class=\"facts\">{}, {} each ({}), \
         {} s per run{warm_up}</p>",
        Text(&report.title),
        plural(cells, "grid cell"),
        plural(seeds, "seed"),
        format_seeds(&report.provenance.seeds),
        report.duration_s
    )
}

/// The verdict, and what to know before believing it.
fn verdict(report: &Report) -> String {
    let mut html = String::new();
    for sentence in &report.verdict {
        let _ = writeln!(html, "<p class=\"words\">{}</p>", words(sentence));
    }
    html += &warnings(&report.warnings);
    html += &outcomes(report);
    format!("<section class=\"verdict\" id=\"verdict\" aria-label=\"Verdict\">\n{html}</section>\n")
}

fn outcomes(report: &Report) -> String {
    let any_completion = report.outcomes.iter().any(|outcome| outcome.summary.completion_s.is_some());
    let any_handover = report.outcomes.iter().any(|outcome| outcome.summary.handovers > 0);
    let mut columns = vec!["", "Goodput", "Relative to the baseline", "Verdict"];
    let axes = axes(report.outcomes.iter().map(|outcome| &outcome.summary));
    let relative: Vec<String> = axes.iter().map(|axis| format!("Relative to {}", Text(axis))).collect();
    columns.extend(relative.iter().map(String::as_str));
    columns.extend(any_completion.then_some("Complete after"));
    columns.extend(any_handover.then_some("Recovered after (median)"));
    columns.extend(["Retransmitted", "Timeouts"]);
    let row = |outcome: &Outcome| {
        let mut row = vec![
            format!("<strong>{}</strong>", words(&outcome.name)),
            goodput(outcome),
            factor(outcome),
            judgement(outcome),
        ];
        row.extend(axes.iter().map(|axis| along(outcome, axis)));
        let completion =
            || outcome.summary.completion_s.map_or("–".to_owned(), |mean| millis(mean.mean * 1e3));
        row.extend(any_completion.then(completion));
        row.extend(any_handover.then(|| match outcome.summary.recovery_median_ms {
            Some(median) => millis(median),
            None => "mostly not recovered".to_owned(),
        }));
        row.extend([count(outcome.summary.retransmissions_mean), count(outcome.summary.timeouts_mean)]);
        row
    };
    let rows: Vec<Vec<String>> = report.outcomes.iter().map(row).collect();
    let seeds = report.outcomes.iter().map(|outcome| outcome.summary.goodput_bits_per_second.samples).max();
    let means = match seeds {
        Some(0 | 1) | None => "One run each; without a second seed there is no interval.".to_owned(),
        Some(n) => format!(
            "Means of {n} seeds, ± half of the 95 % interval (Student's t). Factors compare runs of the same seed, which \
             have the same losses."
        ),
    };
    format!("{}<p class=\"caption\">{means}</p>\n", table(&columns, &rows, 1))
}

fn goodput(outcome: &Outcome) -> String {
    let goodput = &outcome.summary.goodput_bits_per_second;
    let half =
        goodput.half_width().map(|half| format!(" <span>± {}</span>", bit_rate(half))).unwrap_or_default();
    format!("<strong>{}</strong>{half}", bit_rate(goodput.mean))
}

fn factor(outcome: &Outcome) -> String {
    relative(outcome.summary.against.as_ref())
}

fn along(outcome: &Outcome, axis: &str) -> String {
    let along = outcome.summary.along.iter().find(|along| along.axis == axis);
    relative(along.map(|along| &along.against))
}

fn relative(against: Option<&Comparison>) -> String {
    match against.map(|against| against.goodput_factor) {
        None => "baseline".to_owned(),
        Some(None) => "no factor".to_owned(),
        Some(Some(factor)) => {
            let interval = match (factor.low, factor.high) {
                (Some(low), Some(high)) => format!(" <span>[{low:.2}, {high:.2}]</span>"),
                _ => String::new(),
            };
            format!("<span>{:.2} ×</span>{interval}", factor.mean)
        }
    }
}

fn judgement(outcome: &Outcome) -> String {
    let class = match outcome.judgement.as_str() {
        "faster" => "better",
        "slower" => "worse",
        "" => return String::new(),
        _ => "",
    };
    format!("<span class=\"{class}\">{}</span>", Text(&outcome.judgement))
}

/// What was run and how to run it again.
pub(crate) fn provenance(provenance: &Provenance) -> String {
    let mut html = format!(
        "<div class=\"command\"><pre id=\"reproduce\">{}</pre>\
         <button type=\"button\" class=\"copy\" data-of=\"reproduce\" hidden>Copy</button></div>\n<dl>",
        command(&provenance.reproduce)
    );
    let mut fields = vec![
        (
            "Program",
            format!(
                "seamline {} (revision {}, engine {})",
                provenance.version, provenance.revision, provenance.engine
            ),
        ),
        ("Scenario", provenance.scenario.clone()),
        ("BLAKE3 of the scenario", provenance.scenario_blake3.clone()),
        ("Seeds", format_seeds(&provenance.seeds)),
    ];
    fields.extend(provenance.overrides.iter().map(|text| ("Set on the command line", text.clone())));
    for (name, value) in fields {
        let _ = write!(html, "<dt>{}</dt><dd>{}</dd>", Text(name), Text(&value));
    }
    html += "</dl>\n<p class=\"caption\">The same program, scenario and seeds give the same results, byte for byte.</p>";
    html += &folded("Text of the scenario", &format!("<pre>{}</pre>", Text(&provenance.scenario_text)));
    section("provenance", "What was run, and how to run it again", html)
}

/// The first handover of one run of each cell, message by message; all but the first are folded.
fn handovers(charts: &[(&str, Picture)]) -> String {
    let mut content = String::new();
    for (name, picture) in charts {
        let chart = figure(&picture.svg, &picture.caption);
        content += &if content.is_empty() { chart } else { folded(name, &chart) };
    }
    if content.is_empty() {
        content
    } else {
        section("messages", "One handover, message by message", content)
    }
}

/// The network, or why it is not drawn.
fn drawn_network(network: &Result<Picture, String>) -> String {
    let content = match network {
        Ok(picture) => figure(&picture.svg, &picture.caption),
        Err(reason) => format!("<p class=\"caption\">{}</p>\n", Text(reason)),
    };
    section("network", "The network", content)
}

fn figures(pictures: &[Picture]) -> String {
    if pictures.is_empty() {
        return String::new();
    }
    let figure =
        |picture: &Picture| format!("<section>{}</section>\n", figure(&picture.svg, &picture.caption));
    format!("<div class=\"pictures\">\n{}</div>\n", pictures.iter().map(figure).collect::<String>())
}
