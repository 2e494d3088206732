//! The suites: where their scripts are, which of them run over IPv4, and what each is called.

use super::adapt;
use crate::support::{self, at};
use std::fs;
use std::path::{Path, PathBuf};

/// A collection of scripts.
#[derive(Debug)]
pub(crate) struct Suite {
    /// Its name, and that of its directory.
    pub(crate) name: &'static str,
    /// Where it is fetched from.
    pub(crate) repository: &'static str,
    /// The tag or branch to fetch, `None` for the default branch.
    pub(crate) reference: Option<&'static str>,
    /// Where the scripts are in the repository; nothing else is fetched of a repository with a reference.
    pub(crate) scripts: &'static str,
    /// Whether the scripts are written for FreeBSD's dialect.
    pub(crate) is_of_freebsd: bool,
    /// The profile of our endpoint that its scripts are about. Suites contradict one another: FreeBSD's expects acknowledgments to be
    /// delayed where Linux sends them at once, so that neither system passes the other's.
    pub(crate) profile: &'static str,
}

/// That of packetdrill itself, whose repository also holds the program.
pub(crate) const GOOGLE: Suite = Suite {
    name: "google-packetdrill",
    repository: "https://github.com/google/packetdrill",
    reference: None,
    scripts: "gtests/net/tcp",
    is_of_freebsd: false,
    profile: "linux",
};

/// Every suite.
pub(crate) const ALL: [&Suite; 3] = [
    &GOOGLE,
    &Suite {
        name: "tcp-testsuite",
        repository: "https://github.com/freebsd-net/tcp-testsuite",
        reference: None,
        scripts: ".",
        is_of_freebsd: true,
        profile: "freebsd",
    },
    &Suite {
        name: "linux",
        repository: "https://github.com/torvalds/linux",
        reference: Some("v6.12"),
        scripts: "tools/testing/selftests/net/packetdrill",
        is_of_freebsd: false,
        profile: "linux",
    },
];

/// A script that can run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Script {
    /// The name of its suite.
    pub(crate) suite: &'static str,
    /// Its path in the suite without the extension.
    pub(crate) name: String,
    /// Where it is.
    pub(crate) path: PathBuf,
    /// The profile of our endpoint that it is about.
    pub(crate) profile: &'static str,
}

impl Script {
    /// How lists name it.
    pub(crate) fn full_name(&self) -> String {
        format!("{}/{}", self.suite, self.name)
    }
    /// What it is about: its first directory, or the words before its own name.
    pub(crate) fn category(&self) -> String {
        match self.name.split_once('/') {
            Some((directory, _)) => directory.to_owned(),
            None => words_before_the_name(&self.name),
        }
    }
}

/// `slow_start` of `tcp_slow_start_slow-start-after-idle`.
fn words_before_the_name(name: &str) -> String {
    let words: Vec<&str> = name.trim_start_matches("tcp_").split('_').collect();
    let own = words.iter().position(|word| word.contains('-')).unwrap_or(1).max(1);
    words[..own.min(words.len())].join("_")
}

impl Suite {
    /// The scripts in `directory`, which holds a clone; those of FreeBSD are adapted into `adapted` first.
    pub(crate) fn scripts(&self, directory: &Path, adapted: &Path) -> Result<Vec<Script>, String> {
        let mut root = directory.join(self.scripts);
        if self.is_of_freebsd {
            adapt::adapt_all(&root, adapted)?;
            root = adapted.to_owned();
        }
        let mut scripts = Vec::new();
        for path in files(&root)? {
            let text = fs::read_to_string(&path).map_err(at(&path))?;
            if runs_over_ipv4(&path, &text) {
                let name = path.strip_prefix(&root).unwrap_or(&path).with_extension("");
                let name = name.display().to_string();
                scripts.push(Script { suite: self.name, name, path, profile: self.profile });
            }
        }
        match scripts.is_empty() {
            true => Err(format!("{}: no scripts", root.display())),
            false => Ok(scripts),
        }
    }
}

/// By the names that the suites use and the options at the beginning.
fn runs_over_ipv4(path: &Path, text: &str) -> bool {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    !name.ends_with("v6") && !text.contains("--ip_version=ipv6")
}

/// All scripts under `root`, sorted.
pub(crate) fn files(root: &Path) -> Result<Vec<PathBuf>, String> {
    let is_script = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "pkt");
    Ok(support::files(root)?.into_iter().filter(is_script).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_without_directory_belongs_to_the_words_before_its_name() {
        for (name, category) in [
            ("tcp_slow_start_slow-start-after-idle", "slow_start"),
            ("tcp_inq_client", "inq"),
            ("tcp_fastopen_server_basic-rw", "fastopen_server"),
            ("close/close-on-syn-sent", "close"),
        ] {
            let script =
                Script { suite: "linux", name: name.to_owned(), path: PathBuf::new(), profile: "linux" };
            assert_eq!(script.category(), category, "{name}");
        }
    }

    #[test]
    fn scripts_for_ipv6_only_are_left_out() {
        assert!(runs_over_ipv4(Path::new("a/basic-v4.pkt"), "0 `true`"));
        assert!(!runs_over_ipv4(Path::new("a/basic-v6.pkt"), "0 `true`"));
        assert!(!runs_over_ipv4(Path::new("a/basic.pkt"), "--ip_version=ipv6\n"));
    }
}
