//! Lines over a parameter, with 95 % intervals: how sensitive a result is.

use super::frame::{Frame, Key, Names, legend, legend_height, titled, whisker};
use super::style::{marker, stroke};
use super::svg::Svg;
use crate::scale::{Linear, top, with_zero};
use crate::statistics::Estimate;

/// One line.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// What it is the line of.
    pub name: String,
    /// Parameter and value, in the order of the parameter.
    pub points: Vec<(f64, Estimate)>,
}

/// The axis of the parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter<'a> {
    /// What it is, with its unit.
    pub name: &'a str,
    /// Whether equal factors are equally far apart; points at zero and below it are left out then.
    pub logarithmic: bool,
}

/// Lines over a parameter in one picture.
pub fn lines(names: Names<'_>, x: Parameter<'_>, lines: &[Line]) -> String {
    if x.logarithmic {
        let lines: Vec<Line> = lines.iter().map(Line::over_the_logarithm).collect();
        return draw(names, x, &lines);
    }
    draw(names, x, lines)
}

impl Line {
    fn over_the_logarithm(&self) -> Line {
        let points = self.points.iter().filter(|(at, _)| *at > 0.0);
        Line {
            name: self.name.clone(),
            points: points.map(|(at, value)| (libm::log10(*at), *value)).collect(),
        }
    }
}

fn draw(names: Names<'_>, x: Parameter<'_>, lines: &[Line]) -> String {
    let points = || lines.iter().flat_map(|line| &line.points);
    let (low, high) = with_zero(points().flat_map(|(_, value)| <[f64; 2]>::from(value.ends())));
    let first = points().map(|(at, _)| *at).fold(f64::INFINITY, f64::min);
    let last = points().map(|(at, _)| *at).fold(f64::NEG_INFINITY, f64::max);
    let (first, last) = if first < last { (first, last) } else { (0.0, top(last)) };
    let margin = (last - first) * 0.03;
    let entries: Vec<String> = lines.iter().map(|line| line.name.clone()).collect();
    let (width, bottom) = (600.0, 300.0);
    let frame = Frame {
        x: Linear { low: first - margin, high: last + margin, first: 70.0, last: width - 24.0 },
        y: Linear { low, high, first: bottom, last: 60.0 },
    };
    let mut svg = titled(width, bottom + 60.0 + legend_height(&entries, 510.0), names.title, names.remark);
    frame.draw_y(&mut svg, names.axis);
    match x.logarithmic {
        true => frame.draw_x_decades(&mut svg, x.name),
        false => frame.draw_x(&mut svg, x.name, false),
    }
    for (n, line) in lines.iter().enumerate() {
        draw_line(&mut svg, &frame, n, line);
    }
    let keys: Vec<Key> = (0..lines.len()).map(|n| Key::Line(n, true)).collect();
    legend(&mut svg, names.picture, &keys, &entries, (70.0, bottom + 52.0), 510.0);
    svg.finish()
}

fn draw_line(svg: &mut Svg, frame: &Frame, n: usize, line: &Line) {
    for (at, value) in &line.points {
        if let (Some(low), Some(high)) = (value.low, value.high) {
            whisker(svg, frame.place(*at, low), frame.place(*at, high));
        }
    }
    svg.path(line.points.iter().map(|(at, value)| frame.place(*at, value.mean)), &stroke(n));
    for (at, value) in &line.points {
        marker(svg, n, frame.place(*at, value.mean));
    }
}
