//! A cgroup for what runs next to `seamline-host sender`.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A cgroup that the lab is in, and nobody else.
pub(crate) struct Cgroup {
    path: PathBuf,
    _alone: MutexGuard<'static, ()>,
}

/// One such command runs per host.
static ALONE: Mutex<()> = Mutex::new(());

impl Cgroup {
    pub(crate) fn new() -> Option<Self> {
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let mounts = fs::read_to_string("/proc/mounts").unwrap();
        let mount =
            mounts.lines().find(|line| line.split(' ').nth(2) == Some("cgroup2"))?.split(' ').nth(1)?;
        let path = Path::new(mount).join(format!("seamline-cli-{}", std::process::id()));
        fs::create_dir_all(&path).ok()?;
        Some(Cgroup { path, _alone: alone })
    }
    pub(crate) fn name(&self) -> &str {
        self.path.to_str().unwrap()
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        let _ = fs::remove_dir(&self.path);
    }
}
