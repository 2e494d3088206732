//! `cargo xtask oracle` over the repository's reference data, and over damaged copies of it.

use flate2::read::GzDecoder;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn reference_data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/oracle")
}

fn oracle(directory: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
    command.args(["oracle", "--list"]).arg(directory).output().expect("xtask runs")
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn unpacked(name: &str) -> String {
    let mut text = String::new();
    let file = File::open(reference_data().join("traces").join(name)).expect("the trace is there");
    GzDecoder::new(file).read_to_string(&mut text).expect("the trace unpacks");
    text
}

/// A directory with one trace, changed by `damage`.
fn with_trace(damage: impl Fn(&str) -> String) -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let trace = damage(&unpacked("classic_Reno_2drop.csv.gz"));
    fs::write(directory.path().join("classic_Reno_2drop.csv"), trace).expect("the trace is written");
    directory
}

#[test]
fn every_reference_run_is_reproduced() {
    let output = oracle(&reference_data());
    assert!(output.status.success(), "{}", text(&output));
    let text = text(&output);
    for family in
        ["a  random loss", "b  packet by packet", "b  listed drops", "c  periodic", "d  Vegas", "e  Snoop"]
    {
        assert!(text.contains(family), "{family} was not compared:\n{text}");
    }
}

#[test]
fn an_unchanged_trace_matches() {
    let output = oracle(with_trace(str::to_owned).path());
    assert!(output.status.success(), "{}", text(&output));
    assert!(text(&output).contains("total 1/1 match"), "{}", text(&output));
}

#[test]
fn a_changed_row_is_found_and_named() {
    let damage = |trace: &str| {
        let mut lines: Vec<String> = trace.lines().map(str::to_owned).collect();
        let (time, rest) = lines[99].split_once(',').expect("a row");
        let later = time.parse::<f64>().expect("a time") + 3e-6;
        lines[99] = format!("{later:.6},{rest}");
        lines.join("\n")
    };
    let output = oracle(with_trace(damage).path());
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    assert!(text(&output).contains("classic_Reno_2drop.csv:100 column time"), "{}", text(&output));
}

#[test]
fn a_missing_last_row_and_wrong_totals_are_found() {
    let shorter = |trace: &str| trace.trim_end().rsplit_once('\n').expect("rows").0.to_owned();
    let output = oracle(with_trace(shorter).path());
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    let more_timeouts = |trace: &str| trace.replacen("timeouts=1", "timeouts=2", 1);
    let output = oracle(with_trace(more_timeouts).path());
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    assert!(text(&output).contains("totals"), "{}", text(&output));
}

#[test]
fn a_changed_counter_is_found_and_named() {
    let table = fs::read_to_string(reference_data().join("a_single_300s.csv")).expect("the table is there");
    let (header, rest) = table.split_once('\n').expect("rows");
    let row = rest.lines().find(|row| row.starts_with("Reno,0.01,")).expect("a Reno row");
    let (before, cuts) = row.rsplit_once(',').expect("columns");
    let cuts: u32 = cuts.parse().expect("a number");
    let directory = tempfile::tempdir().expect("a temporary directory");
    let path = directory.path().join("a_single_300s.csv");
    fs::write(&path, format!("{header}\n{row}\n")).expect("the table is written");
    assert!(oracle(directory.path()).status.success());
    fs::write(&path, format!("{header}\n{before},{}\n", cuts + 1)).expect("the table is written");
    let output = oracle(directory.path());
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    assert!(text(&output).contains("a_single_300s.csv:2 (Reno) column cwnd_cuts"), "{}", text(&output));
}

#[test]
fn a_directory_without_reference_data_is_an_error() {
    let directory = tempfile::tempdir().expect("a temporary directory");
    let output = oracle(directory.path());
    assert_eq!(output.status.code(), Some(2), "{}", text(&output));
}

/// The column of packets acknowledged.
const ACKNOWLEDGED: usize = 8;

/// Goodput that is 4 % off is found at 1 % loss.
#[test]
fn a_wrong_mean_of_snoop_is_found() {
    let table = fs::read_to_string(reference_data().join("e_snoop.csv")).expect("the table is there");
    let of_one_setting = |factor: f64| {
        let rows = table.lines().filter(|row| row.starts_with("Reno,1,0.01,0,")).map(|row| {
            let mut fields: Vec<String> = row.split(',').map(str::to_owned).collect();
            let acked: f64 = fields[ACKNOWLEDGED].parse().expect("a number of packets");
            fields[ACKNOWLEDGED] = (acked * factor).round().to_string();
            fields.join(",") + "\n"
        });
        format!("{}\n{}", table.lines().next().expect("a header"), rows.collect::<String>())
    };
    for (factor, code) in [(1.0, 0), (1.04, 1), (0.96, 1)] {
        let directory = tempfile::tempdir().expect("a temporary directory");
        fs::write(directory.path().join("e_snoop.csv"), of_one_setting(factor))
            .expect("the table is written");
        let output = oracle(directory.path());
        assert_eq!(output.status.code(), Some(code), "{factor}: {}", text(&output));
        assert!(text(&output).contains("total"), "{}", text(&output));
    }
}
