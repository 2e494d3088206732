//! What a lab that was killed has left behind. Namespaces and interfaces end with their users, so only processes
//! that its commands started can remain.

mod directory;
mod owner;

pub(super) use self::owner::Owner;

use super::processes::{all, end, having};
use super::{Identity, Namespace, explained};
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The variable that every command of a lab finds in its environment, and whatever it starts: the lab's process.
pub(super) const MARK: &str = "SEAMLINE_LAB";
const COMPLETE: &str = "lab";
const INCOMPLETE: &str = "part";
/// How many labs this process has run.
static LABS: AtomicU64 = AtomicU64::new(0);

/// The folder in which each running lab of the user has a file.
#[derive(Clone, Debug)]
pub struct StateDirectory {
    path: PathBuf,
}

/// The file of a running lab, which is removed with this value.
#[derive(Debug)]
pub struct StateFile {
    path: PathBuf,
}

/// What was found of a lab that was killed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leftover {
    /// The process number that the lab had.
    pub lab: u32,
    /// Processes of its commands, which were ended now.
    pub ended: Vec<u32>,
    /// Processes in what may have been its namespaces that do not bear its mark, and were left alone.
    pub spared: Vec<u32>,
}

impl StateDirectory {
    /// The user's folder: `$XDG_RUNTIME_DIR/seamline`, `/run/seamline` or `/tmp/seamline-UID`, whichever is first to belong to
    /// the user alone. Call it before [`super::privileges::obtain`], in whose user namespace the user is another.
    ///
    /// # Errors
    /// When none does; the message is about the last one.
    pub fn find() -> io::Result<Self> {
        directory::find().map(|path| StateDirectory { path })
    }

    /// This folder, which is made unless it exists. Its parent must exist.
    ///
    /// # Errors
    /// When it cannot be made, is a symbolic link, or belongs to others, too.
    pub fn at(path: &Path) -> io::Result<Self> {
        directory::make(path).map(|()| StateDirectory { path: path.to_owned() })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Note that this process runs a lab with these namespaces, until the file is dropped.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn register(&self, namespaces: &[&Namespace]) -> io::Result<StateFile> {
        let mut text = format!("boot {}\n", boot()?);
        for namespace in namespaces {
            let Identity { device, inode } = namespace.identity()?;
            let _ = writeln!(text, "namespace {device} {inode}");
        }
        // A process may run several labs at a time, each with a file of its own.
        let number = LABS.fetch_add(1, Ordering::Relaxed);
        let name = format!("{}.{number}", Owner::this_process()?);
        let [incomplete, path] =
            [INCOMPLETE, COMPLETE].map(|ending| self.path.join(format!("{name}.{ending}")));
        fs::write(&incomplete, text).and_then(|()| fs::rename(&incomplete, &path)).map_err(|error| {
            explained(error, format_args!("noting the running lab in {}", path.display()))
        })?;
        Ok(StateFile { path })
    }

    /// End what labs that are no more have left behind, and forget them. Call it before [`super::privileges::obtain`]: a user
    /// namespace has no rights over what runs in another one.
    ///
    /// Processes that bear the dead lab's mark in their environment are ended, also those that went into other namespaces;
    /// those in its namespaces without the mark are not, since the numbers of the namespaces may be another's by now.
    ///
    /// # Errors
    /// When the folder cannot be read, or a process does not end; then it is tried again the next time.
    pub fn remove_leftovers(&self, grace: Duration) -> io::Result<Vec<Leftover>> {
        let mut found = Vec::new();
        for entry in fs::read_dir(&self.path)? {
            let path = entry?.path();
            let owner = path.file_name().and_then(|name| name.to_str());
            let owner = owner.and_then(|name| name.split('.').next()?.parse::<Owner>().ok());
            match owner {
                Some(owner) if owner.has_ended() || !is_of_this_boot(&path) => {
                    found.extend(end_leftover(&path, owner, grace)?);
                    remove(&path)?;
                }
                _ => {}
            }
        }
        Ok(found)
    }
}

impl Drop for StateFile {
    fn drop(&mut self) {
        // If it stays, the next lab removes it.
        let _ = remove(&self.path);
    }
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(explained(error, format_args!("removing {}", path.display())))
        }
        _ => Ok(()),
    }
}

/// End what the lab of that file has left behind; `None` if there was nothing.
fn end_leftover(path: &Path, owner: Owner, grace: Duration) -> io::Result<Option<Leftover>> {
    let Some(namespaces) = namespaces(&fs::read_to_string(path)?, &boot()?) else { return Ok(None) };
    let ended = end(|| marked(owner), grace)?;
    let spared = having(&namespaces)?;
    Ok(if ended.is_empty() && spared.is_empty() {
        None
    } else {
        Some(Leftover { lab: owner.id, ended, spared })
    })
}

/// End what commands of this process's labs have started and that went into namespaces of its own, where nothing else looks. Call it when
/// none of its labs runs any more. Says which there were.
///
/// # Errors
/// When some cannot be ended, as another user's.
pub fn end_escaped(grace: Duration) -> io::Result<Vec<u32>> {
    let owner = Owner::this_process()?;
    end(|| marked(owner), grace)
}

/// The processes that bear the mark of a lab's process, this one excepted.
fn marked(owner: Owner) -> io::Result<Vec<u32>> {
    let mark = format!("{MARK}={owner}");
    let bears_it = |id: &u32| {
        // Of those that have just ended, or are another user's, nothing is known: they are none of ours.
        let environment = fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
        environment.split(|&byte| byte == 0).any(|variable| variable == mark.as_bytes())
    };
    Ok(all()?.into_iter().filter(bears_it).collect())
}

/// Whether a state file was written since the machine began; an unreadable one was not.
fn is_of_this_boot(path: &Path) -> bool {
    let text = fs::read_to_string(path).unwrap_or_default();
    boot().is_ok_and(|boot| namespaces(&text, &boot).is_some())
}

/// The namespaces that a state file names; `None` when the machine was restarted since.
fn namespaces(text: &str, boot: &str) -> Option<BTreeSet<Identity>> {
    let mut lines = text.lines();
    if lines.next()?.strip_prefix("boot ")? != boot {
        return None;
    }
    let identity = |line: &str| {
        let (device, inode) = line.strip_prefix("namespace ")?.split_once(' ')?;
        Some(Identity { device: device.parse().ok()?, inode: inode.parse().ok()? })
    };
    Some(lines.filter_map(identity).collect())
}

/// The identity of the machine's current boot.
fn boot() -> io::Result<String> {
    Ok(fs::read_to_string("/proc/sys/kernel/random/boot_id")?.trim_end().to_owned())
}
