//! A kernel that was built, and the file that describes it.

use crate::name::numbers;
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::{Path, PathBuf};

/// The file that describes a kernel, in its folder.
pub(crate) const RECORD: &str = "kernel.json";
/// The image, in its folder.
pub(crate) const IMAGE: &str = "linux";
/// The configuration, in its folder.
pub(crate) const CONFIG: &str = "config";
/// The folder of modules, in that of the kernel.
pub(crate) const MODULES: &str = "modules";

/// A kernel that was built.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Kernel {
    /// Its name, such as `linux-6.12`.
    pub name: String,
    /// What it says of itself, such as `6.12.117`.
    pub release: String,
    /// Timer interrupts a second: the kernel's TCP counts its timers in them.
    pub hz: u32,
    /// The program that is the kernel.
    pub image: PathBuf,
    /// What it was configured with.
    pub config: PathBuf,
    /// Modules that were built for it, each a file.
    pub modules: Vec<PathBuf>,
    /// The congestion controls it contains, without those of modules.
    pub congestion_controls: Vec<String>,
    /// Why its source was changed, a reason for each change that this version wants.
    pub changes: Vec<String>,
    /// Wanted options that this version does not have.
    pub missing_options: Vec<String>,
    /// Where its source is from.
    pub origin: Origin,
    /// When it was built, in seconds since 1970.
    pub built: u64,
    /// The release of seamline that built it.
    pub built_by: String,
    /// Bytes of its folder.
    pub size: u64,
}

/// Where a kernel's source is from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Origin {
    /// A source package of the distribution.
    Package {
        /// Its name.
        package: String,
        /// Its version.
        version: String,
        /// The suite it is from.
        suite: String,
    },
    /// A tarball.
    Tarball(PathBuf),
    /// A tree of the user.
    Tree(PathBuf),
}

/// What the file contains: everything that is not seen in the folder.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) release: String,
    pub(crate) hz: u32,
    pub(crate) origin: Origin,
    pub(crate) built: u64,
    pub(crate) built_by: String,
    pub(crate) congestion_controls: Vec<String>,
    pub(crate) missing_options: Vec<String>,
    /// Kernels of older releases do not say.
    #[serde(default)]
    pub(crate) changes: Vec<String>,
}

impl Kernel {
    /// The kernel in a folder, if there is a complete one.
    pub(crate) fn read(folder: &Path) -> Option<Kernel> {
        let name = folder.file_name()?.to_str()?.to_owned();
        let record: Record = serde_json::from_slice(&fs::read(folder.join(RECORD)).ok()?).ok()?;
        let (image, config) = (folder.join(IMAGE), folder.join(CONFIG));
        let modules = files(&folder.join(MODULES));
        let all = modules.iter().chain([&image, &config]);
        let size = all.filter_map(|file| fs::metadata(file).ok()).map(|it| it.len()).sum();
        image.is_file().then_some(Kernel {
            name,
            release: record.release,
            hz: record.hz,
            image,
            config,
            modules,
            congestion_controls: record.congestion_controls,
            missing_options: record.missing_options,
            changes: record.changes,
            origin: record.origin,
            built: record.built,
            built_by: record.built_by,
            size,
        })
    }

    /// For sorting: by release, then by the time it was built.
    pub(crate) fn age(&self) -> (Vec<u64>, u64) {
        (numbers(&self.release), self.built)
    }
}

/// The files of a folder in the order of their names; none if there is no such folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(|path| path.is_file()).collect();
    files.sort();
    files
}
