//! Notes under results: what about the scenario explains them, and what to change.

use crate::run::CellResult;
use crate::summary::label;
use seamline_net::QueueConfig;
use seamline_report::quantity::{bytes, millis};
use seamline_report::record::{FlowRecord, RunRecord};
use seamline_scenario::Plan;
use seamline_scenario::schema::{FlowSpec, LinkSpec, Scenario};

/// From this multiple of the shortest round-trip time on, an unlimited queue is worth a note.
const STANDING_QUEUE: f64 = 2.0;
/// A flow that had this share of its window in flight in each round trip was limited by the window.
const NEARLY_ALL: f64 = 0.9;

/// A note about a grid cell.
type Note = fn(&Scenario, &[RunRecord]) -> Option<String>;

const KINDS: [Note; 4] = [nothing_arrived, not_of_kernels, limited_by_window, queue_without_limit];

/// Notes about grid cells. At most one of a kind: the first stands for all.
#[derive(Clone, Debug, Default)]
pub(super) struct Notes {
    cells: usize,
    /// Of how many of them all simulated runs are the same.
    same: usize,
    first: [Option<String>; KINDS.len()],
}

impl Notes {
    /// Those about some grid cells. `plan` may have others behind them.
    pub(super) fn add(&mut self, plan: &Plan, results: &[CellResult]) {
        for (cell, (spec, result)) in plan.cells.iter().zip(results).enumerate() {
            self.cells += 1;
            self.same += usize::from(ignores_seeds(result));
            for (known, note) in self.first.iter_mut().zip(KINDS).filter(|(known, _)| known.is_none()) {
                let of_cell = |note| match plan.cells.len() {
                    1 => note,
                    _ => format!("{}: {note}", label(plan, cell)),
                };
                *known = note(&spec.scenario, &result.runs).map(of_cell);
            }
        }
    }

    /// One text each.
    pub(super) fn to_texts(&self) -> impl Iterator<Item = String> {
        let identical = (self.cells > 0 && self.same == self.cells).then(|| {
            "all seeds gave the same results, for nothing in this scenario is random: use --seeds 1, or add random loss or several flows with random starts".to_owned()
        });
        identical.into_iter().chain(self.first.iter().flatten().cloned())
    }
}

/// Whether the seeds made no difference at all.
fn ignores_seeds(result: &CellResult) -> bool {
    let outcome = |run: &RunRecord| -> Vec<(u64, u64, u64, Option<f64>)> {
        let flow =
            |it: &FlowRecord| (it.delivered_bytes, it.retransmissions, it.timeouts, it.round_trip_mean_ms);
        run.flows.iter().map(flow).collect()
    };
    let Some((first, others)) = result.runs.split_first() else { return false };
    let is_simulated = result.runs.iter().all(|run| run.emulation.is_none());
    is_simulated && !others.is_empty() && others.iter().all(|run| outcome(run) == outcome(first))
}

fn nothing_arrived(scenario: &Scenario, runs: &[RunRecord]) -> Option<String> {
    let flow = scenario.flows.iter().enumerate().find(|(flow, _)| {
        let records = || runs.iter().filter_map(|run| run.flows.get(*flow));
        records().next().is_some() && records().all(|record| record.delivered_bytes == 0)
    });
    flow.map(|(_, flow)| {
        format!(
            "nothing of flow {} ever arrived: does it start before the end, and do its links carry packets in both directions?",
            flow.name
        )
    })
}

/// Which parameters of our TCP do not apply, because the flow has the TCP of a kernel.
fn not_of_kernels(scenario: &Scenario, _: &[RunRecord]) -> Option<String> {
    let flow = scenario.unused.first()?.flow;
    let keys = scenario.unused.iter().filter(|unused| unused.flow == flow);
    let keys: Vec<String> = keys.map(|unused| format!("`{}`", unused.key)).collect();
    let (keys, flow) = (keys.join(", "), &scenario.flows[flow]);
    Some(format!(
        "flow {} has the TCP of {}, to which these parameters of Seamline's TCP do not apply: {keys}; `sysctl` has the settings of a kernel",
        flow.name, flow.stack
    ))
}

/// By Little's law a flow that is held back by its window has all of it in flight, and its round-trip time is the shortest.
fn limited_by_window(scenario: &Scenario, runs: &[RunRecord]) -> Option<String> {
    let run = runs.first().filter(|run| run.emulation.is_none())?;
    scenario.flows.iter().zip(&run.flows).find_map(|(flow, record)| {
        let (window, key) = largest_window(flow);
        let round_trip = record.round_trip_min_ms?;
        let rate = record.goodput_bits_per_second / f64::from(flow.count.max(1));
        let in_flight = rate / 8.0 * round_trip / 1e3;
        (in_flight >= NEARLY_ALL * window as f64).then(|| {
            format!(
                "flow {} was limited by its window of {} per round trip of {}, not by the network: raise `{key}`",
                flow.name,
                bytes(window),
                millis(round_trip)
            )
        })
    })
}

/// The most that may be in flight, in bytes, and the key that limits it.
fn largest_window(flow: &FlowSpec) -> (u64, &'static str) {
    let parameters = &flow.parameters;
    let segment = u64::from(parameters.segments.maximum_segment_size);
    let limit = u64::from(parameters.window.limit).saturating_mul(segment);
    let buffer = u64::from(parameters.receiver.buffer);
    if limit < buffer { (limit, "tcp.window_limit") } else { (buffer, "tcp.receive_buffer") }
}

fn queue_without_limit(scenario: &Scenario, runs: &[RunRecord]) -> Option<String> {
    let is_unlimited =
        |link: &&LinkSpec| [&link.down, &link.up].iter().any(|way| way.queue == QueueConfig::Unlimited);
    let link = scenario.links.iter().find(is_unlimited)?;
    let grown = runs.iter().flat_map(|run| &run.flows).find_map(|flow| {
        let (mean, least) = (flow.round_trip_mean_ms?, flow.round_trip_min_ms?);
        (mean >= STANDING_QUEUE * least).then_some((mean, least))
    });
    let (mean, least) = grown?;
    Some(format!(
        "link {} has no queue limit, and the round-trip time grew from {} to {} on average: set queue = {{ discipline = \"drop-tail\", limit = \"...\" }}",
        link.name,
        millis(least),
        millis(mean)
    ))
}
