//! Where kernels are kept: a folder for each, and one for those being built.

use crate::Error;
use crate::error::failed;
use crate::lock::Lock;
use crate::name::name_of;
use crate::record::{Kernel, RECORD};
use nix::fcntl::{AT_FDCWD, RenameFlags, renameat2};
use std::env;
use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What is unfinished, in the folder of the kernels. No kernel's name begins with a dot.
const UNFINISHED: &str = ".build";

/// The kernels of a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Store {
    /// The folder.
    pub folder: PathBuf,
}

impl Store {
    /// The folder in `SEAMLINE_KERNELS`, or `seamline/kernels` in the user's cache directory. It need not exist.
    ///
    /// # Errors
    /// When none of `SEAMLINE_KERNELS`, `XDG_CACHE_HOME` and `HOME` is an absolute path.
    pub fn open() -> Result<Store, Error> {
        let place = place(|name| env::var_os(name));
        place.map(|folder| Store { folder }).ok_or_else(|| {
            Error::Input(
                "there is no place for kernels: neither HOME nor XDG_CACHE_HOME is an absolute path\ntip: export SEAMLINE_KERNELS=/some/directory".to_owned(),
            )
        })
    }

    /// The kernels in this folder.
    pub fn at(folder: &Path) -> Store {
        Store { folder: folder.to_owned() }
    }

    /// All complete kernels, the oldest release first.
    pub fn list(&self) -> Vec<Kernel> {
        let mut kernels: Vec<Kernel> = self
            .names(&self.folder)
            .iter()
            .filter_map(|name| Kernel::read(&self.folder.join(name)))
            .collect();
        kernels.sort_by_key(Kernel::age);
        kernels
    }

    /// The names of kernels of which the sources or objects are kept: unfinished ones, and those built with `--keep-source`.
    pub fn unfinished(&self) -> Vec<String> {
        self.names(&self.folder.join(UNFINISHED))
    }

    /// The kernel of this name or version: `linux-6.12`, or `6.12`.
    ///
    /// # Errors
    /// When there is none.
    pub fn find(&self, name: &str) -> Result<Kernel, Missing> {
        let full = name_of(name).ok();
        full.and_then(|name| Kernel::read(&self.folder.join(name))).ok_or_else(|| self.missing(Some(name)))
    }

    /// The kernel of the newest release; of two, the one that was built last.
    ///
    /// # Errors
    /// When there is none.
    pub fn newest(&self) -> Result<Kernel, Missing> {
        self.list().pop().ok_or_else(|| self.missing(None))
    }

    /// Remove a kernel and the files left from its build. Returns whether there was anything.
    ///
    /// # Errors
    /// When it is being built, or cannot be removed.
    pub fn remove(&self, name: &str) -> Result<bool, Error> {
        let name = name_of(name)?;
        if !self.folder.join(UNFINISHED).is_dir() && !self.folder.join(&name).exists() {
            return Ok(false);
        }
        let _lock = self.lock(&name)?;
        let mut any = false;
        let finished = self.folder.join(&name);
        if finished.exists() {
            // It ceases to exist at once, however long removing takes.
            let aside = self.folder.join(UNFINISHED).join(format!("{name}.removed"));
            remove(&aside)?;
            fs::rename(&finished, &aside).map_err(failed("cannot remove", &finished))?;
            remove(&aside)?;
            any = true;
        }
        Ok(remove(&self.work_folder(&name))? || any)
    }

    /// Where a kernel is built.
    pub(crate) fn work_folder(&self, name: &str) -> PathBuf {
        self.folder.join(UNFINISHED).join(name)
    }

    /// The right to build this kernel.
    pub(crate) fn lock(&self, name: &str) -> Result<Lock, Error> {
        let folder = self.folder.join(UNFINISHED);
        fs::create_dir_all(&folder).map_err(failed("cannot create", &folder))?;
        Lock::take(&folder.join(format!("{name}.lock")), name)
    }

    /// Make a complete folder the kernel of this name, in place of an earlier one, in one step.
    ///
    /// # Errors
    /// When it is incomplete, or cannot be moved.
    pub(crate) fn install(&self, complete: &Path, name: &str) -> Result<Kernel, Error> {
        if !complete.join(RECORD).is_file() {
            return Err(Error::Failed(format!("{} has no {RECORD}", complete.display())));
        }
        let place = self.folder.join(name);
        if place.exists() {
            let exchanged = renameat2(AT_FDCWD, complete, AT_FDCWD, &place, RenameFlags::RENAME_EXCHANGE);
            exchanged.map_err(|errno| failed("cannot replace", &place)(errno.into()))?;
            remove(complete)?;
        } else {
            fs::rename(complete, &place).map_err(failed("cannot create", &place))?;
        }
        Kernel::read(&place).ok_or_else(|| Error::Failed(format!("{} is not complete", place.display())))
    }

    fn missing(&self, name: Option<&str>) -> Missing {
        Missing {
            name: name.map(str::to_owned),
            existing: self.list().into_iter().map(|kernel| kernel.name).collect(),
        }
    }

    /// The folders in a folder that can be kernels, sorted.
    fn names(&self, folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let folders = entries.filter(|entry| entry.path().is_dir());
        let names = folders.filter_map(|entry| entry.file_name().into_string().ok());
        let mut names: Vec<String> = names.filter(|name| !name.starts_with('.')).collect();
        names.sort();
        names
    }
}

/// A kernel that does not exist. As text it names the command that builds it, and those that exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// The name that was looked for; none if any kernel would do.
    pub name: Option<String>,
    /// The names of those that exist.
    pub existing: Vec<String>,
}

/// The version to recommend where any will do: the one most distributions have.
pub(crate) const RECOMMENDED: &str = "6.12";

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.name, self.existing.is_empty()) {
            (Some(name), true) => write!(f, "there is no kernel `{name}`, nor any other")?,
            (Some(name), false) => {
                write!(f, "there is no kernel `{name}`; there are {}", self.existing.join(", "))?;
            }
            (None, _) => f.write_str("there is no kernel yet")?,
        }
        let wanted = self.name.as_deref().unwrap_or(RECOMMENDED);
        let version = wanted.strip_prefix("linux-").unwrap_or(wanted);
        let source = if version.starts_with(|it: char| it.is_ascii_digit()) { "" } else { " --source DIR" };
        write!(f, "\ntip: seamline kernel build {version}{source}")
    }
}

impl std::error::Error for Missing {}

/// The folder that the environment chooses.
fn place(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let absolute = |name| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let cache = || absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")));
    absolute("SEAMLINE_KERNELS").or_else(|| cache().map(|cache| cache.join("seamline/kernels")))
}

/// Remove a folder with all it contains; whether there was one.
pub(crate) fn remove(folder: &Path) -> Result<bool, Error> {
    match fs::remove_dir_all(folder) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(failed("cannot remove", folder)(error)),
    }
}

#[cfg(test)]
mod tests;
