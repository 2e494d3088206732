//! The network of a scenario: its nodes, what joins them, what stands at them, and who sends what to whom.

mod alike;
mod layout;

use super::Picture;
use super::frame::titled;
use super::svg::{Anchor, FAINT, Svg, TEXT, px, width_of};
use layout::{Layout, NodeBox, Rect};

/// With more nodes, those that are alike are drawn as one.
pub const MOST_NODES: usize = 12;
/// So many flows are drawn.
const MOST_FLOWS: usize = 8;

/// A network.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Topology {
    /// Its nodes.
    pub nodes: Vec<Node>,
    /// What joins them.
    pub ways: Vec<Way>,
    /// Who sends what to whom.
    pub flows: Vec<Flow>,
    /// A sentence about what the picture leaves out or takes together.
    pub remark: String,
}

/// A node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Node {
    /// Its name.
    pub name: String,
    /// What it is and what stands at it, a line each: `base station of home`, `agent: snoop`.
    pub roles: Vec<String>,
    /// Whether it moves between radio cells.
    pub is_mobile: bool,
}

/// What joins two nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    /// The nodes.
    pub ends: [usize; 2],
    /// What it is.
    pub medium: Medium,
    /// Its rate and its one-way delay, a line each direction if they differ.
    pub label: Vec<String>,
}

/// What a way is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Medium {
    /// A link.
    Link,
    /// The air of a radio cell.
    Air,
}

/// Who sends to whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flow {
    /// Its name, with its TCP.
    pub name: String,
    /// Its sender and its receiver.
    pub ends: [usize; 2],
}

/// The picture; or a sentence that says why there is none.
///
/// # Errors
/// When the network has too many nodes that differ, or its labels do not fit.
pub fn topology(network: &Topology, title: &str) -> Result<Picture, String> {
    let drawn = if network.nodes.len() > MOST_NODES { alike::merged(network) } else { network.clone() };
    if drawn.nodes.len() > MOST_NODES {
        return Err(format!(
            "The network is not drawn: of its {} nodes {} differ, and at most {MOST_NODES} fit.",
            network.nodes.len(),
            drawn.nodes.len()
        ));
    }
    if drawn.ways.iter().any(|way| way.ends[0] == way.ends[1]) {
        return Err("The network is not drawn: nodes that are alike are joined to each other.".to_owned());
    }
    let layout = Layout::of(&drawn).ok_or("The network is not drawn: its labels do not fit.")?;
    Ok(Picture { name: "network".to_owned(), svg: draw(&drawn, &layout, title), caption: caption(&drawn) })
}

fn caption(network: &Topology) -> String {
    let mut caption = "Each way is labelled with its rate and its one-way delay.".to_owned();
    if network.ways.iter().any(|way| way.medium == Medium::Air) {
        caption += " A mobile node uses one radio cell at a time.";
    }
    if let rest @ 1.. = network.flows.len().saturating_sub(MOST_FLOWS) {
        caption += &format!(" {rest} more flows are not drawn.");
    }
    if !network.remark.is_empty() {
        caption += &format!(" {}", network.remark);
    }
    caption
}

/// The height of the heading.
const ABOVE: f64 = 56.0;
const MARGIN: f64 = 16.0;
const FLOW_ROW: f64 = 34.0;
const LINE: f64 = 15.0;
const AXIS: &str = "stroke=\"#1f2430\" fill=\"none\"";

fn draw(network: &Topology, layout: &Layout, title: &str) -> String {
    let flows = &network.flows[..network.flows.len().min(MOST_FLOWS)];
    let width = (layout.size.0 + 2.0 * MARGIN).max(480.0);
    let left = (width - layout.size.0) / 2.0;
    let below = ABOVE + layout.size.1 + 14.0;
    let height = below + FLOW_ROW * flows.len() as f64 + 34.0;
    let remark = "rate and one-way delay of each way; arrows: flows, from sender to receiver";
    let mut svg = titled(width, height, title, remark);
    let at = |(x, y): (f64, f64)| (x + left, y + ABOVE);
    for (way, route) in network.ways.iter().zip(&layout.routes) {
        let style = match way.medium {
            Medium::Link => format!("class=\"axis way\" {AXIS} stroke-width=\"1.6\""),
            Medium::Air => format!("class=\"axis way\" {AXIS} stroke-width=\"1.6\" stroke-dasharray=\"2 5\""),
        };
        svg.path(route.iter().copied().map(at), &style);
    }
    for (node, place) in network.nodes.iter().zip(&layout.nodes) {
        draw_node(&mut svg, node, *place, at(place.frame.corner));
    }
    for (way, label) in network.ways.iter().zip(&layout.labels) {
        draw_label(&mut svg, &way.label, *label, at(label.middle()));
    }
    for (row, flow) in flows.iter().enumerate() {
        let y = below + FLOW_ROW * (row as f64 + 1.0) - 8.0;
        let [from, to] = flow.ends.map(|node| at(layout.nodes[node].frame.middle()).0);
        draw_flow(&mut svg, flow, (from, to), y);
    }
    legend(&mut svg, network, height - 16.0);
    svg.finish()
}

fn draw_node(svg: &mut Svg, node: &Node, place: NodeBox, corner: (f64, f64)) {
    let corners = if node.is_mobile { " rx=\"14\"" } else { "" };
    let style = format!(
        "class=\"ground axis node\" fill=\"#ffffff\" stroke=\"#1f2430\" stroke-width=\"1.4\"{corners}"
    );
    svg.rect(corner, place.frame.size, &style);
    let x = corner.0 + place.frame.size.0 / 2.0;
    let lines = 1.0 + node.roles.len() as f64;
    let first = corner.1 + (place.frame.size.1 - LINE * lines) / 2.0 + 12.0;
    svg.text((x, first), Anchor::Middle, &node.name, "class=\"label\" font-weight=\"bold\"");
    for (row, role) in node.roles.iter().enumerate() {
        let y = first + LINE * (row as f64 + 1.0);
        svg.text((x, y), Anchor::Middle, role, &format!("class=\"faint\" fill=\"{FAINT}\" font-size=\"11\""));
    }
}

fn draw_label(svg: &mut Svg, lines: &[String], label: Rect, middle: (f64, f64)) {
    let first = middle.1 - label.size.1 / 2.0 + 11.0;
    for (row, line) in lines.iter().enumerate() {
        let y = first + LINE * row as f64;
        svg.text((middle.0, y), Anchor::Middle, line, "class=\"way-label\" font-size=\"11\"");
    }
}

/// From the sender's column to the receiver's; where both are in one column, the arrow is short.
fn draw_flow(svg: &mut Svg, flow: &Flow, (from, to): (f64, f64), y: f64) {
    let to = if (to - from).abs() < 1.0 { from + 60.0 } else { to };
    arrow(svg, (from, y), (to, y), 0);
    svg.circle((from, y), 3.5, &super::style::fill(0));
    let half = width_of(&flow.name, TEXT) / 2.0;
    let room = (half + 8.0, (svg.width() - half - 8.0).max(half + 8.0));
    let x = f64::midpoint(from, to).clamp(room.0, room.1);
    svg.text((x, y - 7.0), Anchor::Middle, &flow.name, "class=\"flow\"");
}

/// A line with a head at its end, as the `n`-th of several.
pub(super) fn arrow(svg: &mut Svg, from: (f64, f64), to: (f64, f64), n: usize) {
    svg.line(from, to, &super::style::stroke_of(n, "series arrow", "2"));
    head(svg, from, to, n);
}

/// The head of an arrow that comes from there.
pub(super) fn head(svg: &mut Svg, from: (f64, f64), to: (f64, f64), n: usize) {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = libm::hypot(dx, dy).max(0.01);
    let (dx, dy) = (dx / length, dy / length);
    let back = (to.0 - 9.0 * dx, to.1 - 9.0 * dy);
    let [(ax, ay), (bx, by)] = [4.0, -4.0].map(|side| (back.0 - side * dy, back.1 + side * dx));
    let [tx, ty, ax, ay, bx, by] = [to.0, to.1, ax, ay, bx, by].map(px);
    svg.data(&format!("M{tx} {ty}L{ax} {ay}L{bx} {by}Z"), &super::style::fill(n));
}

fn legend(svg: &mut Svg, network: &Topology, y: f64) {
    let mut x = MARGIN;
    let has = |medium| network.ways.iter().any(|way| way.medium == medium);
    let entries =
        [(has(Medium::Link), "link", ""), (has(Medium::Air), "radio cell", " stroke-dasharray=\"2 5\"")];
    for (_, name, dashes) in entries.into_iter().filter(|(shown, ..)| *shown) {
        svg.line((x, y), (x + 26.0, y), &format!("class=\"axis\" {AXIS} stroke-width=\"1.6\"{dashes}"));
        svg.text((x + 34.0, y + 4.0), Anchor::Start, name, "");
        x += 52.0 + width_of(name, TEXT);
    }
    if !network.flows.is_empty() {
        svg.circle((x + 2.0, y), 3.5, &super::style::fill(0));
        svg.line((x, y), (x + 26.0, y), &super::style::stroke(0));
        head(svg, (x, y), (x + 28.0, y), 0);
        svg.text((x + 36.0, y + 4.0), Anchor::Start, "flow", "");
        x += 54.0 + width_of("flow", TEXT);
    }
    if network.nodes.iter().any(|node| node.is_mobile) {
        svg.rect((x, y - 7.0), (26.0, 14.0), &format!("class=\"axis\" {AXIS} stroke-width=\"1.4\" rx=\"7\""));
        svg.text((x + 34.0, y + 4.0), Anchor::Start, "mobile node", "");
    }
}
