//! What each combination of two kinds of help brings: panels of fields with numbers.

use super::frame::{Names, heading};
use super::shade::{Shade, ink};
use super::svg::{Anchor, FAINT, Svg, TEXT, px, width_of};

/// What a field says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Field {
    /// A gain in percent, and whether it is sure that there is one, or a loss.
    Gain(f64, bool),
    /// The combination makes no sense, for the reason of this number.
    Refused(usize),
    /// Nothing is known.
    Nothing,
}

/// A panel: a row of fields for each row of the picture.
#[derive(Clone, Debug, PartialEq)]
pub struct Panel {
    /// What stands above it.
    pub title: String,
    /// Its fields.
    pub fields: Vec<Vec<Field>>,
}

/// Panels with the same rows and columns, two in a row.
#[derive(Clone, Debug, PartialEq)]
pub struct Matrix {
    /// What the rows are called, from above.
    pub rows: Vec<String>,
    /// What the columns are called; a hyphen is a place to break them.
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

/// A matrix of gains. In each panel the largest gain is darkest, and a loss has a tint of its own; what is not sure stands in
/// parentheses, so that all of it survives without colour. `x` and `y` say what columns and rows are.
pub fn matrix(names: Names<'_>, x: &str, y: &str, matrix: &Matrix) -> String {
    let widest = matrix.rows.iter().map(|text| width_of(text, TEXT)).fold(0.0, f64::max);
    let left = widest.max(30.0) + 44.0;
    let wide = WIDE * matrix.columns.len() as f64;
    let high = HEAD + HIGH * matrix.rows.len() as f64 + 12.0;
    let across = ACROSS.min(matrix.panels.len().max(1));
    let down = matrix.panels.len().div_ceil(across);
    let width = left + wide * across as f64 + GAP * (across - 1) as f64 + 24.0;
    let bottom = TOP + high * down as f64;
    let mut svg = Svg::new(width, bottom + 26.0 + LINE * matrix.legend.len() as f64 + 8.0, names.title);
    svg.define(&hatching(names.picture));
    heading(&mut svg, names.title, names.remark);
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
    let gains = panel.fields.iter().flatten().filter_map(|field| match field {
        Field::Gain(gain, _) if *gain > 0.0 => Some(*gain),
        _ => None,
    });
    let shade = Shade::of(std::iter::once(0.0).chain(gains));
    for (row, fields) in panel.fields.iter().enumerate() {
        for (column, field) in fields.iter().enumerate() {
            let at = (left + WIDE * column as f64, top + HEAD + HIGH * row as f64);
            draw_field(svg, picture, &shade, at, *field);
        }
    }
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
        Field::Gain(gain, is_sure) => {
            let (colour, is_dark) = if gain < 0.0 { (LOSS.to_owned(), false) } else { shade.colour(gain) };
            svg.rect(corner, size, &format!("fill=\"{colour}\" stroke=\"#ffffff\""));
            let number = signed(gain);
            let words = if is_sure { number } else { format!("({number})") };
            (words, is_dark)
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
    svg.text(at, Anchor::Middle, &words, &format!("class=\"field\" fill=\"{}\"", ink(is_dark)));
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
