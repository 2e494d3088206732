//! `seamline init [FILE]`

use crate::Outcome;
use crate::bundled::{self, without_schema};
use crate::terminal::{Failure, print};
use clap::builder::PossibleValuesParser;
use seamline_scenario::atomic::{AtomicFile, WriteError};
use seamline_scenario::describe::json_schema;
use std::io::Write;
use std::path::{Path, PathBuf};

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
        write(&place, &json_schema())?;
        written += &format!(" and {}", place.display());
        write(file, &format!("#:schema ./{SCHEMA}\n{text}"))?;
    } else {
        write(file, text)?;
    }
    let recording = from.and_then(|bundled| bundled.recording);
    let recording = recording.map(|(key, _)| format!(" --set {key}=PATH")).unwrap_or_default();
    print(&format!("Written: {written}\nNext: seamline run {}{recording}\n", file.display()))
}

fn write(path: &Path, text: &str) -> Outcome {
    let written = AtomicFile::create(path).and_then(|mut file| {
        file.write_all(text.as_bytes()).map_err(|cause| WriteError { path: path.to_owned(), cause })?;
        file.finish()
    });
    written.map(drop).map_err(|error| Failure::Runtime(error.to_string()))
}
