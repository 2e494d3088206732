//! The table for a terminal.

use crate::parity::Parity;
use crate::parity::columns::{LEGEND, named, table, tally};
use crate::parity::compare::{Pair, ScenarioParity};
use seamline_report::export::table::Table;
use std::fmt::Write;

/// The whole comparison as text.
pub fn text(parity: &Parity) -> String {
    let mut text = String::new();
    for scenario in &parity.scenarios {
        scenario_table(&mut text, scenario);
    }
    let _ = writeln!(text, "{LEGEND}\n");
    let judged = &parity.differences;
    let _ = writeln!(text, "{}", tally(judged, parity.comparisons()));
    for (place, known) in judged.known.iter().enumerate() {
        let rows: Vec<String> = judged.explained_by(place).map(named).collect();
        if !rows.is_empty() {
            let _ = writeln!(text, "\n{} ({})\n  {}", known.why, known.between.name(), rows.join("\n  "));
        }
    }
    for between in Pair::ALL {
        let rows: Vec<String> =
            judged.unexplained().filter(|row| row.between == between).map(named).collect();
        if !rows.is_empty() {
            let _ = writeln!(text, "\nUnexplained, {}:\n  {}", between.name(), rows.join("\n  "));
        }
    }
    for place in &judged.stale {
        let _ = writeln!(text, "\nStale, its difference has gone: {}", judged.known[*place].why);
    }
    text
}

/// A row for each quantity of each flow; its unit is in its name.
pub fn to_table(parity: &Parity) -> Table {
    let rows = || {
        let cells = parity.scenarios.iter().flat_map(|it| it.cells.iter().map(move |cell| (it, cell)));
        cells.flat_map(|(scenario, cell)| cell.rows.iter().map(move |row| (scenario, cell, row)))
    };
    let table = Table::new("parity")
        .text("scenario", rows().map(|(scenario, _, _)| scenario.name.clone()))
        .text("cell", rows().map(|(_, cell, _)| cell.name.clone()))
        .text("quantity", rows().map(|(_, _, row)| row.name.clone()));
    let table =
        ["simulator", "lab_ours", "lab_kernel"].into_iter().enumerate().fold(table, |table, (arm, name)| {
            table.estimate(name, "", rows().map(|(_, _, row)| row.values[arm]))
        });
    ["lab_by_simulator", "kernel_by_ours"].into_iter().enumerate().fold(table, |table, (pair, name)| {
        let compared = || rows().map(|(_, _, row)| row.comparisons[pair]);
        let verdicts = compared().map(|it| it.mark.name().to_owned());
        table.estimate(name, "", compared().map(|it| it.ratio)).text(format!("{name}_verdict"), verdicts)
    })
}

fn scenario_table(text: &mut String, scenario: &ScenarioParity) {
    let _ = writeln!(text, "{}: {}", scenario.name, scenario.title);
    let mut lines = table(scenario.cells.iter().flat_map(|cell| &cell.rows)).lines().into_iter();
    if let Some(heads) = lines.next() {
        let _ = writeln!(text, "  {heads}");
    }
    for cell in &scenario.cells {
        let _ = writeln!(text, " {}", cell.name);
        for line in lines.by_ref().take(cell.rows.len()) {
            let _ = writeln!(text, "  {line}");
        }
    }
    if scenario.repeated > 0 {
        let _ = writeln!(text, " {} runs were badly emulated and repeated", scenario.repeated);
    }
    for left_out in &scenario.left_out {
        let _ = writeln!(text, " left out: {left_out}");
    }
    text.push('\n');
}

impl Parity {
    /// How many pairs of values were compared.
    pub fn comparisons(&self) -> usize {
        let cells = self.scenarios.iter().flat_map(|scenario| &scenario.cells);
        let all = cells.flat_map(|cell| &cell.rows).flat_map(|row| &row.comparisons);
        all.filter(|comparison| comparison.mark != crate::parity::Mark::Absent).count()
    }
}
