//! Families whose references are tables of counters, one run per row.

use super::compare::same_as_printed;
use super::dice;
use super::layout;
use super::record::{Counters, Keep, Outcome};
use super::replay::{self, Run};
use super::report::{FamilyReport, Finding};
use super::setup::{Setup, Variant};
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Columns that describe ns-2's run and have no counterpart here.
const NOT_RESULTS: [&str; 3] = ["config", "ndrops", "trace"];
/// Steady state of family d begins here, in seconds.
const STEADY_FROM: f64 = 50.0;

/// One run of a table.
#[derive(Debug)]
pub(super) struct TableRow {
    /// Line in the file, counted from 1.
    pub(super) line: usize,
    pub(super) setup: Setup,
    /// Columns that are not settings, as in the file.
    pub(super) results: Vec<(String, String)>,
}

#[derive(Debug)]
pub(super) struct Table {
    pub(super) path: PathBuf,
    pub(super) rows: Vec<TableRow>,
    /// Rows that name settings we have no counterpart for, with the reason.
    pub(super) skipped: Vec<String>,
}

impl Table {
    /// Read a table; `defaults` gives the settings that a row does not mention, from the row's own
    /// `config` column if there is one.
    pub(super) fn read(path: &Path, defaults: impl Fn(Option<&str>) -> Setup) -> Result<Table, String> {
        let fail = |e: csv::Error| format!("{}: {e}", path.display());
        let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(layout::open(path)?);
        let names = reader.headers().map_err(fail)?.clone();
        let config_column = names.iter().position(|name| name == "config");
        let mut table = Table { path: path.to_owned(), rows: Vec::new(), skipped: Vec::new() };
        for (n, record) in reader.records().enumerate() {
            const FIRST_LINE: usize = 2;
            let record = record.map_err(fail)?;
            let mut setup = defaults(config_column.and_then(|column| record.get(column)));
            match take_settings(&mut setup, names.iter().zip(&record)) {
                Ok(results) => table.rows.push(TableRow { line: n + FIRST_LINE, setup, results }),
                Err(reason) => table.skipped.push(format!("line {}: {reason}", n + FIRST_LINE)),
            }
        }
        Ok(table)
    }
    /// The name of the file, for messages.
    pub(super) fn name(&self) -> String {
        self.path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
    }
}

fn take_settings<'a>(
    setup: &mut Setup,
    fields: impl Iterator<Item = (&'a str, &'a str)>,
) -> Result<Vec<(String, String)>, String> {
    let mut results = Vec::new();
    for (name, value) in fields {
        if !setup.set(name, value)? {
            results.push((name.to_owned(), value.to_owned()));
        }
    }
    Ok(results)
}

/// One row compared with ours.
pub(super) struct Compared<'a> {
    pub(super) row: &'a TableRow,
    /// The first result that differs: its name, theirs, ours.
    pub(super) difference: Option<(String, String, f64)>,
    /// How often rounding let a packet come before a timer of the same time.
    packets_first: usize,
    /// Packets acknowledged: theirs, if the table has the number, and ours.
    pub(super) acked: (Option<f64>, f64),
}

/// Compare every row of a table with our run and add the outcome to `report`.
pub(super) fn compare(table: &Table, report: &mut FamilyReport) -> Result<(), String> {
    let compared: Vec<Compared<'_>> =
        table.rows.par_iter().map(compare_row).collect::<Result<_, String>>()?;
    for one in &compared {
        report.decided_by_rounding += usize::from(one.packets_first > 0);
        report.count(one.difference.is_none(), || one.finding(&table.name()));
    }
    let skipped = table.skipped.iter().map(|reason| format!("{}: not compared: {reason}", table.name()));
    report.notes.extend(skipped);
    let unknown = unknown_columns(table);
    if !unknown.is_empty() {
        report.notes.push(format!(
            "{}: columns not compared: {}",
            table.name(),
            unknown.into_iter().collect::<Vec<_>>().join(", ")
        ));
    }
    Ok(())
}

pub(super) fn compare_row(row: &TableRow) -> Result<Compared<'_>, String> {
    let setup = &row.setup;
    let run = Run {
        setup,
        losses: dice::losses(setup),
        lost_acknowledgments: dice::lost_acknowledgments(setup),
        keep: Keep { rows: false, acknowledgments: row.results.iter().any(|(name, _)| needs_history(name)) },
    };
    let outcome = replay::run(&run)?;
    let theirs_acked = row.results.iter().find(|(name, _)| name.starts_with("acked"));
    Ok(Compared {
        row,
        difference: first_difference(row, &outcome),
        packets_first: outcome.packets_first,
        acked: (
            theirs_acked.and_then(|(_, text)| text.parse().ok()),
            result("acked_pkts", setup, &outcome).unwrap_or_default(),
        ),
    })
}

/// The first result of a row that differs from ours: its name, theirs, ours.
fn first_difference(row: &TableRow, outcome: &Outcome) -> Option<(String, String, f64)> {
    row.results.iter().find_map(|(name, text)| {
        let theirs: f64 = text.parse().ok()?;
        let ours = result(name, &row.setup, outcome)?;
        let decimals = text.split_once('.').map_or(0, |(_, decimals)| decimals.len());
        (!same_as_printed(decimals, theirs, ours)).then(|| (name.clone(), text.clone(), ours))
    })
}

/// Our value of a reference's column, `None` when we do not know what it means.
fn result(name: &str, setup: &Setup, outcome: &Outcome) -> Option<f64> {
    let counters = &outcome.counters;
    let acked_data = counters.acked_data;
    let count = |n: i64| Some(n as f64);
    let bits_per_second = |packets: i64, seconds: f64| packets as f64 * f64::from(setup.pkt) * 8.0 / seconds;
    match name {
        "acked_pkts" => count(acked_data),
        "acked_at_6s" => count(acked_data + i64::from(setup.opens_with_syn())),
        "goodput_bps" => Some(bits_per_second(acked_data, setup.dur)),
        "sent_pkts" | "sent" => count(counters.sent),
        "rexmit_pkts" | "rexmit" => count(counters.rexmit),
        "timeouts" => count(counters.timeouts),
        // ns-2's Vegas does not count the cuts of its fast retransmissions.
        "cwnd_cuts" if setup.variant == Variant::Vegas => count(counters.timeouts),
        "cwnd_cuts" => count(counters.cuts),
        "t_seq40_acked" => outcome.time_of_acknowledgment(40),
        "steady_bps" => {
            let packets = acked_data - outcome.acknowledged_before(STEADY_FROM);
            Some(bits_per_second(packets, setup.dur - STEADY_FROM))
        }
        _ => None,
    }
}

fn needs_history(name: &str) -> bool {
    ["t_seq40_acked", "steady_bps"].contains(&name)
}

fn unknown_columns(table: &Table) -> BTreeSet<&str> {
    let nothing = Outcome::new(Counters::default());
    let is_unknown = |row: &TableRow, name: &str| {
        result(name, &row.setup, &nothing).is_none() && !needs_history(name) && !NOT_RESULTS.contains(&name)
    };
    let columns = table.rows.iter().flat_map(|row| row.results.iter().map(move |(name, _)| (row, name)));
    columns.filter(|(row, name)| is_unknown(row, name)).map(|(_, name)| name.as_str()).collect()
}

impl Compared<'_> {
    pub(super) fn finding(&self, file: &str) -> Finding {
        let (name, theirs, ours) = self.difference.clone().unwrap_or_default();
        Finding {
            place: format!("{file}:{} ({:?}) column {name}", self.row.line, self.row.setup.variant),
            theirs,
            ours: format!("{ours}"),
            context: vec![format!("{:?}", self.row.setup), format!("theirs {:?}", self.row.results)],
        }
    }
}
