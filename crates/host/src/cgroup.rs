//! The unified hierarchy of cgroups (version 2).

use std::fs;
use std::io;
use std::path::PathBuf;

/// The command that mounts the unified hierarchy.
pub const MOUNT_UNIFIED_HIERARCHY: &str =
    "sudo mkdir -p /run/cgroup2; sudo mount -t cgroup2 none /run/cgroup2";

/// Where the unified hierarchy is mounted; `None` where it is not.
///
/// # Errors
/// When `/proc/mounts` cannot be read.
pub fn unified_hierarchy() -> io::Result<Option<PathBuf>> {
    let mounts = fs::read_to_string("/proc/mounts")?;
    Ok(mounts.lines().find_map(cgroup2_mount).map(PathBuf::from))
}

/// The mount point, if this line of `/proc/mounts` is the unified hierarchy's.
fn cgroup2_mount(line: &str) -> Option<&str> {
    let mut words = line.split(' ').skip(1);
    let place = words.next()?;
    (words.next()? == "cgroup2").then_some(place)
}

#[cfg(test)]
#[test]
fn the_unified_hierarchy_is_found_among_mounts() {
    assert_eq!(cgroup2_mount("cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid 0 0"), Some("/sys/fs/cgroup"));
    assert_eq!(cgroup2_mount("cgroup /sys/fs/cgroup/cpu cgroup rw,cpu 0 0"), None);
}
