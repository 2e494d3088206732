//! What several chores need.

use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Turns an error into a message that begins with the path of a file.
pub(crate) fn at<E: Display>(path: &Path) -> impl Fn(E) -> String + Copy {
    move |error| format!("{}: {error}", path.display())
}

/// All files in a folder and the folders below it, sorted.
pub(crate) fn files(root: &Path) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    let mut open = vec![root.to_owned()];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(&directory).map_err(at(&directory))? {
            let path = entry.map_err(at(&directory))?.path();
            if path.is_dir() { &mut open } else { &mut found }.push(path);
        }
    }
    found.sort();
    Ok(found)
}

/// What a command prints; an error with its message if it fails.
pub(crate) fn output(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("{name}: {error}"))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(format!("{name}: {}", String::from_utf8_lossy(&output.stderr).trim())),
    }
}

/// The name of a value as an argument.
pub(crate) fn name(value: &impl clap::ValueEnum) -> String {
    value.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
}

/// Whether a program is in PATH, or where the system's programs are.
pub(crate) fn is_installed(program: &str) -> bool {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let of_system = ["/usr/sbin", "/sbin"].map(PathBuf::from);
    std::env::split_paths(&paths).chain(of_system).any(|folder| folder.join(program).is_file())
}
