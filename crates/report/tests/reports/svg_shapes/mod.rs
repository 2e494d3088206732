//! The shapes of a picture, with the room that they take.

use roxmltree::{Document, Node};
use seamline_report::picture::svg::{TEXT, width_of};

/// A rectangle, or text with the room that it takes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Shape {
    pub(crate) text: String,
    pub(crate) corner: (f64, f64),
    pub(crate) size: (f64, f64),
}

impl Shape {
    pub(crate) fn middle(&self) -> (f64, f64) {
        (self.corner.0 + self.size.0 / 2.0, self.corner.1 + self.size.1 / 2.0)
    }
    pub(crate) fn contains(&self, other: &Shape) -> bool {
        let inside = |a: f64, wide_a: f64, b: f64, wide_b: f64| a <= b && b + wide_b <= a + wide_a;
        inside(self.corner.0, self.size.0, other.corner.0, other.size.0)
            && inside(self.corner.1, self.size.1, other.corner.1, other.size.1)
    }
    fn meets(&self, other: &Shape) -> bool {
        let apart = |a: f64, wide_a: f64, b: f64, wide_b: f64| a + wide_a <= b || b + wide_b <= a;
        !apart(self.corner.0, self.size.0, other.corner.0, other.size.0)
            && !apart(self.corner.1, self.size.1, other.corner.1, other.size.1)
    }
}

/// The texts of two shapes that overlap.
pub(crate) fn overlapping(shapes: &[Shape]) -> Option<(Shape, Shape)> {
    shapes.iter().enumerate().find_map(|(place, one)| {
        let other = shapes[place + 1..].iter().find(|other| one.meets(other))?;
        Some((one.clone(), other.clone()))
    })
}

fn number(node: Node<'_, '_>, name: &str) -> f64 {
    node.attribute(name).and_then(|text| text.parse().ok()).unwrap_or(f64::NAN)
}

fn of_class<T>(svg: &str, tag: &str, class: &str, read: impl Fn(Node<'_, '_>) -> T) -> Vec<T> {
    let document = Document::parse(svg).unwrap();
    let has = |node: &Node<'_, '_>| {
        node.has_tag_name(tag)
            && node.attribute("class").is_some_and(|all| all.split(' ').any(|one| one == class))
    };
    document.descendants().filter(has).map(read).collect()
}

pub(crate) fn rects(svg: &str, class: &str) -> Vec<Shape> {
    of_class(svg, "rect", class, |node| Shape {
        text: "box".to_owned(),
        corner: (number(node, "x"), number(node, "y")),
        size: (number(node, "width"), number(node, "height")),
    })
}

/// Text is 0.75 of its size above its line, and 0.2 below.
pub(crate) fn texts(svg: &str, class: &str) -> Vec<Shape> {
    of_class(svg, "text", class, |node| {
        let text = node.text().unwrap_or_default().to_owned();
        let size = node.attribute("font-size").and_then(|size| size.parse().ok()).unwrap_or(TEXT);
        let wide = width_of(&text, size);
        let left = match node.attribute("text-anchor") {
            Some("middle") => wide / 2.0,
            Some("end") => wide,
            _ => 0.0,
        };
        let corner = (number(node, "x") - left, number(node, "y") - 0.75 * size);
        Shape { text, corner, size: (wide, 0.95 * size) }
    })
}

/// Lines as they are drawn: from where to where.
pub(crate) fn lines(svg: &str, class: &str) -> Vec<[(f64, f64); 2]> {
    of_class(svg, "line", class, |node| {
        [("x1", "y1"), ("x2", "y2")].map(|(x, y)| (number(node, x), number(node, y)))
    })
}

pub(crate) fn attributes(svg: &str, tag: &str, class: &str, name: &str) -> Vec<String> {
    of_class(svg, tag, class, |node| node.attribute(name).unwrap_or_default().to_owned())
}
