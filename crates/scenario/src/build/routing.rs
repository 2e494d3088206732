//! The routes of a world's routers.

use super::{Part, Places, TO_HOST, cells, node_id};
use crate::routes::Routes;
use crate::schema::Scenario;
use seamline_sim::{Observer, Router, World};
use std::collections::BTreeSet;

/// Set all routes.
pub(crate) fn add_routes<O: Observer>(
    scenario: &Scenario,
    routes: &Routes,
    world: &mut World<Part, O>,
    places: &Places,
) {
    for (node, router) in places.routers.iter().enumerate() {
        let Some(router) = world.router_mut(*router) else { continue };
        let others = routes.destinations(node).into_iter().filter_map(|other| {
            let hop = routes.next_hop(node, other)?;
            Some((node_id(other), places.ports.way(node, hop.way)))
        });
        *router = Router::with_routes(others.chain([(node_id(node), TO_HOST)]));
        if let Some(hop) = routes.default_hop(node) {
            router.set_default(places.ports.way(node, hop.way));
        }
    }
    for (address, at, way) in cells::further_addresses(scenario) {
        if let Some(router) = world.router_mut(places.routers[at]) {
            router.set_route(address, places.ports.way(at, way));
        }
        for node in routes.knowing(at) {
            if let (Some(router), Some(hop)) =
                (world.router_mut(places.routers[node]), routes.next_hop(node, at))
            {
                router.set_route(address, places.ports.way(node, hop.way));
            }
        }
    }
}

/// Move a mobile node without a protocol to another radio cell: the routes to it, and to what is behind it. `false` where others may
/// change, too.
pub(crate) fn change_cell<O: Observer>(
    scenario: &Scenario,
    routes: &mut Routes,
    (mobile, cell): (usize, usize),
    world: &mut World<Part, O>,
    places: &Places,
) -> bool {
    let node = scenario.mobiles[mobile].node;
    let mut knowing = routes.knowing(node);
    if !routes.change_cell(scenario, mobile, cell) {
        return false;
    }
    knowing.extend(routes.knowing(node));
    let is_outside = |node: &usize| !routes.carried(mobile).contains(node);
    let outside: BTreeSet<usize> = knowing.into_iter().filter(is_outside).collect();
    for destination in routes.carried(mobile) {
        for node in &outside {
            let Some(router) = world.router_mut(places.routers[*node]) else { continue };
            match routes.next_hop(*node, *destination) {
                Some(hop) if routes.default_hop(*node) != Some(hop) => {
                    router.set_route(node_id(*destination), places.ports.way(*node, hop.way));
                }
                _ => router.clear_route(node_id(*destination)),
            }
        }
    }
    true
}
