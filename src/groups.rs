//! The groups of subcommands in the help.

use crate::Cli;
use clap::{Command, CommandFactory};

/// Headings, each with its subcommands in the order of the help.
const GROUPS: [(&str, &[&str]); 4] = [
    ("Experiments", &["init", "run", "demo", "sweep", "compare", "advise"]),
    ("Papers", &["paper", "model"]),
    ("Real Linux (live)", &["lab", "parity", "benchmark", "load", "calibrate", "doctor"]),
    ("Tools", &["check", "explain", "list", "schema", "completions", "man"]),
];

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
pub(crate) fn text(command: &Command) -> String {
    let line = |name: &&str| {
        let about = command.find_subcommand(name).and_then(Command::get_about);
        format!("  {name:<12} {}\n", about.map(ToString::to_string).unwrap_or_default())
    };
    let group = |(heading, names): &(&str, &[&str])| {
        format!("{heading}:\n{}\n", names.iter().map(line).collect::<String>())
    };
    GROUPS.iter().map(group).collect()
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
