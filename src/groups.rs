//! The groups of subcommands in the help.

use crate::{Cli, Outcome};
use clap::{Command, CommandFactory};
use seamline_cli::{columns, hanging, print};

/// Headings, each with its subcommands in the order of the help.
const GROUPS: [(&str, &[&str]); 4] = [
    (
        "Experiments",
        &["init", "new", "run", "demo", "sweep", "compare", "convert", "recording", "orbit", "advise"],
    ),
    ("Papers", &["paper", "model"]),
    ("Real Linux TCP", &["lab", "kernel", "parity", "benchmark", "load", "trial", "calibrate", "doctor"]),
    ("Tools", &["check", "explain", "list", "schema", "completions", "man"]),
];

/// Lines of help are no longer than this, as clap has it.
const MOST_COLUMNS: usize = 100;

/// The command, whose help has the groups.
pub(crate) fn command() -> Command {
    let command = Cli::command();
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{}Options:\n{{options}}",
        text(&command)
    );
    command.help_template(template)
}

/// All groups, with a line for each subcommand.
fn text(command: &Command) -> String {
    let width = columns().unwrap_or(MOST_COLUMNS).min(MOST_COLUMNS);
    let line = |name: &&str| {
        let about = command.find_subcommand(name).and_then(Command::get_about);
        let about = about.map(ToString::to_string).unwrap_or_default();
        hanging(&format!("  {name:<12} {about}"), 15, width) + "\n"
    };
    let group = |(heading, names): &(&str, &[&str])| {
        format!("{heading}:\n{}\n", names.iter().map(line).collect::<String>())
    };
    GROUPS.iter().map(group).collect()
}

/// Show the groups and how to start: `seamline` without arguments.
pub(crate) fn show() -> Outcome {
    let groups = text(&Cli::command());
    print(&format!(
        "\
How TCP behaves, and what helps it, when hosts move.

{groups}Start with:
  seamline demo                  what agents and handover schemes bring on a train (seconds)
  seamline init my.toml          your own scenario; then: seamline run my.toml
  seamline <command> --help      all options of a command
For real hosts there is seamline-host: agents and daemons that help TCP.
"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_subcommand_is_in_exactly_one_group() {
        let command = Cli::command();
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        let mut all: Vec<&str> = command.get_subcommands().map(Command::get_name).collect();
        grouped.sort_unstable();
        all.sort_unstable();
        assert_eq!(grouped, all);
    }
}
