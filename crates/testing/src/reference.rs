//! Pages of the reference that are generated from the code: tests hold them to it.

use clap::{Arg, Command};
use std::fmt::Write;
use std::path::Path;

/// Assert that a committed page is what the code says now. With `UPDATE_REFERENCE` set, write it instead.
///
/// # Panics
/// If the page differs, or cannot be written.
pub fn assert_current(path: &str, current: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let file = root.join(path);
    if std::env::var_os("UPDATE_REFERENCE").is_some() {
        std::fs::write(&file, current).unwrap_or_else(|error| panic!("{path}: {error}"));
    }
    let committed = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(committed == current, "{path} is out of date: run the tests once with UPDATE_REFERENCE=1");
}

/// A section in Markdown for each subcommand of a command, in the order of its help, with all options.
pub fn commands(command: &Command) -> String {
    let mut command = command.clone();
    command.build();
    let mut page = String::new();
    for subcommand in command.get_subcommands().filter(|it| !it.is_hide_set()) {
        section(&mut page, command.get_name(), subcommand);
    }
    page
}

fn section(page: &mut String, parent: &str, command: &Command) {
    let name = format!("{parent} {}", command.get_name());
    let about = command.get_about().map(ToString::to_string).unwrap_or_default();
    let mut usage = command.clone().bin_name(&name);
    let usage = usage.render_usage().to_string();
    let _ =
        writeln!(page, "## `{name}`\n\n{about}.\n\n```text\n{}\n```\n", usage.trim_start_matches("Usage: "));
    let arguments: Vec<&Arg> = command.get_arguments().filter(|it| is_listed(it)).collect();
    if !arguments.is_empty() {
        let _ = writeln!(page, "| argument | meaning |\n|---|---|");
        for argument in arguments {
            let _ = writeln!(
                page,
                "| `{}` | {} |",
                spelling(argument).replace('|', "\\|"),
                escaped(&meaning(argument))
            );
        }
        page.push('\n');
    }
    for subcommand in command.get_subcommands().filter(|it| !it.is_hide_set()) {
        section(page, &name, subcommand);
    }
}

fn is_listed(argument: &Arg) -> bool {
    !argument.is_hide_set() && !matches!(argument.get_id().as_str(), "help" | "version")
}

fn spelling(argument: &Arg) -> String {
    let values: Vec<String> =
        argument.get_value_names().into_iter().flatten().map(|name| format!("<{name}>")).collect();
    let values = if argument.get_action().takes_values() { values.join(" ") } else { String::new() };
    let long = argument.get_long().map(|long| format!("--{long}"));
    let short = argument.get_short().map(|short| format!("-{short}"));
    let names: Vec<String> = [short, long].into_iter().flatten().collect();
    [names.join(", "), values].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

fn meaning(argument: &Arg) -> String {
    let help = argument.get_long_help().or(argument.get_help()).map(ToString::to_string).unwrap_or_default();
    let mut text = help.split_whitespace().collect::<Vec<_>>().join(" ");
    let values = argument.get_possible_values().into_iter().filter(|value| !value.is_hide_set());
    let values: Vec<_> = values.collect();
    if argument.get_action().takes_values() && !values.is_empty() && !argument.is_hide_possible_values_set() {
        let names: Vec<String> = values.iter().map(|value| format!("`{}`", value.get_name())).collect();
        let _ = write!(text, ". One of {}", names.join(", "));
    }
    let defaults: Vec<String> =
        argument.get_default_values().iter().map(|value| format!("`{}`", value.to_string_lossy())).collect();
    if !defaults.is_empty() && argument.get_action().takes_values() && !argument.is_hide_default_value_set() {
        let _ = write!(text, ". Default: {}", defaults.join(", "));
    }
    text
}

/// For a cell of a table.
fn escaped(text: &str) -> String {
    text.replace('|', "\\|").replace('<', "&lt;")
}
