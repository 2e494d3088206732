//! Flows that pass an agent which ends connections and begins others: what of them it could not do.

use super::{AgentPlace, AgentSpec, FlowSpec, MobileSpec, Scenario};
use crate::reader::Reader;
use crate::routes::{Everywhere, Way};
use crate::units::Complaint;
use seamline_mobility::protocol::BaseStation;
use seamline_tcp::handover::Installed;
use seamline_tcp::loss_notification::LossNotification;
use std::collections::BTreeSet;

/// Refuse flows that would pass untouched although the agent is there for them, or whose notifications would not reach it.
pub(super) fn check(reader: &mut Reader<'_>, scenario: &Scenario, everywhere: &Everywhere<'_>) {
    for (mut table, flow) in reader.tables("flow").into_iter().zip(&scenario.flows) {
        if let Some(agent) = splits(scenario, everywhere, flow) {
            table.what = format!("flow \"{}\"", flow.name);
            refuse_established(&mut table, flow, agent);
            refuse_marks(&mut table, flow, agent);
        }
    }
}

/// An agent that ends the connections of a flow.
pub(super) fn splits<'a>(
    scenario: &'a Scenario,
    everywhere: &Everywhere<'_>,
    flow: &FlowSpec,
) -> Option<&'a AgentSpec> {
    let mut ending = scenario
        .agents
        .iter()
        .filter(|agent| agent.kind.is_some_and(|kind| kind.ends_connections))
        .peekable();
    ending.peek()?;
    let passed = passed(scenario, everywhere, flow);
    ending.find(|agent| passed.contains(&place(agent.at)))
}

fn refuse_established(table: &mut Reader<'_>, flow: &FlowSpec, agent: &AgentSpec) {
    if !flow.handshake {
        let name = &agent.name;
        let label = format!("agent \"{name}\" splits what it sees begin; this would pass untouched");
        let tip = format!("take `handshake = false` out, or agent \"{name}\"");
        table.refuse_value("handshake", Complaint::conflict(label).tip(tip));
    }
}

fn refuse_marks(table: &mut Reader<'_>, flow: &FlowSpec, agent: &AgentSpec) {
    let name = &agent.name;
    let tip = |key: &str, others: &str| format!("take `{key}` out{others}, or agent \"{name}\"");
    if flow.parameters.loss_notification.scheme != LossNotification::None {
        let label = format!("loss notifications between its ends stop at agent \"{name}\"");
        let complaint = Complaint::conflict(label).tip(tip("loss_notification", ""));
        table.refuse_value("loss_notification", complaint);
    }
    if let Some(scheme) = flow.handover.filter(|scheme| scheme.installed == Installed::BothEnds) {
        let label =
            format!("{} notifies the other end by marks, which stop at agent \"{name}\"", scheme.name);
        let others = ", use `freeze` or `tr-acks`, which any peer will do for";
        let complaint = Complaint::conflict(label).tip(tip("handover", others));
        table.refuse_value("handover", complaint);
    }
}

/// A place as something in order: the index of a link, or of a radio cell behind it.
fn place(at: AgentPlace) -> (bool, usize) {
    match at {
        AgentPlace::Link(link) => (false, link),
        AgentPlace::Cell(cell) => (true, cell),
    }
}

/// The places that a flow passes outside of tunnels, as far as routes show.
fn passed(scenario: &Scenario, everywhere: &Everywhere<'_>, flow: &FlowSpec) -> BTreeSet<(bool, usize)> {
    let carries = |mobile: &&MobileSpec| {
        let behind = everywhere.networks().behind(mobile.node);
        flow.ends.contains(mobile.node) || behind.iter().any(|node| flow.ends.contains(*node))
    };
    let mobiles: Vec<&MobileSpec> = scenario.mobiles.iter().filter(carries).collect();
    let is_in_tunnels = mobiles.iter().any(|mobile| {
        let base_station = mobile.protocol.as_ref().map(|spec| spec.scheme.traits.base_station);
        base_station == Some(BaseStation::AccessRouter)
    });
    if is_in_tunnels {
        return BTreeSet::new();
    }
    let cells = mobiles.iter().flat_map(|mobile| &mobile.cells);
    let mut passed: BTreeSet<(bool, usize)> = cells.map(|cell| (true, *cell)).collect();
    for [from, to] in flow.ends.pairs().flat_map(|[from, to]| [[from, to], [to, from]]) {
        everywhere.for_each_hop([from, to], |hop| match hop.way {
            Way::Link(link, _) => drop(passed.insert((false, link))),
            Way::Cell(cell, _) => drop(passed.insert((true, cell))),
            Way::Radio(_) | Way::Anchor(_) => {}
        });
    }
    passed
}
