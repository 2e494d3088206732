//! The parts of a report.

use super::html::{folded, section, table};
use crate::emulation::EmulationRecord;
use crate::escape::Text;
use crate::model::{OfRun, Outcome, Provenance, Report, seeds_in_words};
use crate::quantity::{bit_rate, bytes, count, digits, millis};
use crate::record::{FlowRecord, HandoverRecord, LinkRecord};
use std::fmt::Write;

/// More rows than this do not go into a page; the tables beside it have them all.
const MOST_ROWS: usize = 400;

/// The verdict in words, and what to know before believing it.
pub(super) fn verdict(report: &Report) -> String {
    let mut html = String::new();
    for sentence in &report.verdict {
        let _ = writeln!(html, "<p class=\"words\">{}</p>", Text(sentence));
    }
    if !report.warnings.is_empty() {
        html += "<ul class=\"warnings\">";
        for warning in &report.warnings {
            let _ = write!(html, "<li>{}</li>", Text(warning));
        }
        html += "</ul>\n";
    }
    html += &outcomes(report);
    format!("<section class=\"verdict\" id=\"verdict\" aria-label=\"Verdict\">\n{html}</section>\n")
}

fn outcomes(report: &Report) -> String {
    let any_completion = report.outcomes.iter().any(|outcome| outcome.summary.completion_s.is_some());
    let any_handover = report.outcomes.iter().any(|outcome| outcome.summary.handovers > 0);
    let mut columns = vec!["", "Goodput", "Relative to the baseline", "Judgement"];
    columns.extend(any_completion.then_some("Complete after"));
    columns.extend(any_handover.then_some("Back at pace after (median)"));
    columns.extend(["Sent again", "Timeouts"]);
    let row = |outcome: &Outcome| {
        let mut row = vec![
            format!("<strong>{}</strong>", Text(&outcome.name)),
            goodput(outcome),
            factor(outcome),
            judgement(outcome),
        ];
        let completion =
            || outcome.summary.completion_s.map_or("–".to_owned(), |mean| millis(mean.mean * 1e3));
        row.extend(any_completion.then(completion));
        row.extend(any_handover.then(|| match outcome.summary.recovery_median_ms {
            Some(median) => millis(median),
            None => "mostly never".to_owned(),
        }));
        row.extend([count(outcome.summary.retransmissions_mean), count(outcome.summary.timeouts_mean)]);
        row
    };
    let rows: Vec<Vec<String>> = report.outcomes.iter().map(row).collect();
    let seeds = report.outcomes.iter().map(|outcome| outcome.summary.goodput_bits_per_second.samples).max();
    let means = match seeds {
        Some(0 | 1) | None => "One run each; without a second seed there is no interval.".to_owned(),
        Some(n) => format!(
            "Means of {n} seeds, ± half of the 95 % interval (Student's t). Factors compare the same seeds, \
             which met the same losses."
        ),
    };
    format!("{}<p class=\"caption\">{means}</p>\n", table(&columns, &rows, 1))
}

fn goodput(outcome: &Outcome) -> String {
    let goodput = &outcome.summary.goodput_bits_per_second;
    let half = goodput.half_width().map(|half| format!(" ± {}", bit_rate(half))).unwrap_or_default();
    format!("<strong>{}</strong>{half}", bit_rate(goodput.mean))
}

fn factor(outcome: &Outcome) -> String {
    match (outcome.summary.factor(), &outcome.summary.against) {
        (_, None) => "baseline".to_owned(),
        (None, Some(_)) => "no factor".to_owned(),
        (Some(factor), Some(_)) => {
            let interval = match (factor.low, factor.high) {
                (Some(low), Some(high)) => format!(" [{low:.2}, {high:.2}]"),
                _ => String::new(),
            };
            format!("{:.2} ×{interval}", factor.mean)
        }
    }
}

fn judgement(outcome: &Outcome) -> String {
    let class = match outcome.judgement.as_str() {
        "faster" => "better",
        "slower" => "worse",
        _ => "",
    };
    format!("<span class=\"{class}\">{}</span>", Text(&outcome.judgement))
}

/// Every run, handover and link, folded.
pub(super) fn tables(report: &Report) -> String {
    let mut html = String::from(
        "<p class=\"caption\">The same numbers are in <code>runs</code>, <code>handovers</code> and \
         <code>links</code> (CSV, JSON, Parquet) beside a report that was written into a folder.</p>",
    );
    html += &folded(&format!("Runs ({})", report.flows().count()), &runs(report));
    if report.handovers().next().is_some() {
        html += &folded(&format!("Handovers ({})", report.handovers().count()), &handovers(report));
    }
    let emulated = report.emulations().count();
    if emulated > 0 {
        html += &folded(&format!("Emulation in real time ({emulated})"), &emulation(report));
    }
    html += &folded(&format!("Links ({})", report.links().count()), &links(report));
    section("tables", "Tables", html)
}

fn runs(report: &Report) -> String {
    let columns = [
        "Cell",
        "Flow",
        "Seed",
        "Goodput",
        "Delivered",
        "Sent again",
        "Timeouts",
        "Fast recoveries",
        "RTT mean",
        "RTT min",
        "Complete after",
    ];
    let row = |row: OfRun<'_, FlowRecord>| {
        vec![
            Text(report.cell_name(row.cell)).to_string(),
            Text(&row.it.name).to_string(),
            row.seed.to_string(),
            bit_rate(row.it.goodput_bits_per_second),
            bytes(row.it.delivered_bytes),
            row.it.retransmissions.to_string(),
            row.it.timeouts.to_string(),
            row.it.fast_recoveries.to_string(),
            optional(row.it.round_trip_mean_ms, millis),
            optional(row.it.round_trip_min_ms, millis),
            optional(row.it.completion_s, |seconds| millis(seconds * 1e3)),
        ]
    };
    shortened(&columns, report.flows().map(row), report.flows().count(), "runs", 2)
}

/// A column of the handovers: its name, and what stands in it.
type HandoverColumn = (&'static str, fn(&HandoverRecord) -> String);

const HANDOVER_COLUMNS: [HandoverColumn; 8] = [
    ("Start", |handover| format!("{} s", digits(handover.start_s))),
    ("Interruption", |handover| optional(handover.interruption_ms, millis)),
    ("Movement detected after", |handover| optional(handover.movement_detected_ms, millis)),
    ("Registered after", |handover| optional(handover.registered_ms, millis)),
    ("First data after", |handover| optional(handover.first_data_ms, millis)),
    ("Lost until then", |handover| handover.lost_packets.to_string()),
    ("Back at pace after", |handover| handover.recovery_ms.map_or("never".to_owned(), millis)),
    ("Delivered in the second after", |handover| bytes(handover.following_second_bytes)),
];

fn handovers(report: &Report) -> String {
    let detected = report.handovers().any(|(_, handover)| handover.movement_detected_ms.is_some());
    let registered = report.handovers().any(|(_, handover)| handover.registered_ms.is_some());
    // Only mobile nodes detect movement and register.
    let shown: Vec<HandoverColumn> = HANDOVER_COLUMNS
        .into_iter()
        .filter(|(name, _)| match *name {
            "Movement detected after" => detected,
            "Registered after" => registered,
            _ => true,
        })
        .collect();
    let columns: Vec<&str> =
        ["Cell", "Flow", "Link", "Seed"].into_iter().chain(shown.iter().map(|(name, _)| *name)).collect();
    let row = |(flow, handover): (OfRun<'_, FlowRecord>, &HandoverRecord)| {
        let mut row = vec![
            Text(report.cell_name(flow.cell)).to_string(),
            Text(&flow.it.name).to_string(),
            Text(&handover.link).to_string(),
            flow.seed.to_string(),
        ];
        row.extend(shown.iter().map(|(_, entry)| entry(handover)));
        row
    };
    shortened(&columns, report.handovers().map(row), report.handovers().count(), "handovers", 3)
}

fn links(report: &Report) -> String {
    let columns = [
        "Cell",
        "Link",
        "Seed",
        "Delivered",
        "Packets",
        "Queue full",
        "Queue management",
        "Errors",
        "Link down",
        "Node left",
    ];
    let row = |row: OfRun<'_, LinkRecord>| {
        vec![
            Text(report.cell_name(row.cell)).to_string(),
            Text(&row.it.name).to_string(),
            row.seed.to_string(),
            bytes(row.it.delivered_bytes),
            row.it.delivered_packets.to_string(),
            row.it.dropped_by_full_queue.to_string(),
            row.it.dropped_by_queue_management.to_string(),
            row.it.lost_to_errors.to_string(),
            row.it.lost_to_link_down.to_string(),
            optional(row.it.lost_to_departure, |lost| lost.to_string()),
        ]
    };
    shortened(&columns, report.links().map(row), report.links().count(), "links", 2)
}

fn emulation(report: &Report) -> String {
    let columns = [
        "Cell",
        "TCP of the hosts",
        "Seed",
        "Packets",
        "Late (median)",
        "Late (99 %)",
        "Late (most)",
        "Emulator",
        "Doubts",
    ];
    let late = |us: f64| millis(us / 1e3);
    let row = |row: OfRun<'_, EmulationRecord>| {
        let doubts = row.it.doubts();
        vec![
            Text(report.cell_name(row.cell)).to_string(),
            Text(&row.it.stacks_in_words()).to_string(),
            row.seed.to_string(),
            row.it.packets.to_string(),
            late(row.it.lateness_median_us),
            late(row.it.lateness_p99_us),
            late(row.it.lateness_max_us),
            Text(&format!("{}, Linux {}", row.it.priority, row.it.kernel)).to_string(),
            if doubts.is_empty() { "none".to_owned() } else { Text(&doubts.join("; ")).to_string() },
        ]
    };
    let words = "<p>Hosts were network namespaces; packets went through the network in real time. Late is how much after they were due \
                 they were handed to a host.</p>";
    words.to_owned()
        + &shortened(&columns, report.emulations().map(row), report.emulations().count(), "emulation", 2)
}

fn optional<T>(value: Option<T>, text: impl Fn(T) -> String) -> String {
    value.map_or("–".to_owned(), text)
}

fn shortened(
    columns: &[&str],
    rows: impl Iterator<Item = Vec<String>>,
    all: usize,
    file: &str,
    left: usize,
) -> String {
    let rows: Vec<Vec<String>> = rows.take(MOST_ROWS).collect();
    let rest = match all.checked_sub(MOST_ROWS) {
        Some(rest) if rest > 0 => {
            format!("<p class=\"caption\">{rest} more rows are in {file}.csv and {file}.parquet.</p>")
        }
        _ => String::new(),
    };
    table(columns, &rows, left) + &rest
}

/// What was run and how to run it again.
pub(crate) fn provenance(provenance: &Provenance) -> String {
    let mut html = format!(
        "<div class=\"command\"><pre id=\"reproduce\">{}</pre>\
         <button type=\"button\" class=\"copy\" data-of=\"reproduce\" hidden>Copy</button></div>\n<dl>",
        Text(&provenance.reproduce)
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
        ("Seeds", seeds_in_words(&provenance.seeds)),
    ];
    fields.extend(provenance.overrides.iter().map(|text| ("Set on the command line", text.clone())));
    for (name, value) in fields {
        let _ = write!(html, "<dt>{}</dt><dd>{}</dd>", Text(name), Text(&value));
    }
    html += "</dl>\n<p class=\"caption\">The same program, scenario and seeds give the same numbers, byte for byte.</p>";
    html += &folded("Text of the scenario", &format!("<pre>{}</pre>", Text(&provenance.scenario_text)));
    section("provenance", "What was run, and how to run it again", html)
}
