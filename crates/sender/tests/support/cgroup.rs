//! A cgroup for this process, as long as a test needs it.

use std::fs;
use std::path::{Path, PathBuf};

/// The process is in it until it is dropped.
pub(crate) struct Cgroup {
    path: PathBuf,
    before: PathBuf,
}

impl Cgroup {
    pub(crate) fn enter() -> Result<Cgroup, String> {
        let mount = mount()?;
        let own = fs::read_to_string("/proc/self/cgroup").unwrap();
        let own = own.lines().find_map(|line| line.strip_prefix("0::/")).ok_or("not in cgroup2")?;
        let before = mount.join(own);
        let path = of_process(std::process::id())?;
        fs::create_dir_all(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        move_to(&path).map_err(|error| error.to_string())?;
        Ok(Cgroup { path, before })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        move_to(&self.before).unwrap();
        // Fails only while it has processes, and ours has left.
        fs::remove_dir(&self.path).unwrap();
    }
}

/// The folder of the cgroup that a process of these tests makes.
pub(crate) fn of_process(process: u32) -> Result<PathBuf, String> {
    Ok(mount()?.join(format!("seamline-test-{process}")))
}

fn mount() -> Result<PathBuf, String> {
    let mounts = fs::read_to_string("/proc/mounts").unwrap();
    let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<String>>();
    let mount = mounts.lines().map(words).find(|words| words[2] == "cgroup2");
    Ok(PathBuf::from(mount.ok_or("no cgroup2 is mounted")?.swap_remove(1)))
}

fn move_to(path: &Path) -> std::io::Result<()> {
    fs::write(path.join("cgroup.procs"), std::process::id().to_string())
}
