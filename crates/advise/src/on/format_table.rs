//! Format one line for each candidate.

use super::answer::{CandidateAdvice, PathAdvice};
use super::candidates::Group;
use crate::question::Traffic;
use seamline_report::export::table::Table;
use seamline_report::quantity::{bit_rate, millis};
use seamline_report::statistics::Estimate;
use seamline_report::text_table::TextTable;

/// The groups of candidates, in their order.
pub(super) const HEADINGS: [(Group, &str); 4] = [
    (Group::Today, "today"),
    (Group::Tcp, "which TCP"),
    (Group::Setting, "which setting"),
    (Group::Help, "which help"),
];

/// The candidates in columns, followed by a legend.
pub(super) fn table(advice: &PathAdvice) -> String {
    let outcome = advice.question.traffic.pick("completion time", "goodput");
    let head = [
        "",
        "candidate",
        outcome,
        "gain over today's",
        "median RTT",
        "95 % RTT",
        "longest stall",
        "installed at",
    ];
    let mut rows = Vec::new();
    for (group, heading) in HEADINGS {
        let of_group = advice.candidates.iter().filter(|it| it.group == group);
        rows.extend(
            of_group.enumerate().map(|(place, it)| row(advice, if place == 0 { heading } else { "" }, it)),
        );
    }
    let mut text = TextTable::new("llrrrrrl", head).with(rows).to_text();
    text += &format!(
        "  ± and the brackets are 95 % intervals; * is a gain, - a loss of more than 1 %, significant for all {} comparisons together\n  \
           (Bonferroni, 5 %); gains are paired by seed; round trips (RTT) are the sender's under the load of the flow\n",
        advice.comparisons
    );
    let incomplete: usize = advice.candidates.iter().map(|it| it.incomplete).sum();
    if incomplete > 0 {
        text += &format!(
            "  {incomplete} runs ended without the whole file; their times are lower bounds (\"at least\")\n"
        );
    }
    text
}

fn row(advice: &PathAdvice, heading: &str, it: &CandidateAdvice) -> Vec<String> {
    vec![
        heading.to_owned(),
        it.name.clone(),
        outcome(advice, it),
        gain(it),
        round_trip(it.round_trip_median_ms),
        round_trip(it.round_trip_p95_ms),
        millis(it.longest_stall_s.mean * 1e3),
        it.installed.clone(),
    ]
}

/// Of a connection that ends at the gateway there is none.
fn round_trip(of_path: Option<Estimate>) -> String {
    of_path.map_or_else(|| "-".to_owned(), |it| millis(it.mean))
}

fn outcome(advice: &PathAdvice, it: &CandidateAdvice) -> String {
    let text = it.outcome.to_text(|value| match advice.question.traffic {
        Traffic::File(_) => millis(value * 1e3),
        Traffic::Horizon(_) => bit_rate(value),
    });
    if it.incomplete > 0 { format!("at least {text}") } else { text }
}

/// `+23.1 % (18.0 to 28.2) *`.
fn gain(it: &CandidateAdvice) -> String {
    let Some(Estimate { mean, low, high, .. }) = it.gain else { return "-".to_owned() };
    let number = |share: f64| format!("{:.1}", share * 100.0);
    let interval = low.zip(high).map(|(low, high)| format!(" ({} to {})", number(low), number(high)));
    let sign = if mean > 0.0 { "+" } else { "" };
    let mark = match (it.is_gain, it.is_loss) {
        (true, _) => " *",
        (_, true) => " -",
        _ => "  ",
    };
    format!("{sign}{} %{}{mark}", number(mean), interval.unwrap_or_default())
}

/// A row for each candidate of the comparison.
pub fn to_table(advice: &PathAdvice) -> Table {
    let (name, unit) = advice.question.traffic.pick(("completion", "s"), ("goodput", "bits_per_second"));
    let rows = || advice.candidates.iter();
    let group = |it: &CandidateAdvice| {
        HEADINGS.iter().find(|(group, _)| *group == it.group).map_or("", |(_, name)| name)
    };
    Table::new("candidates")
        .text("group", rows().map(|it| group(it).to_owned()))
        .text("candidate", rows().map(|it| it.name.clone()))
        .estimate(name, unit, rows().map(|it| Some(it.outcome)))
        .whole("incomplete_runs", rows().map(|it| it.incomplete as u64))
        .estimate("gain", "share", rows().map(|it| it.gain))
        .truth("is_gain", rows().map(|it| it.is_gain))
        .truth("is_loss", rows().map(|it| it.is_loss))
        .estimate("round_trip_median", "ms", rows().map(|it| it.round_trip_median_ms))
        .estimate("round_trip_p95", "ms", rows().map(|it| it.round_trip_p95_ms))
        .estimate("longest_stall", "s", rows().map(|it| Some(it.longest_stall_s)))
        .text("installed_at", rows().map(|it| it.installed.clone()))
        .text("how", rows().map(|it| it.how.clone()))
}
