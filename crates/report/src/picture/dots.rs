//! Dots with intervals over a few cases, for several series side by side, on an axis of decimal logarithms: one panel for each condition.

use super::frame::{Frame, Key, Names, legend, legend_height, titled, whisker};
use super::style::marker;
use super::svg::{Anchor, FAINT, Svg};
use crate::scale::Linear;

/// A value and the ends of its interval. Infinity is what never came.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dot {
    /// The value.
    pub value: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// A condition.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// What it is.
    pub title: String,
    /// By case and series; `None` leaves a gap.
    pub dots: Vec<Vec<Option<Dot>>>,
}

/// What the panels have in common.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Axes<'a> {
    /// What the cases are, with their unit.
    pub cases_name: &'a str,
    /// The cases, from left to right.
    pub cases: &'a [String],
    /// The series, from left to right within a case.
    pub series: &'a [String],
    /// The least value of the vertical axis; smaller values are drawn there.
    pub least: f64,
    /// The greatest; larger values, including infinity, are drawn there.
    pub greatest: f64,
}

const WIDTH: f64 = 1040.0;
const COLUMNS: usize = 2;
const LEFT: f64 = 70.0;
const BETWEEN: f64 = 80.0;
const TOP: f64 = 56.0;
const PANEL: f64 = 270.0;
const UNDER: f64 = 70.0;
/// Which part of a case's width its dots take.
const TAKEN: f64 = 0.82;

/// The panels, two in a row.
pub fn dots(names: Names<'_>, axes: Axes<'_>, panels: &[Panel]) -> String {
    let rows = panels.len().div_ceil(COLUMNS);
    let room = WIDTH - LEFT - 24.0;
    let bottom = TOP + rows as f64 * (PANEL + UNDER);
    let mut svg = titled(WIDTH, bottom + 12.0 + legend_height(axes.series, room), names.title, names.remark);
    let width = (WIDTH - LEFT - BETWEEN - 24.0) / COLUMNS as f64;
    for (place, panel) in panels.iter().enumerate() {
        let left = LEFT + (place % COLUMNS) as f64 * (width + BETWEEN);
        let top = TOP + 22.0 + (place / COLUMNS) as f64 * (PANEL + UNDER);
        let frame = Frame {
            x: Linear { low: 0.0, high: axes.cases.len() as f64, first: left, last: left + width },
            y: Linear {
                low: libm::log10(axes.least),
                high: libm::log10(axes.greatest),
                first: top + PANEL - 22.0,
                last: top,
            },
        };
        draw(&mut svg, &names, axes, panel, &frame);
    }
    let keys: Vec<Key> = (0..axes.series.len()).map(Key::Marker).collect();
    legend(&mut svg, names.picture, &keys, axes.series, (LEFT, bottom), room);
    svg.finish()
}

fn draw(svg: &mut Svg, names: &Names<'_>, axes: Axes<'_>, panel: &Panel, frame: &Frame) {
    svg.text((frame.x.first, frame.y.last - 8.0), Anchor::Start, &panel.title, "font-weight=\"bold\"");
    frame.draw_y_decades(svg, names.axis);
    frame.draw_x_cases(svg, axes.cases_name, axes.cases);
    let step = TAKEN / axes.series.len().max(1) as f64;
    let height = |value: f64| libm::log10(value.clamp(axes.least, axes.greatest));
    for (case, dots) in panel.dots.iter().enumerate() {
        for (n, dot) in dots.iter().enumerate() {
            let Some(dot) = dot else { continue };
            let x = case as f64 + (1.0 - TAKEN) / 2.0 + (n as f64 + 0.5) * step;
            if dot.low < dot.high {
                whisker(svg, frame.place(x, height(dot.low)), frame.place(x, height(dot.high)));
            }
            marker(svg, n, frame.place(x, height(dot.value)));
            if dot.value > axes.greatest {
                let at = frame.place(x, height(dot.value));
                let style = format!("class=\"faint\" fill=\"{FAINT}\"");
                svg.text((at.0, at.1 + 16.0), Anchor::Middle, "never", &style);
            }
        }
    }
}
