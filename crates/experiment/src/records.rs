//! The record of a finished run.

use crate::observe::RunObserver;
use seamline_net::Link;
use seamline_report::record::{AgentRecord, LinkRecord, RunRecord};
use seamline_scenario::build::{Part, Places};
use seamline_scenario::schema::{DirectionSpec, Scenario};
use seamline_sim::{ElementId, World};
use seamline_wire::DropCause;

/// The record of a run.
pub(crate) fn record_of(
    scenario: &Scenario,
    seed: u64,
    world: &World<Part, RunObserver>,
    places: &Places,
) -> RunRecord {
    RunRecord {
        seed,
        flows: world.observer().records(scenario),
        links: link_records(scenario, world, places),
        agents: agent_records(scenario, world, places),
        emulation: None,
    }
}

fn agent_records(scenario: &Scenario, world: &World<Part, RunObserver>, places: &Places) -> Vec<AgentRecord> {
    let machine = |element: &Option<ElementId>| world.machine((*element)?);
    let mut records = Vec::new();
    for (spec, element) in scenario.agents.iter().zip(&places.agents) {
        let Some(Part::Agent(agent)) = machine(element) else { continue };
        let counters = agent.counters();
        records.push(AgentRecord {
            name: spec.name.clone(),
            packets: counters.packets,
            local_retransmissions: counters.local_retransmissions,
            suppressed_acknowledgments: counters.suppressed_acknowledgments,
            marked_acknowledgments: counters.marked_acknowledgments,
            messages: counters.messages,
        });
    }
    records
}

fn link_records(scenario: &Scenario, world: &World<Part, RunObserver>, places: &Places) -> Vec<LinkRecord> {
    let mut records = Vec::new();
    for (link, [down, up]) in scenario.links.iter().zip(&places.links) {
        records.extend(link_record(world, *down, format!("{}/down", link.name), &link.down));
        records.extend(link_record(world, *up, format!("{}/up", link.name), &link.up));
    }
    for (cell, places) in scenario.cells.iter().zip(&places.cells) {
        let Some(Part::Coverage(coverage)) = world.machine(places.coverage) else { continue };
        let [mut lost, at_edge] = [coverage.left_cell_drops(), coverage.edge_drops()];
        if let Some(Part::Departed(buffer)) = places.departed.and_then(|departed| world.machine(departed)) {
            lost[0] += buffer.dropped();
        }
        let directions = [(places.down, "down", &cell.down), (places.up, "up", &cell.up)];
        for (n, (element, side, direction)) in directions.into_iter().enumerate() {
            let record = link_record(world, element, format!("{}/{side}", cell.name), direction);
            records.extend(record.map(|record| LinkRecord {
                lost_to_departure: Some(lost[n]),
                lost_to_errors: record.lost_to_errors + at_edge[n],
                ..record
            }));
        }
    }
    records
}

fn link_record(
    world: &World<Part, RunObserver>,
    element: ElementId,
    name: String,
    direction: &DirectionSpec,
) -> Option<LinkRecord> {
    let counters = world.link(element).map(Link::counters)?;
    Some(LinkRecord {
        name,
        delivered_packets: counters.delivered.packets,
        delivered_bytes: counters.delivered.bytes,
        dropped_by_full_queue: counters.dropped.of(DropCause::QueueOverflow).packets,
        dropped_by_queue_management: counters.dropped.of(DropCause::ActiveQueueManagement).packets,
        marked_by_queue: counters.marked.packets,
        lost_to_errors: counters.dropped.of(DropCause::ErrorModel).packets,
        lost_to_link_down: counters.dropped.of(DropCause::LinkDown).packets,
        lost_to_departure: None,
        rate_bits_per_second: direction.schedule.is_none().then(|| direction.rate.bits_per_second()),
    })
}
