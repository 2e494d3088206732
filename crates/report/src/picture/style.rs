//! How pictures look: the same in all, and readable in black and white.

use super::svg::{Svg, px};

/// Colours that stay apart for colour-blind readers (after Okabe and Ito), dark enough for lines.
const COLOURS: [&str; 7] = ["#0b62a8", "#c1440e", "#00795a", "#8a3a86", "#8a6500", "#3d4a5c", "#2f8fc4"];

/// Dash patterns; the first is a line without gaps.
const DASHES: [&str; 6] = ["", "7 4", "2 3", "9 3 2 3", "12 4", "5 2 1 2 1 2"];

/// Hatchings over a fill of 8 x 8 pixels; the first is none.
const HATCHINGS: [&str; 6] = [
    "",
    "M-2 10L10 -2M-2 2L2 -2M6 10L10 6",
    "M0 4H8",
    "M-2 -2L10 10M-2 6L2 10M6 -2L10 2",
    "M4 0V8",
    "M0 4H8M4 0V8",
];

/// More than this are not distinguished by colour and dashes alone: lines have markers, too.
pub const MOST_PLAIN: usize = 6;

/// Which of `count` patterns the `n`-th of several has. After each round it is shifted by one: of colours that are
/// alike or come again, the patterns differ.
fn turned(n: usize, count: usize) -> usize {
    (n + n / count) % count
}

/// The colour of the `n`-th of several.
pub fn colour(n: usize) -> &'static str {
    COLOURS[n % COLOURS.len()]
}

/// Attributes of the line of the `n`-th of several.
pub fn stroke(n: usize) -> String {
    stroke_of(n, "series", "2")
}

/// The same with further classes and another width.
pub fn stroke_of(n: usize, classes: &str, width: &str) -> String {
    format!(
        "class=\"{classes} s{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{width}\" stroke-linejoin=\"round\"{}",
        n % COLOURS.len(),
        colour(n),
        dash(n)
    )
}

/// The dash pattern of the `n`-th of several as an attribute.
pub fn dash(n: usize) -> String {
    match DASHES[turned(n, DASHES.len())] {
        "" => String::new(),
        dash => format!(" stroke-dasharray=\"{dash}\""),
    }
}

/// Attributes of the area of the `n`-th of several.
pub fn fill(n: usize) -> String {
    format!("class=\"area s{}\" fill=\"{}\"", n % COLOURS.len(), colour(n))
}

/// Define the hatchings of the first `count`; `picture` keeps their names apart in a page.
pub fn define_hatchings(svg: &mut Svg, picture: &str, count: usize) {
    for (n, hatching) in HATCHINGS.iter().enumerate().take(count).skip(1) {
        svg.define(&format!(
            "<pattern id=\"{picture}-hatch{n}\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\">\
             <path class=\"hatch\" d=\"{hatching}\" stroke=\"#ffffff\" stroke-width=\"1.6\" fill=\"none\"/></pattern>"
        ));
    }
}

/// The area of the `n`-th of several, hatched so that it can be recognised without its colour.
pub fn hatched(svg: &mut Svg, picture: &str, n: usize, corner: (f64, f64), size: (f64, f64)) {
    svg.rect(corner, size, &fill(n));
    let hatching = turned(n, HATCHINGS.len());
    if hatching > 0 {
        svg.rect(corner, size, &format!("fill=\"url(#{picture}-hatch{hatching})\""));
    }
}

/// A marker of the `n`-th of several around a point.
pub fn marker(svg: &mut Svg, n: usize, at: (f64, f64)) {
    let corners: &[(f64, f64)] = match n % 5 {
        0 => &[(-3.0, -3.0), (3.0, -3.0), (3.0, 3.0), (-3.0, 3.0)],
        1 => &[(0.0, -4.5), (4.2, 3.2), (-4.2, 3.2)],
        2 => &[(0.0, -4.8), (4.8, 0.0), (0.0, 4.8), (-4.8, 0.0)],
        3 => &[(0.0, 4.5), (4.2, -3.2), (-4.2, -3.2)],
        _ => &[(-4.4, -1.3), (4.4, -1.3), (4.4, 1.3), (-4.4, 1.3)],
    };
    svg.data(&around(at, corners), &fill(n));
}

/// The mark of a published value: a hollow diamond.
pub fn published(svg: &mut Svg, at: (f64, f64)) {
    let corners = [(0.0, -5.5), (5.5, 0.0), (0.0, 5.5), (-5.5, 0.0)];
    svg.data(
        &around(at, &corners),
        "class=\"published\" fill=\"#ffffff\" stroke=\"#1f2430\" stroke-width=\"1.6\"",
    );
}

/// What a time-sequence graph marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// A segment sent for the first time: a stroke from its first to its last byte.
    Sent,
    /// A retransmitted segment: a triangle.
    Retransmitted,
    /// A segment lost on the way: a cross.
    Lost,
    /// The retransmission timer expired: a ring.
    Timeout,
}

/// A mark around a point.
pub fn mark(svg: &mut Svg, mark: Mark, at: (f64, f64)) {
    let (x, y) = at;
    match mark {
        Mark::Sent => strokes(svg, &upright((x, y + 5.0), y - 5.0)),
        Mark::Retransmitted => {
            svg.data(&around(at, &[(0.0, -4.0), (3.8, 3.0), (-3.8, 3.0)]), &fill(1));
        }
        Mark::Lost => {
            let (left, right, above, below) = (px(x - 3.5), px(x + 3.5), px(y - 3.5), px(y + 3.5));
            let cross = format!("M{left} {above}L{right} {below}M{left} {below}L{right} {above}");
            svg.data(&cross, "class=\"axis\" stroke=\"#1f2430\" stroke-width=\"1.8\" fill=\"none\"");
        }
        Mark::Timeout => {
            svg.circle(at, 4.0, "class=\"axis\" stroke=\"#1f2430\" stroke-width=\"1.6\" fill=\"none\"");
        }
    }
}

/// An upright stroke as a piece of a path.
pub fn upright(foot: (f64, f64), head: f64) -> String {
    format!("M{} {}V{}", px(foot.0), px(foot.1), px(head))
}

/// A path of strokes, each of which can be seen.
pub fn strokes(svg: &mut Svg, path: &str) {
    let style = format!(
        "class=\"series s0\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.6\" stroke-linecap=\"square\"",
        colour(0)
    );
    svg.data(path, &style);
}

/// A stretch of time in which something was so.
pub fn band(svg: &mut Svg, corner: (f64, f64), size: (f64, f64)) {
    svg.rect(corner, size, "class=\"handover\" fill=\"#e9d3b0\"");
}

/// A closed path whose corners lie that far from a point.
fn around((x, y): (f64, f64), corners: &[(f64, f64)]) -> String {
    let corner = |(dx, dy): &(f64, f64)| format!("{} {}", px(x + dx), px(y + dy));
    format!("M{}Z", corners.iter().map(corner).collect::<Vec<_>>().join("L"))
}
