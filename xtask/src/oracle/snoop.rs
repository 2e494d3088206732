//! Family e: Snoop at the base station. Its runs meet ns-2's own losses. Without Snoop, and with data from the mobile node, where it only
//! marks acknowledgments, each run is compared exactly. For data towards the mobile node, which packets are retransmitted, and by
//! which host, depends on details that no specification has, so means over the seeds are compared.

use super::report::FamilyReport;
use super::setup::{Chain, Setup};
use super::tables::{Compared, Table, compare_row};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;

/// Up to this packet error ratio the closer bound holds.
const FEW_LOSSES: f64 = 0.01;
/// How far mean goodput may be from ns-2's, as a share of it: with few losses, and with more.
const TOLERANCES: [f64; 2] = [0.03, 0.10];

/// Compare the runs of every setting, or their mean goodput.
pub(super) fn compare(path: &Path) -> Result<FamilyReport, String> {
    let table = Table::read(path, |_| Setup::common(Chain::Snoop))?;
    let mut report = FamilyReport::new("e  Snoop, exact or means of seeds");
    let rows: Vec<Compared<'_>> = table.rows.par_iter().map(compare_row).collect::<Result<_, String>>()?;
    let mut groups: BTreeMap<String, Vec<&Compared<'_>>> = BTreeMap::new();
    for row in &rows {
        let Setup { variant, per, ackper, snoop, up, eln, .. } = &row.row.setup;
        let rest = Setup { seed: 0, ..row.row.setup.clone() };
        let [snoop, up, eln] = [snoop, up, eln].map(|flag| u8::from(*flag));
        let name = format!("{variant:?} per={per} ackper={ackper} snoop={snoop} up={up} eln={eln}");
        groups.entry(format!("{name} {rest:?}")).or_default().push(row);
    }
    for (name, members) in groups {
        let name: Vec<&str> = name.split(' ').take(6).collect();
        compare_group(&name.join(" "), &members, &table.name(), &mut report);
    }
    report
        .notes
        .extend(table.skipped.iter().map(|reason| format!("{}: not compared: {reason}", table.name())));
    Ok(report)
}

fn compare_group(name: &str, members: &[&Compared<'_>], file: &str, report: &mut FamilyReport) {
    let setup = &members[0].row.setup;
    let is_exact = |row: &Compared<'_>| row.difference.is_none();
    if setup.up || !setup.snoop {
        members.iter().for_each(|row| report.count(is_exact(row), || row.finding(file)));
        return;
    }
    let ours: f64 = members.iter().map(|row| row.acked.1).sum();
    let theirs: f64 = members.iter().filter_map(|row| row.acked.0).sum();
    let tolerance = TOLERANCES[usize::from(setup.per.max(setup.ackper) > FEW_LOSSES)];
    let apart = ours / theirs - 1.0;
    let exact = members.iter().filter(|row| is_exact(row)).count();
    report.notes.push(format!(
        "{file}: {name}: {:+.2} % of {} seeds, {exact} exact (within {:.0} %)",
        100.0 * apart,
        members.len(),
        100.0 * tolerance
    ));
    let agrees = apart.abs() <= tolerance;
    for row in members {
        report.count(agrees, || row.finding(file));
    }
}
