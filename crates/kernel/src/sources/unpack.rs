//! Unpacking packages and tarballs.

use crate::error::failed;
use crate::name::version_in;
use crate::store::remove;
use crate::{Error, process};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::AtomicBool;

/// Unpack the source in a package of the distribution into `tree`.
///
/// # Errors
/// When it contains no kernel, cannot be unpacked, or the user asked to stop.
pub(crate) fn package(package: &Path, tree: &Path, log: &Path, stop: &AtomicBool) -> Result<(), Error> {
    let content = package.with_extension("content");
    remove(&content)?;
    let mut command = Command::new("dpkg-deb");
    command.arg("-x").arg(package).arg(&content);
    run(&mut command, package, log, stop)?;
    let inside = find_tarball(&content.join("usr/src"), 2).ok_or_else(|| {
        Error::Failed(format!("{} contains no tarball of a kernel in usr/src", package.display()))
    })?;
    tarball(&inside, tree, log, stop)?;
    remove(&content).map(|_| ())
}

/// The tarball in a folder, or in folders in it.
fn find_tarball(folder: &Path, depth: usize) -> Option<PathBuf> {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder).ok()?.flatten().map(|it| it.path()).collect();
    entries.sort();
    let name = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let is_tarball =
        |path: &&PathBuf| path.is_file() && name(path).starts_with("linux") && name(path).contains(".tar");
    if let Some(found) = entries.iter().find(is_tarball) {
        return Some(found.clone());
    }
    let folders = entries.iter().filter(|path| path.is_dir() && depth > 0);
    folders.into_iter().find_map(|path| find_tarball(path, depth - 1))
}

/// Unpack a tarball with one folder at its top into `tree`, completely or not at all.
///
/// # Errors
/// When it is not a kernel, cannot be unpacked, or the user asked to stop.
pub(crate) fn tarball(tarball: &Path, tree: &Path, log: &Path, stop: &AtomicBool) -> Result<(), Error> {
    let partial = tree.with_extension("partial");
    remove(&partial)?;
    fs::create_dir_all(&partial).map_err(failed("cannot create", &partial))?;
    let mut command = Command::new("tar");
    command.args(["--strip-components=1", "--no-same-owner", "-xf"]).arg(tarball).arg("-C").arg(&partial);
    run(&mut command, tarball, log, stop)?;
    version(&partial).map_err(|_| {
        Error::Input(format!("{} is no kernel: its top directory has no arch/um", tarball.display()))
    })?;
    remove(tree)?;
    fs::rename(&partial, tree).map_err(failed("cannot create", tree))
}

fn run(command: &mut Command, file: &Path, log: &Path, stop: &AtomicBool) -> Result<(), Error> {
    if process::run(command, log, stop, &mut |_| ())? {
        return Ok(());
    }
    Err(Error::Failed(format!("cannot unpack {}:\n{}", file.display(), process::errors_in(log))))
}

/// The version of a kernel's tree.
///
/// # Errors
/// When it is not a kernel that can be User-Mode Linux.
pub(crate) fn version(tree: &Path) -> Result<String, Error> {
    let makefile = fs::read_to_string(tree.join("Makefile")).unwrap_or_default();
    let version = version_in(&makefile).filter(|_| tree.join("arch/um/Kconfig").is_file());
    version.ok_or_else(|| {
        Error::Input(format!(
            "{} is not the source of a kernel: it has no Makefile with a VERSION, or no arch/um\ntip: give the top directory, or a tarball of it",
            tree.display()
        ))
    })
}

/// The version of the kernel in a tarball, from the Makefile in its top folder.
///
/// # Errors
/// When there is none.
pub(crate) fn version_of_tarball(tarball: &Path) -> Result<String, Error> {
    let mut command = Command::new("tar");
    command.arg("-xOf").arg(tarball);
    command.args(["--wildcards", "--no-wildcards-match-slash", "--occurrence=1", "*/Makefile"]);
    let output = command.output().map_err(|error| Error::Failed(format!("cannot run tar: {error}")))?;
    version_in(&String::from_utf8_lossy(&output.stdout)).ok_or_else(|| {
        Error::Input(format!(
            "{} has no Makefile of a kernel in its top directory\ntip: give a tarball of a kernel, as from kernel.org",
            tarball.display()
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAKEFILE: &str = "VERSION = 6\nPATCHLEVEL = 12\nSUBLEVEL = 5\nEXTRAVERSION =\n";

    /// A tarball of a kernel's first files, or of something else.
    fn sample(folder: &Path, makefile: &str) -> PathBuf {
        let tree = folder.join("linux-x");
        fs::create_dir_all(tree.join("arch/um")).unwrap();
        fs::create_dir_all(tree.join("a")).unwrap();
        fs::write(tree.join("a/Makefile"), "VERSION = 1\nPATCHLEVEL = 1\n").unwrap();
        fs::write(tree.join("Makefile"), makefile).unwrap();
        fs::write(tree.join("arch/um/Kconfig"), "").unwrap();
        let tarball = folder.join("linux-x.tar");
        let status =
            Command::new("tar").arg("-cf").arg(&tarball).arg("-C").arg(folder).arg("linux-x").status();
        assert!(status.unwrap().success());
        tarball
    }

    #[test]
    fn a_tarball_is_unpacked_completely_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let (tree, log, stop) =
            (folder.path().join("source"), folder.path().join("log"), AtomicBool::new(false));
        let good = sample(folder.path(), MAKEFILE);
        assert_eq!(version_of_tarball(&good).unwrap(), "6.12.5");
        tarball(&good, &tree, &log, &stop).unwrap();
        assert_eq!(version(&tree).unwrap(), "6.12.5");
        fs::remove_dir_all(&tree).unwrap();
        fs::write(&good, "not a tarball").unwrap();
        assert!(tarball(&good, &tree, &log, &stop).is_err() && !tree.exists());
        assert!(matches!(version_of_tarball(&good), Err(Error::Input(_))));
    }

    #[test]
    fn what_is_not_a_kernel_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (tree, log, stop) =
            (folder.path().join("source"), folder.path().join("log"), AtomicBool::new(false));
        let other = sample(folder.path(), "all:\n");
        assert!(matches!(tarball(&other, &tree, &log, &stop), Err(Error::Input(_))));
        assert!(!tree.exists());
        let error = version(folder.path()).unwrap_err().to_string();
        assert!(error.contains("is not the source of a kernel") && error.contains("tip: "), "{error}");
    }
}
