//! A cgroup for what runs next to `seamline-host sender`.

use super::{HOST, folder, host, program, seamline, skip, stderr, stdout};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use seamline_host::cgroup::unified_hierarchy;
use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A cgroup that the lab is in, and nobody else.
pub(crate) struct Cgroup {
    path: PathBuf,
    _alone: MutexGuard<'static, ()>,
}

/// One such command runs per host.
static ALONE: Mutex<()> = Mutex::new(());

impl Cgroup {
    /// `None`, having printed why, where a sender, the lab or the cgroup cannot be.
    pub(crate) fn or_skip(test: &str) -> Option<Self> {
        let checked = host(&["sender", "--check"], folder().path());
        let doctor = seamline(&["doctor"], folder().path());
        if checked.status.success()
            && doctor.status.success()
            && let Some(cgroup) = Cgroup::new()
        {
            assert_eq!(stdout(&checked), "the kernel accepts all programs\n");
            return Some(cgroup);
        }
        skip(test, format!("{}{}", stderr(&checked), stdout(&doctor)));
        None
    }
    fn new() -> Option<Self> {
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        let mount = unified_hierarchy().unwrap()?;
        let path = mount.join(format!("seamline-cli-{}", std::process::id()));
        fs::create_dir_all(&path).ok()?;
        Some(Cgroup { path, _alone: alone })
    }
    /// `seamline-host sender` for it, with more arguments.
    pub(crate) fn begin_sender(&self, more: &[&str]) -> Child {
        let sender = Command::new(program(HOST))
            .args(["sender", "--cgroup", self.name()])
            .args(more)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        #[expect(clippy::disallowed_methods, reason = "waits for another process")]
        std::thread::sleep(std::time::Duration::from_secs(1));
        sender
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

/// What it says when it is ended.
pub(crate) fn end(sender: Child, signal: Signal) -> Output {
    kill(Pid::from_raw(sender.id().cast_signed()), signal).unwrap();
    sender.wait_with_output().unwrap()
}
