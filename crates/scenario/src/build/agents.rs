//! Agents between a router and its link or radio cell.

use super::{Part, Places};
use crate::schema::{AgentPlace, Scenario};
use seamline_agent::{WIRED, WIRELESS};
use seamline_sim::{ElementId, Observer, World};
use seamline_wire::Port;

/// A port of an element.
pub(super) type End = (ElementId, Port);

/// The agents at a position, in order from the wired side.
fn agents_at(scenario: &Scenario, places: &Places, at: AgentPlace) -> Vec<ElementId> {
    let agents = scenario.agents.iter().zip(&places.agents);
    agents.filter(|(spec, _)| spec.at == at).filter_map(|(_, element)| *element).collect()
}

pub(super) fn add<O: Observer>(scenario: &Scenario, world: &mut World<Part, O>, places: &Places) {
    for (spec, place) in scenario.agents.iter().zip(&places.agents) {
        let Some(kind) = spec.kind else { continue };
        let element = world.add(Part::Agent(kind.build(&spec.parameters)));
        debug_assert_eq!(Some(element), *place);
    }
}

/// Insert the agents of a position between the wireless side (`below`) and the wired side (`above`); returns the
/// entry ports for downward and upward packets.
pub(super) fn insert<O: Observer>(
    scenario: &Scenario,
    world: &mut World<Part, O>,
    places: &Places,
    at: AgentPlace,
    [below, above]: [End; 2],
) -> [End; 2] {
    let (mut enter_downwards, mut enter_upwards) = (below, None);
    let mut leave_upwards = None;
    for agent in agents_at(scenario, places, at).into_iter().rev() {
        world.connect(agent, WIRELESS, enter_downwards.0, enter_downwards.1);
        enter_downwards = (agent, WIRED);
        enter_upwards.get_or_insert((agent, WIRELESS));
        if let Some(nearer_to_the_air) = leave_upwards.replace(agent) {
            world.connect(nearer_to_the_air, WIRED, agent, WIRELESS);
        }
    }
    if let Some(last) = leave_upwards {
        world.connect(last, WIRED, above.0, above.1);
    }
    [enter_downwards, enter_upwards.unwrap_or(above)]
}
