//! Routes against a search from each destination in the whole network.

use super::{Hop, Routes, Way, whereabouts_at_start};
use crate::Plan;
use crate::schema::{Networks, Scenario};
use proptest::prelude::*;
use seamline_recordings::measured::Direction;
use std::collections::VecDeque;
use std::fmt::Write;
use std::path::Path;

/// By destination and node: the next hop, by breadth-first search in the whole network. An anchor's hop only serves packets for its
/// mobile node and for what is behind it.
fn searched(scenario: &Scenario, whereabouts: &[usize]) -> Vec<Vec<Option<Hop>>> {
    let nodes = scenario.nodes.len();
    let mut leaving: Vec<Vec<Hop>> = vec![Vec::new(); nodes];
    for (index, link) in scenario.links.iter().enumerate() {
        leaving[link.from].push(Hop { way: Way::Link(index, Direction::Down), to: link.to });
        leaving[link.to].push(Hop { way: Way::Link(index, Direction::Up), to: link.from });
    }
    for (index, cell) in scenario.cells.iter().enumerate() {
        for fixed in &cell.fixed {
            leaving[cell.base_station].push(Hop { way: Way::Cell(index, Direction::Down), to: *fixed });
            leaving[*fixed].push(Hop { way: Way::Cell(index, Direction::Up), to: cell.base_station });
        }
    }
    for (index, mobile) in scenario.mobiles.iter().enumerate() {
        let base_station = scenario.cells[whereabouts[index]].base_station;
        leaving[mobile.node].push(Hop { way: Way::Radio(index), to: base_station });
        let (from, way) = match &mobile.protocol {
            None => (base_station, Way::Cell(whereabouts[index], Direction::Down)),
            Some(spec) => (spec.first_anchor(), Way::Anchor(index)),
        };
        leaving[from].push(Hop { way, to: mobile.node });
    }
    let networks = Networks::of(scenario);
    let behind: Vec<Vec<usize>> = scenario.mobiles.iter().map(|it| networks.behind(it.node)).collect();
    (0..nodes).map(|destination| towards(destination, &leaving, &behind)).collect()
}

fn towards(destination: usize, leaving: &[Vec<Hop>], behind: &[Vec<usize>]) -> Vec<Option<Hop>> {
    let serves = |hop: &Hop| match hop.way {
        Way::Anchor(mobile) => hop.to == destination || behind[mobile].contains(&destination),
        Way::Link(..) | Way::Cell(..) | Way::Radio(_) => true,
    };
    let mut distance = vec![usize::MAX; leaving.len()];
    distance[destination] = 0;
    let mut waiting = VecDeque::from([destination]);
    while let Some(node) = waiting.pop_front() {
        for (from, hops) in leaving.iter().enumerate() {
            if distance[from] == usize::MAX && hops.iter().any(|hop| hop.to == node && serves(hop)) {
                distance[from] = distance[node] + 1;
                waiting.push_back(from);
            }
        }
    }
    let nearer =
        |node: usize, hop: &Hop| distance[hop.to] != usize::MAX && distance[hop.to] + 1 == distance[node];
    let hop =
        |(node, hops): (usize, &Vec<Hop>)| hops.iter().copied().find(|hop| serves(hop) && nearer(node, hop));
    leaving.iter().enumerate().map(hop).collect()
}

/// Every hop of every node, and the tables of routers, which must lead to the same.
fn check(scenario: &Scenario, routes: &Routes, whereabouts: &[usize]) {
    let searched = searched(scenario, whereabouts);
    for (destination, hops) in searched.iter().enumerate() {
        let knowing = routes.knowing(destination);
        for (node, expected) in hops.iter().copied().enumerate() {
            let knows = node != destination && routes.destinations(node).contains(&destination);
            let what = format!("from {node} to {destination} of {:?}", scenario.nodes);
            assert_eq!(routes.next_hop(node, destination), expected, "{what}");
            if node != destination && !knows {
                let default = routes.default_hop(node);
                assert!(expected.is_none() || default == expected, "{what}: {default:?}");
            }
            assert_eq!(knowing.contains(&node), knows, "{what}: who knows");
        }
    }
}

/// A network of so many nodes and links between them at random, of which some are base stations of cells, with fixed and mobile nodes.
/// Hosts hang on mobile nodes, sometimes two in a row; sometimes a mobile node is also linked to the rest.
fn network(nodes: usize, links: &[(usize, usize)], cells: usize, mobiles: &[(usize, usize)]) -> String {
    let mut names: Vec<String> = (0..nodes).map(|node| format!("n{node}")).collect();
    let mut links: Vec<(String, String)> =
        links.iter().map(|(a, b)| (format!("n{}", a % nodes), format!("n{}", b % nodes))).collect();
    links.push(("n0".to_owned(), "n1".to_owned()));
    let mut text = String::new();
    for cell in 0..cells {
        let fixed = format!("fixed{cell}");
        let _ = write!(
            text,
            "\n[[cell]]\nname = \"c{cell}\"\nbase_station = \"n{}\"\nfixed = \"{fixed}\"\nrate = \"1 Mbit/s\"\none_way_delay = \"1 ms\"\n",
            cell + 1
        );
        names.push(fixed);
    }
    for (mobile, (kind, behind)) in mobiles.iter().enumerate() {
        let own: Vec<String> = (0..cells).map(|cell| format!("c{}", (cell + mobile) % cells)).collect();
        let protocol = ["none", "nemo\", home_agent = \"n0", "none", "nemo\", home_agent = \"n2"][kind % 4];
        let _ = write!(
            text,
            "\n[[mobile]]\nname = \"m{mobile}\"\ncells = {own:?}\nmovement = {{ every = \"1 s\" }}\nprotocol = {{ kind = \"{protocol}\" }}\n"
        );
        names.push(format!("m{mobile}"));
        let mut last = format!("m{mobile}");
        for host in 0..behind % 4 {
            let name = format!("m{mobile}h{host}");
            links.push((last.clone(), name.clone()));
            last.clone_from(&name);
            names.push(name);
        }
        if behind % 7 == 6 {
            links.push((last, if behind % 2 == 0 { "n0".to_owned() } else { format!("m{mobile}") }));
        }
    }
    let mut file = format!("duration = \"5 s\"\nnodes = {names:?}\n{text}");
    for (number, (from, to)) in links.iter().filter(|(from, to)| from != to).enumerate() {
        let _ = write!(
            file,
            "\n[[link]]\nname = \"l{number}\"\nfrom = \"{from}\"\nto = \"{to}\"\nrate = \"1 Mbit/s\"\none_way_delay = \"1 ms\"\n"
        );
    }
    file + "\n[[flow]]\nname = \"f\"\nfrom = \"n0\"\nto = \"n1\"\nvariant = \"reno\"\n"
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    #[test]
    fn they_are_those_of_a_search_in_the_whole_network(
        nodes in 4_usize..9,
        links in prop::collection::vec((0_usize..9, 0_usize..9), 0..14),
        cells in 1_usize..4,
        mobiles in prop::collection::vec((0_usize..4, 0_usize..21), 0..4),
        moves in prop::collection::vec((0_usize..4, 0_usize..4), 0..5),
    ) {
        let text = network(nodes, &links, cells, &mobiles);
        // Networks in which something cannot be reached are refused; others are for this test.
        if let Ok(plan) = Plan::new(Path::new("test.toml"), text, &[]) {
            let scenario = &plan.cells[0].scenario;
            let mut whereabouts = whereabouts_at_start(scenario);
            let mut routes = Routes::of(scenario, &whereabouts);
            check(scenario, &routes, &whereabouts);
            for (mobile, cell) in moves.iter().filter(|_| !mobiles.is_empty()) {
                let (mobile, cell) = (mobile % mobiles.len(), cell % cells);
                whereabouts[mobile] = cell;
                if routes.change_cell(scenario, mobile, cell) {
                    check(scenario, &routes, &whereabouts);
                } else {
                    routes = Routes::of(scenario, &whereabouts);
                }
            }
        }
    }
}
