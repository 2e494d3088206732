//! A single run that can be cancelled.

use crate::observe::{CloseMeter, Felt, Recorders, RunObserver};
use crate::records::record_of;
use seamline_report::record::RunRecord;
use seamline_scenario::build::{Ends, Part, Places, build};
use seamline_scenario::schema::Scenario;
use seamline_sim::World;
use seamline_wire::Instant;
use std::sync::atomic::{AtomicBool, Ordering};

/// Run a scenario with one seed, without files, and without intervals unless the scenario requests those of every
/// run. `None` when `stop` was set during the run.
pub fn run_seed(scenario: &Scenario, seed: u64, stop: &AtomicBool) -> Option<RunRecord> {
    run_with(scenario, seed, stop, None).map(|(record, _)| record)
}

/// The same, and what each flow felt like. That takes four bytes for each acknowledgment.
pub fn run_seed_closely(scenario: &Scenario, seed: u64, stop: &AtomicBool) -> Option<(RunRecord, Vec<Felt>)> {
    run_with(scenario, seed, stop, Some(CloseMeter::new(scenario)))
}

fn run_with(
    scenario: &Scenario,
    seed: u64,
    stop: &AtomicBool,
    close: Option<CloseMeter>,
) -> Option<(RunRecord, Vec<Felt>)> {
    let places = Places::new(scenario);
    let with_intervals = scenario.output.intervals_of_every_run;
    let mut observer = RunObserver::new(scenario, &places, Recorders::default(), with_intervals);
    observer.close = close;
    let mut world: World<Part, RunObserver> = World::with_observer(observer);
    let mut runner = build(scenario, seed, Ends::Inside, &mut world, &places);
    let is_complete = runner
        .run_while(&mut world, Instant::ZERO + scenario.duration, &mut |_| !stop.load(Ordering::Relaxed));
    if !is_complete {
        return None;
    }
    let record = record_of(scenario, seed, &world, &places);
    let felt = world.into_observer().close.map_or(Vec::new(), CloseMeter::finish);
    Some((record, felt))
}
