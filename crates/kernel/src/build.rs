//! Building a kernel: source, edits, configuration, compilation, modules. Each stage that is done is kept until the kernel is complete, so
//! that an interrupted build continues.

mod compile;
mod configure;
mod finish;
mod modules;
mod obtain;
mod space;
mod work;

use crate::name::name_of;
use crate::record::{Kernel, Origin};
use crate::sources::{shadow, unpack};
use crate::store::{Store, remove};
use crate::tools::{self, Need};
use crate::{Error, edits};
use std::fmt;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use work::Work;

/// Where the source is to come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The distribution's package of this version, such as `6.12`.
    Distribution {
        /// The version.
        version: String,
        /// The only suite to look at.
        suite: Option<String>,
    },
    /// A tarball as from kernel.org.
    Tarball(PathBuf),
    /// A tree, which stays as it is.
    Tree(PathBuf),
}

/// What to build.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The name of the result.
    pub name: String,
    /// Where its source comes from.
    pub source: Source,
    /// Folders of modules to build for it, each with a Makefile or Kbuild.
    pub modules: Vec<PathBuf>,
    /// Timer interrupts a second, 100 to 1000.
    pub hz: u32,
    /// Compile this many files at a time.
    pub jobs: NonZeroUsize,
    /// Keep the source and the objects, so that building again is quick.
    pub keep_source: bool,
    /// Use archives that no key of the host verifies.
    pub allow_unsigned: bool,
}

/// A step of a build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Fetching the source package.
    Download,
    /// Unpacking it, or linking a tree.
    Unpack,
    /// Writing and checking the configuration.
    Configure,
    /// Compiling the kernel.
    Compile,
    /// Building the modules.
    Modules,
    /// Keeping the result.
    Finish,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Stage::Download => "download",
            Stage::Unpack => "unpack",
            Stage::Configure => "configure",
            Stage::Compile => "compile",
            Stage::Modules => "modules",
            Stage::Finish => "finish",
        })
    }
}

/// Who follows a build.
pub trait Progress {
    /// A stage begins.
    fn stage(&self, stage: Stage);
    /// So many files of about so many are compiled.
    fn compiled(&self, files: usize, about: usize);
    /// Something the user should know.
    fn note(&self, text: &str);
}

/// What came of it.
#[derive(Debug)]
pub struct Built {
    /// The kernel.
    pub kernel: Kernel,
    /// It was there already, as it was asked for.
    pub existed: bool,
    /// Why modules could not be built, each a text of several lines. The source and the objects are kept then.
    pub failed_modules: Vec<String>,
}

/// The name of a kernel, and where its source comes from, from what a user gives: a version, a name, a tree or a tarball.
///
/// # Errors
/// When that does not name a kernel.
pub fn source(
    version: Option<&str>,
    given: Option<&Path>,
    suite: Option<&str>,
) -> Result<(String, Source), Error> {
    let Some(given) = given else {
        let version = version.ok_or_else(|| {
            Error::Input("which version?\ntip: seamline kernel build 6.12, or --source DIR".to_owned())
        })?;
        let version = version.strip_prefix("linux-").unwrap_or(version);
        if !version.starts_with(|first: char| first.is_ascii_digit()) {
            return Err(Error::Input(format!(
                "`{version}` is not a version of the kernel\ntip: give one such as 6.12, or the source of {version}: --source DIR"
            )));
        }
        let suite = suite.map(str::to_owned);
        return Ok((name_of(version)?, Source::Distribution { version: version.to_owned(), suite }));
    };
    let path = fs::canonicalize(given)
        .map_err(|error| Error::Input(format!("--source {}: {error}", given.display())))?;
    let source = if path.is_dir() { Source::Tree(path) } else { Source::Tarball(path) };
    let read = || match &source {
        Source::Tree(tree) => unpack::version(tree),
        Source::Tarball(tarball) => {
            tools::check(&tools::unpacking(tarball))?;
            unpack::version_of_tarball(tarball)
        }
        Source::Distribution { version, .. } => Ok(version.clone()),
    };
    let name = name_of(&version.map_or_else(read, |version| Ok(version.to_owned()))?)?;
    Ok((name, source))
}

/// Build a kernel and keep it in the store.
///
/// # Errors
/// When the host lacks something, a stage fails, or the user asked to stop.
pub fn build(store: &Store, plan: &Plan, stop: &AtomicBool, progress: &dyn Progress) -> Result<Built, Error> {
    if let Ok(kernel) = store.find(&plan.name)
        && plan.is_met_by(&kernel)
    {
        return Ok(Built { kernel, existed: true, failed_modules: Vec::new() });
    }
    plan.check(store)?;
    let _lock = store.lock(&plan.name)?;
    let work = Work::open(store.work_folder(&plan.name), plan, progress)?;
    progress.note(&space::announcement(plan));
    let origin = obtain::source(plan, &work, stop, progress).inspect_err(|error| {
        // What cannot be obtained leaves nothing to continue.
        if matches!(error, Error::Input(_)) {
            let _ = remove(&work.folder);
        }
    })?;
    progress.stage(Stage::Configure);
    let version = unpack::version(&work.source())?;
    let options = edits::apply(&work.source(), &version, plan.hz)?;
    let missing = configure::configure(&work, &options, stop)?;
    if !missing.is_empty() {
        progress.note(&format!("this kernel has no {}", missing.join(", ")));
    }
    progress.stage(Stage::Compile);
    compile::compile(&work, plan, stop, progress)?;
    let modules = modules::build_all(&work, plan, stop, progress)?;
    progress.stage(Stage::Finish);
    let complete = finish::complete(&work, plan, origin, missing, &modules.files)?;
    let kernel = store.install(&complete, &plan.name)?;
    if !plan.keep_source && modules.failures.is_empty() {
        remove(&work.folder)?;
    }
    Ok(Built { kernel, existed: false, failed_modules: modules.failures })
}

impl Plan {
    /// Whether a kernel is what would be built. A user's tree may have changed.
    fn is_met_by(&self, kernel: &Kernel) -> bool {
        let same_source = match (&self.source, &kernel.origin) {
            (Source::Distribution { suite: None, .. }, Origin::Package { .. }) => true,
            (Source::Distribution { suite: Some(wanted), .. }, Origin::Package { suite, .. }) => {
                wanted == suite
            }
            _ => false,
        };
        let same_changes = edits::reasons(&kernel.release).is_ok_and(|reasons| reasons == kernel.changes);
        same_source && same_changes && self.modules.is_empty() && self.hz == kernel.hz
    }

    /// Everything that can be checked before anything is fetched or written.
    fn check(&self, store: &Store) -> Result<(), Error> {
        if !cfg!(target_arch = "x86_64") {
            return Err(Error::Input(
                "User-Mode Linux takes an x86-64 host\ntip: use such a host, or a virtual one".to_owned(),
            ));
        }
        let mut needs = vec![Need::Compile];
        match &self.source {
            Source::Distribution { version, suite } => {
                let tarball =
                    format!("linux.tar{}", obtain::distribution(version, suite.as_deref())?.compression);
                needs.push(Need::Package);
                needs.extend(tools::unpacking(Path::new(&tarball)));
            }
            Source::Tarball(tarball) => needs.extend(tools::unpacking(tarball)),
            Source::Tree(tree) => shadow::check(tree)?,
        }
        modules::check(&self.modules)?;
        tools::check(&needs)?;
        space::check(store, self)
    }
}
