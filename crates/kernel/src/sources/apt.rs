//! apt without root: lists, cache and sources of its own, so that nothing of the host's apt changes. Keyrings and proxies are the host's.

use super::entries::Entry;
use crate::Error;
use crate::error::failed;
use crate::process;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;

/// apt in a folder of its own.
#[derive(Debug)]
pub(crate) struct Apt<'a> {
    folder: PathBuf,
    log: &'a Path,
    stop: &'a AtomicBool,
}

/// What came of reading the lists of a group of suites.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Update {
    Done,
    /// The mirror does not have the suite.
    NoSuite,
    /// The host has no key that verifies it; with apt's own words.
    Unverified(String),
}

/// A package that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Found {
    pub(crate) package: String,
    pub(crate) version: String,
    pub(crate) suite: String,
}

impl<'a> Apt<'a> {
    /// Make its folder.
    pub(crate) fn new(folder: &Path, log: &'a Path, stop: &'a AtomicBool) -> Result<Self, Error> {
        for part in ["state/lists/partial", "cache/archives/partial"] {
            let path = folder.join(part);
            fs::create_dir_all(&path).map_err(failed("cannot create", &path))?;
        }
        let write = |name: &str, text: &str| {
            let path = folder.join(name);
            fs::write(&path, text).map_err(failed("cannot write", &path))
        };
        write("status", "")?;
        write("apt.conf", &settings(folder))?;
        Ok(Apt { folder: folder.to_owned(), log, stop })
    }

    /// Read the lists of these archives.
    ///
    /// # Errors
    /// When a mirror cannot be reached.
    pub(crate) fn update(&self, archives: &[Entry], allow_unsigned: bool) -> Result<Update, Error> {
        let trusted = |entry: &Entry| Entry { trusted: entry.trusted || allow_unsigned, ..entry.clone() };
        let text: String = archives.iter().map(|entry| trusted(entry).render()).collect();
        let path = self.folder.join("seamline.sources");
        fs::write(&path, text).map_err(failed("cannot write", &path))?;
        let mut lines = Vec::new();
        let mut command = self.command("apt-get", &["update"]);
        if process::run(&mut command, self.log, self.stop, &mut |line| lines.push(line.to_owned()))? {
            return Ok(Update::Done);
        }
        judge(&lines).ok_or_else(|| {
            let errors: Vec<&str> =
                lines.iter().map(String::as_str).filter(|it| it.starts_with(['E', 'W'])).collect();
            Error::Failed(format!(
                "apt-get cannot read the lists of packages:\n  {}\ntip: check the network and the mirrors in /etc/apt",
                errors.join("\n  ")
            ))
        })
    }

    /// The newest version of the first of these packages that there is.
    pub(crate) fn find(&self, packages: &[String]) -> Result<Option<Found>, Error> {
        for package in packages {
            let mut found = None;
            let mut command = self.command("apt-cache", &["madison", package]);
            let mut line = |line: &str| {
                found = found.take().or_else(|| madison(line));
            };
            process::run(&mut command, self.log, self.stop, &mut line)?;
            if found.is_some() {
                return Ok(found);
            }
        }
        Ok(None)
    }

    /// The names of all packages of kernels' sources.
    pub(crate) fn names(&self) -> Result<Vec<String>, Error> {
        let mut names = Vec::new();
        let mut command = self.command("apt-cache", &["pkgnames", "linux-source-"]);
        process::run(&mut command, self.log, self.stop, &mut |line| names.push(line.to_owned()))?;
        Ok(names)
    }

    /// Fetch a package into a folder. apt verifies it.
    pub(crate) fn download(&self, found: &Found, into: &Path) -> Result<PathBuf, Error> {
        fs::create_dir_all(into).map_err(failed("cannot create", into))?;
        let wanted = format!("{}={}", found.package, found.version);
        let mut command = self.command("apt-get", &["download", &wanted]);
        let succeeded = process::run(command.current_dir(into), self.log, self.stop, &mut |_| ())?;
        let package = fs::read_dir(into)?.flatten().map(|it| it.path()).find(|path| is_package(path));
        match package {
            Some(path) if succeeded => Ok(path),
            _ => Err(Error::Failed(format!(
                "apt-get cannot fetch {wanted}:\n{}the log is {}",
                process::errors_in(self.log),
                self.log.display()
            ))),
        }
    }

    fn command(&self, program: &str, arguments: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.arg("-c").arg(self.folder.join("apt.conf")).args(arguments);
        command.env("LC_ALL", "C").env("DEBIAN_FRONTEND", "noninteractive");
        command
    }
}

fn is_package(path: &Path) -> bool {
    path.extension().is_some_and(|it| it == "deb")
}

/// What apt reads after the host's settings. The host's hooks may remove what is in its own cache.
fn settings(folder: &Path) -> String {
    let folder = folder.display();
    format!(
        "#clear APT::Update::Pre-Invoke;\n#clear APT::Update::Post-Invoke;\n#clear APT::Update::Post-Invoke-Success;\n\
         #clear Acquire::IndexTargets::deb::DEP-11;\n#clear Acquire::IndexTargets::deb::DEP-11-icons;\n\
         #clear Acquire::IndexTargets::deb::DEP-11-icons-small;\n\
         APT::Default-Release \"\";\nAPT::Sandbox::User \"root\";\nAPT::Update::Error-Mode \"any\";\n\
         Acquire::Languages \"none\";\nAcquire::Retries \"2\";\nAcquire::http::Timeout \"30\";\n\
         Dir::Etc::sourcelist \"{folder}/seamline.sources\";\nDir::Etc::sourceparts \"-\";\n\
         Dir::Etc::preferences \"-\";\nDir::Etc::preferencesparts \"-\";\n\
         Dir::State \"{folder}/state\";\nDir::State::lists \"{folder}/state/lists\";\nDir::State::status \"{folder}/status\";\n\
         Dir::Cache \"{folder}/cache\";\nDir::Cache::pkgcache \"\";\nDir::Cache::srcpkgcache \"\";\n"
    )
}

/// What apt's messages mean, unless the network is at fault.
fn judge(lines: &[String]) -> Option<Update> {
    let unverified = ["NO_PUBKEY", "EXPKEYSIG", "Missing key", "couldn't be verified", "is not signed"];
    let has = |line: &&String, words: &[&str]| words.iter().any(|word| line.contains(word));
    if let Some(line) = lines.iter().find(|line| has(line, &unverified)) {
        return Some(Update::Unverified(line.clone()));
    }
    lines.iter().any(|line| has(&line, &["does not have a Release file"])).then_some(Update::NoSuite)
}

/// A line of `apt-cache madison`: `package | version | uri suite/component architecture Packages`.
fn madison(line: &str) -> Option<Found> {
    let mut columns = line.split('|').map(str::trim);
    let (package, version, place) = (columns.next()?, columns.next()?, columns.next()?);
    let mut words = place.split_whitespace();
    let (suite, _) = words.nth(1)?.split_once('/')?;
    (words.next_back() == Some("Packages")).then(|| Found {
        package: package.to_owned(),
        version: version.to_owned(),
        suite: suite.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_madison_has_the_version_and_the_suite() {
        let line = " linux-source-6.12 | 6.12.117-1~deb12u1 | http://deb.debian.org/debian-security bookworm-security/main amd64 Packages";
        let found = madison(line).unwrap();
        assert_eq!(found.version, "6.12.117-1~deb12u1");
        assert_eq!(found.suite, "bookworm-security");
        assert_eq!(madison("linux | 1 | http://m bookworm/main Sources"), None);
        assert_eq!(madison("W: something"), None);
    }

    #[test]
    fn a_suite_that_cannot_be_verified_is_not_one_that_is_missing() {
        let judge = |lines: &[&str]| judge(&lines.iter().map(|&it| it.to_owned()).collect::<Vec<_>>());
        let missing = "E: The repository 'http://m forky-backports Release' does not have a Release file.";
        assert_eq!(judge(&[missing]), Some(Update::NoSuite));
        let key = "W: GPG error: http://m sid InRelease: The following signatures couldn't be verified because the public key is not available: NO_PUBKEY 0E98";
        let unsigned = "E: The repository 'http://m sid InRelease' is not signed.";
        assert_eq!(judge(&[key, unsigned]), Some(Update::Unverified(key.to_owned())));
        assert_eq!(judge(&["E: Failed to fetch http://m  Could not connect to m:80"]), None);
    }

    #[test]
    fn the_hosts_apt_is_left_alone() {
        let text = settings(Path::new("/cache/apt"));
        for host in ["/var/lib/apt", "/var/cache/apt", "/etc/apt"] {
            assert!(!text.contains(host), "{host}");
        }
        assert!(text.contains("Dir::State::lists \"/cache/apt/state/lists\";"));
        assert!(text.contains("#clear APT::Update::Post-Invoke;"));
    }
}
