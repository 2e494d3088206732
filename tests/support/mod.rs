//! What tests of the command share.
#![allow(dead_code, reason = "every file of tests uses some of it")]

pub(crate) mod on_time;

use assert_cmd::Command;
pub(crate) use seamline_testing::skip;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard};

/// The path of a command of the workspace, next to the directory of this test. Cargo builds all of them for tests of the whole workspace, and only its own
/// for those of one package.
pub(crate) fn program(name: &str) -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let path = test.ancestors().nth(2).unwrap().join(name).with_extension(std::env::consts::EXE_EXTENSION);
    assert!(path.exists(), "{} is missing; build it: cargo build -p {name}", path.display());
    path
}

/// Run a command of the workspace in a folder.
pub(crate) fn run(name: &str, arguments: &[&str], folder: &Path) -> Output {
    let mut command = Command::new(program(name));
    command.args(arguments).current_dir(folder).env_remove("NO_COLOR").output().unwrap()
}

/// Run `seamline` in a folder.
pub(crate) fn seamline(arguments: &[&str], folder: &Path) -> Output {
    run("seamline", arguments, folder)
}

/// Run it where it must succeed; what it wrote to standard output.
pub(crate) fn succeeds(arguments: &[&str], folder: &Path) -> String {
    output_of("seamline", arguments, folder)
}

/// What a command of the workspace writes to standard output; it must succeed.
pub(crate) fn output_of(name: &str, arguments: &[&str], folder: &Path) -> String {
    let output = run(name, arguments, folder);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
    stdout(&output).to_owned()
}

/// Run it where it must refuse what it is given, without a word on standard output; what it says instead.
pub(crate) fn refuses(arguments: &[&str], folder: &Path) -> String {
    refusal_of("seamline", arguments, folder)
}

/// What a command of the workspace writes to standard error when it refuses invalid input.
pub(crate) fn refusal_of(name: &str, arguments: &[&str], folder: &Path) -> String {
    let output = run(name, arguments, folder);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}: {}{}", stdout(&output), stderr(&output));
    assert_eq!(stdout(&output), "");
    assert!(!stderr(&output).contains('\u{1b}'), "colour without a terminal");
    stderr(&output).to_owned()
}

/// Run a line of shell in which `seamline` is the command, as where no kernel is built.
pub(crate) fn shell(script: &str, folder: &Path) -> Output {
    let function = format!("seamline() {{ '{}' \"$@\"; }}\n", program("seamline").display());
    let mut command = Command::new("sh");
    command.env("SEAMLINE_KERNELS", folder.join("no-kernels"));
    command.args(["-c", &(function + script)]).current_dir(folder).output().unwrap()
}

/// The name of a kernel that is built. `None`, having said so, where there is none.
pub(crate) fn kernel_or_skip(test: &str) -> Option<String> {
    let kernels = succeeds(&["kernel", "list", "--json"], Path::new("/"));
    let kernels: serde_json::Value = serde_json::from_str(&kernels).unwrap();
    let name = kernels["kernels"][0]["name"].as_str().map(str::to_owned);
    if name.is_none() {
        skip(test, "no kernel is built: seamline kernel build 6.12");
    }
    name
}

/// Data.
pub(crate) fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

/// Everything else.
pub(crate) fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}

/// A folder that is gone after the test.
pub(crate) fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

/// Held by the test that runs a lab.
static LABS: RwLock<()> = RwLock::new(());

/// Whether this host lets us make namespaces; if not, it prints why. Nobody else runs a lab while what is returned is held: for tests that look at
/// what a lab leaves behind, or at how late it is.
///
/// # Panics
/// As [`skip`].
pub(crate) fn lab_or_skip(name: &str) -> Option<RwLockWriteGuard<'static, ()>> {
    let alone = seamline_testing::turn(LABS.write());
    has_lab(name).then_some(alone)
}

/// The same for tests that may run at the same time: as many as the host has cores, for they wait most of the time, and begin again when they were
/// late.
pub(crate) fn shared_lab_or_skip(name: &str) -> Option<RwLockReadGuard<'static, ()>> {
    let shared = seamline_testing::turn(LABS.read());
    has_lab(name).then_some(shared)
}

fn has_lab(name: &str) -> bool {
    let doctor = seamline(&["doctor"], folder().path());
    if !doctor.status.success() {
        skip(name, format!("seamline doctor says\n{}", stdout(&doctor)));
    }
    doctor.status.success()
}

/// The root of the repository, from this package or from one below `crates`.
pub(crate) fn repository() -> &'static Path {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"));
    package.ancestors().find(|folder| folder.join("scenarios").is_dir()).unwrap()
}

/// The path of a scenario that ships.
pub(crate) fn scenario(name: &str) -> String {
    repository().join("scenarios").join(name).to_str().unwrap().to_owned()
}

/// Assert that a text has all these parts.
#[track_caller]
pub(crate) fn assert_contains(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{part:?} is not in:\n{text}");
    }
}

/// The comments of a CSV file, and the lines below them.
pub(crate) fn table(path: &Path) -> (Vec<String>, Vec<String>) {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let (comments, rows): (Vec<&str>, Vec<&str>) = text.lines().partition(|line| line.starts_with('#'));
    let owned = |lines: Vec<&str>| lines.into_iter().map(str::to_owned).collect();
    (owned(comments), owned(rows))
}
