//! Programs in `PATH`.

use super::{Feature, Need};
use std::path::PathBuf;

/// Where a shell would find a command.
pub(super) fn find(command: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    // Missing from the PATH of many users, but not from sudo's.
    folders.extend(["/usr/sbin", "/sbin"].map(PathBuf::from));
    folders.into_iter().map(|folder| folder.join(command)).find(|path| path.is_file())
}

/// Whether a command is installed; `debian` and `fedora` are the packages that contain it.
pub fn program(
    need: Need,
    command: &'static str,
    purpose: &'static str,
    debian: &str,
    fedora: &str,
) -> Feature {
    let found = find(command).map(|path| path.display().to_string()).ok_or_else(|| "not found".to_owned());
    let (debian, fedora) = (format!("sudo apt install {debian}"), format!("sudo dnf install {fedora}"));
    Feature::new(need, command, purpose, found).fixed_by(&[("Debian, Ubuntu", &debian), ("Fedora", &fedora)])
}
