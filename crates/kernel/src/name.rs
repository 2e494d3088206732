//! Names and versions of kernels.

use crate::Error;

/// The name of a kernel that was asked for: `6.12` is `linux-6.12`; what does not begin with a digit is a name already.
///
/// # Errors
/// When it cannot be the name of a folder.
pub(crate) fn name_of(asked: &str) -> Result<String, Error> {
    let is_usual = |letter: char| letter.is_ascii_alphanumeric() || ".-_+~".contains(letter);
    if asked.len() > 64
        || !asked.starts_with(|first: char| first.is_ascii_alphanumeric())
        || !asked.chars().all(is_usual)
    {
        return Err(Error::Input(format!(
            "`{asked}` cannot name a kernel\ntip: use letters, digits and . - _, at most 64, such as 6.12"
        )));
    }
    Ok(if asked.starts_with(|first: char| first.is_ascii_digit()) {
        format!("linux-{asked}")
    } else {
        asked.to_owned()
    })
}

/// The numbers of a version or release, for comparison: `6.12.117-rc1` is 6, 12, 117, 1.
pub(crate) fn numbers(version: &str) -> Vec<u64> {
    let parts = version.split(|letter: char| !letter.is_ascii_digit());
    parts.filter_map(|part| part.parse().ok()).collect()
}

/// The version in the first lines of a kernel's Makefile, such as `6.12.117`.
pub(crate) fn version_in(makefile: &str) -> Option<String> {
    let value = |key: &str| {
        let line = makefile.lines().find(|line| line.split('=').next().map(str::trim) == Some(key))?;
        line.split_once('=').map(|(_, value)| value.trim().to_owned())
    };
    let sublevel =
        value("SUBLEVEL").filter(|it| !it.is_empty()).map(|it| format!(".{it}")).unwrap_or_default();
    let extra = value("EXTRAVERSION").unwrap_or_default();
    let (version, patchlevel) = (value("VERSION")?, value("PATCHLEVEL")?);
    let all_digits = |text: &str| !text.is_empty() && text.chars().all(|it| it.is_ascii_digit());
    (all_digits(&version) && all_digits(&patchlevel))
        .then(|| format!("{version}.{patchlevel}{sublevel}{extra}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_become_names() {
        assert_eq!(name_of("6.12").unwrap(), "linux-6.12");
        assert_eq!(name_of("linux-6.12").unwrap(), "linux-6.12");
        assert_eq!(name_of("net-next").unwrap(), "net-next");
        for bad in ["", ".build", "../x", "a/b", "6.12 ", "-x", &"9".repeat(65)] {
            assert!(matches!(name_of(bad), Err(Error::Input(_))), "{bad}");
        }
    }

    #[test]
    fn versions_compare_by_their_numbers() {
        assert!(numbers("6.9") < numbers("6.12"));
        assert!(numbers("6.12.117") > numbers("6.12.9"));
        assert!(numbers("6.12.117") < numbers("6.13"));
    }

    #[test]
    fn a_makefile_states_the_version() {
        let makefile =
            "# SPDX\nVERSION = 6\nPATCHLEVEL = 13\nSUBLEVEL = 0\nEXTRAVERSION = -rc4\nNAME = Baby\n";
        assert_eq!(version_in(makefile).as_deref(), Some("6.13.0-rc4"));
        assert_eq!(version_in("all:\n\ttrue\n"), None);
        assert_eq!(version_in("VERSION = $(shell rm)\nPATCHLEVEL = 1\n"), None);
    }
}
