//! Cumulative distributions.

use super::frame::{Frame, Key, MARGIN, Names, legend, legend_height, titled};
use super::style::{MOST_PLAIN, marker, stroke};
use super::svg::{TEXT, width_of};
use crate::scale::{Linear, top};

/// One distribution.
#[derive(Clone, Debug, PartialEq)]
pub struct Distribution {
    /// What it is the distribution of.
    pub name: String,
    /// What was measured.
    pub values: Vec<f64>,
    /// Cases in all. Those without a value count as larger than any, so that the curve ends below one.
    pub cases: usize,
}

impl Distribution {
    /// The corners of the curve up to `end`: it jumps at each value by the share of cases that have it.
    pub fn corners(&self, end: f64) -> Vec<(f64, f64)> {
        let mut values = self.values.clone();
        values.sort_by(f64::total_cmp);
        let share = |count: usize| count as f64 / self.cases.max(1) as f64;
        let mut corners = vec![(0.0, 0.0)];
        for (place, value) in values.iter().enumerate() {
            corners.extend([(*value, share(place)), (*value, share(place + 1))]);
        }
        corners.push((end, share(values.len())));
        corners
    }

    /// The text of the legend.
    fn entry(&self) -> String {
        match self.cases.saturating_sub(self.values.len()) {
            0 => format!("{} (n = {})", self.name, self.cases),
            never => format!("{} (n = {}, {never} never)", self.name, self.cases),
        }
    }
}

/// The shares at which many curves have markers.
const MARKED: [f64; 3] = [0.25, 0.5, 0.75];

/// Where a curve reaches a share.
fn reaches(corners: &[(f64, f64)], share: f64) -> Option<(f64, f64)> {
    corners.iter().find(|(_, reached)| *reached >= share).map(|(x, _)| (*x, share))
}

/// Cumulative distributions in one picture; `share` is the title of the vertical axis.
pub fn cdf(names: Names<'_>, share: &str, distributions: &[Distribution]) -> String {
    let values = distributions.iter().flat_map(|distribution| &distribution.values);
    let end = top(values.copied().fold(0.0, f64::max));
    let entries: Vec<String> = distributions.iter().map(Distribution::entry).collect();
    let is_marked = distributions.len() > MOST_PLAIN;
    let longest = entries.iter().map(|entry| width_of(entry, TEXT)).fold(0.0, f64::max);
    let (width, bottom) = ((longest + 80.0).max(480.0), 300.0);
    let room = width - 2.0 * MARGIN;
    let mut svg = titled(width, bottom + 60.0 + legend_height(&entries, room), names.title, names.remark);
    let frame = Frame {
        x: Linear { low: 0.0, high: end, first: 70.0, last: width - 24.0 },
        y: Linear { low: 0.0, high: 1.0, first: bottom, last: 60.0 },
    };
    frame.draw_y(&mut svg, share);
    frame.draw_x(&mut svg, names.axis, true);
    for (n, distribution) in distributions.iter().enumerate() {
        let corners = distribution.corners(end);
        let marks: Vec<(f64, f64)> = MARKED.iter().filter_map(|share| reaches(&corners, *share)).collect();
        svg.path(corners.into_iter().map(|(x, y)| frame.place(x, y)), &stroke(n));
        if is_marked {
            marks.into_iter().for_each(|(x, y)| marker(&mut svg, n, frame.place(x, y)));
        }
    }
    let keys: Vec<Key> = (0..distributions.len()).map(|n| Key::Line(n, is_marked)).collect();
    legend(&mut svg, names.picture, &keys, &entries, (MARGIN, bottom + 52.0), room);
    svg.finish()
}
