//! Output: data on standard output, everything else on standard error; colour and progress only on a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use seamline_experiment::atomic::WriteError;
use seamline_results::sweep::Progress;
use seamline_scenario::Diagnostics;
use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

/// Why a command failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A runtime error; exit code 1.
    Runtime(String),
    /// Invalid input; exit code 2.
    Input(String),
    /// The user asked to stop; with the exit code for the signal.
    Interrupted(String, u8),
    /// A child command failed with this exit code, and has reported why.
    #[cfg_attr(not(target_os = "linux"), allow(dead_code, reason = "only the lab runs commands"))]
    Passed(u8),
    /// A scenario has errors; exit code 2.
    Scenario(Box<Diagnostics>),
}

impl Failure {
    /// Print the failure on standard error.
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

impl From<WriteError> for Failure {
    fn from(error: WriteError) -> Self {
        Failure::Runtime(error.to_string())
    }
}

/// Whether to use colour: on a terminal, unless `NO_COLOR` is set (<https://no-color.org>).
fn wants_colour(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// Write data to standard output. A closed pipe (`| head`) is not a failure.
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

/// Write results to standard output; on failure they are saved in a temporary file.
///
/// # Errors
/// When standard output cannot be written to; the message names the temporary file.
pub(crate) fn print_results(text: &str) -> Result<(), Failure> {
    print(text).map_err(|failure| {
        let name = format!("seamline-results-{}.txt", std::process::id());
        let place = std::env::temp_dir().join(name);
        match (&failure, std::fs::write(&place, text)) {
            (Failure::Runtime(message), Ok(())) => {
                Failure::Runtime(format!("{message}\nthe results are in {}", place.display()))
            }
            _ => failure,
        }
    })
}

/// Print a note on standard error.
pub(crate) fn note(word: &str, text: impl Display) {
    if wants_colour(&io::stderr()) {
        eprintln!("\u{1b}[1;33m{word}\u{1b}[0m: {text}");
    } else {
        eprintln!("{word}: {text}");
    }
}

/// A progress bar for one sweep, or for several in sequence.
pub(crate) struct ProgressReporter {
    bar: ProgressBar,
    quiet: bool,
}

impl ProgressReporter {
    pub(crate) fn new(quiet: bool) -> Self {
        ProgressReporter { bar: progress(0, quiet), quiet }
    }
    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

impl Progress for ProgressReporter {
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

/// A progress bar on standard error, if that is a terminal.
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
