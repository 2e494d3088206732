//! `seamline run FILE`

use crate::Outcome;
use crate::experiment::{Options, run_and_report};
use crate::terminal::{Failure, invalid};
use seamline_experiment::report::quoted;
use seamline_scenario::recordings::open_regular;
use seamline_scenario::schema::Scenario;
use seamline_scenario::{Parts, Plan};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The scenario file (`seamline init` writes one); `-` reads standard input
    file: PathBuf,
    #[command(flatten)]
    options: Options,
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let Arguments { file, options } = arguments;
    let plan = load(file, &options.overrides.to_settings())?;
    let command = format!("run {}", quoted(&file.display().to_string()));
    run_and_report(&plan, options, &command, options.files.to_run_options())
}

/// The longest scenario that is read: far more than anybody writes.
const MAXIMUM_BYTES: u64 = 16 << 20;

/// Read a scenario from a file, or from standard input if its name is `-`.
pub(crate) fn load(file: &Path, overrides: &[String]) -> Result<Plan, Failure> {
    let (name, text) = text_of(file)?;
    Plan::new(name, text, overrides).map_err(|diagnostics| invalid(&diagnostics))
}

/// Likewise in parts of at most so many grid cells. `each` gets every grid cell once.
pub(crate) fn load_parts(
    file: &Path,
    overrides: &[String],
    most: usize,
    each: &mut dyn FnMut(&Scenario),
) -> Result<Parts<'static>, Failure> {
    let (name, text) = text_of(file)?;
    Parts::new(name, text, overrides, most, each).map_err(|diagnostics| invalid(&diagnostics))
}

fn text_of(file: &Path) -> Result<(&Path, String), Failure> {
    let (name, text) = match file.to_str() {
        Some("-") => (Path::new("<stdin>"), read(io::stdin().lock())),
        _ => (file, open_regular(file).and_then(read)),
    };
    let text = text.map_err(|error| Failure::Input(format!("cannot read {}: {error}", name.display())))?;
    Ok((name, text))
}

fn read(from: impl Read) -> io::Result<String> {
    let mut text = String::new();
    from.take(MAXIMUM_BYTES + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MAXIMUM_BYTES {
        let limit = MAXIMUM_BYTES >> 20;
        return Err(io::Error::other(format!("a scenario has at most {limit} MiB\ntip: is it a recording?")));
    }
    Ok(text)
}
