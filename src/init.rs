//! `seamline init [FILE]`

use crate::Outcome;
use crate::bundled::{self, Needed, without_schema};
use crate::demo::fitting;
use crate::targets;
use crate::terminal::{Failure, print};
use clap::builder::PossibleValuesParser;
use seamline_experiment::atomic;
use seamline_experiment::report::quoted;
use seamline_experiment::sample::write_sample;
use seamline_scenario::recordings::detect;
use seamline_scenario::schema::{description, json_schema};
use std::path::PathBuf;

/// A commented scenario.
const TEMPLATE: &str = include_str!("../scenarios/template.toml");
/// The file name of the schema next to a scenario.
const SCHEMA: &str = "scenario.schema.json";

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The file to write
    #[arg(default_value = "scenario.toml")]
    file: PathBuf,
    /// Start from a bundled scenario
    #[arg(long, value_name = "NAME", value_parser = PossibleValuesParser::new(bundled::names()))]
    from: Option<String>,
    /// Start from a scenario over this recording, of any format
    #[arg(long, value_name = "PATH")]
    recording: Option<PathBuf>,
    /// Replace an existing file
    #[arg(long)]
    force: bool,
    /// Also write the JSON Schema, for editors that complete and check keys
    #[arg(long)]
    schema: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let Arguments { file, from, recording, force, schema } = arguments;
    targets::new_file(file, *force)?;
    let from = from.as_ref().and_then(|name| bundled::ALL.iter().find(|bundled| bundled.name == name));
    let from = match recording {
        None => from,
        Some(path) => {
            let format = detect(path).map_err(Failure::Input)?.format;
            Some(fitting(format, from, "scenario", ["\ntip: leave --from out"; 2])?)
        }
    };
    let mut written = file.display().to_string();
    let mut replayed = recording.as_deref().map(std::path::absolute).transpose().unwrap_or(recording.clone());
    if let (Some(Needed { format, .. }), None) = (from.and_then(|bundled| bundled.recording), recording) {
        let name = format!("sample.{format}");
        written += &format!(" and {}", write_sample(format, &file.with_file_name(&name))?.display());
        replayed = Some(PathBuf::from(name));
    }
    let text = match from {
        None => without_schema(TEMPLATE).to_owned(),
        Some(bundled) => bundled.as_own(replayed.as_deref()),
    };
    if *schema {
        let schema_path = file.with_file_name(SCHEMA);
        atomic::write(&schema_path, json_schema(&description()).as_bytes())?;
        written += &format!(" and {}", schema_path.display());
        atomic::write(file, format!("#:schema ./{SCHEMA}\n{text}").as_bytes())?;
    } else {
        atomic::write(file, text.as_bytes())?;
    }
    let file = quoted(&file.display().to_string());
    print(&format!("Written: {written}\nNext: seamline run {file}\n"))
}
