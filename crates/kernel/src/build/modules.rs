//! Modules of users: congestion controls and the like from outside the kernel's tree.

use super::work::Work;
use super::{Plan, Progress, Stage};
use crate::error::failed;
use crate::sources::unpack;
use crate::store::remove;
use crate::{Error, process};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

/// What came of building modules.
#[derive(Debug, Default)]
pub(super) struct Modules {
    /// The `.ko` files.
    pub(super) files: Vec<PathBuf>,
    /// Why others were not built.
    pub(super) failures: Vec<String>,
}

/// What may be built, before anything is.
///
/// # Errors
/// When a folder is not one of a module, or two have the same name.
pub(super) fn check(folders: &[PathBuf]) -> Result<(), Error> {
    let refuse = |folder: &Path, why: &str| {
        let tip = "give a directory with a Makefile or Kbuild that says: obj-m := tcp_NAME.o";
        Err(Error::Input(format!("--module {}: {why}\ntip: {tip}", folder.display())))
    };
    let mut names = BTreeSet::new();
    for folder in folders {
        if !folder.is_dir() {
            return refuse(folder, "it is not a directory");
        }
        if !["Kbuild", "Makefile"].iter().any(|file| folder.join(file).is_file()) {
            return refuse(folder, "it has neither a Makefile nor a Kbuild");
        }
        if !names.insert(name(folder)?) {
            return refuse(folder, "another module's directory has the same name");
        }
    }
    Ok(())
}

fn name(folder: &Path) -> Result<OsString, Error> {
    let path = fs::canonicalize(folder).map_err(failed("cannot read", folder))?;
    Ok(path.file_name().unwrap_or_default().to_owned())
}

/// Build each against the kernel that was built.
///
/// # Errors
/// When the user asked to stop, or a folder cannot be copied. A module that cannot be built is no error.
pub(super) fn build_all(
    work: &Work,
    plan: &Plan,
    stop: &AtomicBool,
    progress: &dyn Progress,
) -> Result<Modules, Error> {
    let mut modules = Modules::default();
    if plan.modules.is_empty() {
        return Ok(modules);
    }
    progress.stage(Stage::Modules);
    let version = unpack::version(&work.source())?;
    let log = work.log("modules")?;
    for folder in &plan.modules {
        fs::write(&log, "").map_err(failed("cannot write", &log))?;
        let copy = work.at("modules").join(name(folder)?);
        remove(&copy)?;
        copy_sources(folder, &copy)?;
        let mut make = work.make();
        make.arg(format!("M={}", copy.display())).arg(format!("-j{}", plan.jobs)).arg("modules");
        let succeeded = process::run(&mut make, &log, stop, &mut |_| ())?;
        let built = if succeeded { files_ending(&copy, ".ko") } else { Vec::new() };
        match (succeeded, built.is_empty()) {
            (true, false) => modules.files.extend(built),
            (true, true) => modules.failures.push(format!(
                "{} builds no .ko file\ntip: its Makefile must say: obj-m := tcp_NAME.o",
                folder.display()
            )),
            // The user knows the folder, not its copy.
            (false, _) => modules.failures.push(format!(
                "the module in {} does not build for Linux {version}:\n{}",
                folder.display(),
                process::errors_in(&log).replace(&*copy.to_string_lossy(), &folder.to_string_lossy())
            )),
        }
    }
    Ok(modules)
}

/// Copy a folder without repositories and what earlier builds left there.
fn copy_sources(from: &Path, to: &Path) -> Result<(), Error> {
    const LEFT_BY_BUILDS: [&str; 7] = [".o", ".ko", ".cmd", ".mod", ".mod.c", ".symvers", ".order"];
    fs::create_dir_all(to).map_err(failed("cannot create", to))?;
    for entry in fs::read_dir(from).map_err(failed("cannot read", from))? {
        let entry = entry.map_err(failed("cannot read", from))?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let (path, copy) = (entry.path(), to.join(entry.file_name()));
        if name.starts_with('.') || LEFT_BY_BUILDS.iter().any(|ending| name.ends_with(ending)) {
            continue;
        }
        if path.is_dir() {
            copy_sources(&path, &copy)?;
        } else {
            fs::copy(&path, &copy).map_err(failed("cannot copy", &path))?;
        }
    }
    Ok(())
}

/// All files below a folder with this ending, sorted.
fn files_ending(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let found = |path: PathBuf| match path.is_dir() {
        true => files_ending(&path, ending),
        false if path.to_string_lossy().ends_with(ending) => vec![path],
        false => Vec::new(),
    };
    let mut files: Vec<PathBuf> = entries.flat_map(found).collect();
    files.sort();
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_without_a_makefile_and_twice_the_same_name_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = (folder.path().join("a/mine"), folder.path().join("b/mine"));
        for module in [&one, &two] {
            fs::create_dir_all(module).unwrap();
        }
        let refused = |folders: &[PathBuf]| check(folders).unwrap_err().to_string();
        assert!(refused(&[folder.path().join("none")]).contains("not a directory"));
        assert!(refused(std::slice::from_ref(&one)).contains("neither a Makefile"));
        fs::write(one.join("Makefile"), "obj-m := x.o\n").unwrap();
        fs::write(two.join("Kbuild"), "obj-m := x.o\n").unwrap();
        check(std::slice::from_ref(&one)).unwrap();
        assert!(refused(&[one, two]).contains("same name"));
    }

    #[test]
    fn only_sources_are_copied() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("from"), folder.path().join("to"));
        fs::create_dir_all(from.join(".git")).unwrap();
        fs::create_dir_all(from.join("inner")).unwrap();
        for file in ["Makefile", "x.c", "x.o", "x.ko", ".x.o.cmd", "x.mod.c", "inner/x.h"] {
            fs::write(from.join(file), "").unwrap();
        }
        copy_sources(&from, &to).unwrap();
        let names: Vec<String> = files_ending(&to, "")
            .iter()
            .map(|it| it.strip_prefix(&to).unwrap().display().to_string())
            .collect();
        assert_eq!(names, ["Makefile", "inner/x.h", "x.c"]);
    }
}
