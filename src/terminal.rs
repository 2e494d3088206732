//! The output of `seamline`: results, progress, and reports of errors in scenarios.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use seamline_cli::moves_cursor;
pub(crate) use seamline_cli::{Failure, list_written, note, print, tell};
use seamline_experiment::run::Warn;
use seamline_results::sweep::Progress;
use seamline_scenario::Diagnostics;
use seamline_tcp::cc;
use std::io;

/// How to call this command again: that of another crate has another name.
pub(crate) fn program() -> String {
    let file = std::env::current_exe().ok().filter(|_| !cc::added().is_empty());
    let name = file.as_ref().and_then(|file| file.file_stem()?.to_str());
    name.unwrap_or("seamline").to_owned()
}

/// A failure with everything that is wrong with a scenario.
pub(crate) fn invalid(diagnostics: &Diagnostics) -> Failure {
    Failure::Explained(diagnostics.render(seamline_cli::wants_colour(&io::stderr())))
}

/// Where warnings about runs that are under way go.
pub(crate) fn warnings(quiet: bool) -> Warn {
    if quiet { Warn::default() } else { Warn(|text| note("warning", text)) }
}

/// A JSON document, indented, ending with a line break.
pub(crate) fn json(document: &impl serde::Serialize) -> Result<String, Failure> {
    Ok(serde_json::to_string_pretty(document)? + "\n")
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

/// A progress bar of runs on standard error, if that is a terminal.
pub(crate) fn progress(runs: usize, quiet: bool) -> ProgressBar {
    progress_bar(runs as u64, "{wide_bar} {pos}/{len} runs, {eta} left", quiet)
}

/// A progress bar of anything on standard error, if that is a terminal.
pub(crate) fn progress_bar(length: u64, template: &str, quiet: bool) -> ProgressBar {
    if quiet || !moves_cursor(&io::stderr()) {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(Some(length), ProgressDrawTarget::stderr());
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
