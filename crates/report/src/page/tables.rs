//! The tables of the export as tables of the page, with units.

use super::html;
use crate::escape::Text;
use crate::export::table::{Column, Data, Table};
use crate::quantity::{bit_rate, bytes, millis};

/// More rows than this do not go into a page; the exported tables have them all.
const MOST_ROWS: usize = 400;

/// What a page shows of an exported table.
struct Shown {
    table: &'static str,
    title: &'static str,
    /// The number of columns, from the left, that hold text.
    left: usize,
    /// The exported column, and its heading. A column without values is left out.
    columns: &'static [(&'static str, &'static str)],
}

const SHOWN: [Shown; 4] = [
    Shown {
        table: "runs",
        title: "Runs",
        left: 2,
        columns: &[
            ("cell_name", "Cell"),
            ("flow", "Flow"),
            ("seed", "Seed"),
            ("goodput_bits_per_second", "Goodput"),
            ("delivered_bytes", "Delivered"),
            ("retransmissions", "Retransmitted"),
            ("timeouts", "Timeouts"),
            ("fast_recoveries", "Fast recoveries"),
            ("round_trip_mean_ms", "RTT mean"),
            ("round_trip_min_ms", "RTT min"),
            ("completion_s", "Complete after"),
        ],
    },
    Shown {
        table: "handovers",
        title: "Handovers",
        left: 3,
        columns: &[
            ("cell_name", "Cell"),
            ("flow", "Flow"),
            ("link", "Link"),
            ("seed", "Seed"),
            ("start_s", "Start"),
            ("interruption_ms", "Interruption"),
            ("movement_detected_ms", "Movement detected after"),
            ("registered_ms", "Registered after"),
            ("first_data_ms", "First data after"),
            ("lost_packets", "Lost before that"),
            ("recovery_ms", "Recovered after"),
            ("following_second_bytes", "Delivered in the next second"),
        ],
    },
    Shown {
        table: "emulation",
        title: "Emulation around real stacks",
        left: 2,
        columns: &[
            ("cell_name", "Cell"),
            ("stacks", "TCP of the hosts"),
            ("seed", "Seed"),
            ("packets", "Packets"),
            ("lateness_median_us", "Late (median)"),
            ("lateness_p99_us", "Late (99 %)"),
            ("lateness_max_us", "Late (maximum)"),
            ("priority", "Priority"),
            ("kernel", "Kernel"),
            ("warnings", "Warnings"),
        ],
    },
    Shown {
        table: "links",
        title: "Links",
        left: 2,
        columns: &[
            ("cell_name", "Cell"),
            ("link", "Link"),
            ("seed", "Seed"),
            ("delivered_bytes", "Delivered"),
            ("delivered_packets", "Packets"),
            ("dropped_by_full_queue", "Queue full"),
            ("dropped_by_queue_management", "Queue management"),
            ("marked_by_queue", "Marked"),
            ("lost_to_errors", "Errors"),
            ("lost_to_link_down", "Link down"),
            ("lost_to_departure", "Node left"),
        ],
    },
];

/// Every run, handover and link, folded.
pub(super) fn tables(tables: &[Table]) -> String {
    let mut content = String::from(
        "<p class=\"caption\"><code>--report DIR</code> writes the same data as <code>runs</code>, <code>handovers</code> \
         and <code>links</code> (CSV, JSON, Parquet).</p>",
    );
    for shown in &SHOWN {
        let Some(table) = tables.iter().find(|table| table.name == shown.table && table.rows() > 0) else {
            continue;
        };
        content += &html::folded(&format!("{} ({})", shown.title, table.rows()), &shown.html(table));
    }
    html::section("tables", "Tables", content)
}

impl Shown {
    fn html(&self, table: &Table) -> String {
        let find = |name: &str| table.columns.iter().find(|column| column.name == name);
        let known = self.columns.iter().filter_map(|(name, heading)| Some((*heading, find(name)?)));
        let columns: Vec<(&str, &Column)> = known.filter(|(_, column)| has_values(&column.data)).collect();
        let headings: Vec<&str> = columns.iter().map(|(heading, _)| *heading).collect();
        let row = |row: usize| columns.iter().map(|(_, column)| cell(column, row)).collect();
        let rows: Vec<Vec<String>> = (0..table.rows().min(MOST_ROWS)).map(row).collect();
        let rest = match table.rows() - rows.len() {
            0 => String::new(),
            rest => {
                let name = self.table;
                format!("<p class=\"caption\">{rest} more rows are in {name}.csv and {name}.parquet.</p>")
            }
        };
        html::table(&headings, &rows, self.left) + &rest
    }
}

fn has_values(data: &Data) -> bool {
    match data {
        Data::Text(values) => values.iter().flatten().any(|text| !text.is_empty()),
        Data::Whole(values) => values.iter().any(Option::is_some),
        Data::Real(values) => values.iter().any(Option::is_some),
        Data::Truth(_) => true,
    }
}

/// A value in the unit that the column's name ends with.
fn cell(column: &Column, row: usize) -> String {
    let number = match &column.data {
        Data::Text(values) => return Text(values[row].as_deref().unwrap_or_default()).to_string(),
        Data::Truth(values) => return if values[row] { "yes" } else { "no" }.to_owned(),
        Data::Whole(values) => values[row].map(|value| value as f64),
        Data::Real(values) => values[row],
    };
    let Some(number) = number else { return "–".to_owned() };
    let unit = ["_bits_per_second", "_bytes", "_ms", "_us", "_s"];
    match unit.into_iter().find(|unit| column.name.ends_with(unit)) {
        Some("_bits_per_second") => bit_rate(number),
        Some("_bytes") => bytes(number as u64),
        Some("_ms") => millis(number),
        Some("_us") => millis(number / 1e3),
        Some(_) => millis(number * 1e3),
        None => number.to_string(),
    }
}
