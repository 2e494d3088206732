//! `--format`: how results are printed.

use crate::Outcome;
use crate::terminal::{Failure, print_results};
use clap::{Args, ValueEnum};
use seamline_cli::fitted;
use seamline_report::export::table::Table;
use seamline_report::export::{csv_rows, json_rows};

/// How results are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Text for people
    Table,
    /// Comma-separated values with a header; units are in the names of columns
    Csv,
    /// One JSON document
    Json,
}

/// The option of every command that prints a table.
#[derive(Clone, Debug, Args)]
pub(crate) struct FormatOption {
    /// How to print results
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Table)]
    format: Format,
    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    json: bool,
}

impl FormatOption {
    /// The format that was asked for.
    pub(crate) fn get(&self) -> Format {
        if self.json { Format::Json } else { self.format }
    }

    /// Whether it is text for people, to which more may be added.
    pub(crate) fn is_text(&self) -> bool {
        self.get() == Format::Table
    }

    /// Print results in the format that was asked for.
    pub(crate) fn print(
        &self,
        text: impl FnOnce() -> String,
        table: impl FnOnce() -> Table,
        json: impl FnOnce() -> Result<String, Failure>,
    ) -> Outcome {
        match self.get() {
            Format::Table => print_results(&fitted(&text())),
            Format::Csv => print_results(&csv_rows(&table())),
            Format::Json => print_results(&json()?),
        }
    }

    /// Print results whose JSON document is an array with an object for each row of the table.
    pub(crate) fn print_rows(&self, text: impl FnOnce() -> String, table: impl Fn() -> Table) -> Outcome {
        self.print(text, &table, || Ok(json_rows(&table())))
    }
}
