//! Curves over time, of several cells in one picture, with the handovers as bands.

use super::frame::{Frame, Key, Names, bands, legend, legend_height, titled};
use super::style::{MOST_PLAIN, marker, stroke};
use super::svg::Svg;
use crate::scale::{Linear, top};

/// One curve.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// What it is the curve of.
    pub name: String,
    /// Seconds since the start of the run, and the value from then on until the next.
    pub points: Vec<(f64, f64)>,
}

/// So many markers are on each of many curves.
const MARKS: usize = 4;

const WIDTH: f64 = 760.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 60.0;
const BOTTOM: f64 = 340.0;

/// Steps from value to value over the time `between`; `handovers` are begins and ends, drawn as bands named `band_name`.
pub fn curves(
    names: Names<'_>,
    between: (f64, f64),
    curves: &[Curve],
    handovers: &[(f64, f64)],
    band_name: &str,
) -> String {
    let values = curves.iter().flat_map(|curve| &curve.points).map(|(_, value)| *value);
    let is_marked = curves.len() > MOST_PLAIN;
    let mut entries: Vec<String> = curves.iter().map(|curve| curve.name.clone()).collect();
    let mut keys: Vec<Key> = (0..curves.len()).map(|n| Key::Line(n, is_marked)).collect();
    if !handovers.is_empty() {
        entries.push(band_name.to_owned());
        keys.push(Key::Band);
    }
    let room = WIDTH - LEFT - RIGHT;
    let mut svg = titled(WIDTH, BOTTOM + 60.0 + legend_height(&entries, room), names.title, names.remark);
    let frame = Frame {
        x: Linear { low: between.0, high: between.1, first: LEFT, last: WIDTH - RIGHT },
        y: Linear { low: 0.0, high: top(values.fold(0.0, f64::max)), first: BOTTOM, last: TOP },
    };
    bands(&mut svg, &frame, handovers.iter().copied());
    frame.draw_y(&mut svg, names.axis);
    frame.draw_x(&mut svg, "time (s)", false);
    for (n, curve) in curves.iter().enumerate() {
        svg.path(steps(curve, between, &frame), &stroke(n));
        if is_marked {
            let first =
                between.0 + (between.1 - between.0) * (n as f64 + 0.5) / (MARKS * curves.len()) as f64;
            marks(&mut svg, &frame, n, curve, first);
        }
    }
    legend(&mut svg, names.picture, &keys, &entries, (LEFT, BOTTOM + 52.0), room);
    svg.finish()
}

/// Markers on a curve from a time on, equally far apart.
fn marks(svg: &mut Svg, frame: &Frame, n: usize, curve: &Curve, first: f64) {
    let step = (frame.x.high - frame.x.low) / MARKS as f64;
    for time in (0..MARKS).map(|place| first + step * place as f64) {
        if let Some((_, value)) = curve.points.iter().rev().find(|(at, _)| *at <= time) {
            marker(svg, n, frame.place(time, *value));
        }
    }
}

/// The corners of a curve within the time shown.
fn steps(curve: &Curve, (from, to): (f64, f64), frame: &Frame) -> Vec<(f64, f64)> {
    let ends = curve.points.iter().skip(1).map(|(at, _)| *at).chain([f64::INFINITY]);
    let within = curve.points.iter().zip(ends).filter(|((at, _), end)| *end > from && *at < to);
    within
        .flat_map(|((at, value), end)| [frame.place(at.max(from), *value), frame.place(end.min(to), *value)])
        .collect()
}
