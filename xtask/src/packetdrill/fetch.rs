//! Clones of the suites: those that the user has, or fetched ones.

use super::suites::Suite;
use crate::support::at;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where a suite is, or why it is not there.
pub(crate) fn locate(suite: &Suite, directory: Option<&Path>, cache: &Path) -> Result<PathBuf, String> {
    match directory {
        Some(directory) => {
            let place = directory.join(suite.name);
            match place.join(suite.scripts).is_dir() {
                true => Ok(place),
                false => Err(format!("{} is no directory", place.join(suite.scripts).display())),
            }
        }
        None => {
            let place = cache.join(suite.name);
            if !place.join(suite.scripts).is_dir() {
                clone(suite, &place)?;
            }
            Ok(place)
        }
    }
}

/// Clone the newest commit only, and of a repository with a reference the scripts only; a clone that fails leaves nothing.
fn clone(suite: &Suite, place: &Path) -> Result<(), String> {
    println!("cloning {}", suite.repository);
    let partial = place.with_extension("partial");
    let _ = fs::remove_dir_all(&partial);
    if let Some(parent) = partial.parent() {
        fs::create_dir_all(parent).map_err(at(parent))?;
    }
    let target = partial.display().to_string();
    let mut arguments = vec!["clone", "--quiet", "--depth", "1"];
    if let Some(reference) = suite.reference {
        arguments.extend(["--filter=blob:none", "--sparse", "--branch", reference]);
    }
    arguments.extend([suite.repository, &target]);
    let mut cloned = git(&arguments);
    if suite.reference.is_some() {
        cloned = cloned.and_then(|()| git(&["-C", &target, "sparse-checkout", "set", suite.scripts]));
    }
    let cloned = cloned.and_then(|()| fs::rename(&partial, place).map_err(at(place)));
    if cloned.is_err() {
        let _ = fs::remove_dir_all(&partial);
    }
    cloned.map_err(|error| {
        format!("{error}\ntip: where there is no network, name a directory that holds clones: cargo xtask packetdrill DIR")
    })
}

fn git(arguments: &[&str]) -> Result<(), String> {
    let output = Command::new("git")
        .args(arguments)
        .env("GIT_TERMINAL_PROMPT", "0")
        .output()
        .map_err(|error| format!("git: {error}\ntip: apt-get install git"))?;
    match output.status.success() {
        true => Ok(()),
        false => Err(format!("git {}: {}", arguments[0], String::from_utf8_lossy(&output.stderr).trim())),
    }
}
