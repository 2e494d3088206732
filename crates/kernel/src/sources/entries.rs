//! The package archives that a host is configured with (sources.list(5)), in both formats.

use std::fs;
use std::path::{Path, PathBuf};

/// An archive of binary packages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) uris: Vec<String>,
    pub(crate) suites: Vec<String>,
    pub(crate) components: Vec<String>,
    /// The keyring that verifies it: a path, a fingerprint, or the lines of a key.
    pub(crate) signed_by: Option<String>,
    /// The host's administrator trusts it without a signature.
    pub(crate) trusted: bool,
}

impl Entry {
    /// The entry in the deb822 format.
    pub(crate) fn render(&self) -> String {
        let list = |values: &[String]| values.join(" ");
        let mut text = format!(
            "Types: deb\nURIs: {}\nSuites: {}\nComponents: {}\n",
            list(&self.uris),
            list(&self.suites),
            list(&self.components)
        );
        if let Some(keyring) = &self.signed_by {
            text += &format!("Signed-By: {keyring}\n");
        }
        if self.trusted {
            text += "Trusted: yes\n";
        }
        text + "\n"
    }
}

/// All archives in a folder such as `/etc/apt`: of `sources.list`, and of the files in `sources.list.d`.
pub(crate) fn read(folder: &Path) -> Vec<Entry> {
    let listed = fs::read_dir(folder.join("sources.list.d")).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = listed.map(|entry| entry.path()).collect();
    files.sort();
    files.insert(0, folder.join("sources.list"));
    files.iter().flat_map(|file| parse(file)).collect()
}

/// Files of another ending are not apt's, and those that cannot be read are of no use to apt either.
fn parse(file: &Path) -> Vec<Entry> {
    let text = || fs::read_to_string(file).unwrap_or_default();
    match file.extension().and_then(|it| it.to_str()) {
        Some("list") => text().lines().filter_map(one_line).collect(),
        Some("sources") => stanzas(&text()).iter().filter_map(|it| deb822(it)).collect(),
        _ => Vec::new(),
    }
}

/// `deb [ option=value ... ] uri suite [component] ...`
fn one_line(line: &str) -> Option<Entry> {
    let line = line.split('#').next()?.trim();
    let rest = line.strip_prefix("deb")?.strip_prefix([' ', '\t'])?.trim_start();
    let (options, rest) = match rest.strip_prefix('[') {
        Some(rest) => rest.split_once(']')?,
        None => ("", rest),
    };
    let mut words = rest.split_whitespace().map(str::to_owned);
    let (uri, suite) = (words.next()?, words.next()?);
    let option = |name: &str| {
        let pairs = options.split_whitespace().filter_map(|it| it.split_once('='));
        pairs.filter(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.to_owned()).next_back()
    };
    usable(Entry {
        uris: vec![uri],
        suites: vec![suite],
        components: words.collect(),
        // Several keyrings are separated by commas here, by spaces there.
        signed_by: option("signed-by").map(|it| it.replace(',', " ")),
        trusted: option("trusted").is_some_and(|it| it == "yes"),
    })
}

/// The stanzas of a file, each a list of fields: continued lines belong to the field before them.
fn stanzas(text: &str) -> Vec<Vec<(String, String)>> {
    let mut stanzas = vec![Vec::new()];
    for line in text.lines() {
        let fields = stanzas.len() - 1;
        let fields: &mut Vec<(String, String)> = &mut stanzas[fields];
        if line.starts_with('#') {
            continue;
        }
        if line.trim().is_empty() {
            stanzas.push(Vec::new());
        } else if line.starts_with([' ', '\t']) {
            if let Some((_, value)) = fields.last_mut() {
                value.push('\n');
                value.push_str(line);
            }
        } else if let Some((name, value)) = line.split_once(':') {
            fields.push((name.trim().to_lowercase(), value.trim().to_owned()));
        }
    }
    stanzas
}

fn deb822(fields: &[(String, String)]) -> Option<Entry> {
    let field = |name: &str| fields.iter().find(|(it, _)| it == name).map(|(_, value)| value.as_str());
    let list = |name| -> Vec<String> {
        field(name).unwrap_or_default().split_whitespace().map(str::to_owned).collect()
    };
    if !list("types").iter().any(|it| it == "deb") || field("enabled").is_some_and(|it| it == "no") {
        return None;
    }
    usable(Entry {
        uris: list("uris"),
        suites: list("suites"),
        components: list("components"),
        signed_by: field("signed-by").map(str::to_owned),
        trusted: field("trusted").is_some_and(|it| it == "yes"),
    })
}

/// Installation media and folders without suites do not have kernels' sources.
fn usable(mut entry: Entry) -> Option<Entry> {
    entry.uris.retain(|uri| !uri.starts_with("cdrom:"));
    entry.suites.retain(|suite| !suite.ends_with('/'));
    (!entry.uris.is_empty() && !entry.suites.is_empty()).then_some(entry)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_formats_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        fs::create_dir(folder.path().join("sources.list.d")).unwrap();
        write(
            "sources.list",
            "# a comment\ndeb cdrom:[Debian 12]/ bookworm main\ndeb-src http://m/debian bookworm main\ndeb\t[arch=amd64 signed-by=/a.gpg,/b.gpg] http://m/debian bookworm main contrib # more\ndeb [trusted=yes] file:/flat ./\n",
        );
        write(
            "sources.list.d/b.sources",
            "Types: deb deb-src\n# the old mirror\nURIs: http://s/security\n http://t/security\nSuites: bookworm-security\nComponents: main\nSigned-By:\n -----BEGIN-----\n .\n abc\n\nTypes: deb\nEnabled: no\nURIs: http://off\nSuites: x\n\nTypes: deb-src\nURIs: http://src\nSuites: x\n",
        );
        write("sources.list.d/c.list.disabled", "deb http://ignored x main\n");
        let entries = read(folder.path());
        assert_eq!(entries.len(), 2, "{entries:#?}");
        assert_eq!(entries[0].uris, ["http://m/debian"]);
        assert_eq!(entries[0].components, ["main", "contrib"]);
        assert_eq!(entries[0].signed_by.as_deref(), Some("/a.gpg /b.gpg"));
        assert_eq!(entries[1].uris, ["http://s/security", "http://t/security"]);
        assert_eq!(entries[1].suites, ["bookworm-security"]);
        assert_eq!(entries[1].signed_by.as_deref(), Some("\n -----BEGIN-----\n .\n abc"));
    }

    #[test]
    fn what_is_written_is_read_again_the_same() {
        let entry = Entry {
            uris: vec!["http://m/debian".to_owned()],
            suites: vec!["trixie".to_owned(), "trixie-updates".to_owned()],
            components: vec!["main".to_owned()],
            signed_by: Some("/a.gpg".to_owned()),
            trusted: true,
        };
        let again: Vec<Entry> = stanzas(&entry.render()).iter().filter_map(|it| deb822(it)).collect();
        assert_eq!(again, [entry]);
    }

    #[test]
    fn a_host_without_apt_has_none() {
        assert_eq!(read(Path::new("/nonexistent")), []);
    }
}
