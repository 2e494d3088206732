//! `seamline completions` and `seamline man`

mod support;

use std::fs;
use std::process::Command;
use support::{assert_contains, folder, refuses, succeeds};

#[test]
fn completions_of_every_shell_know_the_subcommands() {
    let folder = folder();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let text = succeeds(&["completions", shell], folder.path());
        assert_contains(&text, &["sweep", "compare", "explain", "shard"]);
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
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names: Vec<&str> = commands
        .take_while(|line| !line.is_empty())
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    assert!(names.len() >= 10, "{names:?}");
    for name in names {
        let file = format!("pages/seamline-{name}.1");
        assert_contains(&text, &[&file]);
        let page = fs::read_to_string(folder.path().join(file)).unwrap();
        assert!(page.contains(".SH NAME") && page.contains(".SH OPTIONS"), "{name}");
    }
    assert!(fs::read_to_string(folder.path().join("pages/seamline.1")).unwrap().contains(".SH SUBCOMMANDS"));
}
