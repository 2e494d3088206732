//! A recording in words.

use super::{Read, Reading};
use seamline_net::schedule::Capacity;
use seamline_recordings::measured::Direction;
use seamline_recordings::replay::outages::{Fate, Outage};
use seamline_recordings::replay::period::Evidence;
use seamline_recordings::replay::{Replay, mean};
use seamline_report::export::table::Table;
use seamline_report::text_table::TextTable;
use serde::Serialize;
use std::fmt::Write;
use std::path::Path;

/// So many outages are listed; `--format csv` lists all.
const LISTED: usize = 12;

/// The whole answer.
pub(super) fn describe(read: &Read, reading: &Reading, figure: Option<&Path>) -> String {
    let replay = &read.replay;
    let mut text = read.titles().join("\n") + "\n\n";
    for (what, value) in rows(replay) {
        let _ = writeln!(text, "  {what:<10} {value}");
    }
    text += &listed(&replay.findings.outages);
    let remarks = replay.remarks();
    if !remarks.is_empty() {
        text += "\nNotes:\n";
        remarks.iter().for_each(|note| {
            let _ = writeln!(text, "  {note}");
        });
    }
    if let Some(figure) = figure {
        let _ = writeln!(text, "\nFigure: {}", figure.display());
    }
    text += &next(replay, reading);
    text
}

/// What to do with the recording. Other commands do not take options of reading: only a conversion keeps what they choose.
fn next(replay: &Replay, reading: &Reading) -> String {
    let (typed, options) = (reading.typed(), reading.typed_options());
    if reading.files.len() > 1 || !options.is_empty() {
        return format!("Next: seamline recording convert {typed}{options} --out path.csv\n");
    }
    let (mut given, mut replace) = (String::new(), String::new());
    for (is_missing, option, example) in [
        (mean_capacity(replay, Direction::Down).is_none(), "rate", "20 Mbit/s"),
        (mean_round_trip(replay).is_none(), "round-trip", "60 ms"),
    ] {
        if is_missing {
            given += &format!(" --{option} '{example}'");
            replace += &format!("{example} is an example: replace it by the {option} of your path.\n");
        }
    }
    let advise = format!("seamline advise --on {typed}{given}");
    format!("Next: {advise}; or seamline init my.toml --recording {typed}\n{replace}")
}

/// What is known of each thing.
fn rows(replay: &Replay) -> Vec<(&'static str, String)> {
    let findings = &replay.findings;
    let mut rows = vec![("capacity", capacity(replay)), ("delay", delay(replay)), ("loss", loss(replay))];
    rows.push(("outages", outages_in_words(replay)));
    if let Some(period) = &findings.period {
        let what = match period.evidence {
            Evidence::Delays => "delay jumps",
            Evidence::Events => "outages and handovers come",
        };
        rows.push((
            "period",
            format!(
                "{what} every {:.1} s, first at {:.2} s ({} of {} agree, p = {:.1e})",
                period.length.as_secs_f64(),
                period.phase.as_secs_f64(),
                period.agreeing,
                period.of,
                period.probability
            ),
        ));
    }
    rows
}

fn capacity(replay: &Replay) -> String {
    let of = |direction, name: &str| -> Option<String> {
        let mean = mean_capacity(replay, direction)?;
        Some(format!("{name} {:.1} Mbit/s on average", mean / 1e6))
    };
    let conditions = &replay.conditions;
    if conditions.down.capacity == conditions.up.capacity {
        return of(Direction::Down, "both directions").unwrap_or_else(|| "not in the file".to_owned());
    }
    let both: Vec<String> =
        [of(Direction::Down, "down"), of(Direction::Up, "up")].into_iter().flatten().collect();
    both.join(", ")
}

/// The mean capacity in bit/s.
fn mean_capacity(replay: &Replay, direction: Direction) -> Option<f64> {
    Some(match replay.conditions.of(direction).capacity.as_ref()? {
        Capacity::Rate(rates) => mean(rates.steps(), replay.length, |it| it.bits_per_second() as f64),
        Capacity::Opportunities(chances) => chances.mean_rate().bits_per_second() as f64,
    })
}

/// The mean round trip in ms.
fn mean_round_trip(replay: &Replay) -> Option<f64> {
    let of = |direction| {
        let steps = replay.conditions.of(direction).one_way_delay.as_ref()?;
        Some(mean(steps, replay.length, |it| it.as_millis_f64()))
    };
    Some(of(Direction::Down)? + of(Direction::Up)?)
}

fn delay(replay: &Replay) -> String {
    let findings = &replay.findings;
    let (Some(base), Some(queueing)) = (&findings.base, &findings.queueing) else {
        return mean_round_trip(replay)
            .map_or_else(|| "not in the file".to_owned(), |it| format!("round trip {it:.1} ms on average"));
    };
    let least: Vec<f64> = base.windows.iter().map(|it| it.least.as_millis_f64()).collect();
    let (low, high) =
        (least.iter().copied().fold(f64::INFINITY, f64::min), least.iter().copied().fold(0.0, f64::max));
    format!(
        "round trip of the path {low:.1} to {high:.1} ms (each ± {:.2} ms); waiting {:.1} ms in the median, {:.1} ms at 95 %, {:.1} ms at most",
        base.uncertainty.as_millis_f64(),
        queueing.median.as_millis_f64(),
        queueing.p95.as_millis_f64(),
        queueing.most.as_millis_f64()
    )
}

fn loss(replay: &Replay) -> String {
    let Some(loss) = &replay.findings.loss else {
        let of = |direction| {
            let steps = replay.conditions.of(direction).loss.as_ref()?;
            Some(mean(steps, replay.length, |it| it * 100.0))
        };
        return match (of(Direction::Down), of(Direction::Up)) {
            (None, None) => "not in the file".to_owned(),
            (down, up) => {
                let shown = |it: Option<f64>| it.map_or("unknown".to_owned(), |it| format!("{it:.3} %"));
                format!("{} down, {} up on average", shown(down), shown(up))
            }
        };
    };
    let percent = |share: f64| format!("{:.3} %", share * 100.0);
    format!(
        "{} of round trips outside of outages (95 % interval {} to {}, {} probes)",
        percent(loss.share),
        percent(loss.interval.0),
        percent(loss.interval.1),
        loss.probes
    )
}

fn outages_in_words(replay: &Replay) -> String {
    let findings = &replay.findings;
    let seen = findings
        .shortest_visible
        .map(|it| format!("; only those from {} on are certain to be seen", millis(it.as_millis_f64())))
        .unwrap_or_default();
    let mut lengths: Vec<f64> = findings.outages.iter().map(|it| it.length.as_millis_f64()).collect();
    lengths.sort_by(f64::total_cmp);
    let (Some(least), Some(most)) = (lengths.first(), lengths.last()) else {
        let silent = replay.conditions.down.handovers.as_slice().len();
        let changes =
            if silent > 0 { format!("; {silent} handovers in the recording") } else { String::new() };
        return format!("none found{seen}{changes}");
    };
    let held = findings.outages.iter().filter(|it| it.fate == Fate::Held).count();
    format!(
        "{}, {} to {}, median {}; packets were held in {held} and lost in {}{seen}",
        lengths.len(),
        millis(*least),
        millis(*most),
        millis(lengths[lengths.len() / 2]),
        lengths.len() - held
    )
}

fn millis(millis: f64) -> String {
    if millis < 1000.0 { format!("{millis:.0} ms") } else { format!("{:.2} s", millis / 1e3) }
}

fn listed(outages: &[Outage]) -> String {
    if outages.is_empty() {
        return String::new();
    }
    let mut shown: Vec<&Outage> = outages.iter().collect();
    shown.sort_by_key(|it| std::cmp::Reverse(it.length));
    shown.truncate(LISTED);
    shown.sort_by_key(|it| it.at);
    let row = |it: &&Outage| {
        vec![
            format!("{:.3} s", it.at.as_secs_f64()),
            millis(it.length.as_millis_f64()),
            format!("{} to {}", millis(it.bounds.0.as_millis_f64()), millis(it.bounds.1.as_millis_f64())),
            fate(it).to_owned(),
        ]
    };
    let head = ["outage at", "length", "may have been", "packets"];
    let table = TextTable::new("rrrl", head).with(shown.iter().map(row));
    let rest = match outages.len() - shown.len() {
        0 => String::new(),
        rest => format!("  and {rest} shorter ones (--format csv lists all)\n"),
    };
    format!("\n{}{rest}", table.to_text())
}

fn fate(outage: &Outage) -> &'static str {
    if outage.fate == Fate::Held { "held" } else { "lost" }
}

/// All outages.
pub(super) fn outages(replay: &Replay) -> Table {
    let outages = &replay.findings.outages;
    let real = |value: fn(&Outage) -> f64| outages.iter().map(move |it| Some(value(it)));
    Table::new("outages")
        .real("at_s", real(|it| it.at.as_secs_f64()))
        .real("length_ms", real(|it| it.length.as_millis_f64()))
        .real("shortest_ms", real(|it| it.bounds.0.as_millis_f64()))
        .real("longest_ms", real(|it| it.bounds.1.as_millis_f64()))
        .text("fate", outages.iter().map(|it| fate(it).to_owned()))
}

/// The JSON document.
#[derive(Debug, Serialize)]
pub(super) struct Summary<'a> {
    formats: Vec<&'a str>,
    length_s: f64,
    began_unix_s: Option<f64>,
    capacity_down_mbps: Option<f64>,
    capacity_up_mbps: Option<f64>,
    round_trip_ms: Option<f64>,
    queueing_median_ms: Option<f64>,
    queueing_p95_ms: Option<f64>,
    loss_share: Option<f64>,
    loss_interval: Option<(f64, f64)>,
    shortest_visible_outage_ms: Option<f64>,
    period_s: Option<f64>,
    period_phase_s: Option<f64>,
    outages: Vec<OutageSummary>,
    handovers_s: Vec<f64>,
    notes: Vec<String>,
}

#[derive(Debug, Serialize)]
struct OutageSummary {
    at_s: f64,
    length_ms: f64,
    bounds_ms: (f64, f64),
    packets: &'static str,
}

pub(super) fn summary(read: &Read) -> Summary<'_> {
    let Read { parts, replay } = read;
    let findings = &replay.findings;
    let outage = |it: &Outage| OutageSummary {
        at_s: it.at.as_secs_f64(),
        length_ms: it.length.as_millis_f64(),
        bounds_ms: (it.bounds.0.as_millis_f64(), it.bounds.1.as_millis_f64()),
        packets: fate(it),
    };
    let megabits = |direction| mean_capacity(replay, direction).map(|it| it / 1e6);
    Summary {
        formats: parts.iter().map(|(_, it)| it.format).collect(),
        length_s: replay.length.as_secs_f64(),
        began_unix_s: parts.iter().filter_map(|(_, it)| it.measured.began).reduce(f64::max),
        capacity_down_mbps: megabits(Direction::Down),
        capacity_up_mbps: megabits(Direction::Up),
        round_trip_ms: mean_round_trip(replay),
        queueing_median_ms: findings.queueing.map(|it| it.median.as_millis_f64()),
        queueing_p95_ms: findings.queueing.map(|it| it.p95.as_millis_f64()),
        loss_share: findings.loss.map(|it| it.share),
        loss_interval: findings.loss.map(|it| it.interval),
        shortest_visible_outage_ms: findings.shortest_visible.map(|it| it.as_millis_f64()),
        period_s: findings.period.map(|it| it.length.as_secs_f64()),
        period_phase_s: findings.period.map(|it| it.phase.as_secs_f64()),
        outages: findings.outages.iter().map(outage).collect(),
        handovers_s: replay
            .conditions
            .down
            .handovers
            .as_slice()
            .iter()
            .map(|it| it.at.as_secs_f64())
            .collect(),
        notes: replay.remarks(),
    }
}
