//! Pages of the reference about this command.

use crate::{explain, groups, list};
use seamline_testing::{assert_current, commands};

#[test]
fn reference_of_the_commands_is_current() {
    let text = commands(&groups::command());
    let intro = "# Commands\n\nOf `seamline`; those of `seamline-host` are on [their own page](commands-host.md). `seamline COMMAND --help` says the same.\n";
    assert_current("docs/reference/commands.md", &format!("{intro}\n{}\n", text.trim_end()));
}

#[test]
fn reference_of_the_choices_is_current() {
    let intro = "# Variants, schemes, agents and models\n\nWhat a scenario can name, each with its source. `seamline list` prints the same.\n";
    assert_current("docs/reference/schemes.md", &format!("{intro}{}", list::markdown()));
}

#[test]
fn reference_of_the_errors_is_current() {
    let intro =
        "# Error codes\n\nErrors in scenario files have a code. `seamline explain CODE` prints the same.\n";
    assert_current("docs/reference/errors.md", &format!("{intro}{}", explain::markdown()));
}
