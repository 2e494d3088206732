//! Data on standard output, everything else on standard error; colour and progress only for a person who
//! looks.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use seamline_experiment::atomic::WriteError;
use seamline_results::sweep::Progress;
use seamline_scenario::Diagnostics;
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

/// Why a command did not do what it should.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Something went wrong on the way; exit code 1.
    Runtime(String),
    /// What was asked for makes no sense; exit code 2.
    Input(String),
    /// Somebody asked to stop; the exit code says how.
    Interrupted(String, u8),
    /// A command that was run for somebody failed with this exit code, and has said why.
    #[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "only the lab runs commands"))]
    Passed(u8),
    /// A scenario has errors; exit code 2.
    Scenario(Box<Diagnostics>),
}

impl Failure {
    /// Say it on standard error.
    pub(crate) fn report(&self) -> ExitCode {
        match self {
            Failure::Runtime(message) => {
                eprintln!("error: {message}");
                ExitCode::from(1)
            }
            Failure::Interrupted(message, code) => {
                eprintln!("{message}");
                ExitCode::from(*code)
            }
            Failure::Passed(code) => ExitCode::from(*code),
            Failure::Input(message) => {
                eprintln!("error: {message}");
                ExitCode::from(2)
            }
            Failure::Scenario(diagnostics) => {
                eprint!("{}", diagnostics.render(wants_colour(&io::stderr())));
                ExitCode::from(2)
            }
        }
    }
}

/// A JSON document, indented, ending with a line break.
pub(crate) fn json(document: &impl serde::Serialize) -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(document);
    text.map(|text| text + "\n").map_err(|error| Failure::Runtime(error.to_string()))
}

/// The files that were written, one a line.
pub(crate) fn list_written(files: &[PathBuf]) -> String {
    let lines: String = files.iter().map(|file| format!("  {}\n", file.display())).collect();
    format!("Written:\n{lines}")
}

impl From<WriteError> for Failure {
    fn from(error: WriteError) -> Self {
        Failure::Runtime(error.to_string())
    }
}

/// Whether to colour what goes there: a terminal, and no `NO_COLOR` (<https://no-color.org>).
fn wants_colour(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Write data to standard output. A reader that has seen enough (`| head`) is no failure.
///
/// # Errors
/// When standard output cannot be written to.
pub(crate) fn print(text: &str) -> Result<(), Failure> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::Runtime(format!("cannot write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Write results to standard output; what cannot be written there is not lost.
///
/// # Errors
/// When standard output cannot be written to, with the place where the results are instead.
pub(crate) fn print_results(text: &str) -> Result<(), Failure> {
    print(text).map_err(|failure| {
        let name = format!("seamline-results-{}.txt", std::process::id());
        let place = std::env::temp_dir().join(name);
        match (&failure, std::fs::write(&place, text)) {
            (Failure::Runtime(message), Ok(())) => {
                Failure::Runtime(format!("{message}\nwhat was computed is in {}", place.display()))
            }
            _ => failure,
        }
    })
}

/// Say something beside the data.
pub(crate) fn note(word: &str, text: impl Display) {
    if wants_colour(&io::stderr()) {
        eprintln!("\u{1b}[1;33m{word}\u{1b}[0m: {text}");
    } else {
        eprintln!("{word}: {text}");
    }
}

/// One bar over a sweep, or over several one after the other.
pub(crate) struct Told {
    bar: ProgressBar,
    quiet: bool,
}

impl Told {
    pub(crate) fn new(quiet: bool) -> Self {
        Told { bar: progress(0, quiet), quiet }
    }
    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

impl Progress for Told {
    fn begins(&self, to_do: usize) {
        self.bar.inc_length(to_do as u64);
    }
    fn finished_one(&self) {
        self.bar.inc(1);
    }
    fn note(&self, text: &str) {
        if !self.quiet {
            self.bar.suspend(|| note("note", text));
        }
    }
}

/// A bar on standard error, if that is a terminal.
pub(crate) fn progress(runs: usize, quiet: bool) -> ProgressBar {
    if quiet || !io::stderr().is_terminal() {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(Some(runs as u64), ProgressDrawTarget::stderr());
    match ProgressStyle::with_template("{wide_bar} {pos} of {len} runs, {per_sec}, {eta} left") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
