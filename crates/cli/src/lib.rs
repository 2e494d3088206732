//! What the commands `seamline` and `seamline-host` share: data on standard output, everything else on standard error, exit codes, signals,
//! shell completions and manual pages.

pub mod interrupt;
pub mod pages;

use std::fmt::Display;
use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

/// What every subcommand returns.
pub type Outcome = Result<(), Failure>;

/// Why a command failed.
#[derive(Debug)]
pub enum Failure {
    /// An error at run time; exit code 1.
    Runtime(String),
    /// Invalid input; exit code 2.
    Input(String),
    /// Invalid input with a complete report of what is wrong, which needs no prefix; exit code 2.
    Explained(String),
    /// The user asked to stop; a message and the exit code.
    Interrupted(String, u8),
    /// A command that was run for the user failed with this exit code, and has printed why.
    Passed(u8),
}

impl Failure {
    /// Report it on standard error; the exit code.
    pub fn report(&self) -> ExitCode {
        let code = match self {
            Failure::Runtime(message) => {
                eprintln!("error: {message}");
                1
            }
            Failure::Input(message) => {
                eprintln!("error: {message}");
                2
            }
            Failure::Explained(report) => {
                eprint!("{report}");
                2
            }
            Failure::Interrupted(message, code) => {
                eprintln!("{message}");
                *code
            }
            Failure::Passed(code) => *code,
        };
        ExitCode::from(code)
    }
}

impl<E: std::error::Error> From<E> for Failure {
    fn from(error: E) -> Self {
        Failure::Runtime(error.to_string())
    }
}

/// The exit code of a command, after reporting its failure.
pub fn exit_code(outcome: Outcome) -> ExitCode {
    outcome.map_or_else(|failure| failure.report(), |()| ExitCode::SUCCESS)
}

/// Whether to colour output to a stream: it is a terminal, and `NO_COLOR` is not set (<https://no-color.org>).
pub fn wants_colour(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// The files that were written, one a line.
pub fn list_written(files: &[PathBuf]) -> String {
    let lines: String = files.iter().map(|file| format!("  {}\n", file.display())).collect();
    format!("Written:\n{lines}")
}

/// Write data to standard output. A reader that has closed it (`| head`) is no failure.
///
/// # Errors
/// When standard output cannot be written to.
pub fn print(text: &str) -> Outcome {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::Runtime(format!("cannot write to standard output: {error}")))
        }
        _ => Ok(()),
    }
}

/// Write a message to standard error, after a word such as `note` or `warning`.
pub fn note(word: &str, text: impl Display) {
    if wants_colour(&io::stderr()) {
        eprintln!("\u{1b}[1;33m{word}\u{1b}[0m: {text}");
    } else {
        eprintln!("{word}: {text}");
    }
}
