//! Forwarding by destination, or by the exit of the outermost tunnel.

use crate::world::Wire;
use seamline_wire::{NodeId, Port};

/// A table without gaps may be this long, whatever is in it: a lookup in it costs least.
const SHORT: usize = 256;
/// A longer one is without gaps when it has a route for at least one in so many destinations.
const DENSE: usize = 4;

/// A router: forwards at once, by destination. Queues belong to the links.
#[derive(Clone, Debug, Default)]
pub struct Router {
    table: Table,
    default: Option<Port>,
    /// Where its ports lead, by port. The world sets them before it runs.
    exits: Vec<Option<Wire>>,
}

/// Routes by destination. Most nodes of a large network know few others, and those have numbers far apart.
#[derive(Clone, Debug)]
enum Table {
    /// The routes of consecutive destinations.
    Dense { first: u32, routes: Vec<Option<Port>> },
    /// Routes in the order of their destinations.
    Sparse(Vec<(u32, Port)>),
}

impl Default for Table {
    fn default() -> Self {
        Table::Dense { first: 0, routes: Vec::new() }
    }
}

impl Table {
    #[inline]
    fn route(&self, destination: u32) -> Option<Port> {
        match self {
            Table::Dense { first, routes } => {
                routes.get(destination.wrapping_sub(*first) as usize).copied().flatten()
            }
            Table::Sparse(routes) => {
                let place = routes.binary_search_by_key(&destination, |(known, _)| *known).ok()?;
                Some(routes[place].1)
            }
        }
    }

    /// All routes in order.
    fn into_routes(self) -> Vec<(u32, Port)> {
        match self {
            Table::Dense { first, routes } => {
                (first..).zip(routes).filter_map(|(destination, port)| Some((destination, port?))).collect()
            }
            Table::Sparse(routes) => routes,
        }
    }

    /// Set a route where that needs no other form of the table; whether it did.
    fn set_in_place(&mut self, destination: u32, port: Option<Port>) -> bool {
        match self {
            Table::Dense { first, routes } => match routes.get_mut(destination.wrapping_sub(*first) as usize)
            {
                Some(route) => {
                    *route = port;
                    true
                }
                None => port.is_none(),
            },
            Table::Sparse(routes) => {
                match (routes.binary_search_by_key(&destination, |(known, _)| *known), port) {
                    (Ok(place), Some(port)) => routes[place].1 = port,
                    (Ok(place), None) => drop(routes.remove(place)),
                    (Err(_), None) => {}
                    (Err(_), Some(_)) => return false,
                }
                true
            }
        }
    }

    /// The form that suits these routes, which are in order.
    fn of(routes: Vec<(u32, Port)>) -> Self {
        let (Some((first, _)), Some((last, _))) = (routes.first().copied(), routes.last()) else {
            return Table::default();
        };
        let length = (last - first) as usize + 1;
        if length > SHORT.max(DENSE * routes.len()) {
            return Table::Sparse(routes);
        }
        let mut all = vec![None; length];
        routes.iter().for_each(|(destination, port)| all[(destination - first) as usize] = Some(*port));
        Table::Dense { first, routes: all }
    }
}

impl Router {
    /// A router without routes.
    pub fn new() -> Self {
        Self::default()
    }
    /// A router with these routes; of two to one destination the later counts.
    pub fn with_routes(routes: impl IntoIterator<Item = (NodeId, Port)>) -> Self {
        let routes: std::collections::BTreeMap<u32, Port> =
            routes.into_iter().map(|(destination, port)| (destination.0, port)).collect();
        Router { table: Table::of(routes.into_iter().collect()), ..Router::default() }
    }
    /// Packets to `destination` leave by `port`.
    pub fn set_route(&mut self, destination: NodeId, port: Port) {
        if self.table.set_in_place(destination.0, Some(port)) {
            return;
        }
        let mut routes = std::mem::take(&mut self.table).into_routes();
        let place = routes.partition_point(|(known, _)| *known < destination.0);
        routes.insert(place, (destination.0, port));
        self.table = Table::of(routes);
    }
    /// Packets to `destination` have no route of their own any more.
    pub fn clear_route(&mut self, destination: NodeId) {
        self.table.set_in_place(destination.0, None);
    }
    /// Packets without a route of their own leave by `port`.
    pub fn set_default(&mut self, port: Port) {
        self.default = Some(port);
    }
    /// One more than the largest destination with a route of its own.
    pub(crate) fn destinations(&self) -> usize {
        match &self.table {
            Table::Dense { routes, .. } if routes.is_empty() => 0,
            Table::Dense { first, routes } => *first as usize + routes.len(),
            Table::Sparse(routes) => routes.last().map_or(0, |(last, _)| *last as usize + 1),
        }
    }
    /// The port that leads to `destination`.
    #[inline]
    pub fn route(&self, destination: NodeId) -> Option<Port> {
        self.table.route(destination.0).or(self.default)
    }
    pub(crate) fn set_exits(&mut self, exits: impl Iterator<Item = Option<Wire>>) {
        self.exits.clear();
        self.exits.extend(exits);
    }
    /// Where the way to `destination` goes on.
    #[inline]
    pub(crate) fn exit(&self, destination: NodeId) -> Option<Wire> {
        *self.exits.get(usize::from(self.route(destination)?.0))?
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// Whatever the numbers of destinations, a table answers as a map does, and a sparse one stays small.
    #[test]
    fn routes_are_those_of_a_map() {
        for step in [1, 2, 1000] {
            let (mut router, mut map) = (Router::new(), BTreeMap::new());
            router.set_default(Port(9));
            let mut number: u32 = 7;
            for round in 0..2000_u32 {
                number = number.wrapping_mul(1_103_515_245).wrapping_add(12345);
                let destination = (number >> 16) % 500 * step;
                if round % 3 == 2 {
                    router.clear_route(NodeId(destination));
                    map.remove(&destination);
                } else {
                    router.set_route(NodeId(destination), Port(round as u16));
                    map.insert(destination, Port(round as u16));
                }
            }
            for destination in 0..501 * step {
                let expected = map.get(&destination).copied().unwrap_or(Port(9));
                assert_eq!(router.route(NodeId(destination)), Some(expected), "{destination} of step {step}");
            }
            assert_eq!(matches!(router.table, Table::Sparse(_)), step == 1000, "step {step}");
            let all = map.iter().map(|(destination, port)| (NodeId(*destination), *port));
            let again = Router::with_routes(all);
            assert!(map.iter().all(|(destination, port)| again.route(NodeId(*destination)) == Some(*port)));
        }
    }

    #[test]
    fn an_empty_table_leads_nowhere() {
        assert_eq!(Router::new().route(NodeId(0)), None);
        assert_eq!((Router::new().destinations(), Router::with_routes([]).destinations()), (0, 0));
    }
}
