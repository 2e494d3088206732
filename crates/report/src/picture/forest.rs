//! Measurements and what is accepted: a dot and its 95 % interval over a band, line below line.

use super::frame::{Names, titled, whisker};
use super::style::published;
use super::svg::{Anchor, FAINT, Svg, TEXT, width_of};
use crate::scale::{Linear, Ticks};
use crate::statistics::Estimate;

/// A row and its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Row {
    /// What the rows below it have in common; it has no values.
    Heading(String),
    /// A row of values.
    Values(String),
}

impl Row {
    fn name(&self) -> &str {
        match self {
            Row::Heading(name) | Row::Values(name) => name,
        }
    }
}

/// One quantity, with a value for each row.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// What is measured.
    pub title: String,
    /// What is accepted, ends included; an end may be infinite.
    pub accepted: (f64, f64),
    /// The published values: none, a number, or two.
    pub published: Vec<f64>,
    /// The values, one for each row; `None` where there is none, as in a row that is a heading.
    pub values: Vec<Option<Estimate>>,
}

/// What the axis of a panel must hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Scale {
    accepted: (f64, f64),
    published: Vec<f64>,
    ends: (f64, f64),
}

const PANEL: f64 = 116.0;
const GAP: f64 = 14.0;
const ROW: f64 = 22.0;
const TOP: f64 = 86.0;
const RIGHT: f64 = 12.0;
const AXIS: &str = "class=\"axis\" stroke=\"#1f2430\" stroke-width=\"1\"";
const RULE: &str = "class=\"grid\" stroke=\"#e3e6eb\" stroke-width=\"1\"";

impl Scale {
    /// An axis that holds the band, what was published, and these values with their intervals.
    pub fn of(accepted: (f64, f64), published: &[f64], values: impl IntoIterator<Item = Estimate>) -> Scale {
        let ends = values.into_iter().flat_map(|value| <[f64; 2]>::from(value.ends()));
        let all = ends.chain([accepted.0, accepted.1]).chain(published.iter().copied());
        let finite = all.filter(|value| value.is_finite());
        let (low, high) = finite
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        let (low, high) = if low <= high { (low, high) } else { (0.0, 1.0) };
        let margin = if low < high { (high - low) * 0.08 } else { 1.0 };
        Scale { accepted, published: published.to_vec(), ends: (low - margin, high + margin) }
    }

    fn on(&self, first: f64, last: f64) -> Linear {
        Linear { low: self.ends.0, high: self.ends.1, first, last }
    }

    /// The band between these heights. An open end reaches the end of the axis.
    fn draw_band(&self, svg: &mut Svg, x: &Linear, (top, bottom): (f64, f64)) {
        let from = x.place(self.accepted.0.max(self.ends.0));
        let to = x.place(self.accepted.1.min(self.ends.1));
        svg.rect((from, top), (to - from, bottom - top), "class=\"band\" fill=\"#d7e5f3\"");
    }
}

/// One measurement over its band, without text, for a cell of a table. `title` is read by screen readers.
pub fn strip(title: &str, scale: &Scale, value: &Estimate) -> String {
    let (width, height) = (150.0, 22.0);
    let mut svg = Svg::new(width, height, title);
    let x = scale.on(4.0, width - 4.0);
    scale.draw_band(&mut svg, &x, (2.0, height - 2.0));
    svg.line((x.first, height / 2.0), (x.last, height / 2.0), RULE);
    draw_value(&mut svg, &x, height / 2.0, value);
    for value in &scale.published {
        published(&mut svg, (x.place(*value), height / 2.0));
    }
    svg.finish()
}

/// Panels side by side over common rows. The name of the axis is below the panels.
pub fn forest(names: Names<'_>, rows: &[Row], panels: &[Panel]) -> String {
    let longest = rows.iter().map(|row| width_of(row.name(), TEXT)).fold(0.0, f64::max);
    let left = (longest + 28.0).clamp(80.0, 600.0);
    let bottom = TOP + ROW * rows.len() as f64;
    let width = (left + (PANEL + GAP) * panels.len() as f64 + RIGHT).max(480.0);
    let mut svg = titled(width, bottom + 44.0, names.title, names.remark);
    for (place, panel) in panels.iter().enumerate() {
        let first = left + (PANEL + GAP) * place as f64;
        draw_panel(&mut svg, panel, (first, first + PANEL), bottom);
    }
    for (place, row) in rows.iter().enumerate() {
        let y = TOP + ROW * place as f64;
        if matches!(row, Row::Heading(_)) {
            svg.line((12.0, y), (width - RIGHT, y), RULE);
        }
        draw_name(&mut svg, row, left - 12.0, y + ROW / 2.0 + 4.0);
    }
    for (place, panel) in panels.iter().enumerate() {
        let first = left + (PANEL + GAP) * place as f64;
        let scale = panel.scale();
        let x = scale.on(first, first + PANEL);
        for (row, value) in panel.values.iter().enumerate() {
            if let Some(value) = value {
                draw_value(&mut svg, &x, TOP + ROW * (row as f64 + 0.5), value);
            }
        }
    }
    let middle = left + (PANEL + GAP) * panels.len() as f64 / 2.0;
    svg.text((middle, bottom + 38.0), Anchor::Middle, names.axis, "");
    svg.finish()
}

fn draw_name(svg: &mut Svg, row: &Row, right: f64, y: f64) {
    match row {
        Row::Heading(name) => {
            svg.text((12.0, y), Anchor::Start, name, "class=\"label\" font-weight=\"bold\"");
        }
        Row::Values(name) => svg.text((right, y), Anchor::End, name, "class=\"label\""),
    }
}

impl Panel {
    fn scale(&self) -> Scale {
        Scale::of(self.accepted, &self.published, self.values.iter().flatten().copied())
    }
}

/// The ground of a panel: band, axis, name, what was published.
fn draw_panel(svg: &mut Svg, panel: &Panel, (first, last): (f64, f64), bottom: f64) {
    let scale = panel.scale();
    let x = scale.on(first, last);
    scale.draw_band(svg, &x, (TOP, bottom));
    let ticks = Ticks::new(x.low, x.high, 3);
    for at in &ticks.at {
        let place = x.place(*at);
        svg.line((place, TOP), (place, bottom), RULE);
        svg.line((place, bottom), (place, bottom + 4.0), AXIS);
        svg.text((place, bottom + 17.0), Anchor::Middle, &ticks.label(*at), "class=\"tick\"");
    }
    svg.line((first, bottom), (last, bottom), AXIS);
    let middle = f64::midpoint(first, last);
    svg.text((middle, TOP - 22.0), Anchor::Middle, &panel.title, "class=\"label\" font-weight=\"bold\"");
    for value in &panel.published {
        let place = x.place(*value);
        let style = format!("class=\"faint-line\" stroke=\"{FAINT}\" stroke-dasharray=\"3 3\"");
        svg.line((place, TOP - 6.0), (place, bottom), &style);
        published(svg, (place, TOP - 8.0));
    }
}

/// A dot and its interval.
fn draw_value(svg: &mut Svg, x: &Linear, y: f64, value: &Estimate) {
    let (low, high) = value.ends();
    // A gain over nothing has no place.
    if !(value.mean.is_finite() && low.is_finite() && high.is_finite()) {
        return;
    }
    whisker(svg, (x.place(low), y), (x.place(high), y));
    svg.circle((x.place(value.mean), y), 3.8, "class=\"area s0\" fill=\"#0b62a8\"");
}
