//! The time panels of the page: their frame, controls, data and script.

use super::columns::Encoded;
use super::html;
use crate::escape::{Text, json_in_script};

const HINT: &str = "<p class=\"hint desktop\">Wheel: zoom. Drag: zoom to the selection. \
    <kbd>Shift</kbd> and drag, or drag the strip above: move. Double-click: whole run. Keys while the panels have the \
     focus: <kbd>←</kbd> <kbd>→</kbd> cursor, with <kbd>Shift</kbd> move, <kbd>+</kbd> <kbd>−</kbd> zoom, \
    <kbd>0</kbd> whole run, <kbd>n</kbd> <kbd>p</kbd> next and previous handover.</p>\n";

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

/// The section; empty without runs.
pub(super) fn section(encoded: &Encoded) -> String {
    if encoded.runs.is_empty() {
        return String::new();
    }
    html::section("time", "One run over time", panels(encoded))
}

/// The panels and their controls. A page has them once.
pub(crate) fn panels(encoded: &Encoded) -> String {
    let mut content = choices(encoded);
    content += "<div class=\"controls sticky\"><div class=\"group\">\
        <button type=\"button\" id=\"zoom-in\" aria-label=\"Zoom in\">+</button>\
        <button type=\"button\" id=\"zoom-out\" aria-label=\"Zoom out\">−</button>\
        <button type=\"button\" id=\"zoom-reset\">Whole run</button></div>\
        <div class=\"group\" id=\"handover-choice\" hidden>\
        <button type=\"button\" id=\"handover-before\" aria-label=\"Previous handover\">‹</button>\
        <span class=\"name\" id=\"handover-count\"></span>\
        <button type=\"button\" id=\"handover-next\" aria-label=\"Next handover\">›</button></div>\
        <span id=\"clock\" aria-live=\"polite\"></span>\
        <span class=\"hint\" id=\"ghost-key\" hidden>dotted gray: <b id=\"ghost-name\"></b></span></div>\n";
    content += "<div id=\"overview\"></div>\n\
        <div id=\"stage\" tabindex=\"0\" role=\"group\" aria-label=\"Time panels: arrow keys move the cursor, plus \
        and minus zoom, 0 shows the whole run\"><div id=\"panels\"></div></div>\n";
    content += HINT;
    content += "<ul class=\"notes\" id=\"run-notes\"></ul>\n";
    for remark in &encoded.remarks {
        content += &format!("<p class=\"caption\">{}</p>\n", Text(remark));
    }
    content + "<noscript><p>The time panels need JavaScript; the rest of the page does not.</p></noscript>\n"
}

fn choices(encoded: &Encoded) -> String {
    let mut html = groups(encoded) + "<div class=\"controls\">";
    if encoded.runs.len() > 1 {
        html += "<div class=\"group\" id=\"run-choice\"><span class=\"name\">Cell</span>";
        for run in &encoded.runs {
            html += &format!("<button type=\"button\" aria-pressed=\"false\">{}</button>", Text(run.name()));
        }
        html += "</div>\n<label class=\"group\"><span class=\"name\">Compare with</span><select id=\"ghost-choice\">\
            <option value=\"-1\">none</option>";
        for (place, run) in encoded.runs.iter().enumerate() {
            html += &format!("<option value=\"{place}\">{}</option>", Text(run.name()));
        }
        html += "</select></label>\n";
    }
    html + "<div class=\"group\" id=\"flow-choice\"></div></div>\n"
}

fn groups(encoded: &Encoded) -> String {
    if encoded.groups.is_empty() {
        return String::new();
    }
    let mut html = String::from("<div class=\"controls\"><div class=\"group\" id=\"group-choice\">");
    for group in &encoded.groups {
        html += &format!("<button type=\"button\" aria-pressed=\"false\">{}</button>", Text(&group.title));
    }
    html + "</div></div>\n<p id=\"group-look\"></p>\n"
}

/// The script of a page, with the runs of its time panels.
pub(crate) fn script_of(encoded: &Encoded) -> String {
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
