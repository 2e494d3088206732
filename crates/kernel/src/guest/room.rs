//! Room for a guest's memory and files.

use nix::sys::statvfs::statvfs;
use std::env;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// The host's file system for memory, which never goes to a disk.
const MEMORY_FOLDER: &str = "/dev/shm";
/// With less room there, the folder for temporary files is used. A guest with a few connections takes an eighth of it.
const ENOUGH: u64 = 512 << 20;
/// No guest runs with less.
const LEAST: u64 = 64 << 20;
/// With less, files cannot be written.
const FULL: u64 = 64 << 10;
/// What a guest's kernel prints when its memory cannot grow.
const NO_MEMORY: &str = "likely just ran out of space";
/// What its first process prints when its files cannot.
const NO_FILES: &str = "No space left on device";

/// Where a guest's memory is kept.
///
/// # Errors
/// When there is no folder with room for it.
pub(super) fn memory_folder() -> io::Result<PathBuf> {
    let folder =
        if room(Path::new(MEMORY_FOLDER)) >= ENOUGH { MEMORY_FOLDER.into() } else { env::temp_dir() };
    if room(&folder) < LEAST { Err(no_room(&folder)) } else { Ok(folder) }
}

/// The folder for lack of room in which a guest ended that printed this: that of its memory or that of its files.
pub(super) fn run_out<'a>(memory: &'a Path, files: &'a Path, log: &str) -> Option<&'a Path> {
    let is_full = || room(files) < FULL || log.contains(NO_FILES);
    if log.contains(NO_MEMORY) { Some(memory) } else { is_full().then_some(files) }
}

/// That there is no room for a guest in this folder.
pub(super) fn no_room(folder: &Path) -> io::Error {
    let folder = folder.display();
    io::Error::new(
        ErrorKind::StorageFull,
        format!(
            "a guest needs more room in {folder}: No space left on device\ntip: make room there, or set TMPDIR to another directory"
        ),
    )
}

/// The same instead of an error that says so without a folder.
pub(super) fn name_folder(folder: &Path) -> impl FnOnce(io::Error) -> io::Error {
    move |error| if error.kind() == ErrorKind::StorageFull { no_room(folder) } else { error }
}

fn room(folder: &Path) -> u64 {
    statvfs(folder).map_or(0, |it| it.blocks_available() * it.fragment_size())
}
