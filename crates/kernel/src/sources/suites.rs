//! Which suites of an archive are looked at, and in which order: the host's own first, then newer ones, as in `data/suites.toml`.

use super::entries::Entry;
use serde::Deserialize;

const SUITES: &str = include_str!("../../data/suites.toml");

/// A distribution whose source packages can be used.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Distribution {
    pub(crate) id: String,
    packages: Vec<String>,
    /// The ending of the tarball in the package.
    pub(crate) compression: String,
    aliases: Vec<String>,
    suites: Vec<String>,
    /// The package of its keys.
    pub(crate) keyring: String,
}

#[derive(Debug, Deserialize)]
struct Known {
    distribution: Vec<Distribution>,
}

/// The distribution of a host with its release, from the text of `/etc/os-release`.
pub(crate) fn host(os_release: &str) -> Option<(Distribution, String)> {
    let field = |name: &str| {
        let line = os_release.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='))?;
        Some(line.trim_matches(['"', '\'']).to_owned())
    };
    let known: Known = toml::from_str(SUITES).ok()?;
    let names = format!("{} {}", field("ID")?, field("ID_LIKE").unwrap_or_default());
    let named = |name: &str| known.distribution.iter().find(|it| it.id == name);
    let distribution = names.split_whitespace().find_map(named)?.clone();
    // Derivatives of Ubuntu have codenames of their own.
    let codename = field("UBUNTU_CODENAME").or_else(|| field("VERSION_CODENAME"))?;
    Some((distribution, codename))
}

impl Distribution {
    /// The packages that may contain the source of a version.
    pub(crate) fn packages(&self, version: &str) -> Vec<String> {
        self.packages.iter().map(|it| it.replace("{version}", version)).collect()
    }

    /// Groups of archives in the order in which they are looked at: the host's own suites, then each later one by itself.
    pub(crate) fn order(&self, entries: &[Entry], codename: &str) -> Vec<Vec<Entry>> {
        let own = self.own(entries, codename);
        let first: Vec<Entry> = own.iter().filter_map(without_backports).collect();
        let is_in_first = |suite: &String| first.iter().any(|entry| entry.suites.contains(suite));
        let later = self.suites.iter().skip_while(|it| *it != codename).skip(1);
        let later = later.filter(|suite| !is_in_first(suite)).map(|suite| with_suite(&own, suite));
        let later: Vec<Vec<Entry>> = later.collect();
        [first].into_iter().chain(later).collect()
    }

    /// The archives of one suite, from the host's mirrors.
    pub(crate) fn only(&self, entries: &[Entry], codename: &str, suite: &str) -> Vec<Entry> {
        with_suite(&self.own(entries, codename), suite)
    }

    /// The archives of the distribution itself.
    fn own(&self, entries: &[Entry], codename: &str) -> Vec<Entry> {
        let known = ["", "-updates", "-security", "-backports", "-proposed-updates", "-proposed"];
        let is_own = |suite: &String| {
            let releases = self.aliases.iter().map(String::as_str).chain([codename]);
            releases.filter_map(|it| suite.strip_prefix(it)).any(|rest| known.contains(&rest))
        };
        let own = entries.iter().filter(|it| it.components.iter().any(|it| it == "main"));
        own.filter_map(|entry| with_suites(entry, |suite| is_own(suite))).collect()
    }
}

fn is_security(suite: &str) -> bool {
    suite.ends_with("-security")
}

fn with_suites(entry: &Entry, keep: impl Fn(&String) -> bool) -> Option<Entry> {
    let mut entry = entry.clone();
    entry.suites.retain(keep);
    (!entry.suites.is_empty()).then_some(entry)
}

fn without_backports(entry: &Entry) -> Option<Entry> {
    with_suites(entry, |suite| !suite.ends_with("-backports"))
}

/// The first archive that can have this suite: those of security updates are often apart.
fn with_suite(own: &[Entry], suite: &str) -> Vec<Entry> {
    let fits = |entry: &&Entry| entry.suites.iter().any(|it| is_security(it) == is_security(suite));
    let found = own.iter().find(|entry| entry.suites.iter().any(|it| it == suite));
    let found = found.or_else(|| own.iter().find(fits));
    found.map(|entry| Entry { suites: vec![suite.to_owned()], ..entry.clone() }).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOOKWORM: &str = "PRETTY_NAME=\"Debian\"\nVERSION_CODENAME=bookworm\nID=debian\n";

    fn entry(uri: &str, suites: &[&str]) -> Entry {
        Entry {
            uris: vec![uri.to_owned()],
            suites: suites.iter().map(|&it| it.to_owned()).collect(),
            components: vec!["main".to_owned()],
            signed_by: Some("/keys.gpg".to_owned()),
            trusted: false,
        }
    }

    /// Groups as text: `uri suite suite`, separated by commas.
    fn text(groups: &[Vec<Entry>]) -> Vec<String> {
        let line = |entry: &Entry| format!("{} {}", entry.uris.join(" "), entry.suites.join(" "));
        groups.iter().map(|group| group.iter().map(line).collect::<Vec<_>>().join(", ")).collect()
    }

    #[test]
    fn the_hosts_own_suites_come_first_then_newer_ones() {
        let (debian, codename) = host(BOOKWORM).unwrap();
        let entries = [
            entry("deb", &["bookworm", "bookworm-updates", "bookworm-backports"]),
            entry("sec", &["bookworm-security"]),
            entry("else", &["nodistro"]),
            entry("pg", &["bookworm-pgdg"]),
        ];
        assert_eq!(
            text(&debian.order(&entries, &codename)),
            [
                "deb bookworm bookworm-updates, sec bookworm-security",
                "deb bookworm-backports",
                "deb trixie",
                "deb trixie-backports",
                "deb forky",
                "deb forky-backports",
                "deb sid",
            ]
        );
        assert_eq!(debian.packages("6.12"), ["linux-source-6.12"]);
    }

    #[test]
    fn a_suite_is_taken_from_the_mirror_that_has_its_kind() {
        let (debian, codename) = host(BOOKWORM).unwrap();
        let entries = [entry("deb", &["stable"]), entry("sec", &["stable-security"])];
        let only = |suite| text(&[debian.only(&entries, &codename, suite)]);
        assert_eq!(only("trixie-backports"), ["deb trixie-backports"]);
        assert_eq!(only("trixie-security"), ["sec trixie-security"]);
        assert_eq!(text(&[debian.only(&[], &codename, "sid")]), [""]);
    }

    #[test]
    fn derivatives_use_the_archives_of_their_parent() {
        let mint = "ID=linuxmint\nID_LIKE=\"ubuntu debian\"\nVERSION_CODENAME=wilma\nUBUNTU_CODENAME=noble\n";
        let (ubuntu, codename) = host(mint).unwrap();
        assert_eq!((ubuntu.id.as_str(), codename.as_str()), ("ubuntu", "noble"));
        assert!(ubuntu.packages("6.8").contains(&"linux-source-6.8.0".to_owned()));
        let archive = [entry("archive", &["noble", "noble-updates", "noble-backports"])];
        let looked_at = ["archive noble noble-updates", "archive plucky", "archive questing"];
        assert_eq!(text(&ubuntu.order(&archive, &codename))[..3], looked_at);
        assert!(host("ID=fedora\nVERSION_CODENAME=\"\"\n").is_none());
    }
}
