//! The checked-in list of scripts that fail, one full name a line, and what differs from it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

const HEADER: &str = "\
# Scripts of packetdrill's suites that our endpoint fails today, with the default profiles of the suites: suite/script.
# `cargo xtask packetdrill --update` writes this file.
";

/// Where the list is.
pub(crate) fn path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("packetdrill/expected_failures.txt")
}

/// What differs from the list.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Differences {
    /// Failures that are not listed.
    pub(crate) new: Vec<String>,
    /// Listed ones that pass.
    pub(crate) fixed: Vec<String>,
}

/// The names in a list.
pub(crate) fn read(text: &str) -> BTreeSet<String> {
    let lines = text.lines().map(str::trim);
    lines.filter(|line| !line.is_empty() && !line.starts_with('#')).map(str::to_owned).collect()
}

/// The listed names of the file; none when there is no file.
pub(crate) fn load(path: &Path) -> Result<BTreeSet<String>, String> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(read(&text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(BTreeSet::new()),
        Err(error) => Err(format!("{}: {error}", path.display())),
    }
}

/// Compare the list with what has run: name and whether it passed. What has not run is no difference.
pub(crate) fn compare(expected: &BTreeSet<String>, results: &[(String, bool)]) -> Differences {
    let names = |passed, listed| {
        let found =
            results.iter().filter(move |(name, ok)| *ok == passed && expected.contains(name) == listed);
        found.map(|(name, _)| name.clone()).collect()
    };
    Differences { new: names(false, false), fixed: names(true, true) }
}

/// The list after a run: what has not run stays as it was.
pub(crate) fn updated(expected: &BTreeSet<String>, results: &[(String, bool)]) -> String {
    let mut names = expected.clone();
    for (name, passed) in results {
        match passed {
            true => names.remove(name),
            false => names.insert(name.clone()),
        };
    }
    names.iter().fold(HEADER.to_owned(), |text, name| text + name + "\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn results(pairs: &[(&str, bool)]) -> Vec<(String, bool)> {
        pairs.iter().map(|(name, passed)| ((*name).to_owned(), *passed)).collect()
    }

    #[test]
    fn new_failures_and_fixed_ones_differ_from_the_list() {
        let expected = read("# comment\nsuite/a\nsuite/b\n\nsuite/gone\n");
        let run = results(&[("suite/a", false), ("suite/b", true), ("suite/c", false), ("suite/d", true)]);
        let differences = compare(&expected, &run);
        assert_eq!(differences, Differences { new: vec!["suite/c".into()], fixed: vec!["suite/b".into()] });
    }

    #[test]
    fn an_updated_list_has_no_differences_and_keeps_what_has_not_run() {
        let expected = read("suite/b\nother/x\n");
        let run = results(&[("suite/a", false), ("suite/b", true)]);
        let list = read(&updated(&expected, &run));
        assert_eq!(compare(&list, &run), Differences { new: vec![], fixed: vec![] });
        assert_eq!(list, read("suite/a\nother/x\n"));
    }
}
