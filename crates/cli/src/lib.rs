//! What the commands `seamline` and `seamline-host` share: data on standard output, everything else on standard error, exit codes, signals,
//! shell completions and manual pages.

pub mod interrupt;
pub mod pages;

use std::borrow::Cow;
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
                tell(&format!("error: {}\n", visible(message)));
                1
            }
            Failure::Input(message) => {
                tell(&format!("error: {}\n", visible(message)));
                2
            }
            Failure::Explained(report) => {
                tell(report);
                2
            }
            Failure::Interrupted(message, code) => {
                tell(&format!("{}\n", visible(message)));
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

/// Whether a stream is a terminal that can move its cursor.
pub fn moves_cursor(stream: &impl IsTerminal) -> bool {
    stream.is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Whether to colour output to a stream: it is a terminal that can, and `NO_COLOR` is not set (<https://no-color.org>).
pub fn wants_colour(stream: &impl IsTerminal) -> bool {
    moves_cursor(stream) && std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

/// How many columns standard output has, if it is a terminal.
pub fn columns() -> Option<usize> {
    terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| usize::from(width.0)).filter(|it| *it > 0)
}

/// Text whose lines are broken between words where they are wider than the terminal; the lines that follow are indented. Elsewhere than in
/// a terminal, and for commands that are there to be copied, one line stays one line.
pub fn fitted(text: &str) -> Cow<'_, str> {
    columns().map_or(Cow::Borrowed(text), |columns| Cow::Owned(broken(text, columns)))
}

fn broken(text: &str, columns: usize) -> String {
    let is_command = |line: &str| ["Reproduce: ", "Next: "].iter().any(|start| line.starts_with(start));
    let fit = |line: &str| match is_command(line) || line.chars().count() <= columns {
        true => line.to_owned(),
        false => hanging(line, line.len() - line.trim_start().len() + 4, columns),
    };
    text.split('\n').map(fit).collect::<Vec<_>>().join("\n")
}

/// A line of a list, broken between words to fit into so many columns; the lines after the first are indented.
pub fn hanging(line: &str, indent: usize, columns: usize) -> String {
    let mut text = String::new();
    let (mut column, mut is_broken) = (0, false);
    for piece in line.split_inclusive(' ') {
        let width = piece.trim_end().chars().count();
        if column > indent && column + width > columns {
            text.truncate(text.trim_end().len());
            text += "\n";
            text += &" ".repeat(indent);
            (column, is_broken) = (indent, true);
        }
        if is_broken && width == 0 && column == indent {
            // What was between columns is not needed at the beginning of a line.
            continue;
        }
        text += piece;
        column += piece.chars().count();
    }
    text
}

/// The files that were written, one a line.
pub fn list_written(files: &[PathBuf]) -> String {
    let lines: String = files.iter().map(|file| format!("  {}\n", file.display())).collect();
    format!("Written:\n{lines}")
}

/// The exit code when the reader of standard output has gone: what a shell says of a program that SIGPIPE ended.
const CLOSED_PIPE: u8 = 141;

/// Text with its control characters written as escapes: names and titles come from files of others, and must not drive the terminal.
/// Line breaks and tabs stay.
pub fn visible(text: &str) -> Cow<'_, str> {
    let is_hidden = |letter: char| match letter {
        '\n' | '\t' => false,
        // These change the direction of text.
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        letter => letter.is_control(),
    };
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let escaped = |letter: char| match is_hidden(letter) {
        true => format!("\\u{{{:x}}}", u32::from(letter)),
        false => letter.to_string(),
    };
    Cow::Owned(text.chars().map(escaped).collect())
}

/// Write data to standard output, with control characters [`visible`].
///
/// # Errors
/// When standard output cannot be written to; without a message when its reader has closed it (`| head`).
pub fn print(text: &str) -> Outcome {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(visible(text).as_bytes()).and_then(|()| stdout.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(Failure::Passed(CLOSED_PIPE)),
        Err(error) => Err(Failure::Runtime(format!("cannot write to standard output: {error}"))),
    }
}

/// Write a message to standard error, after a word such as `note` or `warning`.
pub fn note(word: &str, text: impl Display) {
    let text = text.to_string();
    let text = visible(&text);
    let word = match wants_colour(&io::stderr()) {
        true => format!("\u{1b}[1;33m{word}\u{1b}[0m"),
        false => word.to_owned(),
    };
    tell(&format!("{word}: {text}\n"));
}

/// Write to standard error as it is. Where that cannot be written, as on a full disk, the text is lost and the command goes on.
pub fn tell(text: &str) {
    let _ = io::stderr().write_all(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::{broken, hanging};

    #[test]
    fn a_line_of_a_list_is_broken_between_words() {
        let line = "  name  one two three";
        assert_eq!(hanging(line, 8, 15), "  name  one two\n        three");
        assert_eq!(hanging(line, 8, 5), "  name  one\n        two\n        three");
        assert_eq!(hanging(line, 8, usize::MAX), line);
        assert_eq!(
            hanging("  name       one   two", 4, 9),
            "  name\n    one\n    two",
            "no gap begins a line"
        );
    }

    #[test]
    fn lines_are_broken_but_for_commands() {
        let text =
            "Results\n  cubic  3.10 Mbit/s  57 retransmitted\n\nReproduce: seamline run a.toml --seeds 10\n";
        let narrow = "Results\n  cubic  3.10 Mbit/s  57\n      retransmitted\n\nReproduce: seamline run a.toml --seeds 10\n";
        assert_eq!(broken(text, 24), narrow);
        assert_eq!(broken(text, 80), text);
    }
}
