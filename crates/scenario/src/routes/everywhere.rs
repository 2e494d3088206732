//! Routes wherever mobile nodes may be.

use super::{Hop, Routes, whereabouts_at_start};
use crate::schema::{Networks, Scenario};
use std::cell::{Ref, RefCell};

/// The routes of a scenario with its mobile nodes in each of their radio cells.
#[derive(Debug)]
pub struct Everywhere<'a> {
    scenario: &'a Scenario,
    /// Those at the start; a mobile node is moved and moved back.
    routes: RefCell<Routes>,
    /// With each mobile node elsewhere whose moves change more than routes to it.
    further: Vec<Routes>,
    /// By node: the index of the mobile node that it is.
    mobiles: Vec<Option<usize>>,
    networks: Networks,
}

impl<'a> Everywhere<'a> {
    /// The routes of a scenario.
    pub fn of(scenario: &'a Scenario) -> Self {
        let start = whereabouts_at_start(scenario);
        let routes = Routes::of(scenario, &start);
        let mut mobiles = vec![None; scenario.nodes.len()];
        let mut further = Vec::new();
        for (index, mobile) in scenario.mobiles.iter().enumerate() {
            mobiles[mobile.node] = Some(index);
            for cell in mobile.cells[1..].iter().filter(|_| !routes.moves_alone(index)) {
                let mut whereabouts = start.clone();
                whereabouts[index] = *cell;
                further.push(Routes::of(scenario, &whereabouts));
            }
        }
        Everywhere {
            scenario,
            routes: RefCell::new(routes),
            further,
            mobiles,
            networks: Networks::of(scenario),
        }
    }

    /// What is behind mobile nodes.
    pub fn networks(&self) -> &Networks {
        &self.networks
    }

    /// The routes at the start.
    pub fn at_start(&self) -> Ref<'_, Routes> {
        self.routes.borrow()
    }

    /// Whether a condition holds for the routes between two nodes anywhere: at the start, with the mobile node of either of them in each
    /// other of its radio cells, and where both are mobile, with both in each other of theirs.
    pub fn any(&self, [from, to]: [usize; 2], mut holds: impl FnMut(&Routes) -> bool) -> bool {
        if holds(&self.routes.borrow()) || self.further.iter().any(&mut holds) {
            return true;
        }
        let carriers = [from, to].map(|end| self.routes.borrow().carried_by[end]);
        let carriers: Vec<usize> = carriers.into_iter().flatten().collect();
        let both = [from, to].map(|end| self.mobiles[end]);
        let elsewhere = |mobile: usize| self.scenario.mobiles[mobile].cells[1..].iter().copied();
        let moved = carriers
            .iter()
            .any(|mobile| elsewhere(*mobile).any(|cell| self.with(&[(*mobile, cell)], &mut holds)));
        moved
            || matches!(both, [Some(one), Some(other)] if elsewhere(one).any(|cell| {
                elsewhere(other).any(|there| self.with(&[(one, cell), (other, there)], &mut holds))
            }))
    }

    /// All hops of the paths between two nodes, in this direction.
    pub fn for_each_hop(&self, [from, to]: [usize; 2], mut look: impl FnMut(Hop)) {
        self.any([from, to], |routes| {
            routes.path(from, to).into_iter().for_each(&mut look);
            false
        });
    }

    fn with(&self, moved: &[(usize, usize)], holds: &mut impl FnMut(&Routes) -> bool) -> bool {
        if !moved.iter().all(|(mobile, _)| self.routes.borrow().moves_alone(*mobile)) {
            let mut whereabouts = whereabouts_at_start(self.scenario);
            moved.iter().for_each(|(mobile, cell)| whereabouts[*mobile] = *cell);
            return holds(&Routes::of(self.scenario, &whereabouts));
        }
        let place = |cells: &[(usize, usize)]| {
            for (mobile, cell) in cells {
                self.routes.borrow_mut().change_cell(self.scenario, *mobile, *cell);
            }
        };
        place(moved);
        let found = holds(&self.routes.borrow());
        let back: Vec<(usize, usize)> =
            moved.iter().map(|(mobile, _)| (*mobile, self.scenario.mobiles[*mobile].cells[0])).collect();
        place(&back);
        found
    }
}
