//! A run on several threads has the same results as on one: records, event lists, and the order of every event.

use seamline_experiment::record::RunRecord;
use seamline_experiment::{RunOptions, run};
use seamline_scenario::Plan;
use seamline_scenario::build::{Ends, Part, Places, build};
use seamline_sim::{ElementId, Observer, World};
use seamline_wire::{Event, Instant};
use std::fmt::Write;
use std::path::Path;

/// Scenarios with much to do at the same time: trains that change their cells, satellites that change, agents.
const SCENARIOS: [(&str, &[&str]); 2] = [
    ("fleet", &["duration='3 s'", "group.train.count=30", "group.coach.count=30", "warm_up='1 s'"]),
    ("constellation", &["duration='3 s'", "group.home.count=60", "warm_up='1 s'"]),
];

fn plan(name: &str, set: &[&str]) -> Plan {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../scenarios/{name}.toml"));
    let text = std::fs::read_to_string(&path).unwrap();
    let set: Vec<String> =
        set.iter().copied().chain(["seeds=1"]).map(|set| set.replace('\'', "\"")).collect();
    Plan::new(&path, text, &set).unwrap_or_else(|errors| panic!("{}", errors.render(false)))
}

/// Every event as text.
#[derive(Debug, Default)]
struct Trace(String);

impl Observer for Trace {
    fn sees_packets(&self) -> bool {
        false
    }
    fn event(&mut self, now: Instant, at: ElementId, event: &Event) {
        writeln!(self.0, "{now} {} {event:?}", at.0).unwrap();
    }
}

/// All events of a grid cell's first run, and in how many windows several threads ran.
fn events(plan: &Plan, cell: usize, threads: usize) -> (String, u64) {
    let scenario = &plan.cells[cell].scenario;
    let places = Places::new(scenario);
    let mut world: World<Part, Trace> = World::with_observer(Trace::default());
    let mut runner = build(scenario, scenario.seeds[0], Ends::Inside, &mut world, &places);
    runner.use_threads(threads);
    runner.run_until(&mut world, Instant::ZERO + scenario.duration);
    let windows = world.windows();
    (world.into_observer().0, windows)
}

#[test]
fn every_event_comes_in_the_same_order() {
    for (name, set) in SCENARIOS {
        let plan = plan(name, set);
        for cell in [0, plan.cells.len() - 1] {
            let (one, _) = events(&plan, cell, 1);
            for threads in [2, 5] {
                let (several, windows) = events(&plan, cell, threads);
                assert!(windows > 100, "{name}, cell {cell}: several threads ran in {windows} windows");
                assert!(one == several, "{name}, cell {cell}, {threads} threads: other events");
            }
        }
    }
}

#[test]
fn records_and_event_lists_are_the_same() {
    let (name, set) = SCENARIOS[0];
    let plan = plan(name, set);
    let result = |threads: usize| {
        let folder = tempfile::tempdir().unwrap();
        let events = Some(folder.path().to_owned());
        let options = RunOptions { threads, events, ..RunOptions::default() };
        let results = run(&plan, &options, &|| ()).unwrap();
        let records: Vec<Vec<RunRecord>> = results.iter().map(|cell| cell.runs.clone()).collect();
        let lists = results.iter().flat_map(|cell| &cell.files).map(|path| std::fs::read(path).unwrap());
        (records, lists.collect::<Vec<_>>())
    };
    let (one, several) = (result(1), result(3));
    assert_eq!(one.0, several.0);
    assert!(one.1.len() == plan.cells.len() && one.1 == several.1, "other event lists");
}
