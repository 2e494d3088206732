//! Bars with 95 % intervals, and published values next to them.

use super::frame::{Frame, Key, Names, legend, legend_height, titled, whisker};
use super::style::{define_hatchings, fill, hatched, published};
use super::svg::{Anchor, FAINT, Svg, TEXT, width_of};
use crate::quantity::digits;
use crate::scale::{Linear, with_zero};
use crate::statistics::Estimate;

/// A bar.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// What it is the bar of.
    pub label: String,
    /// Its length and its interval.
    pub value: Estimate,
    /// The published value of the same thing.
    pub published: Option<f64>,
}

/// Bars that belong together.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// What they have in common.
    pub label: String,
    /// One entry for each series: its value and the published one; `None` leaves a gap.
    pub bars: Vec<Option<(Estimate, Option<f64>)>>,
}

/// Room for bars, short enough for a phone, and for their numbers.
const LENGTH: f64 = 250.0;
const NUMBERS: f64 = 110.0;
const TOP: f64 = 56.0;
const ROW: f64 = 34.0;
/// Labels that are longer stand above their bars, which takes more height.
const LONGEST_LEFT: f64 = 150.0;
const LABEL: f64 = 14.0;
/// Where bars begin.
const ZERO: &str = "class=\"axis\" stroke=\"#1f2430\"";

/// Horizontal bars, the first on top, each with its number.
pub fn bars(names: Names<'_>, bars: &[Bar]) -> String {
    let longest = bars.iter().map(|bar| width_of(&bar.label, TEXT)).fold(0.0, f64::max);
    let are_above = longest > LONGEST_LEFT;
    let left = if are_above { 28.0 } else { (longest + 28.0).max(60.0) };
    let row = if are_above { ROW + LABEL } else { ROW };
    let width = (left + LENGTH + NUMBERS).max(longest + 40.0);
    let any_published = bars.iter().any(|bar| bar.published.is_some());
    let bottom = TOP + row * bars.len() as f64;
    let height = bottom + if any_published { 78.0 } else { 52.0 };
    let (low, high) = with_zero(bars.iter().flat_map(|bar| reach(&bar.value, bar.published)));
    let x = Linear { low, high, first: left, last: width - NUMBERS };
    let frame = Frame { x, y: Linear { low: 0.0, high: 1.0, first: bottom, last: TOP } };
    let mut svg = titled(width, height, names.title, names.remark);
    frame.draw_x(&mut svg, names.axis, true);
    let zero = x.place(0.0);
    svg.line((zero, TOP), (zero, bottom), ZERO);
    for (place, bar) in bars.iter().enumerate() {
        let middle = TOP + row * (place as f64 + 1.0) - ROW / 2.0;
        let (label, anchor) = match are_above {
            true => ((left + 5.0, middle - 14.0), Anchor::Start),
            false => ((left - 10.0, middle + 4.0), Anchor::End),
        };
        if are_above {
            // Lines of the grid do not strike through it.
            let (corner, size) = ((label.0 - 2.0, label.1 - 10.0), (width_of(&bar.label, TEXT) + 4.0, 13.0));
            svg.rect(corner, size, "class=\"ground\" fill=\"#ffffff\"");
        }
        svg.text(label, anchor, &bar.label, "class=\"label\"");
        draw_lying(&mut svg, &frame.x, middle, bar);
    }
    if any_published {
        legend(
            &mut svg,
            names.picture,
            &[Key::Published],
            &["published".into()],
            (left, bottom + 52.0),
            width,
        );
    }
    svg.finish()
}

/// What the axis must hold of a bar.
fn reach(value: &Estimate, published: Option<f64>) -> impl Iterator<Item = f64> {
    let (low, high) = value.ends();
    [value.mean, low, high].into_iter().chain(published)
}

/// Where a bar from zero to this value begins and ends, the smaller pixel first.
fn between(scale: &Linear, value: f64) -> (f64, f64) {
    let (zero, end) = (scale.place(0.0), scale.place(value));
    (zero.min(end), zero.max(end))
}

fn draw_lying(svg: &mut Svg, x: &Linear, middle: f64, bar: &Bar) {
    let (low, high) = bar.value.ends();
    let (from, to) = between(x, bar.value.mean);
    svg.rect((from, middle - 10.0), (to - from, 20.0), &fill(0));
    if bar.value.low.is_some() {
        whisker(svg, (x.place(low), middle), (x.place(high), middle));
    }
    if let Some(value) = bar.published {
        published(svg, (x.place(value), middle + 9.0));
    }
    let end = x.place(high.max(bar.published.unwrap_or(high))) + 10.0;
    svg.text((end, middle + 4.0), Anchor::Start, &bar.value.to_text(digits), "class=\"value\"");
}

/// Groups of vertical bars, one hatching for each series.
pub fn grouped_bars(names: Names<'_>, series: &[String], groups: &[Group]) -> String {
    let all = || groups.iter().flat_map(|group| group.bars.iter().flatten());
    let (low, high) = with_zero(all().flat_map(|(value, known)| reach(value, *known)));
    let any_published = all().any(|(_, published)| published.is_some());
    let longest = groups.iter().map(|group| width_of(&group.label, TEXT)).fold(0.0, f64::max);
    let each = if series.len() > 3 { 20.0 } else { 26.0 };
    let slot = (each * series.len() as f64 + 24.0).max(longest + 12.0);
    let width = (slot * groups.len() as f64 + 90.0).max(480.0);
    let mut keys: Vec<Key> = (0..series.len()).map(Key::Area).collect();
    let mut entries = series.to_vec();
    if any_published {
        keys.push(Key::Published);
        entries.push("published".to_owned());
    }
    let bottom = 340.0;
    let height = bottom + 44.0 + legend_height(&entries, width - 90.0);
    let frame = Frame {
        x: Linear { low: 0.0, high: groups.len() as f64, first: 70.0, last: width - 20.0 },
        y: Linear { low, high, first: bottom, last: TOP },
    };
    let mut svg = titled(width, height, names.title, names.remark);
    define_hatchings(&mut svg, names.picture, series.len());
    frame.draw_y(&mut svg, names.axis);
    for (place, group) in groups.iter().enumerate() {
        draw_group(&mut svg, names.picture, &frame, (place, series.len()), group);
    }
    let zero = frame.y.place(0.0);
    svg.line((frame.x.first, zero), (frame.x.last, zero), ZERO);
    legend(&mut svg, names.picture, &keys, &entries, (70.0, bottom + 36.0), width - 90.0);
    svg.finish()
}

fn draw_group(svg: &mut Svg, picture: &str, frame: &Frame, place: (usize, usize), group: &Group) {
    let (left, right) = (frame.x.place(place.0 as f64), frame.x.place(place.0 as f64 + 1.0));
    let (start, width) = (left + 12.0, (right - left - 24.0) / place.1.max(1) as f64);
    for (n, bar) in group.bars.iter().enumerate() {
        let middle = start + width * (n as f64 + 0.5);
        let Some((value, known)) = bar else {
            let faint = format!("class=\"faint\" fill=\"{FAINT}\"");
            svg.text((middle, frame.y.first - 5.0), Anchor::Middle, "–", &faint);
            continue;
        };
        let (low, high) = value.ends();
        let (head, foot) = between(&frame.y, value.mean);
        hatched(svg, picture, n, (middle - width * 0.44, head), (width * 0.88, foot - head));
        if value.low.is_some() {
            whisker(svg, (middle, frame.y.place(low)), (middle, frame.y.place(high)));
        }
        if let Some(value) = known {
            published(svg, (middle + width * 0.3, frame.y.place(*value)));
        }
    }
    let middle = f64::midpoint(left, right);
    svg.text((middle, frame.y.first + 19.0), Anchor::Middle, &group.label, "class=\"label\"");
}
