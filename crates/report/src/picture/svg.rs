//! Writing SVG (1.1): shapes with presentation attributes, so that a page may restyle them by class while
//! a file on its own looks as it should.

use crate::escape::Text;
use std::fmt::Write;

/// The position of text relative to its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// To the right of it.
    Start,
    /// Around it.
    Middle,
    /// To the left of it.
    End,
}

/// A picture being drawn; lengths in pixels, from the upper left corner.
#[derive(Clone, Debug)]
pub struct Svg {
    width: f64,
    height: f64,
    title: String,
    definitions: String,
    body: String,
}

/// The size of ordinary text.
pub const TEXT: f64 = 12.0;
/// The colour of text and axes.
pub const INK: &str = "#1f2430";
/// The colour of what matters less.
pub const FAINT: &str = "#5b6472";

impl Svg {
    /// An empty picture. The title is read by screen readers.
    pub fn new(width: f64, height: f64, title: &str) -> Self {
        let title = title.to_owned();
        Svg { width, height, title, definitions: String::new(), body: String::new() }
    }

    /// Its width in pixels.
    pub fn width(&self) -> f64 {
        self.width
    }

    /// What other elements refer to by name.
    pub fn define(&mut self, element: &str) {
        self.definitions += element;
    }

    /// A straight line; `style` holds further attributes.
    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), style: &str) {
        let [x1, y1, x2, y2] = [from.0, from.1, to.0, to.1].map(px);
        let _ = writeln!(self.body, "<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" {style}/>");
    }

    /// A rectangle; `style` holds further attributes.
    pub fn rect(&mut self, corner: (f64, f64), size: (f64, f64), style: &str) {
        let [x, y, width, height] = [corner.0, corner.1, size.0.max(0.0), size.1.max(0.0)].map(px);
        let _ =
            writeln!(self.body, "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" {style}/>");
    }

    /// A disc; `style` holds further attributes.
    pub fn circle(&mut self, centre: (f64, f64), radius: f64, style: &str) {
        let [x, y, radius] = [centre.0, centre.1, radius].map(px);
        let _ = writeln!(self.body, "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" {style}/>");
    }

    /// A path of straight pieces through all points; `style` holds further attributes.
    pub fn path(&mut self, points: impl IntoIterator<Item = (f64, f64)>, style: &str) {
        let mut data = String::new();
        for (place, (x, y)) in points.into_iter().enumerate() {
            let _ = write!(data, "{}{} {}", if place == 0 { "M" } else { "L" }, px(x), px(y));
        }
        self.data(&data, style);
    }

    /// A path as SVG writes it; `style` holds further attributes.
    pub fn data(&mut self, data: &str, style: &str) {
        if !data.is_empty() {
            let _ = writeln!(self.body, "<path d=\"{data}\" {style}/>");
        }
    }

    /// Text; `style` holds further attributes.
    pub fn text(&mut self, at: (f64, f64), anchor: Anchor, text: &str, style: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let colour = if style.contains("fill=") { String::new() } else { format!(" fill=\"{INK}\"") };
        let (x, y, text) = (px(at.0), px(at.1), Text(text));
        let _ = writeln!(
            self.body,
            "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\"{colour} {style}>{text}</text>"
        );
    }

    /// The whole file.
    pub fn finish(self) -> String {
        let Svg { width, height, title, definitions, body } = self;
        let (width, height, title) = (px(width), px(height), Text(&title));
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\" style=\"--width:{width}px\" role=\"img\" aria-label=\"{title}\" \
             font-family=\"Helvetica, Arial, 'Liberation Sans', sans-serif\" font-size=\"{TEXT}\">\n\
             <title>{title}</title>\n<defs>{definitions}</defs>\n\
             <rect class=\"paper\" width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n{body}</svg>\n"
        )
    }
}

/// A length with at most two decimals.
pub fn px(length: f64) -> String {
    let text = format!("{length:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// About how wide text of this size is. Too wide rather than too narrow: fonts differ.
pub fn width_of(text: &str, size: f64) -> f64 {
    let units = |letter: char| match letter {
        'i' | 'j' | 'l' | '|' | '.' | ',' | ':' | ';' | '\'' | '!' | 'I' => 0.3,
        'f' | 't' | 'r' | '(' | ')' | '[' | ']' | ' ' | '-' | '/' => 0.38,
        'm' | 'w' | 'M' | 'W' | '%' | '@' => 0.9,
        letter if letter.is_ascii_lowercase() || letter.is_ascii_digit() => 0.58,
        letter if letter.is_ascii() => 0.7,
        _ => 1.0,
    };
    text.chars().map(units).sum::<f64>() * size
}
