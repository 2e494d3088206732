//! `seamline-host completions` and `seamline-host man`

use crate::support::{HOST, assert_contains, folder, output_of, repository};
use std::fs;
use std::path::Path;

/// The text of a page, without the escapes of roff that occur in running text.
fn page(folder: &Path, name: &str) -> String {
    let path = folder.join(format!("pages/{name}.1"));
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.replace("\\-", "-").replace("\\*(Aq", "'")
}

#[test]
fn completions_and_pages_know_every_subcommand() {
    let folder = folder();
    let commands = ["mobile", "agent", "sender", "doctor", "completions", "man"];
    let script = output_of(HOST, &["completions", "bash"], folder.path());
    assert_contains(&script, &commands);
    let written = output_of(HOST, &["man", "pages"], folder.path());
    let main_page = page(folder.path(), "seamline-host");
    for command in commands.into_iter().chain(["agent-hand-over", "agent-pause", "agent-resume"]) {
        let name = format!("seamline-host-{command}");
        assert_contains(&written, &[&format!("pages/{name}.1\n")]);
        assert!(command.contains("-") || main_page.contains(&format!("{name}(1)")), "{main_page}");
    }
}

#[test]
fn pages_of_daemons_say_how_they_end_and_where_more_is_documented() {
    let folder = folder();
    output_of(HOST, &["man", "pages"], folder.path());
    for (name, documents) in [("agent", 3), ("mobile", 1), ("sender", 1)] {
        let help = output_of(HOST, &[name, "--help"], folder.path());
        let (_, end) = help.split_once("\n\nSignals:\n").unwrap();
        assert_contains(end, &["SIGTERM", "\n\nExit codes:\n  0  ", "\n  1  ", "\n  2  "]);
        let text = page(folder.path(), &format!("seamline-host-{name}"));
        let (_, extra) = text.split_once(".SH EXTRA\nSignals:\n").unwrap();
        assert_eq!(extra, end, "the page says as much as the help, in the same lines");
        for paragraph in end.split("\n\n").skip(1) {
            let indented = paragraph.lines().skip(1).all(|line| line.starts_with("  "));
            assert!(indented, "a page would join what is not indented to the line before: {paragraph}");
        }
        // Of 80 columns a page leaves 7 empty on the left, and 2 on the right.
        assert_eq!(end.lines().find(|line| line.len() > 71), None);
        let named: Vec<&str> = end.split_whitespace().filter(|word| word.starts_with("docs/")).collect();
        assert_eq!(named.len(), documents, "{end}");
        for document in named {
            assert!(repository().join(document).exists(), "{document}");
        }
    }
}

/// Each in the words of the table at the head of its guide, which may say more.
#[test]
fn every_kind_of_agent_is_described() {
    let folder = folder();
    output_of(HOST, &["man", "pages"], folder.path());
    let help = output_of(HOST, &["agent", "--help"], folder.path());
    let help = help.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let text = page(folder.path(), "seamline-host-agent").to_lowercase();
    let guide = fs::read_to_string(repository().join("docs/how-to/agent.md")).unwrap();
    let table = guide.lines().skip_while(|line| *line != "| kind | what it does |").skip(2);
    let rows: Vec<(&str, String)> = table
        .map_while(|line| line.strip_prefix("| `")?.strip_suffix(" |")?.split_once("` | "))
        .map(|(kind, does)| (kind, does.split(": see ").next().unwrap_or(does).to_lowercase()))
        .collect();
    // The two roles of obTCP are listed in the same way.
    assert_eq!(rows.len() + 2, text.matches(".ip \\(bu 2\n").count(), "{rows:?}");
    for (kind, does) in rows {
        assert!(help.contains(&format!("- {kind}: {does}")), "{kind}: {does} is not in:\n{help}");
        assert!(text.contains(&format!("\n{kind}: {does}")), "{kind}: {does} is not in:\n{text}");
    }
}
