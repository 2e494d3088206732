//! The unified hierarchy of cgroups (version 2).

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

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

/// The groups of the unified hierarchy that this process is in, the innermost first; none where it cannot see them.
///
/// # Errors
/// When `/proc` cannot be read.
pub fn own_groups() -> io::Result<Vec<PathBuf>> {
    let Some(mount) = unified_hierarchy()? else { return Ok(Vec::new()) };
    let lists = fs::read_to_string("/proc/self/cgroup")?;
    let own = lists.lines().find_map(|line| own_group(&mount, line));
    let groups = own.iter().flat_map(|own| own.ancestors()).take_while(|it| it.starts_with(&mount));
    Ok(groups.map(Path::to_path_buf).collect())
}

/// Memory that several processes share, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryLimit {
    /// How much they may use together.
    pub most: u64,
    /// How much they use.
    pub used: u64,
}

/// The memory limit of a control group (cgroup v2): how much its processes may use before they are slowed down or killed. Memory of sockets
/// counts. Cached files count for the kernel, but it can drop them, so they are left out here. `None` without a limit.
pub fn memory_limit(group: &Path) -> Option<MemoryLimit> {
    let number = |name| fs::read_to_string(group.join(name)).ok()?.trim().parse::<u64>().ok();
    let most = [number("memory.max"), number("memory.high")].into_iter().flatten().min()?;
    let files = files(&fs::read_to_string(group.join("memory.stat")).ok()?);
    Some(MemoryLimit { most, used: number("memory.current")?.saturating_sub(files) })
}

/// Bytes of files in memory.
fn files(stat: &str) -> u64 {
    let names = ["active_file ", "inactive_file "];
    let numbers = stat.lines().filter_map(|line| names.iter().find_map(|name| line.strip_prefix(name)));
    numbers.filter_map(|number| number.parse::<u64>().ok()).sum()
}

/// The group, if this line of `/proc/self/cgroup` is about the unified hierarchy, which is mounted there. In a namespace of cgroups it may lie outside of what is
/// mounted.
fn own_group(mount: &Path, line: &str) -> Option<PathBuf> {
    let path = line.strip_prefix("0::/")?;
    (!path.split('/').any(|name| name == "..")).then(|| mount.join(path))
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

#[cfg(test)]
#[test]
fn the_own_group_is_found_below_the_mount() {
    let group = |line| own_group(Path::new("/sys/fs/cgroup"), line);
    assert_eq!(group("0::/system.slice/a.service"), Some("/sys/fs/cgroup/system.slice/a.service".into()));
    assert_eq!(group("0::/"), Some("/sys/fs/cgroup".into()));
    assert_eq!(group("4:memory:/a"), None);
    assert_eq!(group("0::/../b"), None);
}
