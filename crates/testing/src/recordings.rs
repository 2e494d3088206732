//! Public recordings of real networks, which are not part of the repository.

use crate::skip;
use std::path::{Path, PathBuf};

/// The path of a recording such as `leoem/Starlink_SEA_NY_15_BP_path.log.gz`, in the folder that `SEAMLINE_RECORDINGS` names, or else
/// in the folder `shared/data` next to the repository. `None` skips the test.
///
/// # Panics
/// As [`skip`].
pub fn recording(test: &str, name: &str) -> Option<PathBuf> {
    let sibling = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("SEAMLINE_RECORDINGS").map_or_else(sibling, PathBuf::from);
    let path = folder.join(name);
    if path.exists() {
        return Some(path);
    }
    skip(test, format!("{} does not exist (set SEAMLINE_RECORDINGS)", path.display()));
    None
}
