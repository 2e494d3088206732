//! What a packet costs, by the part of the code that it passes: counted by callgrind on our side of a workload.

use super::{Workload, repository};
use crate::support::{at, name};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::process::Command;

/// Parts of the code, by the beginnings of their files. The first that fits counts.
const STAGES: [(&str, &[&str]); 7] = [
    ("queue of events", &["crates/sim/src/agenda"]),
    // The loop over all events is compiled into a function of this program, and so is the library code that links use there.
    ("carrying and routing", &["crates/sim/src/", "xtask/src/"]),
    ("links", &["crates/net/src/"]),
    ("TCP: receiver", &["crates/tcp/src/receiver"]),
    (
        "TCP: loss recovery and congestion control",
        &[
            "crates/tcp/src/recovery",
            "crates/tcp/src/cc",
            "crates/tcp/src/scoreboard",
            "crates/tcp/src/send_log",
        ],
    ),
    ("TCP: sender and endpoint", &["crates/tcp/src/"]),
    ("packets, time and random numbers", &["crates/wire/src/"]),
];
/// What remains: memory, and the library of the language where it was called from none of them.
const REST: &str = "everything else";
/// Of the simulated time of a workload: callgrind takes fifty times as long.
const PART: u64 = 20;

/// Events of the processor in one part of the code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    instructions: u64,
    mispredicted: u64,
    missed: u64,
}

/// A table of all parts, for each packet delivered.
pub(super) fn table() -> Result<String, String> {
    let workloads = [Workload::ThreeHops, Workload::Dumbbell];
    let mut counted = Vec::new();
    for workload in workloads {
        counted.push(count(workload)?);
    }
    let mut text = "| part of the code | three hops: instructions | mispredicted | cache misses \
                    | dumbbell: instructions | mispredicted | cache misses |\n|---|---|---|---|---|---|---|\n"
        .to_owned();
    for stage in STAGES.iter().map(|(stage, _)| *stage).chain([REST]) {
        let of_stage = counted
            .iter()
            .map(|(counts, packets)| (counts.get(stage).copied().unwrap_or_default(), *packets));
        row(&mut text, stage, of_stage);
    }
    let sum = |counts: &BTreeMap<&'static str, Counts>| {
        counts.values().fold(Counts::default(), |sum, it| Counts {
            instructions: sum.instructions + it.instructions,
            mispredicted: sum.mispredicted + it.mispredicted,
            missed: sum.missed + it.missed,
        })
    };
    row(&mut text, "all", counted.iter().map(|(counts, packets)| (sum(counts), *packets)));
    Ok(text)
}

fn row(text: &mut String, stage: &str, columns: impl Iterator<Item = (Counts, f64)>) {
    let _ = write!(text, "| {stage} |");
    for (counts, packets) in columns {
        let each = |count: u64| count as f64 / packets;
        let (instructions, mispredicted) = (each(counts.instructions), each(counts.mispredicted));
        let _ = write!(text, " {instructions:.0} | {mispredicted:.1} | {:.1} |", each(counts.missed));
    }
    text.push('\n');
}

/// Run our side under callgrind: counts by part, and the packets delivered.
fn count(workload: Workload) -> Result<(BTreeMap<&'static str, Counts>, f64), String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let file = repository().join("target/callgrind.out");
    let mut command = Command::new("valgrind");
    command.args(["--tool=callgrind", "--cache-sim=yes", "--branch-sim=yes"]);
    command.arg(format!("--callgrind-out-file={}", file.display())).arg(own);
    command.args(["bench-side", &name(&workload), "1", "--part", &PART.to_string()]);
    let output =
        command.output().map_err(|error| format!("valgrind: {error}\ntip: apt-get install valgrind"))?;
    let packets = String::from_utf8_lossy(&output.stdout).trim().parse::<f64>();
    let packets =
        packets.map_err(|_| format!("{command:?} failed:\n{}", String::from_utf8_lossy(&output.stderr)))?;
    let text = fs::read_to_string(&file).map_err(at(&file))?;
    drop(fs::remove_file(file));
    Ok((by_stage(&text)?, packets))
}

/// The part of the code that a source file belongs to.
fn stage_of(file: &str) -> Option<&'static str> {
    let is_in = |files: &&[&str]| files.iter().any(|beginning| file.contains(beginning));
    STAGES.iter().find(|(_, files)| is_in(files)).map(|(stage, _)| *stage)
}

/// Read the format of callgrind (its manual, "Callgrind Format Specification"). Code of the library that was compiled into a function
/// counts for that function.
fn by_stage(text: &str) -> Result<BTreeMap<&'static str, Counts>, String> {
    let mut names: BTreeMap<&str, Option<&'static str>> = BTreeMap::new();
    let mut columns = None;
    let (mut function, mut inlined, mut is_call) = (None, None, false);
    let mut counts: BTreeMap<&'static str, Counts> = BTreeMap::new();
    for line in text.lines() {
        if let Some(events) = line.strip_prefix("events: ") {
            columns = Columns::of(events);
        } else if line.starts_with("calls=") {
            is_call = true;
        } else if let Some((key @ ("fl" | "fi" | "fe" | "cfi" | "cfl"), value)) = line.split_once('=') {
            let (number, name) = value.split_once(' ').unwrap_or((value, ""));
            if !name.is_empty() {
                names.insert(number, stage_of(name));
            }
            let stage = names.get(number).copied().flatten();
            match key {
                "fl" => (function, inlined) = (stage, None),
                "fi" | "fe" => inlined = stage,
                _ => {}
            }
        } else if line.starts_with(|c: char| c.is_ascii_digit() || "+-*".contains(c))
            && !std::mem::take(&mut is_call)
        {
            let columns: &Columns = columns.as_ref().ok_or("callgrind's file does not say what it counts")?;
            columns.add(line, counts.entry(inlined.or(function).unwrap_or(REST)).or_default());
        }
    }
    Ok(counts)
}

/// Which numbers of a line are which.
struct Columns {
    instructions: usize,
    mispredicted: [usize; 2],
    missed: [usize; 2],
}

impl Columns {
    fn of(events: &str) -> Option<Self> {
        let place = |name: &str| events.split(' ').position(|event| event == name);
        Some(Columns {
            instructions: place("Ir")?,
            mispredicted: [place("Bcm")?, place("Bim")?],
            missed: [place("D1mr")?, place("D1mw")?],
        })
    }

    fn add(&self, line: &str, to: &mut Counts) {
        // The first number is the line of the source; zeros at the end are left out.
        let numbers: Vec<u64> = line.split(' ').skip(1).map(|number| number.parse().unwrap_or(0)).collect();
        let of = |place: &usize| numbers.get(*place).copied().unwrap_or(0);
        to.instructions += of(&self.instructions);
        to.mispredicted += self.mispredicted.iter().map(of).sum::<u64>();
        to.missed += self.missed.iter().map(of).sum::<u64>();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_go_to_the_file_they_come_from_and_calls_are_not_counted_twice() {
        let text = "events: Ir D1mr D1mw Bcm Bim\n\
            fl=(1) /x/crates/sim/src/run.rs\nfn=(1) run\n10 100 1 2 3 4\n\
            fi=(2) /x/crates/sim/src/agenda.rs\n+1 50\n\
            fe=(3) /rust/library/core/src/mem.rs\n* 7 1\n\
            cfi=(4) /x/crates/net/src/link/mod.rs\ncfn=(2) step\ncalls=5 0\n10 9999 9\n-2 1\n\
            fl=(4)\nfn=(2)\n3 30 0 0 1\n\
            fl=(5) ???\nfn=(3) malloc\n0 8\n";
        let counts = by_stage(text).unwrap();
        let of = |instructions, mispredicted, missed| Counts { instructions, mispredicted, missed };
        assert_eq!(counts["carrying and routing"], of(108, 7, 4));
        assert_eq!(counts["queue of events"], of(50, 0, 0));
        assert_eq!(counts["links"], of(30, 1, 0));
        assert_eq!(counts[REST], of(8, 0, 0));
        assert_eq!(counts.len(), 4);
    }

    #[test]
    fn each_part_has_files() {
        for (stage, files) in STAGES {
            for file in files {
                let (folder, name) = file.rsplit_once('/').unwrap();
                let mut entries = fs::read_dir(repository().join(folder)).unwrap();
                let begins = |entry: fs::DirEntry| entry.file_name().to_string_lossy().starts_with(name);
                assert!(entries.any(|entry| begins(entry.unwrap())), "{stage}: {file}");
            }
        }
    }
}
