//! `seamline demo [NAME]`

use crate::Outcome;
use crate::bundled::{ALL, Bundled, names, without_schema};
use crate::experiment::{Options, Table, run_and_report};
use crate::terminal::{Failure, invalid, print};
use clap::builder::PossibleValuesParser;
use seamline_experiment::RunOptions;
use seamline_experiment::pages::is_page;
use seamline_experiment::report::quoted;
use seamline_experiment::sample::write_path_log;
use seamline_scenario::Plan;
use seamline_scenario::recordings::detect;
use std::path::{Path, PathBuf};

/// The default folder for the capture.
const FOLDER: &str = "seamline-demo";
/// The subfolder for the run over the sample recording: its files have the same names as those of the first run.
const RECORDING: &str = "recording";
const SAMPLE: &str = "sample-path.log";

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The bundled scenario
    #[arg(value_parser = PossibleValuesParser::new(names()))]
    name: Option<String>,
    /// Run over a recording: a LeoEM path log, a mahimahi trace or a delay series, plain or gzip
    #[arg(long, value_name = "PATH")]
    recording: Option<PathBuf>,
    /// Print the scenario file instead of running it, as a start for your own
    #[arg(long)]
    print: bool,
    #[command(flatten)]
    options: Options,
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let options = &arguments.options;
    let bundled = choose(arguments)?;
    if arguments.print {
        return print(without_schema(bundled.text));
    }
    let folder = options.pcapng.clone().unwrap_or_else(|| PathBuf::from(FOLDER));
    show(bundled, arguments.recording.as_deref(), options, &folder)?;
    let nothing_chosen = arguments.name.is_none() && arguments.recording.is_none();
    if nothing_chosen && !options.json && options.overrides.set.is_empty() && !options.baseline.is_named() {
        show_sample(options, &folder.join(RECORDING))?;
    }
    Ok(())
}

/// Run the comparison again over a sample recording, because recordings of others cannot be bundled.
fn show_sample(options: &Options, folder: &Path) -> Outcome {
    let sample = write_path_log(&folder.join(SAMPLE))?;
    print(&format!(
        "\n{}\nThe same over a recording: {}, a satellite path log in LeoEM's format, made by the Starlink generator.\n\
         Use your own: seamline demo --recording PATH (LeoEM, mahimahi or a delay series)\n\n",
        "-".repeat(100),
        sample.display()
    ))?;
    let table = if options.table == Table::Auto { Table::First } else { options.table };
    let events = options.events.as_ref().map(|folder| folder.join(RECORDING));
    let report = options.report.as_deref().map(report_of_recording);
    show(with_kind("leoem")?, Some(&sample), &Options { table, events, report, ..options.clone() }, folder)
}

/// The path of the second report: in a folder below the first, or next to a single page.
fn report_of_recording(first: &Path) -> PathBuf {
    match first.file_name() {
        Some(name) if is_page(first) => {
            first.with_file_name(format!("{RECORDING}-{}", name.to_string_lossy()))
        }
        _ => first.join(RECORDING),
    }
}

fn show(bundled: &'static Bundled, recording: Option<&Path>, options: &Options, folder: &Path) -> Outcome {
    let mut overrides = Vec::new();
    let mut command = format!("demo {}", bundled.name);
    if let (Some((key, _)), Some(path)) = (bundled.recording, recording) {
        overrides.push(format!("{key}={}", path.display()));
        command += &format!(" --recording {}", quoted(&path.display().to_string()));
    }
    overrides.extend(options.overrides.to_settings());
    let name = format!("{}.toml", bundled.name);
    let plan = Plan::new(Path::new(&name), bundled.text.to_owned(), &overrides)
        .map_err(|diagnostics| invalid(&diagnostics))?;
    let files = RunOptions {
        pcapng: Some(folder.to_owned()),
        events: options.events.clone(),
        only_last_cell: options.pcapng.is_none() && options.events.is_none(),
        ..RunOptions::default()
    };
    run_and_report(&plan, options, &command, files)?;
    if !options.json {
        print(&epilogue(bundled))?;
    }
    Ok(())
}

/// The named scenario, or the one for the recording, or the first.
fn choose(arguments: &Arguments) -> Result<&'static Bundled, Failure> {
    let named = arguments.name.as_ref().and_then(|name| ALL.iter().find(|bundled| bundled.name == name));
    let kind = arguments.recording.as_deref().map(detect).transpose().map_err(Failure::Input)?;
    match (named, kind) {
        (None, None) => Ok(&ALL[0]),
        (None, Some(kind)) => with_kind(kind),
        (Some(named), None) => match named.recording {
            None => Ok(named),
            Some(_) => Err(Failure::Input(format!("the demo {} needs --recording PATH", named.name))),
        },
        (Some(named), Some(kind)) => match named.recording {
            Some((_, wanted)) if wanted == kind => Ok(named),
            Some((_, wanted)) => {
                Err(Failure::Input(format!("this recording has the format {kind}, not {wanted}")))
            }
            None => Err(Failure::Input(format!("the demo {} uses no recording", named.name))),
        },
    }
}

fn with_kind(kind: &str) -> Result<&'static Bundled, Failure> {
    let found = ALL.iter().find(|bundled| bundled.recording.is_some_and(|(_, wanted)| wanted == kind));
    found.ok_or_else(|| Failure::Input(format!("no demo uses a recording of the format {kind}")))
}

fn epilogue(bundled: &Bundled) -> String {
    let name = bundled.name;
    format!(
        "Open the capture with wireshark or tcptrace. \
         Change the scenario: seamline demo {name} --print > my.toml; seamline run my.toml\n"
    )
}
