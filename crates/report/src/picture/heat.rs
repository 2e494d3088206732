//! A map of values over two parameters.

use super::frame::{Names, heading};
use super::shade::{self, Shade};
use super::svg::{Anchor, Svg, TEXT, px, width_of};
use crate::quantity::digits;

/// A value for each pair of two parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Map {
    /// What the rows are called, from above.
    pub rows: Vec<String>,
    /// What the columns are called.
    pub columns: Vec<String>,
    /// The values, row by row; `None` leaves a field empty.
    pub values: Vec<Vec<Option<f64>>>,
}

const HIGH: f64 = 40.0;

/// A heat map, the larger the darker, so that it survives without colour; each field carries its number.
/// `x` and `y` say what columns and rows are.
pub fn heat_map(names: Names<'_>, x: &str, y: &str, map: &Map) -> String {
    let widest = |labels: &[String]| labels.iter().map(|text| width_of(text, TEXT)).fold(0.0, f64::max);
    let left = widest(&map.rows).clamp(30.0, 260.0) + 44.0;
    let wide = (widest(&map.columns) + 14.0).clamp(56.0, 160.0);
    let width = (left + wide * map.columns.len() as f64 + 24.0).max(420.0);
    let (top, bottom) = (56.0, 56.0 + HIGH * map.rows.len() as f64);
    let mut svg = Svg::new(width, bottom + 54.0, names.title);
    heading(&mut svg, names.title, names.remark);
    let shade = Shade::of(map.values.iter().flatten().flatten().copied());
    for (row, values) in map.values.iter().enumerate() {
        for (column, value) in values.iter().enumerate() {
            let corner = (left + wide * column as f64, top + HIGH * row as f64);
            draw_field(&mut svg, &shade, corner, wide, *value);
        }
    }
    for (row, label) in map.rows.iter().enumerate() {
        svg.text((left - 8.0, top + HIGH * (row as f64 + 0.5) + 4.0), Anchor::End, label, "class=\"label\"");
    }
    for (column, label) in map.columns.iter().enumerate() {
        let middle = left + wide * (column as f64 + 0.5);
        svg.text((middle, bottom + 18.0), Anchor::Middle, label, "class=\"label\"");
    }
    let middle = left + wide * map.columns.len() as f64 / 2.0;
    svg.text((middle, bottom + 40.0), Anchor::Middle, &format!("{x}  (fields: {})", names.axis), "");
    let middle = f64::midpoint(top, bottom);
    svg.text((16.0, middle), Anchor::Middle, y, &format!("transform=\"rotate(-90 16 {})\"", px(middle)));
    svg.finish()
}

fn draw_field(svg: &mut Svg, shade: &Shade, corner: (f64, f64), wide: f64, value: Option<f64>) {
    let Some(value) = value else {
        svg.rect(corner, (wide, HIGH), "class=\"empty\" fill=\"none\" stroke=\"#c9ced6\"");
        return;
    };
    let (colour, is_dark) = shade.colour(value);
    svg.rect(corner, (wide, HIGH), &format!("fill=\"{colour}\" stroke=\"#ffffff\""));
    let ink = format!("fill=\"{}\"", shade::ink(is_dark));
    let at = (corner.0 + wide / 2.0, corner.1 + HIGH / 2.0 + 4.0);
    svg.text(at, Anchor::Middle, &digits(value), &format!("class=\"field\" {ink}"));
}
