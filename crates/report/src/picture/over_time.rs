//! One run over time, as pictures for papers and slides: what the time panels of the page show, without the page.

use super::Picture;
use super::frame::{Frame, Key, bands, legend, legend_height, titled};
use super::style::{Mark, mark, stroke, strokes, upright};
use super::svg::{Anchor, FAINT, Svg};
use crate::decimate::{Sample, Thinner};
use crate::page::thinned;
use crate::scale::{Linear, top};
use crate::series::{FlowSeries, QueueSeries, RunSeries};

const WIDTH: f64 = 760.0;
const TOP: f64 = 58.0;
const BOTTOM: f64 = 340.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 20.0;
/// So many steps of time are distinguished, about as many as there are pixels.
const STEPS: f64 = 700.0;
/// More queues than this in one picture cannot be distinguished.
const MOST_QUEUES: usize = 3;

/// So much of a run is shown before and after a handover.
const AROUND_S: (f64, f64) = (1.0, 4.0);

/// The pictures of a run: those of its first flow, its queues, and its first flow around its first handover.
pub fn of_run(run: &RunSeries) -> Vec<Picture> {
    let whole = Span { name: "", from: 0.0, to: run.duration_s };
    let mut pictures = Vec::new();
    if let Some(flow) = run.flows.first() {
        pictures.extend([sequence(run, flow, whole), window(run, flow, whole), round_trip(run, flow, whole)]);
    }
    if !run.queues.is_empty() {
        pictures.push(queues(run, whole));
    }
    if let (Some(flow), Some(handover)) = (run.flows.first(), run.handovers.first()) {
        let from = (handover.start_s - AROUND_S.0).max(0.0);
        let to = (handover.end_s.unwrap_or(handover.start_s) + AROUND_S.1).min(run.duration_s);
        let near = Span { name: "handover-", from, to };
        pictures.extend([sequence(run, flow, near), window(run, flow, near)]);
    }
    pictures
}

/// What of a run is shown.
#[derive(Clone, Copy, Debug)]
struct Span {
    /// What the names of its pictures begin with.
    name: &'static str,
    from: f64,
    to: f64,
}

impl Span {
    fn has(&self, time: f64) -> bool {
        (self.from..=self.to).contains(&time)
    }

    /// What can be distinguished in time.
    fn step(&self) -> f64 {
        ((self.to - self.from) / STEPS).max(1e-9)
    }
}

/// Everything in a picture except its curves.
struct Panel<'a> {
    run: &'a RunSeries,
    span: Span,
    kind: &'static str,
    title: &'static str,
    /// What is shown of the run.
    of: String,
    axis: &'static str,
    /// The smallest and the largest value.
    ends: (f64, f64),
    keys: Vec<(Key, String)>,
    caption: String,
}

impl Panel<'_> {
    fn draw(mut self, curves: impl FnOnce(&mut Svg, &Frame)) -> Picture {
        if !self.run.handovers.is_empty() {
            self.keys.push((Key::Band, "handover, link down".to_owned()));
        }
        let (keys, entries): (Vec<Key>, Vec<String>) = self.keys.into_iter().unzip();
        let room = WIDTH - LEFT - RIGHT;
        let name = format!("time-{}-{}{}", self.run.cell + 1, self.span.name, self.kind);
        let remark = format!("{}, {}, seed {}", self.run.name, self.of, self.run.seed);
        let below = BOTTOM + 60.0 + legend_height(&entries, room);
        let mut svg = titled(WIDTH, below + 22.0, self.title, &remark);
        let frame = Frame {
            x: Linear { low: self.span.from, high: self.span.to, first: LEFT, last: WIDTH - RIGHT },
            y: Linear {
                low: self.ends.0,
                high: self.ends.0 + top(self.ends.1 - self.ends.0),
                first: BOTTOM,
                last: TOP,
            },
        };
        let handovers = self.run.handovers.iter();
        let handovers = handovers.map(|it| (it.start_s, it.end_s.unwrap_or(f64::INFINITY)));
        bands(&mut svg, &frame, handovers);
        frame.draw_y(&mut svg, self.axis);
        frame.draw_x(&mut svg, "time (s)", false);
        curves(&mut svg, &frame);
        legend(&mut svg, &name, &keys, &entries, (LEFT, BOTTOM + 52.0), room);
        let faint = format!("class=\"faint\" fill=\"{FAINT}\"");
        svg.text((12.0, below + 10.0), Anchor::Start, &self.caption, &faint);
        Picture { svg: svg.finish(), caption: self.caption, name }
    }
}

fn called(run: &RunSeries, flow: &FlowSeries) -> String {
    match run.flows.len() {
        1 => format!("flow {} ({})", flow.flow, flow.variant),
        count => format!("flow {} ({}), the first of {count}", flow.flow, flow.variant),
    }
}

/// The time-sequence graph.
fn sequence(run: &RunSeries, flow: &FlowSeries, span: Span) -> Picture {
    let flow = &within(&thinned(flow, span.step()), span);
    let first = first_position(run);
    let megabytes = |position: u64| position.saturating_sub(first) as f64 / 1e6;
    let ends = flow.segments.iter().map(|segment| megabytes(segment.start + u64::from(segment.length)));
    let acknowledged = flow.acknowledgments.iter().map(|ack| megabytes(ack.position));
    let begins = flow.segments.iter().map(|segment| megabytes(segment.start)).chain(acknowledged);
    let least = if span.from > 0.0 { begins.fold(f64::INFINITY, f64::min) } else { 0.0 };
    let least = if least.is_finite() { least } else { 0.0 };
    let key = |key, name: &str| (key, name.to_owned());
    let panel = Panel {
        run,
        span,
        kind: "sequence",
        title: "Time-sequence graph",
        of: called(run, flow),
        axis: "position (MB)",
        ends: (least, ends.fold(least, f64::max)),
        keys: vec![
            key(Key::Mark(Mark::Sent), "sent"),
            key(Key::Mark(Mark::Retransmitted), "retransmitted"),
            key(Key::Mark(Mark::Lost), "lost"),
            key(Key::Mark(Mark::Timeout), "timeout"),
            key(Key::Line(1, false), "acknowledged"),
        ],
        caption:
            "Each stroke is a segment, from its first to its last byte; segments closer than a pixel are merged."
                .to_owned(),
    };
    panel.draw(|svg, frame| {
        let acks = flow.acknowledgments.iter().map(|ack| (ack.time_s, megabytes(ack.position)));
        step_line(svg, frame, 1, acks, span.to);
        let mut path = String::new();
        for segment in flow.segments.iter().filter(|segment| !segment.retransmission) {
            let from = frame.place(segment.time_s, megabytes(segment.start));
            let to = frame.place(segment.time_s, megabytes(segment.start + u64::from(segment.length)));
            path += &upright(from, to.1);
        }
        strokes(svg, &path);
        for segment in flow.segments.iter().filter(|segment| segment.retransmission) {
            mark(svg, Mark::Retransmitted, frame.place(segment.time_s, megabytes(segment.start)));
        }
        for drop in &flow.drops {
            mark(svg, Mark::Lost, frame.place(drop.time_s, megabytes(drop.start)));
        }
        for time in &flow.timeouts_s {
            mark(svg, Mark::Timeout, (frame.x.place(*time), TOP + 6.0));
        }
    })
}

/// Congestion window and slow start threshold.
fn window(run: &RunSeries, flow: &FlowSeries, span: Span) -> Picture {
    let sender = &flow.sender;
    let columns = [
        ("congestion window", &sender.congestion_window_segments),
        ("slow start threshold", &sender.slow_start_threshold_segments),
    ];
    let caption = "The threshold is omitted while it is arbitrarily high.";
    let title = "Congestion window and slow start threshold";
    of_sender(run, flow, span, ("window", title, "window (segments)", caption), columns)
}

/// Smoothed round-trip time and retransmission timeout.
fn round_trip(run: &RunSeries, flow: &FlowSeries, span: Span) -> Picture {
    let sender = &flow.sender;
    let columns = [
        ("smoothed round-trip time", &sender.smoothed_round_trip_ms),
        ("retransmission timeout", &sender.retransmission_timeout_ms),
    ];
    let caption = "The sender's own estimate, and the resulting timeout including back-off.";
    let title = "Round-trip time and retransmission timeout";
    of_sender(run, flow, span, ("round-trip", title, "time (ms)", caption), columns)
}

/// Two columns of a sender as lines, the first in front. None of them is ever zero once it is known.
fn of_sender(
    run: &RunSeries,
    flow: &FlowSeries,
    span: Span,
    (kind, title, axis, caption): (&'static str, &'static str, &'static str, &str),
    columns: [(&str, &Vec<f64>); 2],
) -> Picture {
    let lines = columns.map(|(_, values)| {
        let mut samples = samples(span, &flow.sender.time_s, values);
        samples.retain(|(_, value)| *value > 0.0);
        samples
    });
    let panel = Panel {
        run,
        span,
        kind,
        title,
        of: called(run, flow),
        axis,
        ends: (0.0, lines.iter().flatten().map(|(_, value)| *value).fold(0.0, f64::max)),
        keys: [0, 1].map(|n| (Key::Line(n, false), columns[n].0.to_owned())).to_vec(),
        caption: caption.to_owned(),
    };
    panel.draw(|svg, frame| {
        for n in [1, 0] {
            step_line(svg, frame, n, thin(&lines[n], span.step()), span.to);
        }
    })
}

/// What waits in the queues: those that grew longest.
fn queues(run: &RunSeries, span: Span) -> Picture {
    let longest = |queue: &QueueSeries| queue.packets.iter().copied().fold(0.0, f64::max);
    let mut shown: Vec<&QueueSeries> = run.queues.iter().collect();
    shown.sort_by(|one, other| longest(other).total_cmp(&longest(one)));
    shown.truncate(MOST_QUEUES);
    let rest = match run.queues.len() - shown.len() {
        0 => String::new(),
        rest => format!(" {rest} more queues were shorter."),
    };
    let panel = Panel {
        run,
        span,
        kind: "queues",
        title: "Queues",
        of: "by link and direction".to_owned(),
        axis: "queue (packets)",
        ends: (0.0, shown.first().map_or(0.0, |queue| longest(queue))),
        keys: shown
            .iter()
            .enumerate()
            .map(|(place, queue)| (Key::Line(place, false), queue.link.clone()))
            .collect(),
        caption: format!("Packets waiting or in service.{rest}"),
    };
    panel.draw(|svg, frame| {
        for (place, queue) in shown.iter().enumerate() {
            let samples = samples(span, &queue.time_s, &queue.packets);
            step_line(svg, frame, place, thin(&samples, span.step()), span.to);
        }
    })
}

/// Where the first flow of a run begins.
fn first_position(run: &RunSeries) -> u64 {
    let segments = run.flows.iter().take(1).flat_map(|flow| &flow.segments);
    segments.map(|segment| segment.start).min().unwrap_or(0)
}

/// The part of a flow's segments and acknowledgments that is shown.
fn within(flow: &FlowSeries, span: Span) -> FlowSeries {
    let mut flow = flow.clone();
    flow.segments.retain(|segment| span.has(segment.time_s));
    flow.acknowledgments.retain(|ack| span.has(ack.time_s));
    flow.drops.retain(|drop| span.has(drop.time_s));
    flow.timeouts_s.retain(|time| span.has(*time));
    flow
}

/// Time and value where there is one; what held before the span is the value at its beginning.
fn samples(span: Span, times: &[f64], values: &[f64]) -> Vec<(f64, f64)> {
    let all = times.iter().copied().zip(values.iter().copied());
    let before = all.clone().take_while(|(time, _)| *time < span.from).last();
    let held = before.map(|(_, value)| (span.from, value));
    let shown = held.into_iter().chain(all.filter(|(time, _)| span.has(*time)));
    shown.filter(|(_, value)| value.is_finite()).collect()
}

/// As many as pixels can show; first, last, smallest and largest of each step of time stay.
pub(super) fn thin(samples: &[(f64, f64)], step: f64) -> impl Iterator<Item = (f64, f64)> {
    let mut thinner = Thinner::new(step);
    for (time_s, value) in samples {
        thinner.push(Sample { time_s: *time_s, values: [*value] });
    }
    thinner.finish().into_iter().map(|sample| (sample.time_s, sample.values[0]))
}

/// A line that keeps each value until the next, and the last until the end.
pub(super) fn step_line(
    svg: &mut Svg,
    frame: &Frame,
    n: usize,
    samples: impl Iterator<Item = (f64, f64)>,
    end: f64,
) {
    let mut corners: Vec<(f64, f64)> = Vec::new();
    for (time, value) in samples {
        if let Some((_, before)) = corners.last().copied().filter(|(_, before)| *before != value) {
            corners.push((time, before));
        }
        corners.push((time, value));
    }
    corners.extend(corners.last().map(|(_, value)| (end, *value)));
    svg.path(corners.into_iter().map(|(time, value)| frame.place(time, value)), &stroke(n));
}
