//! How much memory a run takes, judged by its scenario before it starts.
//!
//! What counts: connections with what observes them; segments in flight, each as a packet somewhere and as what its sender remembers of
//! it; what agents keep of them; the rows of flows over time; and the conditions over time that are made for each seed. Recorded
//! conditions are shared by all runs. The estimate is meant as an upper bound: windows are taken to be as large as buffers and the
//! network allow. `tests/cli_memory.rs` of the command compares it with what runs take.

use seamline_scenario::schema::{DirectionSpec, FlowSpec, Scenario};

/// A world without anything in it, in bytes.
const WORLD: u64 = 4 << 20;
/// Both ends of a connection, and what observes it: measured 4.5 to 7 kB.
const CONNECTION: u64 = 9_000;
/// A flow or a link with its records: measured 6 kB.
const TABLE: u64 = 8_000;
/// A segment in flight, as a packet and as a record of its sender: measured 180 to 350 bytes.
const SEGMENT: u64 = 400;
/// A row of a flow over time, while it is observed and in the record: measured 110 bytes.
const ROW: u64 = 150;
/// A handover, with the text that names it and each flow's part in it: measured 2.3 kB.
const HANDOVER: u64 = 3_000;
/// A step of conditions that are made for each seed, and how often one comes, in seconds.
const STEP: u64 = 64;
const STEPS_EACH_S: f64 = 0.01;
/// Bytes of headers and options, with which the segments that fill a path are larger than their payload.
const HEADERS: u64 = 52;
/// Packets of a window that a sender may have sent before it learns that they do not fit: slow start doubles it.
const OVERSHOOT: u64 = 2;

/// An upper bound of the memory that a run of this scenario takes, in bytes, estimated before it starts; `with_intervals` is whether it
/// records flows over time. Captures and lists of events go to files.
pub fn estimate(scenario: &Scenario, with_intervals: bool) -> u64 {
    let seconds = scenario.duration.as_secs_f64();
    let rows = match with_intervals {
        true => (seconds / scenario.output.interval.as_secs_f64()).ceil() as u64,
        false => 0,
    };
    let flows = scenario.flows.len() as u64;
    let connections: u64 = scenario.flows.iter().map(connections).sum();
    let directions = || scenario.links.iter().flat_map(|link| [&link.down, &link.up]);
    let of_links = scenario.links.iter().filter_map(|link| Some(link.handovers.as_ref()?.as_slice().len()));
    let movements = scenario.mobiles.iter().map(|mobile| mobile.movement.build(&mobile.cells, 0, ""));
    let of_mobiles = movements.map(|movement| movement.map_or(0, |movement| movement.stays().len()));
    let handovers: usize = of_links.chain(of_mobiles).sum();
    let schedules =
        directions().filter(|it| it.schedule.as_ref().is_some_and(|it| it.is_generated())).count();
    let ends = if scenario.agents.iter().all(|agent| agent.kind.is_none()) { 1 } else { 2 };
    let parts = [
        WORLD,
        ends * connections * CONNECTION,
        (flows + scenario.links.len() as u64) * TABLE,
        ends * segments(scenario) * SEGMENT,
        flows * rows * ROW,
        flows * handovers as u64 * HANDOVER,
        schedules as u64 * (seconds / STEPS_EACH_S) as u64 * STEP,
    ];
    parts.into_iter().fold(0, u64::saturating_add)
}

/// Connections of a flow.
fn connections(flow: &FlowSpec) -> u64 {
    u64::from(flow.count)
}

/// Segments that may be in flight: no more than windows, nor than links and their queues hold.
fn segments(scenario: &Scenario) -> u64 {
    let windows = scenario.flows.iter().map(|flow| connections(flow).saturating_mul(window(flow)));
    let windows = windows.fold(0, u64::saturating_add);
    let least =
        scenario.flows.iter().map(|flow| u64::from(flow.parameters.segments.maximum_segment_size)).min();
    let packet = least.unwrap_or(1) + HEADERS;
    // What goes one way is answered the other way, by no more packets.
    let links = scenario.links.iter().map(|link| (&link.down, &link.up));
    let ways = links.chain(scenario.cells.iter().map(|cell| (&cell.down, &cell.up)));
    let (down, up): (Vec<_>, Vec<_>) = ways.map(|(down, up)| (room(down, packet), room(up, packet))).unzip();
    let of_all = |rooms: Vec<Option<u64>>| rooms.into_iter().sum::<Option<u64>>();
    match of_all(down).zip(of_all(up)) {
        Some((down, up)) => windows.min(down.max(up).saturating_mul(OVERSHOOT)),
        None => windows,
    }
}

/// The largest window of a connection, in segments.
fn window(flow: &FlowSpec) -> u64 {
    let parameters = &flow.parameters;
    let payload = u64::from(parameters.segments.maximum_segment_size).max(1);
    let buffer = u64::from(parameters.receiver.buffer).div_ceil(payload);
    let size = flow.size.map_or(u64::MAX, |size| size.div_ceil(payload));
    u64::from(parameters.window.limit).min(buffer).min(size)
}

/// Packets that one direction of a link holds; `None` when that is not known.
fn room(way: &DirectionSpec, packet: u64) -> Option<u64> {
    if way.schedule.is_some() {
        return None;
    }
    let in_flight = way.rate.bits_per_second() as f64 / 8.0 * way.one_way_delay.as_secs_f64() / packet as f64;
    Some(way.queue.most_waiting(packet)? + in_flight.ceil() as u64 + 1)
}
