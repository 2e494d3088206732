//! `seamline completions` and `seamline man`

use crate::support::{assert_contains, folder, refuses, succeeds};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

#[test]
fn completions_of_every_shell_know_the_subcommands() {
    let folder = folder();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let text = succeeds(&["completions", shell], folder.path());
        assert_contains(&text, &["sweep", "compare", "explain", "shard"]);
        // Keys of scenarios after `--set`, where the shell's script has values at all.
        if ["elvish", "powershell"].contains(&shell) {
            continue;
        }
        assert_contains(&text, &["duration=", "flow.NAME.vegas.alpha=", "link.NAME.loss.probability="]);
    }
    let script = succeeds(&["completions", "bash"], folder.path());
    fs::write(folder.path().join("seamline.bash"), script).unwrap();
    let checked = Command::new("bash").args(["-n", "seamline.bash"]).current_dir(folder.path()).status();
    assert!(checked.is_ok_and(|status| status.success()), "bash does not understand its completions");
    assert_contains(&refuses(&["completions", "bsh"], folder.path()), &["a similar value exists: 'bash'"]);
}

#[test]
fn every_subcommand_has_a_page() {
    let folder = folder();
    let text = succeeds(&["man", "pages"], folder.path());
    let help = succeeds(&["--help"], folder.path());
    let (_, commands) = help.split_once("Experiments:\n").unwrap();
    let (commands, _) = commands.split_once("Options:\n").unwrap();
    let names: Vec<&str> = commands
        .lines()
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert_eq!(names.len(), 26, "{names:?}");
    for name in names {
        let file = format!("pages/seamline-{name}.1");
        assert_contains(&text, &[&file]);
        let page = fs::read_to_string(folder.path().join(file)).unwrap();
        assert!(page.contains(".SH NAME") && page.contains(".SH OPTIONS"), "{name}");
    }
    assert!(fs::read_to_string(folder.path().join("pages/seamline.1")).unwrap().contains(".SH SUBCOMMANDS"));
}

/// What a page says, without the escapes of roff that stand in running text.
fn page(folder: &Path, name: &str) -> String {
    let path = folder.join(format!("pages/{name}.1"));
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.replace("\\-", "-").replace("\\*(Aq", "'")
}

#[test]
fn pages_refer_to_all_pages_and_to_no_others() {
    let folder = folder();
    let message = succeeds(&["man", "pages"], folder.path());
    let (mut seen, mut to_read) = (BTreeSet::new(), vec!["seamline".to_owned()]);
    while let Some(name) = to_read.pop() {
        let text = page(folder.path(), &name);
        let version = concat!("\"seamline ", env!("CARGO_PKG_VERSION"), "\"");
        assert!(text.lines().any(|line| line.starts_with(".TH ") && line.contains(version)), "{name}");
        assert!(message.contains(&format!("pages/{name}.1\n")), "{name}");
        to_read
            .extend(text.split_whitespace().filter_map(|word| word.strip_suffix("(1)")).map(str::to_owned));
        assert!(seen.insert(name.clone()), "{name} is referred to twice");
    }
    let written = fs::read_dir(folder.path().join("pages")).unwrap();
    let written = written.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let written: BTreeSet<String> = written.map(|file| file.trim_end_matches(".1").to_owned()).collect();
    assert_eq!(seen, written);
    assert!(seen.contains("seamline-model-obtcp"), "pages of subcommands of subcommands");
}
