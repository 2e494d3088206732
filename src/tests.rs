//! Pages of the reference about this command.

use crate::explain::format_place;
use crate::groups;
use crate::list::{Kind, columns, entries, headline};
use clap::ValueEnum;
use seamline_config::codes::{Code, Explanation};
use seamline_paper::systems;
use seamline_testing::{assert_current, commands};

#[test]
fn reference_of_the_commands_is_current() {
    let text = commands(&groups::command());
    let intro = "# Commands\n\nThis page lists the commands of `seamline`. The commands of `seamline-host` are on [their own page](commands-host.md). `seamline COMMAND --help` says the same.\n";
    assert_current("docs/reference/commands.md", &format!("{intro}\n{}\n", text.trim_end()));
}

#[test]
fn reference_of_the_choices_is_current() {
    let intro = "# Variants, schemes, agents and models\n\nWhat a scenario can name, each with its source. `seamline list` prints the same.\n";
    assert_current("docs/reference/schemes.md", &format!("{intro}{}", choices()));
}

#[test]
fn reference_of_the_errors_is_current() {
    let intro =
        "# Error codes\n\nErrors in scenario files have a code. `seamline explain CODE` prints the same.\n";
    assert_current("docs/reference/errors.md", &format!("{intro}{}", errors()));
}

/// All that can be listed as tables in Markdown.
fn choices() -> String {
    let kinds =
        Kind::value_variants().iter().filter(|kind| ![Kind::Systems, Kind::Keys, Kind::Demos].contains(kind));
    let tables = kinds.map(|kind| {
        let rows = entries(*kind)
            .into_iter()
            .map(|(name, about, cite)| format!("| `{name}` | {about} | {cite} |\n"));
        let (title, usage) = headline(*kind).split_once(" (").unwrap();
        let usage = usage.trim_end_matches(')');
        format!(
            "\n## {title}\n\nIn a scenario: `{usage}`\n\n| name | what it is | source |\n|---|---|---|\n{}",
            rows.collect::<String>()
        )
    });
    tables.collect::<String>() + &systems_of_papers()
}

/// The systems that the papers name as a table in Markdown.
fn systems_of_papers() -> String {
    let rows = systems::ALL.iter().map(columns).map(|columns| format!("| {} |\n", columns.join(" | ")));
    format!(
        "\n## Systems that the reproduced papers name\n\nClaims are those for which the system runs.\n\n\
         | name | papers | status | in a scenario | claims |\n|---|---|---|---|---|\n{}",
        rows.collect::<String>()
    )
}

/// All codes with their explanations in Markdown.
fn errors() -> String {
    let sections = Code::all().map(|code| {
        let Explanation { title, meaning, place, wrong, right } = code.explanation();
        let block = |text: &str| format!("```toml\n{}\n```\n", text.trim_end());
        format!(
            "\n## {code}: {title}\n\n{meaning}\n\nRejected, {}:\n\n{}\nInstead:\n\n{}",
            format_place(place),
            block(wrong),
            block(right)
        )
    });
    sections.collect()
}
