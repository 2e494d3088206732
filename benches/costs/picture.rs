//! The curves of all cases in one picture.

use crate::Curve;
use seamline_report::picture::frame::{Frame, Key, Names, legend, legend_height, titled};
use seamline_report::picture::standalone;
use seamline_report::picture::style::{marker, stroke};
use seamline_report::scale::Linear;

const WIDTH: f64 = 900.0;
const BOTTOM: f64 = 480.0;
const LEFT: f64 = 90.0;

/// Time over size, both on axes of decimal logarithms.
pub(crate) fn draw(curves: &[Curve]) -> String {
    let points = || curves.iter().flat_map(|curve| &curve.seconds);
    let ends = |values: &mut dyn Iterator<Item = f64>| {
        values
            .map(f64::log10)
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), it| (low.min(it), high.max(it)))
    };
    let (left, right) = ends(&mut points().map(|it| it.0));
    let (low, high) = ends(&mut points().map(|it| it.1));
    let names = Names {
        picture: "costs",
        title: "CPU time over size",
        remark: "A slope of one decade per decade is proportional growth; a steeper line would grow faster.",
        axis: "CPU time (s)",
    };
    let entries: Vec<String> =
        curves.iter().map(|curve| format!("{} ({})", curve.case.name, curve.case.unit)).collect();
    let room = WIDTH - LEFT - 24.0;
    let height = BOTTOM + 60.0 + legend_height(&entries, room);
    let mut svg = titled(WIDTH, height, names.title, names.remark);
    let frame = Frame {
        x: Linear { low: left - 0.05, high: right + 0.05, first: LEFT, last: WIDTH - 24.0 },
        y: Linear { low: low.floor(), high: high.ceil(), first: BOTTOM, last: 60.0 },
    };
    frame.draw_y_decades(&mut svg, names.axis);
    frame.draw_x_decades(&mut svg, "size: packets, grid cells, flows, steps (see the legend)");
    for (n, curve) in curves.iter().enumerate() {
        let place = |&(x, y): &(f64, f64)| frame.place(x.log10(), y.log10());
        svg.path(curve.seconds.iter().map(place), &stroke(n));
        curve.seconds.iter().for_each(|point| marker(&mut svg, n, place(point)));
    }
    let keys: Vec<Key> = (0..curves.len()).map(|n| Key::Line(n, true)).collect();
    legend(&mut svg, names.picture, &keys, &entries, (LEFT, BOTTOM + 52.0), room);
    standalone(&svg.finish())
}
