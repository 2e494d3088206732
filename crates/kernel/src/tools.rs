//! Programs and headers that building takes, each with the Debian package that contains it.

use crate::Error;
use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// What a step takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// Compiling any kernel.
    Compile,
    /// Fetching a source package.
    Package,
    /// Unpacking a tarball that ends in this.
    Unpack(&'static str),
}

/// What to look for, the package that contains it, and what it is needed for. Both Debian and Ubuntu use these names.
const TOOLS: [(&str, &str, Need); 14] = [
    ("gcc", "gcc", Need::Compile),
    ("ld", "binutils", Need::Compile),
    ("make", "make", Need::Compile),
    ("flex", "flex", Need::Compile),
    ("bison", "bison", Need::Compile),
    ("bc", "bc", Need::Compile),
    ("gzip", "gzip", Need::Compile),
    ("stdio.h", "libc6-dev", Need::Compile),
    ("apt-get", "apt", Need::Package),
    ("dpkg-deb", "dpkg", Need::Package),
    ("tar", "tar", Need::Unpack("")),
    ("xz", "xz-utils", Need::Unpack(".xz")),
    ("bzip2", "bzip2", Need::Unpack(".bz2")),
    ("gzip", "gzip", Need::Unpack(".gz")),
];

/// The folders of headers of the C library.
const HEADERS: [&str; 2] = ["/usr/include", "/usr/include/x86_64-linux-gnu"];

/// Whether everything is there that `needs` take.
///
/// # Errors
/// When something is missing: on Debian and its derivatives the message has the one command that installs exactly that.
pub(crate) fn check(needs: &[Need]) -> Result<(), Error> {
    let has_apt = Path::new("/etc/debian_version").exists();
    check_in(&env::var_os("PATH").unwrap_or_default(), &HEADERS.map(PathBuf::from), has_apt, needs)
}

fn check_in(path: &OsStr, headers: &[PathBuf], has_apt: bool, needs: &[Need]) -> Result<(), Error> {
    let is_there = |name: &str| match name.ends_with(".h") {
        true => headers.iter().any(|folder| folder.join(name).is_file()),
        false => env::split_paths(path).any(|folder| folder.join(name).is_file()),
    };
    let missing: Vec<_> =
        TOOLS.iter().filter(|(name, _, need)| needs.contains(need) && !is_there(name)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let names: Vec<&str> = missing.iter().map(|(name, ..)| *name).collect();
    let mut packages: Vec<&str> = missing.iter().map(|(_, package, _)| *package).collect();
    packages.dedup();
    let tip = match has_apt {
        true => format!("sudo apt-get install {}", packages.join(" ")),
        false => "install them by the package manager of this host".to_owned(),
    };
    let names = names.join(", ");
    Err(Error::Input(format!("building a kernel takes what this host lacks: {names}\ntip: {tip}")))
}

/// What unpacking a tarball of this name takes.
pub(crate) fn unpacking(tarball: &Path) -> Vec<Need> {
    let name = tarball.file_name().unwrap_or_default().to_string_lossy();
    let compressed = [(".xz", ".xz"), (".txz", ".xz"), (".bz2", ".bz2"), (".gz", ".gz"), (".tgz", ".gz")];
    let ending = compressed.iter().find(|(ending, _)| name.ends_with(ending));
    [Need::Unpack("")].into_iter().chain(ending.map(|(_, kind)| Need::Unpack(kind))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn one_command_installs_exactly_what_is_missing() {
        let folder = tempfile::tempdir().unwrap();
        for tool in ["gcc", "ld", "make", "gzip", "stdio.h"] {
            fs::write(folder.path().join(tool), "").unwrap();
        }
        let headers = [folder.path().to_owned()];
        let check = |needs: &[Need]| check_in(folder.path().as_os_str(), &headers, true, needs);
        assert_eq!(
            check(&[Need::Compile]).unwrap_err().to_string(),
            "building a kernel takes what this host lacks: flex, bison, bc\ntip: sudo apt-get install flex bison bc"
        );
        for tool in ["flex", "bison", "bc"] {
            fs::write(folder.path().join(tool), "").unwrap();
        }
        check(&[Need::Compile]).unwrap();
        let missing = check(&[Need::Compile, Need::Unpack(".xz")]).unwrap_err();
        assert!(matches!(&missing, Error::Input(text) if text.ends_with("install xz-utils")), "{missing}");
        let nowhere =
            check_in(folder.path().as_os_str(), &[], true, &[Need::Compile]).unwrap_err().to_string();
        assert!(nowhere.ends_with("apt-get install libc6-dev"), "{nowhere}");
        let elsewhere = check_in(OsStr::new(""), &headers, false, &[Need::Compile]).unwrap_err().to_string();
        assert!(elsewhere.contains("bison") && !elsewhere.contains("apt-get"), "{elsewhere}");
    }

    #[test]
    fn tarballs_take_the_program_of_their_compression() {
        assert_eq!(unpacking(Path::new("/a/linux-6.12.tar.xz")), [Need::Unpack(""), Need::Unpack(".xz")]);
        assert_eq!(unpacking(Path::new("linux.tgz")), [Need::Unpack(""), Need::Unpack(".gz")]);
        assert_eq!(unpacking(Path::new("linux.tar")), [Need::Unpack("")]);
    }
}
