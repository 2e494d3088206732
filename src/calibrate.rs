//! `seamline calibrate [--quick]`: the accuracy of the emulated links on this host.

use crate::Outcome;
use crate::format::FormatOption;
use crate::lab::{failure, prepare};
use crate::terminal::{Failure, note};
use seamline_lab::calibrate::{Effort, PUBLISHED, calibrate, table};
use seamline_report::export::table::Table;
use serde_json::Value;

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Measure for 15 s instead of a minute
    #[arg(long)]
    quick: bool,
    #[command(flatten)]
    format: FormatOption,
    /// Do not show progress
    #[arg(short, long)]
    quiet: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let state = prepare(arguments.quiet)?;
    let effort = if arguments.quick { Effort::Quick } else { Effort::Full };
    let begins = |part: &str| {
        if !arguments.quiet {
            note("measuring", part);
        }
    };
    let calibration = calibrate(effort, &state, &begins).map_err(failure)?;
    let measured = serde_json::to_value(&calibration)?;
    let json = || json(measured.clone());
    arguments.format.print(|| table(&calibration), || numbers(&measured), json)
}

/// A row for each number, with its unit at the end of its name.
fn numbers(measured: &Value) -> Table {
    let mut rows = Vec::new();
    add_numbers("", measured, &mut rows);
    let names = rows.iter().map(|(name, _)| name.clone());
    Table::new("calibration")
        .text("quantity", names)
        .real("value", rows.iter().map(|(_, value)| Some(*value)))
}

/// The numbers in a JSON value, each with its path.
fn add_numbers(path: &str, value: &Value, rows: &mut Vec<(String, f64)>) {
    let below = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    match value {
        Value::Object(fields) => {
            fields.iter().for_each(|(name, value)| add_numbers(&below(name), value, rows))
        }
        Value::Array(values) => {
            values
                .iter()
                .zip(1..)
                .for_each(|(value, place)| add_numbers(&below(&format!("{place}")), value, rows));
        }
        other => rows.extend(other.as_f64().map(|number| (path.to_owned(), number))),
    }
}

fn json(mut value: Value) -> Result<String, Failure> {
    value["others"] = serde_json::to_value(PUBLISHED)?;
    Ok(format!("{value:#}\n"))
}
