//! `cargo xtask speed`: the tables of the page about speed. Each number comes from pairs of runs that alternate.

use super::entry::{self, Entry};
use super::{against_ns2, command, htsim, ns3, repository, stages};
use crate::support::{at, name};
use clap::ValueEnum;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

/// What to measure how often, and where to put it.
#[derive(Debug, clap::Args)]
pub(crate) struct Options {
    /// Pairs of runs for each number
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u32).range(2..))]
    runs: u32,
    /// Replace the tables of this page
    #[arg(long, value_name = "FILE")]
    page: Option<PathBuf>,
    /// Only these tables
    #[arg(long, value_enum)]
    only: Vec<Table>,
    /// The folder `sim` of a clone of htsim, for the table `large`
    #[arg(long, value_name = "DIR")]
    htsim: Option<PathBuf>,
}

/// A table of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Table {
    /// Compared with ns-2
    Peers,
    /// A large network, compared with htsim and ns-3
    Large,
    /// What a packet costs, by part of the code
    Parts,
    /// Ways of TCP
    Tcp,
    /// Runs that record everything
    Recording,
}

impl Table {
    fn measure(self, options: &Options) -> Result<String, String> {
        let runs = options.runs;
        match self {
            Table::Peers => peers(runs),
            Table::Large => large(runs, options.htsim.as_deref()),
            Table::Parts => stages::table(),
            Table::Tcp => tcp(runs),
            Table::Recording => recording(runs),
        }
    }
}

/// Measure tables, each of which is written when it is complete; whether all are.
pub(crate) fn run(options: &Options) -> Result<bool, String> {
    let is_asked = |table: &&Table| options.only.is_empty() || options.only.contains(table);
    let mut is_complete = true;
    for table in Table::value_variants().iter().filter(is_asked) {
        match table.measure(options) {
            Ok(text) => {
                println!("\n{text}");
                if let Some(path) = &options.page {
                    replace(path, &name(table), &text)?;
                }
            }
            Err(message) => {
                eprintln!("error: table {}: {message}", name(table));
                is_complete = false;
            }
        }
    }
    Ok(is_complete)
}

fn replace(path: &Path, name: &str, table: &str) -> Result<(), String> {
    let page = fs::read_to_string(path).map_err(at(path))?;
    let page = replaced(&page, name, table).ok_or_else(|| {
        format!("{}: the table {name} has no place: <!-- {name} --> and <!-- end -->", path.display())
    })?;
    fs::write(path, page).map_err(at(path))
}

/// The page with another table between `<!-- name -->` and the next `<!-- end -->`.
fn replaced(page: &str, name: &str, table: &str) -> Option<String> {
    let (before, rest) = page.split_once(&format!("<!-- {name} -->\n"))?;
    let (_, after) = rest.split_once("<!-- end -->")?;
    Some(format!("{before}<!-- {name} -->\n{table}<!-- end -->{after}"))
}

/// Workloads, each compared with two builds of the peer, which must do the same.
fn peers(runs: u32) -> Result<String, String> {
    let entries = against_ns2(runs)?;
    ensure_same(&entries)?;
    let mut text =
        "| workload | Seamline | ns-2, all headers | ns-2, trimmed headers | ratio to trimmed, 95 % |\n\
                    |---|---|---|---|---|\n"
            .to_owned();
    for both in entries.chunks(2) {
        let [all, trimmed] = both else { continue };
        let _ = writeln!(
            text,
            "| {} | {:.2} M | {:.2} M | {:.2} M | {} |",
            about(&all.workload),
            trimmed.ours_pkts_per_cpu_s / 1e6,
            all.peer_pkts_per_cpu_s / 1e6,
            trimmed.peer_pkts_per_cpu_s / 1e6,
            ratio(trimmed)
        );
    }
    Ok(text)
}

fn ensure_same(entries: &[Entry]) -> Result<(), String> {
    match entries.iter().find(|entry| entry.void) {
        None => Ok(()),
        Some(void) => Err(format!(
            "{}: the goodput of {} differs by {:.1} %",
            void.workload,
            void.peer,
            void.goodput_difference * 100.0
        )),
    }
}

/// The large network in three simulators.
fn large(runs: u32, htsim: Option<&Path>) -> Result<String, String> {
    let htsim = htsim.ok_or(htsim::TIP)?;
    // Both are compiled before the first run, which takes minutes.
    let peers = [htsim::large(htsim)?, ns3::large()?];
    let entries = peers.iter().map(|peer| peer.compare(runs)).collect::<Result<Vec<_>, _>>()?;
    ensure_same(&entries)?;
    let mut text = "| simulator | packets per CPU second | peak memory | Seamline is faster by, 95 % |\n\
                    |---|---|---|---|\n"
        .to_owned();
    let mut row = |name: &str, rate: f64, bytes: f64, ratio: &str| {
        let _ = writeln!(text, "| {name} | {:.3} M | {:.0} MB | {ratio} |", rate / 1e6, bytes / 1e6);
    };
    let of = |number: fn(&Entry) -> f64| entry::median(entries.iter().map(number).collect());
    row("Seamline", of(|entry| entry.ours_pkts_per_cpu_s), of(|entry| entry.ours_peak_bytes), "");
    for entry in &entries {
        row(&entry.peer, entry.peer_pkts_per_cpu_s, entry.peer_peak_bytes, &ratio(entry));
    }
    Ok(text)
}

fn about(workload: &str) -> &str {
    match workload {
        "three_hops" => "1 NewReno flow, three hops, 1 % loss",
        "dumbbell" => "100 NewReno flows, 1 Gbit/s dumbbell",
        "cells" => "1,000 NewReno flows over 100 radio cells",
        other => other,
    }
}

fn ratio(entry: &Entry) -> String {
    format!("{:.2} ({:.2} to {:.2})", entry.ratio_median, entry.ratio_ci95[0], entry.ratio_ci95[1])
}

/// Ways of TCP, relative to SACK as RFCs describe it.
fn tcp(runs: u32) -> Result<String, String> {
    const OTHERS: [[&str; 2]; 5] = [
        ["linux-6.12", "cubic"],
        ["linux-6.12", "reno"],
        ["linux-6.12", "bbr"],
        ["linux-6.12", "bbr3"],
        ["ns2-2.27", "sack"],
    ];
    let mut text =
        "| profile | variant | packets per CPU second, relative to `sack` of `rfc` |\n|---|---|---|\n"
            .to_owned();
    for [profile, variant] in OTHERS {
        let set = [format!("flow.main.profile={profile}"), format!("flow.main.variant={variant}")];
        let entry = compared("hops", variant, runs, &["--set", &set[0], "--set", &set[1]], &[])?;
        let _ = writeln!(text, "| `{profile}` | `{variant}` | {} |", ratio(&entry));
    }
    Ok(text)
}

/// Runs that record everything, relative to those that record nothing.
fn recording(runs: u32) -> Result<String, String> {
    let mut text = "| workload | tables (`--parquet`) | CSV and pcapng |\n|---|---|---|\n".to_owned();
    let folder = repository().join("target/speed");
    let place = folder.display().to_string();
    for (name, about) in [("cubic", "one CUBIC flow at 30 Mbit/s"), ("fifty", "50 NewReno flows, 200 Mbit/s")]
    {
        let tables = compared(name, "tables", runs, &[], &["--parquet", &place])?;
        let lists = compared(name, "lists", runs, &[], &["--events", &place, "--pcapng", &place])?;
        let _ = writeln!(text, "| {about} | {} | {} |", ratio(&tables), ratio(&lists));
    }
    drop(fs::remove_dir_all(folder));
    Ok(text)
}

/// How many times as fast a scenario runs with some arguments as with others.
fn compared(
    scenario: &'static str,
    build: &str,
    runs: u32,
    ours: &[&str],
    others: &[&str],
) -> Result<Entry, String> {
    let (seamline, file) = (command::seamline()?, scenario_of(scenario));
    let pair = |seed| {
        let one = command::run(&seamline, &file, seed, ours)?;
        Ok((one, command::run(&seamline, &file, seed, others)?))
    };
    let pairs = (1..=runs).map(pair).collect::<Result<Vec<_>, String>>()?;
    Ok(Entry::new("seamline", build.to_owned(), scenario, &pairs))
}

fn scenario_of(name: &str) -> PathBuf {
    let folder: &Path = repository();
    folder.join("benches/speed").join(name).with_extension("toml")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_replaced_in_its_place() {
        let page = "# Page\n<!-- one -->\n| a |\n<!-- end -->\n<!-- two -->\n<!-- end -->\n";
        assert_eq!(
            replaced(page, "two", "| b |\n").as_deref(),
            Some("# Page\n<!-- one -->\n| a |\n<!-- end -->\n<!-- two -->\n| b |\n<!-- end -->\n")
        );
        assert_eq!(replaced(page, "three", ""), None);
    }

    #[test]
    fn the_page_has_a_place_for_each_table() {
        let page = fs::read_to_string(repository().join("docs/background/speed.md")).unwrap();
        assert!(Table::value_variants().iter().all(|table| replaced(&page, &name(table), "").is_some()));
    }
}
