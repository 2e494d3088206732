//! What pictures share: title, axes with their ticks and names, legend.

use super::style::{Mark, band, hatched, mark, marker, published, stroke};
use super::svg::{Anchor, FAINT, INK, Svg, TEXT, px, width_of};
use crate::scale::{Linear, Ticks};

/// The name and the titles of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Names<'a> {
    /// Unique among the pictures of a page.
    pub picture: &'a str,
    /// What is shown.
    pub title: &'a str,
    /// How to read it.
    pub remark: &'a str,
    /// What the axis measures, with its unit.
    pub axis: &'a str,
}

/// The area within the axes, and its scales.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// The scale from left to right.
    pub x: Linear,
    /// The scale from bottom to top.
    pub y: Linear,
}

/// How a legend shows an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// A line with its dashes and, if the flag says so, its marker.
    Line(usize, bool),
    /// A marker alone.
    Marker(usize),
    /// An area with its hatching.
    Area(usize),
    /// The mark of a published value.
    Published,
    /// A mark of a time-sequence graph.
    Mark(Mark),
    /// A stretch of time.
    Band,
}

const AXIS: &str = "class=\"axis\" stroke=\"#1f2430\" stroke-width=\"1\"";
const GRID: &str = "class=\"grid\" stroke=\"#e3e6eb\" stroke-width=\"1\"";
/// The height of a row of the legend.
const LEGEND_ROW: f64 = 20.0;
const KEY_WIDTH: f64 = 34.0;

impl Frame {
    /// The position of a point.
    pub fn place(&self, x: f64, y: f64) -> (f64, f64) {
        (self.x.place(x), self.y.place(y))
    }

    /// The vertical axis: grid, ticks and name.
    pub fn draw_y(&self, svg: &mut Svg, name: &str) {
        self.finish_y(svg, name, linear(self.y, 5));
    }

    /// The vertical axis where its scale is one of decimal logarithms: ticks at the powers of ten.
    pub fn draw_y_decades(&self, svg: &mut Svg, name: &str) {
        self.finish_y(svg, name, decades(self.y));
    }

    /// The horizontal axis: ticks and name, and a grid if wanted.
    pub fn draw_x(&self, svg: &mut Svg, name: &str, grid: bool) {
        self.draw_ticks_x(svg, linear(self.x, 6), grid);
        self.finish_x(svg, name);
    }

    /// The horizontal axis where its scale is one of decimal logarithms: grid and ticks at the powers of ten.
    pub fn draw_x_decades(&self, svg: &mut Svg, name: &str) {
        self.draw_ticks_x(svg, decades(self.x), true);
        self.finish_x(svg, name);
    }

    /// The horizontal axis where it has a place for each of a few cases: their names, and lines between them.
    pub fn draw_x_cases(&self, svg: &mut Svg, name: &str, cases: &[String]) {
        for (place, case) in cases.iter().enumerate() {
            if place > 0 {
                let x = self.x.place(place as f64);
                svg.line((x, self.y.first), (x, self.y.last), GRID);
            }
            let middle = self.x.place(place as f64 + 0.5);
            svg.text((middle, self.y.first + 19.0), Anchor::Middle, case, "class=\"tick\"");
        }
        self.finish_x(svg, name);
    }

    fn finish_y(&self, svg: &mut Svg, name: &str, ticks: Vec<(f64, String)>) {
        for (at, label) in ticks {
            let y = self.y.place(at);
            svg.line((self.x.first, y), (self.x.last, y), GRID);
            svg.text((self.x.first - 8.0, y + 4.0), Anchor::End, &label, "class=\"tick\"");
        }
        svg.line((self.x.first, self.y.first), (self.x.first, self.y.last), AXIS);
        let (x, y) = (self.x.first - 46.0, f64::midpoint(self.y.first, self.y.last));
        svg.text((x, y), Anchor::Middle, name, &format!("transform=\"rotate(-90 {} {})\"", px(x), px(y)));
    }

    fn draw_ticks_x(&self, svg: &mut Svg, ticks: Vec<(f64, String)>, grid: bool) {
        for (at, label) in ticks {
            let x = self.x.place(at);
            if grid {
                svg.line((x, self.y.first), (x, self.y.last), GRID);
            }
            svg.line((x, self.y.first), (x, self.y.first + 5.0), AXIS);
            svg.text((x, self.y.first + 19.0), Anchor::Middle, &label, "class=\"tick\"");
        }
    }

    fn finish_x(&self, svg: &mut Svg, name: &str) {
        svg.line((self.x.first, self.y.first), (self.x.last, self.y.first), AXIS);
        let middle = f64::midpoint(self.x.first, self.x.last);
        svg.text((middle, self.y.first + 39.0), Anchor::Middle, name, "");
    }
}

/// About so many ticks of a linear scale, each with its label.
fn linear(scale: Linear, wanted: usize) -> Vec<(f64, String)> {
    let ticks = Ticks::new(scale.low, scale.high, wanted);
    ticks.at.iter().map(|at| (*at, ticks.label(*at))).collect()
}

/// Ticks at the powers of ten of a scale of decimal logarithms.
fn decades(scale: Linear) -> Vec<(f64, String)> {
    let powers = libm::ceil(scale.low - 1e-9) as i32..=libm::floor(scale.high + 1e-9) as i32;
    let label = |power: i32| format!("{:.*}", (-power).max(0) as usize, libm::pow(10.0, power.into()));
    powers.map(|power| (power.into(), label(power))).collect()
}

/// An empty picture of this size with its title, and a fainter remark of one or two lines below it. Text that is too wide for the picture
/// is set smaller.
pub fn titled(width: f64, height: f64, title: &str, remark: &str) -> Svg {
    let mut svg = Svg::new(width, height, title);
    let room = svg.width() - 2.0 * MARGIN;
    let size = |text: &str, size: f64, room: f64| px(size.min(size * room / width_of(text, size).max(1.0)));
    // Bold letters are wider.
    let title_size = size(title, TITLE, room * 0.92);
    let style = format!("class=\"title\" font-size=\"{title_size}\" font-weight=\"bold\"");
    svg.text((MARGIN, 22.0), Anchor::Start, title, &style);
    for (row, line) in remark.lines().enumerate() {
        let line_size = size(line, TEXT, room);
        let smaller =
            if line_size == px(TEXT) { String::new() } else { format!(" font-size=\"{line_size}\"") };
        let style = format!("class=\"faint\" fill=\"{FAINT}\"{smaller}");
        svg.text((MARGIN, 40.0 + 15.0 * row as f64), Anchor::Start, line, &style);
    }
    svg
}

/// The space left and right of a heading.
pub(super) const MARGIN: f64 = 12.0;
/// The size of a title.
const TITLE: f64 = 15.0;

/// An interval from `low` to `high` with its caps: one path, for a picture may have hundreds.
pub fn whisker(svg: &mut Svg, low: (f64, f64), high: (f64, f64)) {
    let (dx, dy) = if low.1 == high.1 { (0.0, 4.5) } else { (4.5, 0.0) };
    let cap = |end: (f64, f64)| [(end.0 - dx, end.1 - dy), (end.0 + dx, end.1 + dy)];
    let stroke =
        |[from, to]: [(f64, f64); 2]| format!("M{} {}L{} {}", px(from.0), px(from.1), px(to.0), px(to.1));
    let data: String = [[low, high], cap(low), cap(high)].map(stroke).concat();
    svg.data(&data, &format!("class=\"whisker\" stroke=\"{INK}\" stroke-width=\"1.5\""));
}

/// Stretches of time as bands over the whole height, as far as they are within the horizontal axis.
pub fn bands(svg: &mut Svg, frame: &Frame, stretches: impl Iterator<Item = (f64, f64)>) {
    let Frame { x, y } = frame;
    for (from, to) in stretches.map(|(from, to)| (from.max(x.low), to.min(x.high))).filter(|(a, b)| a <= b) {
        let (from, to) = (x.place(from), x.place(to));
        band(svg, (from, y.last), ((to - from).max(1.0), y.first - y.last));
    }
}

/// How many rows a legend takes in this width.
pub fn legend_height(names: &[String], width: f64) -> f64 {
    legend_places(names, width).last().map_or(0.0, |(_, y)| y + LEGEND_ROW)
}

/// A legend with its upper left corner there, in the order of the entries. `picture` names the hatchings.
pub fn legend(svg: &mut Svg, picture: &str, keys: &[Key], names: &[String], at: (f64, f64), width: f64) {
    for ((key, name), (dx, dy)) in keys.iter().zip(names).zip(legend_places(names, width)) {
        let (x, y) = (at.0 + dx, at.1 + dy + LEGEND_ROW / 2.0);
        match *key {
            Key::Line(n, marked) => {
                svg.line((x, y), (x + KEY_WIDTH - 8.0, y), &stroke(n));
                if marked {
                    marker(svg, n, (x + (KEY_WIDTH - 8.0) / 2.0, y));
                }
            }
            Key::Marker(n) => marker(svg, n, (x + 14.0, y)),
            Key::Area(n) => hatched(svg, picture, n, (x + 4.0, y - 6.0), (22.0, 12.0)),
            Key::Published => published(svg, (x + 14.0, y)),
            Key::Mark(it) => mark(svg, it, (x + 14.0, y)),
            Key::Band => band(svg, (x + 4.0, y - 6.0), (22.0, 12.0)),
        }
        svg.text((x + KEY_WIDTH, y + 4.0), Anchor::Start, name, "");
    }
}

fn legend_places(names: &[String], width: f64) -> Vec<(f64, f64)> {
    let (mut x, mut y) = (0.0, 0.0);
    let mut places = Vec::with_capacity(names.len());
    for name in names {
        let needed = KEY_WIDTH + width_of(name, TEXT) + 18.0;
        if x > 0.0 && x + needed > width {
            (x, y) = (0.0, y + LEGEND_ROW);
        }
        places.push((x, y));
        x += needed;
    }
    places
}
