//! A sweep in parts stores what it stores as a whole.

#[path = "../../scenario/tests/support/mod.rs"]
mod support;

use seamline_experiment::record::RunRecord;
use seamline_experiment::report::provenance_of;
use seamline_experiment::{Job, run_seed};
use seamline_results::sweep::{Progress, SweepOutcome};
use seamline_results::{Error, Shard, SweepOptions, sweep, sweep_with};
use seamline_scenario::{Parts, Plan};
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use support::{flow, link};

/// Counts what is announced and what is done.
#[derive(Default)]
struct Counter {
    announced: AtomicUsize,
    done: AtomicUsize,
}

impl Progress for Counter {
    fn begins(&self, to_do: usize) {
        self.announced.fetch_add(to_do, Ordering::Relaxed);
    }
    fn finished_one(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
    }
    fn note(&self, _: &str) {}
}

/// Fourteen grid cells with two seeds each. Two of them are alike.
fn scenario() -> String {
    "duration = \"50 ms\"\nseeds = [3, 4]\nnodes = [\"a\", \"b\"]".to_owned()
        + &link("wire", ["a", "b"], "one_way_delay = \"1 ms\"\nrate = \"1 Mbit/s\"")
        + &flow("one", ["a", "b"], "variant = \"reno\"")
        + "[grid]\nflow.one.variant = [\"reno\", \"cubic\"]\n\
           link.wire.rate = [\"1 Mbit/s\", \"2 Mbit/s\", \"3 Mbit/s\", \"4 Mbit/s\", \"5 Mbit/s\", \"6 Mbit/s\", \"1 Mbit/s\"]"
}

fn parts(most: usize) -> Parts<'static> {
    Parts::new(Path::new("test.toml"), scenario(), &[], most, &mut |_| {}).unwrap()
}

fn lines(out: &Path) -> BTreeSet<String> {
    let text = std::fs::read_to_string(out.join("runs.jsonl")).unwrap();
    let lines: BTreeSet<String> = text.lines().map(str::to_owned).collect();
    assert_eq!(lines.len(), text.lines().count(), "a run is stored twice");
    lines
}

/// Sweep in parts, and stop after so many runs.
fn swept(parts: &Parts<'_>, out: &Path, shard: Option<Shard>, most_runs: usize) -> (SweepOutcome, Counter) {
    let (outcome, counter) = attempted(parts, out, shard, most_runs, usize::MAX);
    (outcome.unwrap(), counter)
}

/// The same, but the run after `good` others fails.
fn attempted(
    parts: &Parts<'_>,
    out: &Path,
    shard: Option<Shard>,
    most_runs: usize,
    good: usize,
) -> (Result<SweepOutcome, Error>, Counter) {
    let (counter, stop) = (Counter::default(), AtomicBool::new(false));
    let run = |plan: &Plan, Job { cell, seed }: Job| -> Result<Option<RunRecord>, String> {
        if counter.done.load(Ordering::Relaxed) >= good {
            return Err("it failed".to_owned());
        }
        let scenario = &plan.cells[cell].scenario;
        let record = run_seed(scenario, scenario.seeds[seed], &AtomicBool::new(false));
        if counter.done.load(Ordering::Relaxed) + 1 >= most_runs {
            stop.store(true, Ordering::Relaxed);
        }
        Ok(record)
    };
    let options = SweepOptions { out: out.to_owned(), shard, add: false, only_flows: true };
    let provenance = provenance_of(parts.first(), "seamline sweep test.toml".to_owned());
    let one_at_a_time = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let outcome = one_at_a_time.install(|| sweep_with(parts, &provenance, &options, &stop, &counter, &run));
    (outcome, counter)
}

fn whole() -> BTreeSet<String> {
    let folder = tempfile::tempdir().unwrap();
    let plan = support::plan(&scenario(), &[]);
    let options = SweepOptions { out: folder.path().to_owned(), shard: None, add: false, only_flows: true };
    let provenance = provenance_of(&plan, "seamline sweep test.toml".to_owned());
    let outcome = sweep(&plan, &provenance, &options, &AtomicBool::new(false), &Counter::default()).unwrap();
    assert_eq!(outcome.results.map(|results| results.len()), Some(14));
    lines(folder.path())
}

#[test]
fn parts_give_the_lines_of_the_whole() {
    let whole = whole();
    assert_eq!(whole.len(), 24, "two of fourteen cells are alike");
    for most in [1, 5, 13, 14] {
        let folder = tempfile::tempdir().unwrap();
        let (outcome, counter) = swept(&parts(most), folder.path(), None, usize::MAX);
        assert_eq!((outcome.stored, outcome.runs, outcome.interrupted), (28, 28, false));
        assert!(outcome.is_complete());
        assert_eq!(outcome.results.is_some(), most == 14);
        assert_eq!(lines(folder.path()), whole, "in parts of {most}");
        assert_eq!((counter.announced.into_inner(), counter.done.into_inner()), (24, 24));
    }
}

#[test]
fn stopped_in_any_part_it_goes_on() {
    let whole = whole();
    for most_runs in [1, 9, 10, 11, 23] {
        let folder = tempfile::tempdir().unwrap();
        let (outcome, _) = swept(&parts(5), folder.path(), None, most_runs);
        assert!(outcome.interrupted && !outcome.is_complete());
        let stored = lines(folder.path());
        assert_eq!(stored.len(), most_runs);
        assert!(stored.is_subset(&whole) && outcome.stored >= most_runs);
        // It may go on in other parts.
        let (outcome, counter) = swept(&parts(4), folder.path(), None, usize::MAX);
        assert!(outcome.is_complete() && !outcome.interrupted);
        assert_eq!(counter.done.into_inner(), 24 - most_runs);
        assert_eq!(lines(folder.path()), whole);
    }
}

#[test]
fn shards_in_parts_come_together() {
    let (whole, folder) = (whole(), tempfile::tempdir().unwrap());
    for shard in ["1/3", "2/3", "3/3"] {
        let (outcome, _) = swept(&parts(5), folder.path(), Some(shard.parse().unwrap()), usize::MAX);
        assert!(!outcome.interrupted && outcome.results.is_none());
        assert_eq!(outcome.is_complete(), shard == "3/3");
    }
    let (outcome, counter) = swept(&parts(5), folder.path(), None, usize::MAX);
    assert!(outcome.is_complete());
    assert_eq!((counter.announced.into_inner(), counter.done.into_inner()), (0, 0));
    assert_eq!(lines(folder.path()), whole);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "runs.jsonl and sweep.json");
}

#[test]
fn a_failure_in_a_later_part_ends_the_sweep_and_keeps_what_is_finished() {
    let (whole, folder) = (whole(), tempfile::tempdir().unwrap());
    let (outcome, _) = attempted(&parts(5), folder.path(), None, usize::MAX, 15);
    assert_eq!(outcome.unwrap_err().to_string(), "it failed");
    let stored = lines(folder.path());
    assert!(stored.len() == 15 && stored.is_subset(&whole));
}
