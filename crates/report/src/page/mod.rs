//! A report as one HTML file that needs no network: its policy forbids every request.

mod columns;
mod downloads;
pub mod html;
mod sections;
mod tables;
mod thin;
pub(crate) mod timeline;

use crate::escape::{Text, json_in_script};
use crate::files::ReportError;
use crate::model::{Report, format_seeds};
use crate::picture;
pub(crate) use columns::{Encoded, Group, encode};
use html::{figure, page};
pub(crate) use sections::provenance;
pub(crate) use thin::thinned;

/// The script, in the order in which its parts need each other.
const SCRIPT: [&str; 8] = [
    include_str!("../../assets/decode.js"),
    include_str!("../../assets/format.js"),
    include_str!("../../assets/view.js"),
    include_str!("../../assets/draw.js"),
    include_str!("../../assets/panels.js"),
    include_str!("../../assets/chart.js"),
    include_str!("../../assets/gestures.js"),
    concat!(include_str!("../../assets/overview.js"), include_str!("../../assets/page.js")),
];

/// The page of a report whose other files are next to it.
pub fn html(report: &Report) -> String {
    page_of(report, "")
}

/// The page on its own: what would be in other files can be saved from it, without a network.
///
/// # Errors
/// Never in practice: every value can be written as JSON.
pub fn alone(report: &Report) -> Result<String, ReportError> {
    Ok(page_of(report, &downloads::section(report)?))
}

fn page_of(report: &Report, downloads: &str) -> String {
    let mut encoded = columns::encode(&report.series.iter().collect::<Vec<_>>());
    if let rest @ 1.. = report.cells.len().saturating_sub(report.series.len())
        && !report.series.is_empty()
    {
        let kept = report.series.len();
        encoded.remarks.push(format!(
            "Runs are recorded over time in the first {kept} cells only; {rest} more are in the tables and pictures of means. \
             A grid of fewer cells shows others."
        ));
    }
    let mut body = sections::verdict(report);
    body += &pictures(report);
    body += &timeline::section(&encoded);
    body += &tables::section(report);
    body += downloads;
    body += &sections::provenance(&report.provenance);
    page(&report.title, &header(report), &body, &script_of(&encoded))
}

fn header(report: &Report) -> String {
    let (cells, seeds) = (report.cells.len(), report.provenance.seeds.len());
    let plural = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let warm_up = match report.warm_up_s {
        0.0 => String::new(),
        seconds => format!(", the first {seconds} s left out of means"),
    };
    format!(
        "<div class=\"brand\">Seamline report</div><h1>{}</h1><p class=\"facts\">{}, {} each ({}), \
         {} s a run{warm_up}</p>",
        Text(&report.title),
        plural(cells, "cell"),
        plural(seeds, "seed"),
        format_seeds(&report.provenance.seeds),
        report.duration_s
    )
}

fn pictures(report: &Report) -> String {
    let drawn = picture::of_report(report);
    if drawn.is_empty() {
        return String::new();
    }
    let mut html = String::from("<div class=\"pictures\">\n");
    for picture in drawn {
        html += &format!("<section>{}</section>\n", figure(&picture.svg, &picture.caption));
    }
    html + "</div>\n"
}

/// The script of a page, with the runs of its time panels.
pub(crate) fn script_of(encoded: &columns::Encoded) -> String {
    // Only strings and numbers: this cannot fail.
    let runs = serde_json::to_string(&encoded.runs).unwrap_or_else(|_| "[]".to_owned());
    let groups = serde_json::to_string(&encoded.groups).unwrap_or_else(|_| "[]".to_owned());
    let mut html = format!(
        "<script type=\"application/json\" id=\"data\">{{\"runs\":{},\"groups\":{}}}</script>\n",
        json_in_script(&runs),
        json_in_script(&groups)
    );
    for (place, text) in encoded.texts.iter().enumerate() {
        html += &format!("<script type=\"text/plain\" id=\"run-{place}\">{text}</script>\n");
    }
    let script = SCRIPT.join("\n");
    html + "<script>\n(() => {\n\"use strict\";\n" + &script + "})();\n</script>\n"
}
