//! A single run that can be cancelled.

use crate::observe::RunObserver;
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
    let places = Places::new(scenario);
    let observer = RunObserver::new(scenario, &places, None, None);
    let mut world: World<Part, RunObserver> = World::with_observer(observer);
    let mut runner = build(scenario, seed, Ends::Inside, &mut world, &places);
    let is_complete =
        runner.run_while(&mut world, Instant::ZERO + scenario.duration, &|| !stop.load(Ordering::Relaxed));
    if !is_complete {
        return None;
    }
    Some(record_of(scenario, seed, &world, &places, scenario.output.intervals_of_every_run))
}
