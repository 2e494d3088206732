//! Room on the disk.

use super::{Plan, Source};
use crate::Error;
use crate::error::failed;
use crate::store::Store;
use nix::sys::statvfs::statvfs;

/// Megabytes of a package with its content and the tree in it, of a tree, and of the objects, each with a reserve of a fifth.
const PACKAGE: u64 = 400;
const TREE: u64 = 2100;
const OBJECTS: u64 = 200;

/// Megabytes that a build of this source takes at most.
fn needed(source: &Source) -> u64 {
    match source {
        Source::Distribution { .. } => PACKAGE + TREE + OBJECTS,
        Source::Tarball(_) => TREE + OBJECTS,
        // A link of a long path takes a block, and there are ninety thousand.
        Source::Tree(_) => OBJECTS + 400,
    }
}

/// What a build takes, for its beginning.
pub(super) fn announcement(plan: &Plan) -> String {
    let gigabytes = needed(&plan.source) as f64 / 1000.0;
    format!(
        "building {} takes up to {gigabytes:.1} GB while it lasts, and about 8 minutes of processor time",
        plan.name
    )
}

/// Whether there is room for a build.
///
/// # Errors
/// When there is not: the message says how much it takes.
pub(super) fn check(store: &Store, plan: &Plan) -> Result<(), Error> {
    let existing = store.folder.ancestors().find(|folder| folder.is_dir());
    let folder = existing.unwrap_or(&store.folder);
    let state = statvfs(folder).map_err(|errno| failed("cannot examine", folder)(errno.into()))?;
    let free = state.blocks_available() * state.fragment_size() / 1_000_000;
    let needed = needed(&plan.source);
    // What an earlier call has unpacked is there already.
    if free >= needed || store.work_folder(&plan.name).join("source").exists() {
        return Ok(());
    }
    Err(Error::Input(format!(
        "building takes {:.1} GB while it lasts; {} has {:.1} GB left\ntip: make room, or choose another disk: export SEAMLINE_KERNELS=/some/directory",
        needed as f64 / 1000.0,
        folder.display(),
        free as f64 / 1000.0
    )))
}
