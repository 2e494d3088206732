//! The page of the reference about this command.

use crate::Cli;
use clap::CommandFactory;
use seamline_testing::{assert_current, commands};

#[test]
fn reference_of_the_commands_is_current() {
    let text = commands(&Cli::command());
    let intro = "# Commands of `seamline-host`\n\n`seamline-host COMMAND --help` says the same.\n";
    assert_current("docs/reference/commands-host.md", &format!("{intro}\n{}\n", text.trim_end()));
}
