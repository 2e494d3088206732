//! A tree of links to a user's tree, which is never changed.

use crate::error::failed;
use crate::store::remove;
use crate::{Error, sources::unpack};
use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};

/// What building in a tree leaves there: building elsewhere would use it by mistake.
const LEFT_BY_BUILDS: [&str; 3] = [".config", "include/config", "include/generated"];

/// Make `shadow` a tree of links to the files of `tree`. Of a git repository these are all that it does not ignore, so that what a build in
/// the tree left is not used.
///
/// # Errors
/// When the tree is not a kernel, or was built in and is no git repository, or the user asked to stop.
pub(crate) fn make(tree: &Path, shadow: &Path, stop: &AtomicBool) -> Result<(), Error> {
    unpack::version(tree)?;
    let files = match repository_files(tree) {
        Some(files) => files,
        None => all_files(tree)?,
    };
    remove(shadow)?;
    let mut made = BTreeSet::new();
    for file in files {
        if stop.load(Ordering::Relaxed) {
            return Err(Error::Interrupted);
        }
        let (from, to) = (tree.join(&file), shadow.join(&file));
        // A file that was removed from the tree is still in the repository.
        if fs::symlink_metadata(&from).is_err() {
            continue;
        }
        let folder = to.parent().unwrap_or(shadow);
        if made.insert(folder.to_owned()) {
            fs::create_dir_all(folder).map_err(failed("cannot create", folder))?;
        }
        symlink(&from, &to).map_err(failed("cannot create", &to))?;
    }
    Ok(())
}

/// Check what can be checked before anything is made.
///
/// # Errors
/// As for [`make`].
pub(crate) fn check(tree: &Path) -> Result<(), Error> {
    unpack::version(tree)?;
    if repository_files(tree).is_some() { Ok(()) } else { refuse_built(tree) }
}

/// The files of a git repository that are not ignored.
fn repository_files(tree: &Path) -> Option<BTreeSet<PathBuf>> {
    let mut git = Command::new("git");
    git.arg("-C").arg(tree);
    git.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
    let output = git.output().ok().filter(|output| output.status.success())?;
    let names = output.stdout.split(|&byte| byte == 0).filter(|name| !name.is_empty());
    // One that has conflicts is listed several times.
    let files: BTreeSet<PathBuf> = names.map(|name| PathBuf::from(OsStr::from_bytes(name))).collect();
    // A tree in a folder that a repository above it ignores has none.
    files.contains(Path::new("Makefile")).then_some(files)
}

fn refuse_built(tree: &Path) -> Result<(), Error> {
    match LEFT_BY_BUILDS.iter().find(|it| tree.join(it).exists()) {
        None => Ok(()),
        Some(left) => Err(Error::Input(format!(
            "{} was built in: it has {left}, which would get into this build\ntip: make -C {} mrproper removes what builds left, and the .config; or give a fresh copy, or a git repository",
            tree.display(),
            tree.display()
        ))),
    }
}

/// All files below a folder, without repositories.
fn all_files(tree: &Path) -> Result<BTreeSet<PathBuf>, Error> {
    refuse_built(tree)?;
    let mut files = BTreeSet::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(folder) = folders.pop() {
        let path = tree.join(&folder);
        for entry in fs::read_dir(&path).map_err(failed("cannot read", &path))? {
            let entry = entry.map_err(failed("cannot read", &path))?;
            let name = folder.join(entry.file_name());
            let is_folder = entry.file_type().map_err(failed("cannot read", &path))?.is_dir();
            match is_folder {
                true if entry.file_name() == ".git" => {}
                true => folders.push(name),
                false => drop(files.insert(name)),
            }
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel(tree: &Path) {
        fs::create_dir_all(tree.join("arch/um")).unwrap();
        fs::write(tree.join("arch/um/Kconfig"), "config HZ\n").unwrap();
        fs::write(tree.join("Makefile"), "VERSION = 6\nPATCHLEVEL = 12\n").unwrap();
        symlink("Makefile", tree.join("link")).unwrap();
    }

    #[test]
    fn every_file_is_a_link_and_a_second_shadow_follows_the_tree() {
        let folder = tempfile::tempdir().unwrap();
        let (tree, shadow) = (folder.path().join("tree"), folder.path().join("shadow"));
        kernel(&tree);
        check(&tree).unwrap();
        make(&tree, &shadow, &AtomicBool::new(false)).unwrap();
        let linked = fs::read_link(shadow.join("arch/um/Kconfig")).unwrap();
        assert_eq!(linked, tree.join("arch/um/Kconfig"));
        assert_eq!(unpack::version(&shadow).unwrap(), "6.12");
        fs::remove_file(tree.join("link")).unwrap();
        make(&tree, &shadow, &AtomicBool::new(false)).unwrap();
        assert!(fs::symlink_metadata(shadow.join("link")).is_err());
    }

    #[test]
    fn a_tree_that_was_built_in_is_refused_unless_it_is_a_repository() {
        let folder = tempfile::tempdir().unwrap();
        let (tree, shadow) = (folder.path().join("tree"), folder.path().join("shadow"));
        kernel(&tree);
        fs::write(tree.join(".config"), "").unwrap();
        fs::write(tree.join("main.o"), "").unwrap();
        let error = check(&tree).unwrap_err().to_string();
        assert!(error.contains(".config") && error.contains("mrproper"), "{error}");
        assert!(make(&tree, &shadow, &AtomicBool::new(false)).is_err() && !shadow.exists());
        let git = Command::new("git").arg("-C").arg(&tree).args(["init", "-q"]).status();
        if !git.is_ok_and(|status| status.success()) {
            return println!("SKIPPED the rest of it: there is no git");
        }
        fs::write(tree.join(".gitignore"), ".*\n*.o\n").unwrap();
        check(&tree).unwrap();
        make(&tree, &shadow, &AtomicBool::new(false)).unwrap();
        assert!(!shadow.join(".config").exists() && !shadow.join("main.o").exists());
        assert!(shadow.join("Makefile").exists());
    }
}
