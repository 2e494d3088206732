//! `cargo xtask oracle DIR`: our runs compared with ns-2's.
//!
//! A directory holds reference data of one or more families (see tests/oracle/README.md). Each run is
//! set up from the settings that its file names, over the defaults of its family, and its random numbers
//! are ns-2's own.

mod compare;
mod dice;
mod layout;
mod mrg32k3a;
mod ns2_clock;
mod record;
mod replay;
mod report;
mod setup;
mod snoop;
mod tables;
mod timed_host;
mod timed_link;
mod trace;
mod traces;

use dice::Dice;
use layout::Layout;

use report::FamilyReport;
use setup::{Chain, Setup, Variant};
use std::path::{Path, PathBuf};
use tables::Table;

/// Bytes of IP and TCP headers that ns-2 adds when it adds any.
pub(crate) const HEADER_BYTES: u32 = 40;

/// Compare `directory` with our runs and print the result, with every mismatch when `list` is set; whether
/// everything matched.
pub(crate) fn run(directory: &Path, list: bool) -> Result<bool, String> {
    let layout = Layout::of(directory)?;
    let dice = Dice::read(&layout.loss_indices)?;
    let mut reports = Vec::new();
    let mut add = |report: FamilyReport| {
        print!("{report}");
        report.mismatches.iter().filter(|_| list).for_each(|line| println!("    {line}"));
        reports.push(report);
    };
    if !layout.loss_indices.is_empty() {
        add(report_of_dice(&dice));
    }
    if !layout.traces.is_empty() {
        add(traces::compare_all(&layout.traces)?);
    }
    for family in families(&layout) {
        if !family.paths.is_empty() {
            add(family.compare()?);
        }
    }
    for path in &layout.snoop {
        add(snoop::compare(path)?);
    }
    for path in &layout.unknown {
        println!("{}: belongs to no family, not compared", path.display());
    }
    let compared: usize = reports.iter().map(|report| report.total).sum();
    if compared == 0 {
        return Err(format!("{}: nothing to compare", directory.display()));
    }
    let matched: usize = reports.iter().map(|report| report.matched).sum();
    println!("total {matched}/{compared} match");
    Ok(matched == compared)
}

/// A family whose references are tables.
struct Family<'a> {
    title: &'static str,
    paths: &'a [PathBuf],
    /// Settings that the family's files leave out, by file name and the row's `config` column.
    defaults: fn(&str, Option<&str>) -> Setup,
}

fn families(layout: &Layout) -> [Family<'_>; 4] {
    [
        Family {
            title: "b  listed drops, totals",
            paths: &layout.trace_summaries,
            defaults: |_, config| {
                let setup = Setup { window: 28, dur: 6.0, ..Setup::common(Chain::ListedDrops) };
                if config == Some("classic") { setup.classic() } else { setup.default_of_2_35() }
            },
        },
        Family {
            title: "a  random loss, replayed",
            paths: &layout.random_loss,
            defaults: |file, _| {
                let setup = Setup::common(Chain::ThreeHops);
                if file.contains("classic") { setup.classic() } else { setup }
            },
        },
        Family {
            title: "c  periodic outage",
            paths: &layout.outages,
            defaults: |_, _| Setup { out: 1.0, ..Setup::common(Chain::ThreeHops) },
        },
        Family {
            title: "d  Vegas and small buffers",
            paths: &layout.vegas_buffers,
            defaults: |_, _| Setup {
                variant: Variant::Vegas,
                window: 128,
                qlim: 10,
                dur: 200.0,
                ..Setup::common(Chain::VegasBuffers)
            },
        },
    ]
}

impl Family<'_> {
    fn compare(&self) -> Result<FamilyReport, String> {
        let mut report = FamilyReport::new(self.title);
        for path in self.paths {
            let file = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            let table = Table::read(path, |config| (self.defaults)(&file, config))?;
            tables::compare(&table, &mut report)?;
        }
        Ok(report)
    }
}

fn report_of_dice(dice: &Dice) -> FamilyReport {
    let mut report = FamilyReport::new("a  loss indices, clock phases");
    (report.matched, report.total) = dice.agreement();
    report.notes.push("recorded lists and phases, against those of our MRG32k3a".to_owned());
    report
}
