//! `seamline demo [NAME]`

use crate::Outcome;
use crate::bundled::{ALL, Bundled, Needed, names};
use crate::experiment::{Options, Table, run_and_report};
use crate::terminal::{Failure, invalid, note, print};
use clap::builder::PossibleValuesParser;
use seamline_experiment::RunOptions;
use seamline_experiment::report::quoted;
use seamline_experiment::sample::write_sample;
use seamline_net::Schedule;
use seamline_recordings::Measured;
use seamline_recordings::replay::{Replay, ReplayOptions, replay};
use seamline_scenario::Plan;
use seamline_scenario::recordings::detect;
use std::path::{Path, PathBuf};

/// The default folder for the report, the capture and a sample recording.
const FOLDER: &str = "seamline-demo";

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// The bundled scenario [default: handover, or the one for the recording]
    #[arg(value_parser = PossibleValuesParser::new(names()))]
    name: Option<String>,
    /// Run over a recording, plain or gzip: pings, capacity traces, delay series, path logs and more (seamline recording
    /// show --help). Without this option, scenarios that need a recording use a sample
    #[arg(long, value_name = "PATH")]
    recording: Option<PathBuf>,
    /// Print the scenario file instead of running it, to start your own
    #[arg(long)]
    print: bool,
    #[command(flatten)]
    options: Options,
}

pub(crate) fn run(arguments: &Arguments) -> Outcome {
    let options = &arguments.options;
    let bundled = choose(arguments)?;
    let folder = options.files.pcapng.clone().unwrap_or_else(|| PathBuf::from(FOLDER));
    let recording = match (bundled.recording, &arguments.recording) {
        (Some(Needed { format, .. }), None) => {
            Some(write_sample(format, &folder.join(format!("sample.{format}")))?)
        }
        (_, given) => given.clone(),
    };
    if arguments.print {
        return print(&bundled.as_own(recording.as_deref()));
    }
    let retyped = arguments.recording.as_deref().map(retype).unwrap_or_default();
    let page = options.report.clone().unwrap_or_else(|| folder.join("report.html"));
    let table = if options.table == Table::Auto { Table::First } else { options.table };
    let options = Options { table, report: Some(page.clone()), ..options.clone() };
    show(bundled, recording.as_deref(), &options, &folder, &retyped)?;
    if options.format.is_text() { print(&epilogue(bundled, &page, &retyped)) } else { Ok(()) }
}

/// The option as it is typed.
fn retype(recording: &Path) -> String {
    format!(" --recording {}", quoted(&recording.display().to_string()))
}

fn show(
    bundled: &'static Bundled,
    recording: Option<&Path>,
    options: &Options,
    folder: &Path,
    retyped: &str,
) -> Outcome {
    let path = recording.map(|path| path.display().to_string());
    let named = bundled.recording.zip(path).map(|(needed, path)| format!("{}={path}", needed.key));
    let overrides: Vec<String> = named.into_iter().chain(options.overrides.to_settings()).collect();
    let name = format!("{}.toml", bundled.name);
    let plan = Plan::new(Path::new(&name), bundled.text.to_owned(), &overrides)
        .map_err(|diagnostics| invalid(&diagnostics))?;
    let files = RunOptions {
        pcapng: Some(folder.to_owned()),
        only_last_cell: !options.files.any(),
        ..options.files.to_run_options()
    };
    run_and_report(&plan, options, &format!("demo {}{retyped}", bundled.name), files)
}

/// The named scenario, or the one for the recording, or the first.
fn choose(arguments: &Arguments) -> Result<&'static Bundled, Failure> {
    let named = arguments.name.as_ref().and_then(|name| ALL.iter().find(|bundled| bundled.name == name));
    let recognised = arguments.recording.as_deref().map(detect).transpose().map_err(Failure::Input)?;
    if let (Some(read), Some(path), false) = (&recognised, &arguments.recording, arguments.options.quiet) {
        note("note", format!("{} read as {}: {}", path.display(), read.format, read.summary));
        missing(&read.measured).into_iter().for_each(|what| note("note", what));
    }
    match recognised {
        None => Ok(named.unwrap_or(&ALL[0])),
        Some(read) => {
            let tips = ["\ntip: the demo `recording` takes any format", ""];
            fitting(read.format, named, "demo", tips)
        }
    }
}

/// The scenario for recordings of a format: the one that was asked for, if it takes them. `called` is what messages call it; `tips` are for
/// one that takes another format, and one that takes none.
pub(crate) fn fitting(
    format: &str,
    named: Option<&'static Bundled>,
    called: &str,
    tips: [&str; 2],
) -> Result<&'static Bundled, Failure> {
    let Some(named) = named else { return Ok(with_kind(format)) };
    match named.recording {
        Some(needed) if needed.takes(format) => Ok(named),
        Some(needed) => Err(Failure::Input(format!(
            "this recording has the format {format}, not {}{}",
            needed.format, tips[0]
        ))),
        None => Err(Failure::Input(format!("the {called} {} uses no recording{}", named.name, tips[1]))),
    }
}

/// The scenario made for a format, else the one that takes any.
fn with_kind(kind: &str) -> &'static Bundled {
    let takes = |bundled: &&Bundled| bundled.recording.is_some_and(|needed| needed.takes(kind));
    ALL.iter().find(takes).unwrap_or(&ALL[0])
}

/// What the scenario adds to a recording that does not contain everything.
fn missing(measured: &Measured) -> Vec<String> {
    let Ok(Replay { conditions, .. }) = replay(measured, ReplayOptions::default()) else { return Vec::new() };
    let lacks = |has: fn(&Schedule) -> bool| !conditions.any(has);
    let absent =
        [("capacity", lacks(|it| it.capacity.is_some())), ("delay", lacks(|it| it.one_way_delay.is_some()))];
    let absent = absent.into_iter().filter(|(_, is_absent)| *is_absent);
    absent.map(|(what, _)| format!("the recording has no {what}: that of the scenario is used")).collect()
}

/// Where to look, and three commands that work as they are printed.
fn epilogue(bundled: &Bundled, report: &Path, retyped: &str) -> String {
    let name = bundled.name;
    let other = if bundled.recording.is_some() { "starlink" } else { "leoem" };
    format!(
        "\nReport: {} (open it in a browser); the capture opens in Wireshark\n\
         Next:\n  \
           seamline demo {name}{retyped} --print > my.toml; seamline run my.toml\n  \
           seamline demo {other}\n  \
           seamline advise --from lte --to wifi --interruption '300 ms' --file '10 MB'\n",
        report.display()
    )
}
