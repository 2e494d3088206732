//! Which remedies this host can try.

use seamline_benchmark::load::Serve;
use seamline_benchmark::remedy::Remedy;
use seamline_lab::system::Namespace;
use seamline_lab::traffic::{CongestionControl, available_congestion_controls};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What our cgroups are called, before the number of the process.
const PREFIX: &str = "seamline-benchmark-";

/// What a host has for remedies.
#[derive(Debug)]
pub(super) struct Host {
    /// This command.
    pub(super) program: PathBuf,
    /// A cgroup of our own, where one can be made; it is removed in the end.
    pub(super) cgroup: Option<PathBuf>,
    /// Why there is none.
    no_cgroup: Option<String>,
    congestion_controls: Vec<CongestionControl>,
    /// Why `seamline sender` does not run here.
    sender: Option<String>,
}

impl Host {
    /// Look, and make a cgroup.
    pub(super) fn examine() -> io::Result<Self> {
        let program = std::env::current_exe()?;
        let checked = Command::new(&program).args(["sender", "--check"]).stdin(Stdio::null()).output()?;
        let said = String::from_utf8_lossy(&checked.stderr).lines().next().unwrap_or_default().to_owned();
        let congestion_controls = available_congestion_controls(&Namespace::new()?)?;
        let (cgroup, no_cgroup) = match cgroup() {
            Ok(cgroup) => (Some(cgroup), None),
            Err(error) => (None, Some(error.to_string())),
        };
        Ok(Host {
            program,
            cgroup,
            no_cgroup,
            congestion_controls,
            sender: (!checked.status.success()).then_some(said),
        })
    }

    /// What it lacks for a remedy.
    pub(super) fn lacks(&self, remedy: &Remedy) -> Option<String> {
        let name = remedy.congestion_control;
        if !self.congestion_controls.iter().any(|it| it.name == name && it.refused.is_none()) {
            return Some(format!("the kernel has no congestion control {name} (sudo modprobe tcp_{name})"));
        }
        if let (true, Some(why)) = (remedy.needs_ebpf(), &self.sender) {
            return Some(why.clone());
        }
        if let (true, Some(why)) = (remedy.has_sender, &self.no_cgroup) {
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
        if let Some(cgroup) = &self.cgroup {
            // It is empty: all that was in it has ended.
            let _ = fs::remove_dir(cgroup);
        }
    }
}

/// Whether MPTCP can be told of a second path.
fn has_path_manager() -> bool {
    let asked = Command::new("ip").args(["mptcp", "limits", "show"]).stdin(Stdio::null()).output();
    asked.is_ok_and(|asked| asked.status.success())
}

fn cgroup() -> io::Result<PathBuf> {
    let mounts = fs::read_to_string("/proc/mounts")?;
    let mut points = mounts.lines().filter_map(|line| {
        let mut columns = line.split(' ').skip(1);
        let (point, kind) = (columns.next()?, columns.next()?);
        (kind == "cgroup2").then(|| Path::new(point).to_owned())
    });
    let point =
        points.next().ok_or_else(|| io::Error::other("none is mounted (sudo mount -t cgroup2 none /mnt)"))?;
    let path = point.join(format!("{PREFIX}{}", std::process::id()));
    remove_left_ones(&point);
    let made = fs::create_dir(&path);
    made.map(|()| path.clone())
        .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))
}

/// Those of benchmarks that were killed: their processes are gone, and a cgroup in which something runs cannot be removed.
fn remove_left_ones(point: &Path) {
    let is_left = |entry: &fs::DirEntry| {
        let name = entry.file_name();
        let process = name.to_str().and_then(|name| name.strip_prefix(PREFIX));
        process.is_some_and(|process| !Path::new("/proc").join(process).exists())
    };
    let entries = fs::read_dir(point).into_iter().flatten().flatten();
    entries.filter(is_left).for_each(|entry| drop(fs::remove_dir(entry.path())));
}
