//! A recording as a figure: rate, delay, loss and outages over the same time.

use super::Read;
use seamline_net::schedule::{Capacity, Steps};
use seamline_recordings::measured::{Conditions, Direction, Probe};
use seamline_recordings::native;
use seamline_recordings::replay::{Findings, Replay};
use seamline_report::picture::panels::{Drawn, Panel, Panels, Series};
use seamline_report::picture::standalone;
use seamline_wire::{Duration, Instant, Rate};

/// Shares of lost probes are of this many spans.
const SPANS: u64 = 60;

/// The figure as SVG.
pub(super) fn draw(read: &Read) -> String {
    let Read { parts, replay } = read;
    let names: Vec<&str> = parts.iter().map(|(name, _)| name.as_str()).collect();
    let summaries: Vec<&str> = parts.iter().map(|(_, it)| it.summary.as_str()).collect();
    let findings = &replay.findings;
    let probes = read.probes();
    let span = |at: Instant, length: Duration| (at.as_secs_f64(), (at + length).as_secs_f64());
    let panels: Vec<Panel> = [
        rates(&replay.conditions, replay.length),
        delays(&probes, replay),
        losses(&probes, replay),
        outages(findings),
    ]
    .into_iter()
    .flatten()
    .collect();
    let picture = Panels {
        name: "recording".to_owned(),
        title: names.join(", "),
        remark: summaries.join("; "),
        caption: caption(findings),
        until_s: replay.length.as_secs_f64().max(1e-3),
        bands: findings.outages.iter().map(|it| span(it.at, it.length)).collect(),
        bands_are: "outage".to_owned(),
        panels,
    };
    standalone(&picture.draw().svg)
}

fn caption(findings: &Findings) -> String {
    match &findings.period {
        Some(period) => format!(
            "Changes come every {:.1} s: look at the steps of the panels at the same times.",
            period.length.as_secs_f64()
        ),
        None => "All panels have the same time: what changes together stands below each other.".to_owned(),
    }
}

fn series(name: &str, drawn: Drawn, points: Vec<(f64, f64)>) -> Option<Series> {
    (!points.is_empty()).then(|| Series { name: name.to_owned(), drawn, points })
}

fn panel(axis: &str, series: impl IntoIterator<Item = Option<Series>>) -> Option<Panel> {
    let series: Vec<Series> = series.into_iter().flatten().collect();
    (!series.is_empty()).then(|| Panel { axis: axis.to_owned(), series })
}

fn rates(conditions: &Conditions, length: Duration) -> Option<Panel> {
    let of = |direction| -> Vec<(f64, f64)> {
        let points = match &conditions.of(direction).capacity {
            None => Vec::new(),
            Some(Capacity::Rate(rates)) => native::points(rates.steps(), length),
            Some(Capacity::Opportunities(chances)) => native::mean_rates(chances, length),
        };
        let megabits = |(at, rate): (Instant, Rate)| (at.as_secs_f64(), rate.bits_per_second() as f64 / 1e6);
        points.into_iter().map(megabits).collect()
    };
    let (down, up) = (of(Direction::Down), of(Direction::Up));
    if down == up {
        return panel("capacity (Mbit/s)", [series("capacity, both directions", Drawn::Steps, down)]);
    }
    let both = [series("capacity up", Drawn::Steps, up), series("capacity down", Drawn::Steps, down)];
    panel("capacity (Mbit/s)", both)
}

/// When a step function takes its values, each as `number` has it.
fn corners<T: Copy + PartialEq>(
    steps: Option<&Steps<T>>,
    length: Duration,
    number: impl Fn(T) -> f64,
) -> Vec<(f64, f64)> {
    let points = steps.map(|steps| native::points(steps, length)).unwrap_or_default();
    points.into_iter().map(|(at, value)| (at.as_secs_f64(), number(value))).collect()
}

fn delays(probes: &[Probe], replay: &Replay) -> Option<Panel> {
    if let Some(base) = &replay.findings.base {
        let answered = probes.iter();
        let points =
            answered.filter_map(|it| Some((it.sent.as_secs_f64(), it.round_trip()?.as_millis_f64())));
        let path = base.windows.iter().map(|it| (it.from.as_secs_f64(), it.least.as_millis_f64()));
        let probes = series("probes", Drawn::Dots, points.collect());
        let path = series("the path without queueing", Drawn::Steps, path.collect());
        return panel("round trip (ms)", [probes, path]);
    }
    let of = |direction| {
        let steps = replay.conditions.of(direction).one_way_delay.as_ref();
        corners(steps, replay.length, |delay| delay.as_millis_f64())
    };
    let (down, up) = (of(Direction::Down), of(Direction::Up));
    if down == up {
        return panel("one-way delay (ms)", [series("delay, both directions", Drawn::Steps, down)]);
    }
    panel(
        "one-way delay (ms)",
        [series("delay up", Drawn::Steps, up), series("delay down", Drawn::Steps, down)],
    )
}

fn losses(probes: &[Probe], replay: &Replay) -> Option<Panel> {
    if probes.is_empty() {
        let of = |direction| {
            corners(replay.conditions.of(direction).loss.as_ref(), replay.length, |share| share * 100.0)
        };
        let both = [
            series("loss up", Drawn::Steps, of(Direction::Up)),
            series("loss down", Drawn::Steps, of(Direction::Down)),
        ];
        return panel("loss (%)", both);
    }
    // The share in each span, outages included: what a person would have seen.
    let span = Duration::from_nanos((replay.length.as_nanos() / SPANS).max(1));
    let number = |at: Instant| at.as_nanos() / span.as_nanos();
    let groups = probes.chunk_by(|one, other| number(one.sent) == number(other.sent));
    let share = |group: &[Probe]| {
        let lost = group.iter().filter(|it| it.round_trip().is_none()).count();
        (group[0].sent.as_secs_f64(), lost as f64 * 100.0 / group.len() as f64)
    };
    panel(
        "lost probes (%)",
        [series("lost probes, outages included", Drawn::Steps, groups.map(share).collect())],
    )
}

fn outages(findings: &Findings) -> Option<Panel> {
    let points = findings.outages.iter().map(|it| (it.at.as_secs_f64(), it.length.as_millis_f64())).collect();
    panel("outage (ms)", [series("length of each outage", Drawn::Stems, points)])
}
