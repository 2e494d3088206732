//! The folder in which a kernel is built.

use super::{Plan, Progress, Source};
use crate::Error;
use crate::error::failed;
use crate::store::remove;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::UNIX_EPOCH;
use tempfile::NamedTempFile;

/// The folder of a build.
#[derive(Debug)]
pub(super) struct Work {
    pub(super) folder: PathBuf,
}

/// What the content of the folder was made for: with another plan it is of no use.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Purpose {
    source: String,
    hz: u32,
}

impl Purpose {
    fn of(plan: &Plan) -> Self {
        let source = match &plan.source {
            Source::Distribution { version, suite } => {
                format!("{version} {}", suite.as_deref().unwrap_or(""))
            }
            Source::Tree(tree) => tree.display().to_string(),
            Source::Tarball(tarball) => format!("{} {}", tarball.display(), modified(tarball)),
        };
        Purpose { source, hz: plan.hz }
    }
}

/// Nanoseconds since 1970; 0 for what cannot be read.
fn modified(file: &Path) -> u128 {
    let time = fs::metadata(file).and_then(|it| it.modified()).ok();
    time.and_then(|time| time.duration_since(UNIX_EPOCH).ok()).map_or(0, |it| it.as_nanos())
}

impl Work {
    /// Continue in the folder, or begin in an empty one if it was made for something else.
    pub(super) fn open(folder: PathBuf, plan: &Plan, progress: &dyn Progress) -> Result<Self, Error> {
        let work = Work { folder };
        let purpose = Purpose::of(plan);
        let earlier: Option<Purpose> = work.read("purpose");
        if earlier.as_ref() != Some(&purpose) {
            if remove(&work.folder)? && earlier.is_some() {
                progress.note("the earlier build was of another source or HZ; beginning again");
            }
            for folder in [work.folder.clone(), work.folder.join("log")] {
                fs::create_dir_all(&folder).map_err(failed("cannot create", &folder))?;
            }
            work.write("purpose", &purpose)?;
        }
        Ok(work)
    }

    /// A file or folder in it.
    pub(super) fn at(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// The tree that is compiled.
    pub(super) fn source(&self) -> PathBuf {
        self.at("source")
    }

    /// Where compilers write.
    pub(super) fn objects(&self) -> PathBuf {
        self.at("objects")
    }

    /// The log of a stage, empty.
    pub(super) fn log(&self, stage: &str) -> Result<PathBuf, Error> {
        let path = self.at("log").join(stage);
        fs::write(&path, "").map_err(failed("cannot write", &path))?;
        Ok(path)
    }

    /// What a stage has noted when it was done.
    pub(super) fn read<T: DeserializeOwned>(&self, name: &str) -> Option<T> {
        serde_json::from_slice(&fs::read(self.at(&format!("{name}.json"))).ok()?).ok()
    }

    /// Note something, completely or not at all.
    pub(super) fn write(&self, name: &str, what: &impl Serialize) -> Result<(), Error> {
        let path = self.at(&format!("{name}.json"));
        let text = serde_json::to_vec_pretty(what).map_err(|error| Error::Failed(error.to_string()))?;
        let write = || {
            let mut file = NamedTempFile::new_in(&self.folder)?;
            file.write_all(&text)?;
            file.persist(&path).map(drop).map_err(|error| error.error)
        };
        write().map_err(failed("cannot write", &path))
    }

    /// `make` in the tree, with none of the user's settings for other kernels. What it builds is the same at any time, by anyone.
    pub(super) fn make(&self) -> Command {
        let mut make = Command::new("make");
        make.env_clear();
        for name in ["PATH", "HOME", "TMPDIR"] {
            make.envs(std::env::var_os(name).map(|value| (name, value)));
        }
        make.envs([("LC_ALL", "C"), ("KBUILD_BUILD_USER", "seamline"), ("KBUILD_BUILD_HOST", "seamline")]);
        make.envs([("KBUILD_BUILD_TIMESTAMP", "1970-01-01"), ("KBUILD_BUILD_VERSION", "1")]);
        make.arg("-C").arg(self.source()).arg("ARCH=um");
        make.arg(format!("O={}", self.objects().display()));
        make
    }
}
