//! The cost of recording: the same run with and without full recording, alternately, in processor time of all threads
//! and in wall-clock time. There is only one test because the processor time is that of the process.

#[path = "../../scenario/tests/support/mod.rs"]
mod support;

use nix::time::{ClockId, clock_gettime};
use seamline_experiment::record::{LinkRecord, RunRecord};
use seamline_experiment::{RunOptions, run};
use seamline_scenario::Plan;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use support::{flow, link, plan};

/// The maximum wall-clock ratio of a fully recorded run, if a processor is free for the writers.
const MOST_WALL_RATIO: f64 = 2.0;
/// The same when files of the previous run are replaced: file systems write out a file that replaces another, and the
/// run waits for that.
const MOST_WALL_RATIO_REPLACING: f64 = 2.5;
/// The maximum ratio of processor time, including the system time for writing gigabytes per second.
const MOST_CPU_RATIO: f64 = 3.2;
/// The minimum ratio: below it something is not recorded.
const LEAST_CPU_RATIO: f64 = 1.1;
/// The number of pairs before the first check. If the machine is busy, more are tried.
const PAIRS: usize = 5;
const MOST_PAIRS: usize = 20;
/// Two parallel runs take this share of their processor time when each has its own processor: half, plus the
/// sequential part.
const SHARE_OF_TWO: f64 = 0.65;

/// One flow that fills a link with handovers.
fn long_cubic() -> String {
    let keys = r#"
        rate = "30 Mbit/s"
        one_way_delay = "25 ms"
        queue = { discipline = "drop-tail", limit = "120 packets" }
        handover = { every = "15 s", interruption = "80 ms" }
    "#;
    let ends = ["server", "phone"];
    "duration = \"150 s\"\nseeds = 1\nnodes = [\"server\", \"phone\"]".to_owned()
        + &link("radio", ends, keys)
        + &flow("main", ends, "variant = \"cubic\"\nhandshake = false")
}

/// Many flows through one bottleneck.
fn dumbbell() -> String {
    let wide = "rate = \"1 Gbit/s\"\none_way_delay = \"1 ms\"";
    let neck = r#"
        rate = "200 Mbit/s"
        one_way_delay = "20 ms"
        queue = { discipline = "drop-tail", limit = "500 packets" }
    "#;
    let many = "variant = \"newreno\"\nhandshake = false\ncount = 50\nstagger = \"10 ms\"";
    "duration = \"20 s\"\nseeds = 1\nnodes = [\"left\", \"entry\", \"exit\", \"right\"]".to_owned()
        + &link("near", ["left", "entry"], wide)
        + &link("neck", ["entry", "exit"], neck)
        + &link("far", ["exit", "right"], wide)
        + &flow("many", ["left", "right"], many)
}

/// The cost of a run in seconds.
#[derive(Clone, Copy, Debug)]
struct Cost {
    wall: f64,
    cpu: f64,
}

impl Cost {
    const NEVER: Cost = Cost { wall: f64::INFINITY, cpu: f64::INFINITY };

    fn of(work: impl FnOnce()) -> Cost {
        let read = |clock| {
            let time = clock_gettime(clock).expect("a clock of every Unix");
            time.tv_sec() as f64 + time.tv_nsec() as f64 / 1e9
        };
        let (wall, cpu) = (ClockId::CLOCK_MONOTONIC, ClockId::CLOCK_PROCESS_CPUTIME_ID);
        let begin = Cost { wall: read(wall), cpu: read(cpu) };
        work();
        Cost { wall: read(wall) - begin.wall, cpu: read(cpu) - begin.cpu }
    }
    /// The minimum of both: disturbances only add cost.
    fn least(self, other: Cost) -> Cost {
        Cost { wall: self.wall.min(other.wall), cpu: self.cpu.min(other.cpu) }
    }
}

fn everything(folder: &Path) -> RunOptions {
    RunOptions { pcapng: Some(folder.into()), events: Some(folder.into()), ..RunOptions::default() }
}

fn record(plan: &Plan, options: &RunOptions) -> RunRecord {
    run(plan, options, &|| ()).expect("a folder that can be written to")[0].runs[0].clone()
}

/// The minimum costs of a run.
#[derive(Clone, Copy, Debug)]
struct Costs {
    /// With nothing recorded.
    without: Cost,
    /// With full recording into a new folder.
    with: Cost,
    /// With full recording over the files of the previous run.
    replacing: Cost,
}

impl Costs {
    fn bounds_are_met(&self) -> bool {
        let Costs { without, with, replacing } = self;
        with.wall <= MOST_WALL_RATIO * without.wall
            && replacing.wall <= MOST_WALL_RATIO_REPLACING * without.wall
            && replacing.cpu <= MOST_CPU_RATIO * without.cpu
    }
}

/// Measure alternately until the bounds are met or the attempts are used up.
fn compare(name: &str, plan: &Plan, folder: &Path) -> Costs {
    let mut costs = Costs { without: Cost::NEVER, with: Cost::NEVER, replacing: Cost::NEVER };
    let mut turns = 0;
    while turns < PAIRS || (turns < MOST_PAIRS && !costs.bounds_are_met()) {
        let new = tempfile::tempdir_in(folder).expect("a new folder");
        costs.without = costs.without.least(Cost::of(|| drop(record(plan, &RunOptions::default()))));
        costs.with = costs.with.least(Cost::of(|| drop(record(plan, &everything(new.path())))));
        costs.replacing = costs.replacing.least(Cost::of(|| drop(record(plan, &everything(new.path())))));
        turns += 1;
    }
    let Costs { without, with, replacing } = costs;
    for (where_to, cost) in [("a new folder", with), ("the same folder again", replacing)] {
        eprintln!(
            "{name}: recording everything into {where_to} takes {:.2} times the time and {:.2} times the processor \
             time ({turns} turns, {without:.3?} without)",
            cost.wall / without.wall,
            cost.cpu / without.cpu
        );
    }
    costs
}

#[test]
fn full_recording_is_complete_and_its_cost_bounded() {
    let folder = tempfile::tempdir().expect("a place for temporary files");
    for (name, text) in [("long cubic", long_cubic()), ("dumbbell", dumbbell())] {
        let plan = plan(&text, &[]);
        assert_complete(&plan, folder.path());
        let Costs { without, with, replacing } = compare(name, &plan, folder.path());
        if cfg!(debug_assertions) {
            continue; // Costs are only measured in release builds.
        }
        for cpu in [with.cpu / without.cpu, replacing.cpu / without.cpu] {
            assert!(
                (LEAST_CPU_RATIO..MOST_CPU_RATIO).contains(&cpu),
                "{name}: {cpu} times the processor time"
            );
        }
        if two_processors_are_free(&plan) {
            let (new, again) = (with.wall / without.wall, replacing.wall / without.wall);
            assert!(new <= MOST_WALL_RATIO, "{name}: {new} times the time");
            assert!(again <= MOST_WALL_RATIO_REPLACING, "{name}: {again} times the time, replacing files");
        } else {
            eprintln!("{name}: skipped the bound on time, the machine has no second processor to spare");
        }
    }
}

/// Whether a second thread runs at no cost: tried several times with two parallel runs.
fn two_processors_are_free(plan: &Plan) -> bool {
    let one = || drop(record(plan, &RunOptions::default()));
    let both = || {
        std::thread::scope(|scope| {
            scope.spawn(one);
            scope.spawn(one);
        });
    };
    (0..PAIRS).map(|_| Cost::of(both)).all(|cost| cost.wall < SHARE_OF_TWO * cost.cpu)
}

/// The files have every packet and every event, by the run's own counters, and are reproducible byte for byte.
fn assert_complete(plan: &Plan, folder: &Path) {
    let record = record(plan, &everything(folder));
    let read = |ending: &str| fs::read(folder.join(format!("seed1.{ending}"))).expect("a recording");
    let (events, capture) = (read("csv"), read("pcapng"));
    let rows = Rows::of(std::str::from_utf8(&events).expect("text"));
    let (flow, links) = (&record.flows[0], &record.links);
    assert_eq!(rows.bytes["delivered"], flow.delivered_bytes);
    assert_eq!(rows.count("segment sent again"), flow.retransmissions);
    assert_eq!(rows.count("recovery started"), flow.fast_recoveries);
    assert_eq!(rows.count("retransmission timeout"), flow.timeouts);
    let lost = |link: &LinkRecord| {
        link.dropped_by_full_queue
            + link.dropped_by_queue_management
            + link.lost_to_errors
            + link.lost_to_link_down
    };
    assert_eq!(rows.count("dropped"), links.iter().map(lost).sum::<u64>());
    // The first link's other direction leads to the senders.
    let arrived = links[1].delivered_packets;
    assert_eq!(rows.count("acknowledgment"), arrived);
    assert_eq!(
        packet_blocks(&capture),
        rows.count("segment sent") + rows.count("segment sent again") + arrived
    );

    drop(self::record(plan, &everything(folder)));
    assert!(read("csv") == events && read("pcapng") == capture, "other bytes from the same run");
}

/// The number of rows of each kind, and the sums of their lengths.
#[derive(Debug, Default)]
struct Rows<'a> {
    counts: BTreeMap<&'a str, u64>,
    bytes: BTreeMap<&'a str, u64>,
}

impl<'a> Rows<'a> {
    fn of(text: &'a str) -> Self {
        assert!(text.ends_with('\n'), "the last row is whole");
        let mut rows = Rows::default();
        let mut last = String::new();
        for line in text.lines().skip(1) {
            let columns: Vec<&str> = line.split(',').collect();
            let &[time, _, event, _, _, length, ..] = columns.as_slice() else { panic!("{line}") };
            assert_eq!(columns.len(), 12, "{line}");
            let padded = format!("{time:0>20}");
            assert!(padded >= last, "{line} comes after {last}");
            last = padded;
            *rows.counts.entry(event).or_default() += 1;
            *rows.bytes.entry(event).or_default() += length.parse::<u64>().unwrap_or_default();
        }
        rows
    }
    fn count(&self, event: &str) -> u64 {
        self.counts.get(event).copied().unwrap_or_default()
    }
}

/// Count the packet blocks by walking over all block lengths (pcapng, section 3.1).
fn packet_blocks(capture: &[u8]) -> u64 {
    const ENHANCED_PACKET: u32 = 6;
    let word = |place: usize| u32::from_le_bytes(capture[place..place + 4].try_into().expect("four bytes"));
    let (mut place, mut packets) = (0, 0);
    while place < capture.len() {
        let length = word(place + 4) as usize;
        assert_eq!(word(place + length - 4) as usize, length, "the block at {place} ends as it begins");
        packets += u64::from(word(place) == ENHANCED_PACKET);
        place += length;
    }
    assert_eq!(place, capture.len());
    packets
}
