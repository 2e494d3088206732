//! The cost of recording: the same run with and without full recording, alternately, in processor time of all threads
//! and in wall-clock time. There is only one test because the processor time is that of the process.

#[path = "../../scenario/tests/support/mod.rs"]
mod support;

use nix::time::{ClockId, clock_gettime};
use seamline_experiment::record::{LinkRecord, RunRecord};
use seamline_experiment::statistics::Median;
use seamline_experiment::{RunOptions, convert, run};
use seamline_scenario::Plan;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use support::{flow, link, plan};

/// The maximum ratio of processor time with tables, including the system time. On a machine with other work caches are
/// shared, which costs up to a fifth more than the medians in docs/background/speed.md.
const MOST_CPU_RATIO_OF_TABLES: f64 = 1.75;
/// The same with an event list and a capture, which are gigabytes.
const MOST_CPU_RATIO_OF_TEXT: f64 = 3.2;
/// The minimum ratio: below it something is not recorded.
const LEAST_CPU_RATIO: f64 = 1.02;
/// The maximum wall-clock ratios, if a processor is free for the writers.
const MOST_WALL_RATIO_OF_TABLES: f64 = 1.8;
/// File systems write out a file that replaces another, and the run waits for that.
const MOST_WALL_RATIO_OF_TEXT: f64 = 2.5;
/// The number of rounds before the first check. If the machine is busy, more are tried.
const ROUNDS: usize = 7;
const MOST_ROUNDS: usize = 21;
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

    /// As a multiple of another.
    fn over(self, other: Cost) -> Cost {
        Cost { wall: self.wall / other.wall, cpu: self.cpu / other.cpu }
    }
}

fn tables(folder: &Path) -> RunOptions {
    RunOptions { parquet: Some(folder.into()), ..RunOptions::default() }
}

fn text(folder: &Path) -> RunOptions {
    RunOptions { pcapng: Some(folder.into()), events: Some(folder.into()), ..RunOptions::default() }
}

fn record(plan: &Plan, options: &RunOptions) -> RunRecord {
    run(plan, options, &|| ()).expect("a folder that can be written to")[0].runs[0].clone()
}

/// A way of recording everything, and its costs as multiples of those of the run without recording that was measured just
/// before.
struct Way {
    name: &'static str,
    options: fn(&Path) -> RunOptions,
    /// Whether the files of the run before are replaced.
    replaces: bool,
    most: Cost,
    costs: Vec<Cost>,
}

impl Way {
    fn all() -> Vec<Way> {
        let most_of_tables = Cost { wall: MOST_WALL_RATIO_OF_TABLES, cpu: MOST_CPU_RATIO_OF_TABLES };
        let most_of_text = Cost { wall: MOST_WALL_RATIO_OF_TEXT, cpu: MOST_CPU_RATIO_OF_TEXT };
        let way = |name, options, replaces, most| Way { name, options, replaces, most, costs: Vec::new() };
        vec![
            way("tables", tables, false, most_of_tables),
            way("tables, replacing files", tables, true, most_of_tables),
            way("CSV and pcapng", text, false, most_of_text),
            way("CSV and pcapng, replacing files", text, true, most_of_text),
        ]
    }

    fn median(&self, value: fn(&Cost) -> f64) -> Median {
        Median::of(self.costs.iter().map(value).collect()).expect("it was measured")
    }

    fn bound_is_met(&self) -> bool {
        self.median(|cost| cost.cpu).median <= self.most.cpu
    }
}

/// Measure alternately until the bounds of processor time are met or the attempts are used up.
fn compare(name: &str, plan: &Plan, folder: &Path) -> Vec<Way> {
    let mut ways = Way::all();
    let kept: Vec<_> = ways.iter().map(|_| tempfile::tempdir_in(folder).expect("a new folder")).collect();
    for (way, kept) in ways.iter().zip(&kept) {
        drop(record(plan, &(way.options)(kept.path())));
    }
    let mut rounds = 0;
    while rounds < ROUNDS || (rounds < MOST_ROUNDS && !ways.iter().all(Way::bound_is_met)) {
        for (way, kept) in ways.iter_mut().zip(&kept) {
            let new = tempfile::tempdir_in(folder).expect("a new folder");
            let place = if way.replaces { kept } else { &new };
            let without = Cost::of(|| drop(record(plan, &RunOptions::default())));
            let with = Cost::of(|| drop(record(plan, &(way.options)(place.path()))));
            way.costs.push(with.over(without));
        }
        rounds += 1;
    }
    for way in &ways {
        let show = |it: Median| format!("{:.2} ({:.2} to {:.2})", it.median, it.low, it.high);
        let (cpu, wall) = (show(way.median(|cost| cost.cpu)), show(way.median(|cost| cost.wall)));
        eprintln!("{name}, {}: {cpu} times the processor time, {wall} times the time", way.name);
    }
    ways
}

#[test]
fn full_recording_is_complete_and_its_cost_bounded() {
    let folder = tempfile::tempdir().expect("a place for temporary files");
    for (name, text) in [("long cubic", long_cubic()), ("dumbbell", dumbbell())] {
        let plan = plan(&text, &[]);
        assert_complete(name, &plan, folder.path());
        if cfg!(debug_assertions) {
            continue; // Costs are only measured in release builds.
        }
        let ways = compare(name, &plan, folder.path());
        for way in &ways {
            let cpu = way.median(|cost| cost.cpu).median;
            assert!(
                (LEAST_CPU_RATIO..=way.most.cpu).contains(&cpu),
                "{name}, {}: {cpu} times the processor time",
                way.name
            );
        }
        if !two_processors_are_free(&plan) {
            eprintln!("{name}: skipped the bounds on time, the machine has no second processor to spare");
            continue;
        }
        for way in &ways {
            let wall = way.median(|cost| cost.wall).median;
            assert!(wall <= way.most.wall, "{name}, {}: {wall} times the time", way.name);
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
    (0..5).map(|_| Cost::of(both)).all(|cost| cost.wall < SHARE_OF_TWO * cost.cpu)
}

/// The files have every packet and every event, by the run's own counters, and are reproducible byte for byte; from the
/// tables the same files are made.
fn assert_complete(name: &str, plan: &Plan, folder: &Path) {
    let record = record(plan, &text(folder));
    let read = |ending: &str| fs::read(folder.join(format!("seed1{ending}"))).expect("a recording");
    let (events, capture) = (read(".csv"), read(".pcapng"));
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
    let packets = packet_blocks(&capture);
    assert_eq!(packets, rows.count("segment sent") + rows.count("segment sent again") + arrived);

    drop(self::record(plan, &text(folder)));
    assert!(read(".csv") == events && read(".pcapng") == capture, "other bytes from the same run");

    drop(self::record(plan, &tables(folder)));
    let first: Vec<Vec<u8>> = TABLES.map(read).into();
    drop(self::record(plan, &tables(folder)));
    assert!(TABLES.map(read)[..] == first, "other tables from the same run");
    let count = rows.counts.values().sum::<u64>();
    let sizes = [(&events, count), (&capture, packets), (&first[0], count), (&first[1], packets)];
    let [csv, pcapng, of_events, of_packets] = sizes.map(|(bytes, rows)| bytes.len() as f64 / rows as f64);
    eprintln!(
        "{name}: {count} events of {csv:.1} bytes in CSV and {of_events:.1} in a table, {packets} packets of \
         {pcapng:.1} bytes in pcapng and {of_packets:.1} in a table"
    );
    let made: [PathBuf; 2] = TABLES.map(|ending| {
        let table = folder.join(format!("seed1{ending}"));
        let to = folder.join(format!("made{ending}"));
        convert(&table, &to, &|| true).expect("a table that was just written")
    });
    assert!(fs::read(&made[0]).expect("a file") == events, "another event list from the table");
    assert!(fs::read(&made[1]).expect("a file") == capture, "another capture from the table");
    made.iter().for_each(|path| fs::remove_file(path).expect("a file"));
}

/// The ends of the names of tables.
const TABLES: [&str; 2] = ["-events.parquet", "-packets.parquet"];

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
