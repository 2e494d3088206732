//! Several things over the same time, one panel below the other.

use super::Picture;
use super::frame::{Frame, Key, bands, legend, legend_height, titled};
use super::over_time::{step_line, thin};
use super::style::{colour, marker};
use super::svg::{Anchor, FAINT, Svg};
use crate::scale::{Linear, top};

const WIDTH: f64 = 760.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 58.0;
/// The height of a panel within its axes, and the space below it.
const HEIGHT: f64 = 120.0;
const GAP: f64 = 26.0;
/// So many steps of time are distinguished, about as many as there are pixels.
const STEPS: f64 = 700.0;

/// How values are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Drawn {
    /// A value holds until the next.
    Steps,
    /// Each value is of a moment.
    Dots,
    /// Each value is of a moment, and rises from the axis.
    Stems,
}

/// One series of a panel: times in seconds and values, in order. A value that is not a number is a gap.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// What it is.
    pub name: String,
    /// How it is drawn.
    pub drawn: Drawn,
    /// Times and values.
    pub points: Vec<(f64, f64)>,
}

/// One panel.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// What its axis measures, with its unit.
    pub axis: String,
    /// What it shows, the most important last: it is drawn over the others.
    pub series: Vec<Series>,
}

/// What is common to all panels.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Panels {
    /// The name of the picture's file, without the ending.
    pub name: String,
    /// What is shown.
    pub title: String,
    /// A line below the title.
    pub remark: String,
    /// What to see.
    pub caption: String,
    /// From 0 to this time, in seconds.
    pub until_s: f64,
    /// Stretches of time that are shaded in all panels, in seconds.
    pub bands: Vec<(f64, f64)>,
    /// What these are.
    pub bands_are: String,
    /// The panels, from top to bottom.
    pub panels: Vec<Panel>,
}

impl Panels {
    /// The picture.
    pub fn draw(&self) -> Picture {
        let (keys, entries) = self.legend();
        let room = WIDTH - LEFT - RIGHT;
        let bottom = TOP + self.panels.len() as f64 * (HEIGHT + GAP) - GAP;
        let below = bottom + 52.0 + legend_height(&entries, room);
        let mut svg = titled(WIDTH, below + 22.0, &self.title, &self.remark);
        let mut colours = 0;
        for (place, panel) in self.panels.iter().enumerate() {
            let is_last = place + 1 == self.panels.len();
            self.draw_panel(&mut svg, panel, place, colours, is_last);
            colours += panel.series.len();
        }
        legend(&mut svg, &self.name, &keys, &entries, (LEFT, bottom + 48.0), room);
        let faint = format!("class=\"faint\" fill=\"{FAINT}\"");
        svg.text((12.0, below + 10.0), Anchor::Start, &self.caption, &faint);
        Picture { svg: svg.finish(), caption: self.caption.clone(), name: self.name.clone() }
    }

    fn legend(&self) -> (Vec<Key>, Vec<String>) {
        let series = self.panels.iter().flat_map(|panel| &panel.series);
        let mut all: Vec<(Key, String)> = series
            .enumerate()
            .map(|(n, series)| match series.drawn {
                Drawn::Steps => (Key::Line(n, false), series.name.clone()),
                Drawn::Dots | Drawn::Stems => (Key::Marker(n), series.name.clone()),
            })
            .collect();
        if !self.bands.is_empty() {
            all.push((Key::Band, self.bands_are.clone()));
        }
        all.into_iter().unzip()
    }

    fn draw_panel(&self, svg: &mut Svg, panel: &Panel, place: usize, colours: usize, is_last: bool) {
        let values = || panel.series.iter().flat_map(|series| &series.points).map(|(_, value)| *value);
        let most = values().filter(|value| value.is_finite()).fold(0.0, f64::max);
        let upper = TOP + place as f64 * (HEIGHT + GAP);
        let frame = Frame {
            x: Linear { low: 0.0, high: self.until_s, first: LEFT, last: WIDTH - RIGHT },
            y: Linear { low: 0.0, high: top(most), first: upper + HEIGHT, last: upper },
        };
        bands(svg, &frame, self.bands.iter().copied());
        frame.draw_y(svg, &panel.axis);
        // The time stands below the last panel only; the others have its ticks.
        frame.draw_x(svg, if is_last { "time (s)" } else { "" }, false);
        for (n, series) in panel.series.iter().enumerate() {
            self.draw_series(svg, &frame, colours + n, series);
        }
    }

    fn draw_series(&self, svg: &mut Svg, frame: &Frame, n: usize, series: &Series) {
        let mut rest = &series.points[..];
        while let Some((stretch, end, after)) = stretch(rest, self.until_s) {
            rest = after;
            let points = thin(stretch, (self.until_s / STEPS).max(1e-9));
            match series.drawn {
                Drawn::Steps => step_line(svg, frame, n, points, end),
                Drawn::Dots => points.for_each(|(x, y)| dot(svg, frame.place(x, y), n)),
                Drawn::Stems => points.for_each(|(x, y)| {
                    let style =
                        format!("class=\"series s{}\" stroke=\"{}\" stroke-width=\"1.5\"", n % 7, colour(n));
                    svg.line(frame.place(x, 0.0), frame.place(x, y), &style);
                    marker(svg, n, frame.place(x, y));
                }),
            }
        }
    }
}

/// Times and values.
type Points = [(f64, f64)];

/// The first points up to a gap, the time at which it begins, and the points behind it.
fn stretch(points: &Points, until_s: f64) -> Option<(&Points, f64, &Points)> {
    let first = points.iter().position(|(_, value)| value.is_finite())?;
    let points = &points[first..];
    let length = points.iter().position(|(_, value)| !value.is_finite()).unwrap_or(points.len());
    let end = points.get(length).map_or(until_s, |(at, _)| *at);
    Some((&points[..length], end, &points[length..]))
}

fn dot(svg: &mut Svg, at: (f64, f64), n: usize) {
    svg.circle(at, 1.6, &format!("class=\"area s{}\" fill=\"{}\"", n % 7, colour(n)));
}
