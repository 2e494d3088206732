//! The picture of a network: each node once, labels apart, flows from sender to receiver.

use crate::svg_shapes::{self, Shape, lines, overlapping, rects, texts};
use seamline_report::picture::topology::{Flow, MOST_NODES, Medium, Node, Topology, Way, topology};

fn node(name: &str, roles: &[&str]) -> Node {
    let roles = roles.iter().map(|role| (*role).to_owned()).collect();
    Node { name: name.to_owned(), roles, is_mobile: false }
}

fn link(ends: [usize; 2], label: &str) -> Way {
    Way { ends, medium: Medium::Link, label: vec![label.to_owned()] }
}

fn flow(ends: [usize; 2]) -> Flow {
    Flow { name: "ftp: newreno".to_owned(), ends }
}

/// A sender, a router, base stations, and a mobile node in the cells of all of them.
fn roaming(base_stations: usize) -> Topology {
    let mut nodes = vec![node("cn", &["sender"]), node("router", &["home agent"])];
    let mut ways = vec![link([0, 1], "100 Mbit/s, 50 ms")];
    let mobile = 2 + base_stations;
    for station in 0..base_stations {
        nodes.push(node(&format!("bs{station}"), &["base station", "agent: snoop"]));
        ways.push(link([1, 2 + station], "10 Mbit/s, 3 ms"));
        let label = vec!["to nodes: 2 Mbit/s, 5 ms".to_owned(), "to base station: 1 Mbit/s, 5 ms".to_owned()];
        ways.push(Way { ends: [2 + station, mobile], medium: Medium::Air, label });
    }
    nodes.push(Node { is_mobile: true, ..node("mn", &["receiver"]) });
    Topology { nodes, ways, flows: vec![flow([0, mobile])], remark: String::new() }
}

/// Nodes one behind the other, each with a name of its own.
fn chain(count: usize) -> Topology {
    let nodes = (0..count).map(|place| node(&format!("node {place}"), &[&format!("role {place}")])).collect();
    let ways = (1..count).map(|place| link([place - 1, place], "1 Gbit/s, 1 ms")).collect();
    Topology { nodes, ways, flows: vec![flow([0, count - 1]), flow([count - 1, 0])], remark: String::new() }
}

fn is_sound(network: &Topology) {
    let picture = topology(network, "Network").unwrap();
    let boxes = rects(&picture.svg, "node");
    assert_eq!(boxes.len(), network.nodes.len(), "each node once");
    let names = texts(&picture.svg, "label");
    for (node, (shape, frame)) in network.nodes.iter().zip(names.iter().zip(&boxes)) {
        assert_eq!(shape.text, node.name);
        assert!(frame.contains(shape), "{} is in its box: {shape:?} {frame:?}", node.name);
    }
    let labels = texts(&picture.svg, "way-label");
    assert_eq!(labels.len(), network.ways.iter().map(|way| way.label.len()).sum::<usize>());
    let all: Vec<Shape> = boxes.iter().chain(&labels).chain(&texts(&picture.svg, "flow")).cloned().collect();
    assert_eq!(overlapping(&all), None);
    let arrows = lines(&picture.svg, "arrow");
    assert_eq!(arrows.len(), network.flows.len());
    for (flow, [from, to]) in network.flows.iter().zip(arrows) {
        let [sender, receiver] = flow.ends.map(|node| boxes[node].middle().0);
        assert!((from.0 - sender).abs() < 0.1 && (to.0 - receiver).abs() < 0.1, "{from:?} {to:?}");
    }
}

#[test]
fn nodes_stand_once_and_labels_apart() {
    for stations in 1..=6 {
        is_sound(&roaming(stations));
    }
    for count in 2..=MOST_NODES {
        is_sound(&chain(count));
    }
}

/// Parallel links, and links within a column, between neighbours and around what is between them.
#[test]
fn every_way_has_its_own_line() {
    let mut network = roaming(3);
    network.ways.push(link([0, 1], "20 Mbit/s, 10 ms"));
    network.ways.push(link([2, 3], "1 Gbit/s, 1 ms"));
    network.ways.push(link([2, 4], "1 Gbit/s, 2 ms"));
    is_sound(&network);
    let svg = topology(&network, "Network").unwrap().svg;
    let mut paths = svg_shapes::attributes(&svg, "path", "way", "d");
    assert_eq!(paths.len(), network.ways.len());
    paths.sort();
    paths.dedup();
    assert_eq!(paths.len(), network.ways.len(), "no two coincide");
}

#[test]
fn many_nodes_that_are_alike_are_one() {
    let mut network = chain(3);
    network.flows = Vec::new();
    for number in 1..=200 {
        network.nodes.push(node(&format!("host-{number}"), &["sender"]));
        network.ways.push(link([0, 2 + number], "10 Mbit/s, 1 ms"));
        network.flows.push(flow([2 + number, 2]));
    }
    let picture = topology(&network, "Network").unwrap();
    assert_eq!(rects(&picture.svg, "node").len(), 4);
    let names: Vec<String> = texts(&picture.svg, "label").into_iter().map(|shape| shape.text).collect();
    assert!(names.contains(&"host-1 … host-200 (200)".to_owned()), "{names:?}");
    assert!(picture.caption.contains("203 in all"), "{}", picture.caption);
    // One that has another link is not alike.
    network.ways[150].label = vec!["1 Mbit/s, 1 ms".to_owned()];
    assert_eq!(rects(&topology(&network, "Network").unwrap().svg, "node").len(), 5);
}

#[test]
fn too_many_different_nodes_are_not_drawn_and_the_page_says_so() {
    let reason = topology(&chain(MOST_NODES + 1), "Network").unwrap_err();
    assert!(reason.contains("13 nodes 13 differ"), "{reason}");
}
