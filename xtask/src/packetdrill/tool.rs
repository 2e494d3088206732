//! packetdrill itself, and the shared object that it tests: both are built here.

use super::changes;
use crate::support::{at, is_installed};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Programs that building and running take, and the packages of Debian that have them.
const PROGRAMS: [(&str, &str); 9] = [
    ("gcc", "gcc"),
    ("flex", "flex"),
    ("bison", "bison"),
    ("make", "make"),
    ("mount", "mount"),
    ("sysctl", "procps"),
    ("unshare", "util-linux"),
    ("setpriv", "util-linux"),
    ("python3", "python3"),
];

/// Fail with the command that installs what is missing.
pub(crate) fn check_programs() -> Result<(), String> {
    let missing: Vec<_> = PROGRAMS.iter().filter(|(program, _)| !is_installed(program)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let list = |name: fn(&(&'static str, &'static str)) -> &'static str| {
        let mut names: Vec<_> = missing.iter().map(|entry| name(entry)).collect();
        names.dedup();
        names.join(" ")
    };
    Err(format!(
        "programs are missing: {}\ntip: apt-get install {}",
        list(|entry| entry.0),
        list(|entry| entry.1)
    ))
}

/// Build packetdrill from a clone of its repository, with our changes, in `work`; the program's path.
pub(crate) fn build_packetdrill(clone: &Path, work: &Path) -> Result<PathBuf, String> {
    let source = clone.join("gtests/net/packetdrill");
    let program = work.join("packetdrill");
    let stamp = work.join("stamp");
    let version = version(&source)?;
    if program.is_file() && fs::read_to_string(&stamp).is_ok_and(|text| text == version) {
        return Ok(program);
    }
    println!("building packetdrill in {}", work.display());
    copy_source(&source, work)?;
    changes::apply(work)?;
    make(work)?;
    fs::write(&stamp, version).map_err(at(&stamp))?;
    Ok(program)
}

/// What the build is made from: all of the source, and this program, which has the changes.
fn version(source: &Path) -> Result<String, String> {
    let mut sizes = String::new();
    let own = std::env::current_exe().and_then(fs::metadata).and_then(|data| data.modified());
    for path in sorted(source)? {
        let data = fs::metadata(&path).map_err(at(&path))?;
        sizes += &format!("{} {} {:?}\n", path.display(), data.len(), data.modified().ok());
    }
    Ok(format!("{sizes}{own:?}"))
}

fn sorted(directory: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(directory).map_err(|error| {
        format!(
            "{}: {error}\ntip: is it a clone of https://github.com/google/packetdrill?",
            directory.display()
        )
    })?;
    let mut files: Vec<_> =
        entries.flatten().map(|entry| entry.path()).filter(|path| path.is_file()).collect();
    files.sort();
    Ok(files)
}

fn copy_source(from: &Path, to: &Path) -> Result<(), String> {
    if to.exists() {
        fs::remove_dir_all(to).map_err(at(to))?;
    }
    fs::create_dir_all(to).map_err(at(to))?;
    for path in sorted(from)? {
        let place = to.join(path.file_name().unwrap_or_default());
        fs::copy(&path, &place).map_err(at(&place))?;
    }
    Ok(())
}

fn make(directory: &Path) -> Result<(), String> {
    let output = Command::new("make")
        .args(["-f", "Makefile.Linux", "-j2", "packetdrill"])
        .current_dir(directory)
        .output()
        .map_err(|error| format!("make: {error}"))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!(
            "packetdrill does not build in {}:\n{}",
            directory.display(),
            String::from_utf8_lossy(&output.stderr)
        )),
    }
}

/// Build the shared object that packetdrill tests; its path.
pub(crate) fn build_shared_object() -> Result<PathBuf, String> {
    build("seamline-packetdrill", "libseamline_packetdrill.so")
}

/// Build `seamline`, which runs guests; its path.
pub(crate) fn build_seamline() -> Result<PathBuf, String> {
    build("seamline", "seamline")
}

/// Build a package of the workspace in the profile of this program; the path of the file that it makes.
fn build(package: &str, file: &str) -> Result<PathBuf, String> {
    let own = std::env::current_exe().map_err(|error| error.to_string())?;
    let directory = own.parent().unwrap_or(Path::new("."));
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(["build", "--quiet", "--package", package]).current_dir(env!("CARGO_MANIFEST_DIR"));
    command.args(["--profile", if directory.ends_with("release") { "release" } else { "test" }]);
    let status = command.status().map_err(|error| format!("cargo: {error}"))?;
    let made = directory.join(file);
    match status.success() && made.is_file() {
        true => Ok(made),
        false => Err(format!("cargo built no {}", made.display())),
    }
}
