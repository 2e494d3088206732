//! A cgroup (version 2) for this process.

use std::fs;
use std::path::{Path, PathBuf};

/// The process is in it until it is dropped.
#[derive(Debug)]
pub struct Cgroup {
    path: PathBuf,
    before: PathBuf,
}

impl Cgroup {
    /// Make it, and move all threads of this process to it. What they start is in it, too, and has to end before this value.
    ///
    /// # Errors
    /// When there is no cgroup2, or the process may not do so.
    pub fn enter() -> Result<Cgroup, String> {
        let mount = mount()?;
        let own = fs::read_to_string("/proc/self/cgroup").map_err(|error| error.to_string())?;
        let own = own.lines().find_map(|line| line.strip_prefix("0::/")).ok_or("not in cgroup2")?;
        let before = mount.join(own);
        let path = of_process(std::process::id())?;
        fs::create_dir_all(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        move_to(&path).map_err(|error| error.to_string())?;
        Ok(Cgroup { path, before })
    }

    /// Its folder.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        // The folder can be removed once it has no processes.
        let removed = move_to(&self.before).and_then(|()| fs::remove_dir(&self.path));
        if let Err(error) = removed {
            eprintln!("{} is left: {error}", self.path.display());
        }
    }
}

/// The folder of the cgroup that a process of this number makes.
///
/// # Errors
/// When there is no cgroup2.
pub fn of_process(process: u32) -> Result<PathBuf, String> {
    Ok(mount()?.join(format!("seamline-test-{process}")))
}

fn mount() -> Result<PathBuf, String> {
    let mounts = fs::read_to_string("/proc/mounts").map_err(|error| error.to_string())?;
    let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<String>>();
    let mount = mounts.lines().map(words).find(|words| words[2] == "cgroup2");
    Ok(PathBuf::from(mount.ok_or("no cgroup2 is mounted")?.swap_remove(1)))
}

fn move_to(path: &Path) -> std::io::Result<()> {
    fs::write(path.join("cgroup.procs"), std::process::id().to_string())
}
