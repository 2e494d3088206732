//! What nodes and radio cells are there for, by node and by cell: found once, so that a fleet is checked in time that grows with it.

use super::Scenario;
use seamline_mobility::AdvertisementConfig;
use seamline_mobility::protocol::BaseStation;
use std::collections::BTreeMap;

/// What the base stations of a mobile node must run for it.
type Asked = (BaseStation, AdvertisementConfig, Option<usize>);

/// The roles of nodes and radio cells.
#[derive(Debug, Default)]
pub(super) struct Roles<'a> {
    /// By node: the first mobile node that it is.
    pub(super) first_mobile: BTreeMap<usize, usize>,
    /// By table: how many mobile nodes it stands for.
    pub(super) mobiles_of_table: BTreeMap<usize, usize>,
    /// By node: what it is for which cell, the first one.
    pub(super) in_cells: BTreeMap<usize, (&'static str, &'a str)>,
    /// By cell: what its mobile nodes ask of its base station, each with the first that asks.
    pub(super) asked_of_cell: BTreeMap<usize, Vec<(Asked, usize)>>,
    /// By anchor: the kind of base station of each protocol in which it takes part, with the first mobile node that has it.
    spoken: BTreeMap<usize, Vec<(BaseStation, usize)>>,
}

impl<'a> Roles<'a> {
    /// Those of a scenario.
    pub(super) fn of(scenario: &'a Scenario) -> Self {
        let mut roles = Roles::default();
        for cell in &scenario.cells {
            let fixed = cell.fixed.iter().map(|node| (*node, "fixed in"));
            for (node, role) in [(cell.base_station, "the base station of")].into_iter().chain(fixed) {
                roles.in_cells.entry(node).or_insert((role, &cell.name));
            }
        }
        for (place, mobile) in scenario.mobiles.iter().enumerate() {
            roles.first_mobile.entry(mobile.node).or_insert(place);
            *roles.mobiles_of_table.entry(mobile.table).or_default() += 1;
            let Some(spec) = &mobile.protocol else { continue };
            for cell in &mobile.cells {
                add(roles.asked_of_cell.entry(*cell).or_default(), spec.at_base_stations(), place);
            }
            for node in spec.anchors() {
                add(roles.spoken.entry(node).or_default(), spec.scheme.traits.base_station, place);
            }
        }
        roles
    }

    /// The kinds of base stations of the protocols in which an anchor takes part, each with the first mobile node that has it.
    pub(super) fn spoken_at(&self, anchor: usize) -> impl Iterator<Item = &(BaseStation, usize)> {
        self.spoken.get(&anchor).into_iter().flatten()
    }
}

/// Add what has not been there yet. There are few.
fn add<T: PartialEq>(known: &mut Vec<(T, usize)>, value: T, place: usize) {
    if !known.iter().any(|(other, _)| *other == value) {
        known.push((value, place));
    }
}
