//! Which agents of a scenario a command can replace, and which nodes are on each side of it.

use crate::run::LabError;
use seamline_scenario::schema::{AgentPlace, AgentSpec, Scenario};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;

/// A command that runs in an agent's place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExternalAgent {
    /// The agent's name in the scenario.
    pub agent: String,
    /// The command, and its arguments.
    pub command: Vec<OsString>,
}

impl ExternalAgent {
    /// Whether the scenario has its agent: with `kind = "none"` no command runs there either.
    pub fn stands_in(&self, scenario: &Scenario) -> bool {
        scenario.agents.iter().any(|spec| spec.name == self.agent && spec.kind.is_some())
    }
}

/// The agents of a scenario in whose places commands stand, by their numbers, each with its command.
///
/// # Errors
/// When there is no agent of that name, two commands would have one place, or a command cannot stand there.
pub(crate) fn placed<'a>(
    scenario: &Scenario,
    external_agents: &'a [ExternalAgent],
) -> Result<Vec<(usize, &'a ExternalAgent)>, LabError> {
    let mut placed: Vec<(usize, &ExternalAgent)> = Vec::new();
    for it in external_agents {
        let found = scenario.agents.iter().position(|spec| spec.name == it.agent);
        let number = found.ok_or_else(|| unknown(scenario, &it.agent))?;
        if external_agents.iter().filter(|other| other.agent == it.agent).count() > 1 {
            return Err(LabError::Refused(format!(
                "--agent {} is given twice: one command stands in a place",
                it.agent
            )));
        }
        if it.stands_in(scenario) {
            sides(scenario, &scenario.agents[number])?;
            placed.push((number, it));
        }
    }
    let talks = |spec: &AgentSpec| spec.kind.is_some_and(|kind| kind.name == "obtcp");
    let is_outside = |number: usize| placed.iter().any(|(agent, _)| *agent == number);
    let talking = scenario.agents.iter().enumerate().filter(|(_, spec)| talks(spec));
    let (outside, inside): (Vec<_>, Vec<_>) = talking.partition(|(number, _)| is_outside(*number));
    if let ([_, ..], [(_, alone), ..]) = (outside.as_slice(), inside.as_slice()) {
        return Err(LabError::Refused(format!(
            "agents of obTCP talk to each other, and {:?} would be simulated next to a command\ntip: --agent {}=COMMAND, too",
            alone.name, alone.name
        )));
    }
    Ok(placed)
}

/// Whether each command has a place in one of the scenarios at least.
///
/// # Errors
/// The first that has none.
pub(crate) fn has_place_for_all<'a>(
    scenarios: impl Iterator<Item = &'a Scenario> + Clone,
    external_agents: &[ExternalAgent],
) -> Result<(), LabError> {
    match external_agents.iter().find(|it| !scenarios.clone().any(|scenario| it.stands_in(scenario))) {
        None => Ok(()),
        Some(ExternalAgent { agent, .. }) => Err(LabError::Refused(format!(
            "no agent stands at {agent:?} in what is run (kind = \"none\"), so no command does\ntip: --set agent.{agent}.kind=snoop, or --set \"grid.agent.{agent}.kind=['snoop']\""
        ))),
    }
}

fn unknown(scenario: &Scenario, name: &str) -> LabError {
    let names: Vec<&str> = scenario.agents.iter().map(|spec| spec.name.as_str()).collect();
    let tip = match names.as_slice() {
        [] => "it has none; an [[agent]] sets the position of the command".to_owned(),
        names => format!("it has {}", names.join(", ")),
    };
    LabError::Refused(format!(
        "the scenario has no agent {name:?} whose place a command could take\ntip: {tip}"
    ))
}

/// The nodes on both sides, by index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sides {
    /// The ends of a flow that passes: on the wired side, and on the wireless side.
    pub(super) ends: [usize; 2],
    /// All nodes on the wireless side.
    pub(super) behind: Vec<usize>,
}

/// The sides of an agent at a link.
///
/// # Errors
/// When it is at a cell, its link is not the only way, or no flow passes it.
pub(super) fn sides(scenario: &Scenario, spec: &AgentSpec) -> Result<Sides, LabError> {
    let AgentPlace::Link(own) = spec.at else {
        return Err(LabError::Refused(format!(
            "agent {:?} is at a cell, and a command can take the place of an agent at a link only",
            spec.name
        )));
    };
    let behind = scenario.beyond(own);
    if behind.contains(&scenario.links[own].from) {
        return Err(LabError::Refused(format!(
            "the link of agent {:?} is not the only way between its ends, so a command in its place would not know what is on which side",
            spec.name
        )));
    }
    let mut pairs = scenario.flows.iter().flat_map(|flow| flow.ends.pairs());
    let ends = pairs.find_map(|[from, to]| match [from, to].map(|node| behind.contains(&node)) {
        [false, true] => Some([from, to]),
        [true, false] => Some([to, from]),
        _ => None,
    });
    match ends {
        Some(ends) => Ok(Sides { ends, behind }),
        None => Err(LabError::Refused(format!(
            "no flow passes agent {:?}, in whose place a command is to stand",
            spec.name
        ))),
    }
}

#[cfg(test)]
mod tests;
