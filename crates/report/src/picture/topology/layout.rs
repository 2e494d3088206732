//! Where the nodes of a network stand: in columns by the number of hops from the first sender, so that a way joins neighbouring
//! columns or runs within one; and where the labels of ways fit. The same network has the same layout.

use super::{LINE, Topology};
use crate::picture::svg::{TEXT, width_of};
use std::collections::VecDeque;

/// A rectangle.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Rect {
    /// Its upper left corner.
    pub(super) corner: (f64, f64),
    pub(super) size: (f64, f64),
}

impl Rect {
    fn around(middle: (f64, f64), size: (f64, f64)) -> Self {
        Rect { corner: (middle.0 - size.0 / 2.0, middle.1 - size.1 / 2.0), size }
    }
    pub(super) fn middle(self) -> (f64, f64) {
        (self.corner.0 + self.size.0 / 2.0, self.corner.1 + self.size.1 / 2.0)
    }
    fn meets(self, other: Rect) -> bool {
        let apart = |a: f64, wide_a: f64, b: f64, wide_b: f64| a + wide_a <= b || b + wide_b <= a;
        !apart(self.corner.0, self.size.0, other.corner.0, other.size.0)
            && !apart(self.corner.1, self.size.1, other.corner.1, other.size.1)
    }
    fn holds(self, (x, y): (f64, f64)) -> bool {
        let (right, below) = (self.corner.0 + self.size.0, self.corner.1 + self.size.1);
        (self.corner.0..right).contains(&x) && (self.corner.1..below).contains(&y)
    }
}

/// The place of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct NodeBox {
    pub(super) frame: Rect,
    column: usize,
    row: usize,
}

/// The places of everything.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    pub(super) nodes: Vec<NodeBox>,
    /// By way: the corners of its line.
    pub(super) routes: Vec<Vec<(f64, f64)>>,
    /// By way: where its label is.
    pub(super) labels: Vec<Rect>,
    pub(super) size: (f64, f64),
}

/// Space between rows at first, and how often it grows until all labels fit.
const ROW_GAP: f64 = 34.0;
const ATTEMPTS: u32 = 7;
/// Space between parallel ways.
const PARALLEL: f64 = 40.0;

impl Layout {
    /// A layout in which no label lies on a node or on another label; `None` when none is found.
    pub(super) fn of(network: &Topology) -> Option<Layout> {
        let columns = ordered(network, columns(network));
        (0..ATTEMPTS).find_map(|attempt| {
            let mut layout = placed(network, &columns, libm::pow(1.35, f64::from(attempt)));
            layout.routes = (0..network.ways.len()).map(|way| route(network, &layout.nodes, way)).collect();
            layout.labels = labels(network, &layout)?;
            Some(layout)
        })
    }
}

/// The nodes of each column, by breadth-first search from the first sender; nodes that nothing joins to it begin another.
fn columns(network: &Topology) -> Vec<Vec<usize>> {
    let count = network.nodes.len();
    let mut depth = vec![None; count];
    let first = network.flows.first().map_or(0, |flow| flow.ends[0]);
    for start in std::iter::once(first).chain(0..count) {
        if start >= count || depth[start].is_some() {
            continue;
        }
        depth[start] = Some(0);
        let mut waiting = VecDeque::from([start]);
        while let Some(node) = waiting.pop_front() {
            for other in neighbours(network, node) {
                if depth[other].is_none() {
                    depth[other] = depth[node].map(|depth: usize| depth + 1);
                    waiting.push_back(other);
                }
            }
        }
    }
    let deepest = depth.iter().flatten().max().map_or(0, |deepest| deepest + 1);
    (0..deepest).map(|column| (0..count).filter(|node| depth[*node] == Some(column)).collect()).collect()
}

fn neighbours(network: &Topology, node: usize) -> impl Iterator<Item = usize> + '_ {
    network.ways.iter().filter_map(move |way| match way.ends {
        [one, other] if one == node => Some(other),
        [other, one] if one == node => Some(other),
        _ => None,
    })
}

/// The nodes of each column from above to below: each near the mean of its neighbours, which keeps crossings few.
fn ordered(network: &Topology, mut columns: Vec<Vec<usize>>) -> Vec<Vec<usize>> {
    let mut height = vec![0.0; network.nodes.len()];
    let stand = |column: &[usize], height: &mut [f64]| {
        for (row, node) in column.iter().enumerate() {
            height[*node] = row as f64 - (column.len() as f64 - 1.0) / 2.0;
        }
    };
    columns.iter().for_each(|column| stand(column, &mut height));
    let there = 0..columns.len();
    for column in there.clone().chain(there.clone().rev()).chain(there) {
        let wanted = |node: usize| {
            let near: Vec<f64> = neighbours(network, node).map(|other| height[other]).collect();
            if near.is_empty() { height[node] } else { near.iter().sum::<f64>() / near.len() as f64 }
        };
        let mut keyed: Vec<(f64, usize)> =
            columns[column].iter().map(|node| (wanted(*node), *node)).collect();
        keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
        columns[column] = keyed.into_iter().map(|(_, node)| node).collect();
        stand(&columns[column], &mut height);
    }
    columns
}

fn placed(network: &Topology, columns: &[Vec<usize>], stretch: f64) -> Layout {
    let mut nodes = vec![NodeBox::default(); network.nodes.len()];
    let gap = ROW_GAP * stretch;
    let height = |column: &Vec<usize>| {
        let nodes: f64 = column.iter().map(|node| size_of_node(network, *node).1).sum();
        nodes + gap * (column.len() as f64 - 1.0)
    };
    let tallest = columns.iter().map(height).fold(0.0, f64::max);
    // Labels of outer ways may stand above and below the nodes.
    let whole = tallest + 2.0 * gap;
    let mut x = 0.0;
    for (place, column) in columns.iter().enumerate() {
        let wide = column.iter().map(|node| size_of_node(network, *node).0).fold(0.0, f64::max);
        let mut y = (whole - height(column)) / 2.0;
        for (row, node) in column.iter().enumerate() {
            let size = size_of_node(network, *node);
            let corner = (x + (wide - size.0) / 2.0, y);
            nodes[*node] = NodeBox { frame: Rect { corner, size }, column: place, row };
            y += size.1 + gap;
        }
        x += wide + column_gap(network, columns, place) * stretch.min(1.6);
    }
    Layout { nodes, routes: Vec::new(), labels: Vec::new(), size: (x, whole) }
}

/// Space behind a column: for the labels of the ways to the next one, and of those within it.
fn column_gap(network: &Topology, columns: &[Vec<usize>], place: usize) -> f64 {
    let empty = Vec::new();
    let (own, next) = (&columns[place], columns.get(place + 1).unwrap_or(&empty));
    let passes = |ends: [usize; 2]| {
        let crosses = |a: usize, b: usize| own.contains(&a) && (next.contains(&b) || own.contains(&b));
        crosses(ends[0], ends[1]) || crosses(ends[1], ends[0])
    };
    let such: Vec<f64> =
        network.ways.iter().filter(|way| passes(way.ends)).map(|way| size_of_label(&way.label).0).collect();
    // Ways that fan out leave room for a label between them only where they have parted.
    let fan = 30.0 + 30.0 * (such.len().min(4) as f64 - 1.0).max(0.0);
    such.iter().map(|label| label + fan).fold(if next.is_empty() { 0.0 } else { 70.0 }, f64::max)
}

fn size_of_node(network: &Topology, node: usize) -> (f64, f64) {
    let it = &network.nodes[node];
    let name = width_of(&it.name, TEXT) * 1.08;
    let wide = it.roles.iter().map(|role| width_of(role, 11.0)).fold(name, f64::max);
    let most = (0..network.ways.len()).map(|way| parallel(network, way).1).zip(&network.ways);
    let most = most.filter(|(_, way)| way.ends.contains(&node)).map(|(count, _)| count).max().unwrap_or(1);
    let lines = LINE * (1.0 + it.roles.len() as f64) + 12.0;
    (wide + 20.0, lines.max(PARALLEL * (most as f64 - 1.0) + 16.0))
}

fn size_of_label(lines: &[String]) -> (f64, f64) {
    let wide = lines.iter().map(|line| width_of(line, 11.0)).fold(0.0, f64::max);
    (wide, LINE * lines.len() as f64)
}

/// The place of a way among those between the same nodes, and how many there are.
fn parallel(network: &Topology, way: usize) -> (usize, usize) {
    let [a, b] = network.ways[way].ends;
    let same = |place: &usize| {
        let ends = network.ways[*place].ends;
        ends == [a, b] || ends == [b, a]
    };
    ((0..way).filter(same).count(), (0..network.ways.len()).filter(same).count())
}

/// From side to side between neighbouring columns; straight between neighbours in a column, else around what is between them.
fn route(network: &Topology, nodes: &[NodeBox], way: usize) -> Vec<(f64, f64)> {
    let [mut a, mut b] = network.ways[way].ends.map(|node| nodes[node]);
    if (a.column, a.row) > (b.column, b.row) {
        (a, b) = (b, a);
    }
    let (place, count) = parallel(network, way);
    let aside = PARALLEL * (place as f64 - (count as f64 - 1.0) / 2.0);
    let right = |node: NodeBox| (node.frame.corner.0 + node.frame.size.0, node.frame.middle().1 + aside);
    if a.column != b.column {
        return vec![right(a), (b.frame.corner.0, b.frame.middle().1 + aside)];
    }
    if b.row == a.row + 1 && count == 1 {
        let foot = (a.frame.middle().0, a.frame.corner.1 + a.frame.size.1);
        return vec![foot, (b.frame.middle().0, b.frame.corner.1)];
    }
    let column = nodes.iter().filter(|node| node.column == a.column);
    let around = column.map(|node| right(*node).0).fold(0.0, f64::max) + 14.0 + 8.0 * place as f64;
    let (from, to) = (right(a), right(b));
    vec![from, (around, from.1), (around, to.1), to]
}

/// The labels, one after the other where they cross the fewest lines. `None` when one fits nowhere.
fn labels(network: &Topology, layout: &Layout) -> Option<Vec<Rect>> {
    let mut taken: Vec<Rect> = layout.nodes.iter().map(|node| node.frame).collect();
    let nodes = taken.len();
    for (place, way) in network.ways.iter().enumerate() {
        let size = size_of_label(&way.label);
        let fits = |label: &Rect| {
            let wide = Rect::around(label.middle(), (label.size.0 + 6.0, label.size.1 + 2.0));
            let inside = label.corner.0 >= 0.0
                && label.corner.1 >= 0.0
                && label.corner.0 + size.0 <= layout.size.0
                && label.corner.1 + size.1 <= layout.size.1;
            inside && !taken.iter().any(|other| wide.meets(*other))
        };
        let best = candidates(&layout.routes[place], size).filter(fits);
        let best =
            best.min_by_key(|label| layout.routes.iter().filter(|route| crosses(route, *label)).count())?;
        taken.push(best);
    }
    Some(taken.split_off(nodes))
}

/// Next to the longest piece of a line: its middle first, then towards the ends.
fn candidates(route: &[(f64, f64)], size: (f64, f64)) -> impl Iterator<Item = Rect> + use<> {
    let long = |pair: &&[(f64, f64)]| libm::hypot(pair[1].0 - pair[0].0, pair[1].1 - pair[0].1);
    let longest = route.windows(2).max_by(|a, b| long(a).total_cmp(&long(b)));
    let (from, to) = longest.map_or(((0.0, 0.0), (0.0, 0.0)), |pair| (pair[0], pair[1]));
    let length = libm::hypot(to.0 - from.0, to.1 - from.1).max(0.01);
    let normal = ((to.1 - from.1) / length, (from.0 - to.0) / length);
    let far = size.0 / 2.0 * normal.0.abs() + size.1 / 2.0 * normal.1.abs() + 4.0;
    let along = [0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74, 0.18, 0.82];
    let sides = if normal.1 > 0.0 { [-far, far] } else { [far, -far] };
    along.into_iter().flat_map(move |t| {
        let (x, y) = (from.0 + t * (to.0 - from.0), from.1 + t * (to.1 - from.1));
        sides.map(|side| Rect::around((x + side * normal.0, y + side * normal.1), size))
    })
}

/// Whether a line passes under a label.
fn crosses(route: &[(f64, f64)], label: Rect) -> bool {
    route.windows(2).any(|pair| {
        let (from, to) = (pair[0], pair[1]);
        (0..=40).any(|step| {
            let t = f64::from(step) / 40.0;
            label.holds((from.0 + t * (to.0 - from.0), from.1 + t * (to.1 - from.1)))
        })
    })
}
