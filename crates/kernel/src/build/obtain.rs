//! The source: fetched, unpacked or linked.

use super::work::Work;
use super::{Plan, Progress, Source, Stage};
use crate::Error;
use crate::record::Origin;
use crate::sources::apt::{Apt, Found, Update};
use crate::sources::entries::{self, Entry};
use crate::sources::suites::{self, Distribution};
use crate::sources::{shadow, unpack};
use crate::store::remove;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// What the work folder notes when the source is complete.
const UNPACKED: &str = "unpacked";
/// And when the package was fetched.
const FETCHED: &str = "fetched";

/// Put the source into the work folder, unless an earlier call has; where it is from.
pub(super) fn source(
    plan: &Plan,
    work: &Work,
    stop: &AtomicBool,
    progress: &dyn Progress,
) -> Result<Origin, Error> {
    if let Source::Tree(tree) = &plan.source {
        progress.stage(Stage::Unpack);
        shadow::make(tree, &work.source(), stop)?;
        return Ok(Origin::Tree(tree.clone()));
    }
    if let Some(origin) = work.read(UNPACKED) {
        return Ok(origin);
    }
    let origin = match &plan.source {
        Source::Tarball(tarball) => {
            progress.stage(Stage::Unpack);
            unpack::tarball(tarball, &work.source(), &work.log("unpack")?, stop)?;
            Origin::Tarball(tarball.clone())
        }
        Source::Distribution { version, suite } => {
            let wanted = Wanted { version, suite: suite.as_deref(), allow_unsigned: plan.allow_unsigned };
            wanted.obtain(work, stop, progress)?
        }
        Source::Tree(tree) => Origin::Tree(tree.clone()),
    };
    work.write(UNPACKED, &origin)?;
    Ok(origin)
}

/// The distribution whose package is to be fetched.
///
/// # Errors
/// When the host has no mirror that could have it.
pub(super) fn distribution(version: &str, suite: Option<&str>) -> Result<Distribution, Error> {
    Wanted { version, suite, allow_unsigned: false }.groups().map(|(distribution, _)| distribution)
}

/// A source package.
struct Wanted<'a> {
    version: &'a str,
    suite: Option<&'a str>,
    allow_unsigned: bool,
}

/// A package that was fetched.
#[derive(Debug, Serialize, Deserialize)]
struct Fetched {
    found: Found,
    file: PathBuf,
}

/// What was seen on the way, for the message when nothing was found.
#[derive(Debug, Default)]
struct Seen {
    suites: Vec<String>,
    packages: BTreeSet<String>,
    unverified: Vec<String>,
}

impl Wanted<'_> {
    fn obtain(&self, work: &Work, stop: &AtomicBool, progress: &dyn Progress) -> Result<Origin, Error> {
        progress.stage(Stage::Download);
        let fetched = match work.read(FETCHED) {
            Some(fetched) => fetched,
            None => self.fetch(work, stop, progress)?,
        };
        progress.stage(Stage::Unpack);
        unpack::package(&fetched.file, &work.source(), &work.log("unpack")?, stop)?;
        remove(&work.at("package"))?;
        let Found { package, version, suite } = fetched.found;
        Ok(Origin::Package { package, version, suite })
    }

    fn fetch(&self, work: &Work, stop: &AtomicBool, progress: &dyn Progress) -> Result<Fetched, Error> {
        let (folder, log) = (work.at("apt"), work.log("download")?);
        let apt = Apt::new(&folder, &log, stop)?;
        let found = self.find(&apt, progress)?;
        let file = apt.download(&found, &work.at("package"))?;
        remove(&folder)?;
        let fetched = Fetched { found, file };
        work.write(FETCHED, &fetched)?;
        Ok(fetched)
    }

    /// The package in the first group of suites that has it.
    fn find(&self, apt: &Apt, progress: &dyn Progress) -> Result<Found, Error> {
        let (distribution, groups) = self.groups()?;
        let mut seen = Seen::default();
        for group in groups.iter().filter(|group| !group.is_empty()) {
            let suites = names_of(group);
            match apt.update(group, self.allow_unsigned)? {
                Update::Done => {
                    if let Some(found) = apt.find(&distribution.packages(self.version))? {
                        return Ok(found);
                    }
                    seen.packages.extend(apt.names()?);
                    seen.suites.push(suites);
                }
                Update::NoSuite => {}
                Update::Unverified(why) => {
                    progress.note(&format!("{suites} cannot be verified and is not used: {why}"));
                    seen.unverified.push(suites);
                }
            }
        }
        Err(self.not_found(&distribution, &seen))
    }

    fn groups(&self) -> Result<(Distribution, Vec<Vec<Entry>>), Error> {
        let os_release = fs::read_to_string("/etc/os-release").unwrap_or_default();
        let no_packages = |what: &str| {
            Error::Input(format!(
                "{what}\ntip: fetch the source yourself, as from https://kernel.org, and give it: seamline kernel build {} --source linux-{}.tar.xz",
                self.version, self.version
            ))
        };
        let (distribution, codename) = suites::host(&os_release).ok_or_else(|| {
            no_packages("this host is neither Debian nor Ubuntu, whose source packages are used")
        })?;
        let entries = entries::read(Path::new("/etc/apt"));
        let groups = match self.suite {
            Some(suite) => vec![distribution.only(&entries, &codename, suite)],
            None => distribution.order(&entries, &codename),
        };
        if groups.iter().all(Vec::is_empty) {
            let text = format!("/etc/apt names no mirror of {} {codename}", distribution.id);
            return Err(no_packages(&text));
        }
        Ok((distribution, groups))
    }

    fn not_found(&self, distribution: &Distribution, seen: &Seen) -> Error {
        let mut text = format!("no source package of Linux {}", self.version);
        if !seen.suites.is_empty() {
            text += &format!(" in {}", seen.suites.join(", "));
        }
        if !seen.packages.is_empty() {
            let names: Vec<&str> = seen.packages.iter().map(String::as_str).collect();
            text += &format!("; there are {}", names.join(", "));
        }
        match seen.unverified.is_empty() {
            false => {
                text += &format!(
                    "\nnot looked at, since no key of this host verifies them: {}\ntip: sudo apt-get install --only-upgrade {}; or --allow-unsigned, which trusts the mirror and the network",
                    seen.unverified.join(", "),
                    distribution.keyring
                );
            }
            true => {
                text += "\ntip: choose one of these versions, another suite (--suite), or give the source: --source DIR";
            }
        }
        Error::Input(text)
    }
}

/// The suites of a group.
fn names_of(group: &[Entry]) -> String {
    let names: BTreeSet<&str> = group.iter().flat_map(|it| &it.suites).map(String::as_str).collect();
    names.into_iter().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_not_found_says_what_there_is_and_what_was_not_verified() {
        let wanted = Wanted { version: "6.13", suite: None, allow_unsigned: false };
        let (debian, _) = suites::host("ID=debian\nVERSION_CODENAME=bookworm\n").unwrap();
        let mut seen = Seen {
            suites: vec!["bookworm".to_owned()],
            packages: ["linux-source-6.12".to_owned()].into(),
            unverified: Vec::new(),
        };
        let text = wanted.not_found(&debian, &seen).to_string();
        assert!(
            text.starts_with(
                "no source package of Linux 6.13 in bookworm; there are linux-source-6.12\ntip: "
            ),
            "{text}"
        );
        seen.unverified.push("sid".to_owned());
        let text = wanted.not_found(&debian, &seen).to_string();
        assert!(text.contains("verifies them: sid\ntip: sudo apt-get install --only-upgrade debian-archive-keyring; or --allow-unsigned"), "{text}");
    }
}
