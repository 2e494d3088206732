//! The heading of an experiment, and a table for each grid cell.

use super::interval_table;
use seamline_report::Report;
use seamline_report::quantity::plural;
use seamline_scenario::plan::Plan;

/// What is run: title, grid cells, of which `plan` may have only the first, seeds and duration.
pub fn headline(plan: &Plan, cells: usize) -> String {
    let Some(first) = plan.cells.first() else { return String::new() };
    let title = first.scenario.title.as_deref().unwrap_or("Scenario");
    let seeds = first.scenario.seeds.len();
    format!(
        "{title}: {}, {}, {} each\n\n",
        plural(cells, "grid cell"),
        plural(seeds, "seed"),
        first.scenario.duration
    )
}

/// The tables of the first run of so many grid cells, in so many columns of text.
pub fn tables(plan: &Plan, report: &Report, shown: usize, columns: usize) -> String {
    let cells = &report.cells;
    let mut text = String::new();
    for (place, cell) in cells.iter().enumerate().take(shown) {
        let Some(run) = cell.runs.first() else { continue };
        let scenario = &plan.cells[place].scenario;
        for flow in &run.flows {
            let name = if cells.len() == 1 { &flow.variant } else { &cell.name };
            text += &format!("{name}: flow {}, seed {}\n", flow.name, run.seed);
            text += &interval_table(flow, scenario.output.show_every_interval, columns);
            text.push('\n');
        }
    }
    text
}
