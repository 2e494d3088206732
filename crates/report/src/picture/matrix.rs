//! Panels of fields with numbers: the gain of each combination of two kinds of help, or a value over two parameters.

use super::frame::{Names, titled};
use super::svg::{Anchor, FAINT, Svg, TEXT, px, width_of};
use crate::quantity::digits;
use crate::statistics::Estimate;
use serde::Serialize;

/// The content of a field.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Field {
    /// A gain in percent.
    Gain(Estimate),
    /// A value on the scale of all panels.
    Value(f64),
    /// The combination was refused, for the reason with this index.
    Refused(usize),
    /// It was not run, or nothing arrived.
    Nothing,
}

impl Field {
    /// The gain, if there is one.
    pub fn gain(&self) -> Option<&Estimate> {
        if let Field::Gain(gain) = self { Some(gain) } else { None }
    }
}

/// Whether a gain or a loss is significant: its interval excludes zero.
pub fn is_sure(gain: &Estimate) -> bool {
    matches!((gain.low, gain.high), (Some(low), Some(high)) if low > 0.0 || high < 0.0)
}

/// A panel: a row of fields for each row of the picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// Its title.
    pub title: String,
    /// Its fields.
    pub fields: Vec<Vec<Field>>,
}

/// Panels with the same rows and columns, two in a row.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    /// The names of the rows, from the top.
    pub rows: Vec<String>,
    /// The names of the columns, which may be broken at a hyphen.
    pub columns: Vec<String>,
    /// The panels.
    pub panels: Vec<Panel>,
    /// Lines below: what signs mean, and the reasons of what was refused.
    pub legend: Vec<String>,
}

const ACROSS: usize = 2;
const WIDE: f64 = 52.0;
const HIGH: f64 = 26.0;
const TOP: f64 = 58.0;
/// Above the fields of a panel: its title and the names of its columns.
const HEAD: f64 = 62.0;
const GAP: f64 = 30.0;
const LINE: f64 = 18.0;

/// The panels. The largest number is darkest, and a loss has its own tint; gains that are not significant are in parentheses, so that
/// all of it can be read without colour. `x` and `y` are the titles of columns and rows.
pub fn matrix(names: Names<'_>, x: &str, y: &str, matrix: &Matrix) -> String {
    let widest = matrix.rows.iter().map(|text| width_of(text, TEXT)).fold(0.0, f64::max);
    let left = widest.max(30.0) + 44.0;
    let wide = WIDE * matrix.columns.len() as f64;
    let high = HEAD + HIGH * matrix.rows.len() as f64 + 12.0;
    let across = ACROSS.min(matrix.panels.len().max(1));
    let down = matrix.panels.len().div_ceil(across);
    let width = left + wide * across as f64 + GAP * (across - 1) as f64 + 24.0;
    let bottom = TOP + high * down as f64;
    let height = bottom + 26.0 + LINE * matrix.legend.len() as f64 + 8.0;
    let mut svg = titled(width, height, names.title, names.remark);
    svg.define(&hatching(names.picture));
    for (number, panel) in matrix.panels.iter().enumerate() {
        let (column, row) = (number % across, number / across);
        let corner = (left + (wide + GAP) * column as f64, TOP + high * row as f64);
        draw_panel(&mut svg, names.picture, corner, matrix, panel);
        if column == 0 {
            draw_rows(&mut svg, (left - 8.0, corner.1 + HEAD), &matrix.rows);
        }
    }
    let middle = f64::midpoint(left, width - 24.0);
    svg.text((middle, bottom + 14.0), Anchor::Middle, &format!("{x}  (fields: {})", names.axis), "");
    let middle = f64::midpoint(TOP, bottom);
    svg.text((16.0, middle), Anchor::Middle, y, &format!("transform=\"rotate(-90 16 {})\"", px(middle)));
    for (number, line) in matrix.legend.iter().enumerate() {
        let at = (12.0, bottom + 34.0 + LINE * number as f64);
        svg.text(at, Anchor::Start, line, &format!("class=\"faint\" fill=\"{FAINT}\""));
    }
    svg.finish()
}

fn draw_panel(svg: &mut Svg, picture: &str, corner: (f64, f64), matrix: &Matrix, panel: &Panel) {
    let (left, top) = corner;
    svg.text((left, top + 16.0), Anchor::Start, &panel.title, "class=\"label\" font-weight=\"bold\"");
    for (column, label) in matrix.columns.iter().enumerate() {
        let middle = left + WIDE * (column as f64 + 0.5);
        let lines = broken(label);
        for (line, text) in lines.iter().rev().enumerate() {
            let at = (middle, top + HEAD - 7.0 - 14.0 * line as f64);
            svg.text(at, Anchor::Middle, text, "class=\"label\"");
        }
    }
    let shade = shade_of(matrix, panel);
    for (row, fields) in panel.fields.iter().enumerate() {
        for (column, field) in fields.iter().enumerate() {
            let at = (left + WIDE * column as f64, top + HEAD + HIGH * row as f64);
            draw_field(svg, picture, &shade, at, *field);
        }
    }
}

/// Values share a scale over all panels; gains have a scale for each panel, from zero.
fn shade_of(matrix: &Matrix, panel: &Panel) -> Shade {
    let all = matrix.panels.iter().flat_map(|panel| panel.fields.iter().flatten());
    let values: Vec<f64> =
        all.filter_map(|field| if let Field::Value(value) = field { Some(*value) } else { None }).collect();
    if !values.is_empty() {
        return Shade::of(values.into_iter());
    }
    let gains = panel.fields.iter().flatten().filter_map(Field::gain).map(|gain| gain.mean);
    Shade::of(std::iter::once(0.0).chain(gains.filter(|gain| *gain > 0.0)))
}

fn draw_rows(svg: &mut Svg, at: (f64, f64), rows: &[String]) {
    for (row, label) in rows.iter().enumerate() {
        let middle = at.1 + HIGH * (row as f64 + 0.5) + 4.0;
        svg.text((at.0, middle), Anchor::End, label, "class=\"label\"");
    }
}

fn draw_field(svg: &mut Svg, picture: &str, shade: &Shade, corner: (f64, f64), field: Field) {
    let size = (WIDE, HIGH);
    let (words, is_dark) = match field {
        Field::Gain(gain) => {
            let is_loss = gain.mean < 0.0;
            let (colour, is_dark) = if is_loss { (LOSS.to_owned(), false) } else { shade.colour(gain.mean) };
            svg.rect(corner, size, &format!("fill=\"{colour}\" stroke=\"#ffffff\""));
            let number = signed(gain.mean);
            (if is_sure(&gain) { number } else { format!("({number})") }, is_dark)
        }
        Field::Value(value) => {
            let (colour, is_dark) = shade.colour(value);
            svg.rect(corner, size, &format!("fill=\"{colour}\" stroke=\"#ffffff\""));
            (digits(value), is_dark)
        }
        Field::Refused(reason) => {
            svg.rect(corner, size, "fill=\"#f2f3f5\" stroke=\"#c9ced6\"");
            svg.rect(corner, size, &format!("fill=\"url(#{picture}-refused)\""));
            let middle = (corner.0 + WIDE / 2.0, corner.1 + HIGH / 2.0);
            svg.circle(middle, 8.0, "fill=\"#ffffff\"");
            (format!("{}", reason + 1), false)
        }
        Field::Nothing => {
            svg.rect(corner, size, "class=\"empty\" fill=\"none\" stroke=\"#c9ced6\"");
            return;
        }
    };
    let at = (corner.0 + WIDE / 2.0, corner.1 + HIGH / 2.0 + 4.0);
    svg.text(
        at,
        Anchor::Middle,
        &words,
        &format!("class=\"field\" fill=\"{}\"", if is_dark { "#ffffff" } else { "#10151d" }),
    );
}

/// The tint of a loss.
const LOSS: &str = "#f3c9a6";

/// Whole percent, with a sign that is there without colour.
pub fn signed(percent: f64) -> String {
    let whole = percent.round();
    match whole {
        whole if whole > 0.0 => format!("+{whole}"),
        whole if whole < 0.0 => format!("\u{2212}{}", -whole),
        _ => "0".to_owned(),
    }
}

fn hatching(picture: &str) -> String {
    format!(
        "<pattern id=\"{picture}-refused\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\">\
         <path d=\"M-2 10L10 -2M-2 2L2 -2M6 10L10 6\" stroke=\"#8b94a3\" stroke-width=\"1.2\" fill=\"none\"/></pattern>"
    )
}

/// A name in two lines, where it is too long for one and has a hyphen.
fn broken(label: &str) -> Vec<String> {
    match label.split_once('-') {
        Some((first, rest)) if width_of(label, TEXT) > WIDE - 2.0 => {
            vec![format!("{first}-"), rest.to_owned()]
        }
        _ => vec![label.to_owned()],
    }
}

const LIGHT: [f64; 3] = [243.0, 247.0, 252.0];
const DARK: [f64; 3] = [8.0, 58.0, 110.0];

/// The shades between the least and the largest of some values: the larger the darker, so that they can be distinguished without colour.
#[derive(Clone, Copy, Debug)]
struct Shade {
    least: f64,
    most: f64,
}

impl Shade {
    /// The scale of these values.
    fn of(values: impl Iterator<Item = f64>) -> Shade {
        let none = Shade { least: f64::INFINITY, most: f64::NEG_INFINITY };
        values.fold(none, |Shade { least, most }, value| Shade {
            least: least.min(value),
            most: most.max(value),
        })
    }

    /// The colour, and whether text on it must be light.
    fn colour(&self, value: f64) -> (String, bool) {
        let span = self.most - self.least;
        let share = if span > 0.0 { (value - self.least) / span } else { 0.0 };
        let part = |place: usize| (LIGHT[place] + share * (DARK[place] - LIGHT[place])).round() as u8;
        (format!("#{:02x}{:02x}{:02x}", part(0), part(1), part(2)), share > 0.5)
    }
}
