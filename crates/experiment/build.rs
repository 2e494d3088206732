//! Records the commit of this build and a fingerprint of the sources that results depend on, for the provenance of
//! results.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!(
        "cargo:rustc-env=SEAMLINE_REVISION={}",
        packaged_revision().or_else(revision).unwrap_or_else(|| "unknown".to_owned())
    );
    let log = Path::new("../../.git/logs/HEAD");
    if log.exists() {
        println!("cargo:rerun-if-changed={}", log.display());
    }
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-env=SEAMLINE_ENGINE={}", &fingerprint().to_hex()[..16]);
}

/// BLAKE3 over this crate and the crates of the workspace below it, except what only shows results. In a package, the others are not there:
/// its version names their versions.
fn fingerprint() -> blake3::Hash {
    if !Path::new("../experiment/Cargo.toml").exists() {
        return blake3::hash(env!("CARGO_PKG_VERSION").as_bytes());
    }
    let mut crates = BTreeSet::new();
    let mut waiting = vec!["experiment".to_owned()];
    while let Some(name) = waiting.pop() {
        let folder = Path::new("..").join(&name);
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
        let needed = manifest.split("[dev-dependencies]").next().unwrap_or_default();
        let below = needed.lines().filter_map(|line| line.strip_prefix("seamline-"));
        let below = below.filter_map(|rest| rest.split(['.', ' ']).next()).filter(|name| *name != "report");
        waiting.extend(below.map(str::to_owned));
        crates.insert(name);
    }
    let mut hasher = blake3::Hasher::new();
    for name in crates {
        let folder = Path::new("..").join(name).join("src");
        println!("cargo:rerun-if-changed={}", folder.display());
        for file in files(&folder) {
            let name = file.to_string_lossy().into_owned();
            hasher.update(name.as_bytes()).update(&fs::read(&file).unwrap_or_default());
        }
    }
    hasher.finalize()
}

/// All files below a folder, in alphabetical order.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut entries: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    entries.sort();
    let below = |path: PathBuf| if path.is_dir() { files(&path) } else { vec![path] };
    entries.into_iter().flat_map(below).collect()
}

/// The commit that a package was made of, as Cargo notes it; the repository around an unpacked package is not ours.
fn packaged_revision() -> Option<String> {
    let text = fs::read_to_string(".cargo_vcs_info.json").ok()?;
    let (_, rest) = text.split_once("\"sha1\": \"")?;
    rest.get(..12).map(str::to_owned)
}

fn revision() -> Option<String> {
    let arguments = ["describe", "--always", "--dirty", "--exclude=*", "--abbrev=12"];
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let text = text.trim();
    (output.status.success() && !text.is_empty()).then(|| text.to_owned())
}
