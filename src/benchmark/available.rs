//! Which remedies this host can run.

use seamline_benchmark::load::Serve;
use seamline_benchmark::remedy::Remedy;
use seamline_lab::system::{MOUNT_UNIFIED_HIERARCHY, Namespace, explained, unified_hierarchy};
use seamline_lab::traffic::{CongestionControl, available_congestion_controls};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Our cgroups are named this and the process id.
const PREFIX: &str = "seamline-benchmark-";

/// What a host has for remedies.
#[derive(Debug)]
pub(super) struct Host {
    /// This command, and `seamline-host` if it is there.
    pub(super) program: PathBuf,
    pub(super) host_program: Option<PathBuf>,
    /// A cgroup for those of the runs, removed at the end; or why there is none.
    pub(super) cgroup: Result<PathBuf, String>,
    congestion_controls: Vec<CongestionControl>,
    /// Why `seamline-host` is missing.
    missing: Option<String>,
    /// Why `seamline-host sender` does not run here.
    sender: Option<String>,
}

impl Host {
    /// Examine this host, and create a cgroup.
    pub(super) fn examine() -> io::Result<Self> {
        let found = seamline_host::executable::find();
        let missing = found.as_ref().err().map(ToString::to_string);
        let host_program = found.ok();
        let sender = host_program.as_deref().map(check_sender).transpose()?.flatten();
        let congestion_controls = available_congestion_controls(&Namespace::new()?)?;
        Ok(Host {
            program: std::env::current_exe()?,
            host_program,
            missing,
            cgroup: cgroup().map_err(|error| error.to_string()),
            congestion_controls,
            sender,
        })
    }

    /// What it lacks for a remedy.
    pub(super) fn lacks(&self, remedy: &Remedy) -> Option<String> {
        let name = remedy.congestion_control;
        let Some(control) = self.congestion_controls.iter().find(|it| it.name == name) else {
            return Some(format!("the kernel has no congestion control {name} (sudo modprobe tcp_{name})"));
        };
        if control.refused.is_some() {
            return control.refused.clone();
        }
        if let (true, Some(why)) = (remedy.needs_host(), &self.missing) {
            return Some(why.clone());
        }
        if let (true, Some(why)) = (remedy.needs_ebpf(), &self.sender) {
            return Some(why.clone());
        }
        if let (true, Err(why)) = (remedy.has_sender, &self.cgroup) {
            return Some(format!("no cgroup of version 2 can be made: {why}"));
        }
        if remedy.is_mptcp && !has_path_manager() {
            return Some(
                "`ip mptcp` is missing (sudo apt install iproute2), or the kernel has no MPTCP".to_owned(),
            );
        }
        let serve = Serve {
            port: 0,
            longest_retransmission_timeout: remedy.longest_retransmission_timeout,
            is_mptcp: remedy.is_mptcp,
            ..Serve::default()
        };
        serve.listen().err().map(|error| error.to_string())
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        if let Ok(cgroup) = &self.cgroup {
            remove(cgroup);
        }
    }
}

/// Why `seamline-host sender` does not run here, if it does not.
fn check_sender(program: &Path) -> io::Result<Option<String>> {
    let checked = Command::new(program).args(["sender", "--check"]).stdin(Stdio::null()).output()?;
    let error = String::from_utf8_lossy(&checked.stderr).lines().next().unwrap_or_default().to_owned();
    Ok((!checked.status.success()).then_some(error))
}

/// Whether MPTCP can get a second path.
fn has_path_manager() -> bool {
    let asked = Command::new("ip").args(["mptcp", "limits", "show"]).stdin(Stdio::null()).output();
    asked.is_ok_and(|asked| asked.status.success())
}

fn cgroup() -> io::Result<PathBuf> {
    let point = unified_hierarchy()?
        .ok_or_else(|| io::Error::other(format!("none is mounted ({MOUNT_UNIFIED_HIERARCHY})")))?;
    let path = point.join(format!("{PREFIX}{}", std::process::id()));
    remove_leftovers(&point);
    fs::create_dir(&path).map_err(|error| explained(error, path.display()))?;
    Ok(path)
}

/// Remove the cgroups of benchmarks that were killed: their processes are gone.
fn remove_leftovers(point: &Path) {
    let is_leftover = |entry: &fs::DirEntry| {
        let name = entry.file_name();
        let process = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
        process.is_some_and(|process| !Path::new("/proc").join(process).exists())
    };
    let entries = fs::read_dir(point).into_iter().flatten().flatten();
    entries.filter(is_leftover).for_each(|entry| remove(&entry.path()));
}

/// Remove a cgroup and those of its runs; they are empty, because all their processes have ended.
fn remove(cgroup: &Path) {
    let below = fs::read_dir(cgroup).into_iter().flatten().flatten();
    below.for_each(|entry| drop(fs::remove_dir(entry.path())));
    let _ = fs::remove_dir(cgroup);
}
