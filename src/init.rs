//! `seamline init [FILE]`

use crate::Outcome;
use crate::bundled::{self, without_schema};
use crate::terminal::{Failure, print};
use clap::builder::PossibleValuesParser;
use seamline_experiment::atomic;
use seamline_experiment::report::quoted;
use seamline_scenario::schema::json_schema;
use std::path::PathBuf;

/// A commented scenario.
const TEMPLATE: &str = include_str!("../scenarios/template.toml");
/// The name of the schema beside a scenario.
const SCHEMA: &str = "scenario.schema.json";

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The file to write
    #[arg(default_value = "scenario.toml")]
    file: PathBuf,
    /// Begin from a bundled scenario
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(bundled::names()))]
    from: Option<String>,
    /// Replace the file if it is there
    #[arg(long)]
    force: bool,
    /// Write the JSON Schema beside it, for editors that complete and check keys
    #[arg(long)]
    schema: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let Arguments { file, from, force, schema } = arguments;
    if file.exists() && !force {
        let message = format!("{} is there already\ntip: name another file, or use --force", file.display());
        return Err(Failure::Input(message));
    }
    let from = from.as_ref().and_then(|name| bundled::ALL.iter().find(|bundled| bundled.name == name));
    let text = without_schema(from.map_or(TEMPLATE, |bundled| bundled.text));
    let mut written = file.display().to_string();
    if *schema {
        let place = file.with_file_name(SCHEMA);
        atomic::write(&place, json_schema().as_bytes())?;
        written += &format!(" and {}", place.display());
        atomic::write(file, format!("#:schema ./{SCHEMA}\n{text}").as_bytes())?;
    } else {
        atomic::write(file, text.as_bytes())?;
    }
    let recording = from.and_then(|bundled| bundled.recording);
    let recording = recording.map(|(key, _)| format!(" --set {key}=PATH")).unwrap_or_default();
    let file = quoted(&file.display().to_string());
    print(&format!("Written: {written}\nNext: seamline run {file}{recording}\n"))
}
