//! Booting a guest.
#![expect(unsafe_code, reason = "a closure between fork and exec")]

use super::command_line::arguments;
use super::own_folder::OwnFolder;
use super::processes::end_session;
use super::room::{memory_folder, name_folder, no_room, run_out};
use super::seal::Seal;
use super::shared::{Shared, SharedFolder};
use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::Signal;
use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
use nix::unistd::Pid;
use std::env;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::symlink;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};

/// The name of the first process in the shared folder.
const PROGRAM: &str = "program";

/// What to boot.
#[derive(Clone, Debug)]
pub struct Guest<'a> {
    /// The kernel's image.
    pub image: &'a Path,
    /// The guest's first process, a program of the host, which calls [`inside::begin`](super::inside::begin) first.
    pub program: &'a Path,
    /// Its arguments: words without blanks.
    pub words: Vec<String>,
    /// What it finds as [`Shared::Job`].
    pub job: &'a [u8],
    /// The processor of the host on which everything runs. Guest processes hand over to each other all the time: on one processor, that
    /// is ten times faster than across several.
    pub processor: Option<usize>,
}

/// A guest that runs. Dropping it ends it, and removes everything that it shared with the host.
#[derive(Debug)]
pub struct Running {
    kernel: Child,
    /// Once it was taken, the number of the kernel's process may belong to another.
    status: Option<ExitStatus>,
    shared: SharedFolder,
    memory: OwnFolder,
}

impl Guest<'_> {
    /// Boot it.
    ///
    /// # Errors
    /// When a folder for it cannot be made or has no room, or the kernel cannot be started.
    pub fn boot(&self) -> io::Result<Running> {
        self.start().map_err(name_folder(&env::temp_dir()))
    }

    fn start(&self) -> io::Result<Running> {
        let shared = SharedFolder::new()?;
        fs::write(shared.path(Shared::Job), self.job)?;
        symlink(self.program, shared.folder.path().join(PROGRAM))?;
        let memory = OwnFolder::new(&memory_folder()?)?;
        let log = File::create(shared.folder.path().join("log"))?;
        let mut command = Command::new(self.image);
        command.args(arguments(PROGRAM, &self.words));
        command.env_clear().env("TMPDIR", memory.path()).env("HOME", "/").env("PATH", "/usr/bin:/bin");
        command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log).current_dir(shared.folder.path());
        // SAFETY: one system call between fork and exec.
        unsafe { command.pre_exec(|| set_pdeathsig(Signal::SIGKILL).map_err(io::Error::from)) };
        Seal::new(&[shared.folder.path(), memory.path()])?.around(&mut command, self.processor);
        let kernel = command.spawn();
        let kernel = kernel.map_err(|error| {
            io::Error::new(error.kind(), format!("cannot start {}: {error}", self.image.display()))
        })?;
        Ok(Running { kernel, status: None, shared, memory })
    }
}

impl Running {
    /// The path of a shared file on the host.
    pub fn path(&self, of: Shared) -> PathBuf {
        self.shared.path(of)
    }

    /// Why it ended, if that was for lack of room.
    pub(super) fn ran_out_of_room(&self) -> Option<io::Error> {
        run_out(self.memory.parent(), self.shared.folder.parent(), &self.log()).map(no_room)
    }

    /// What its kernel has printed.
    pub(super) fn log(&self) -> String {
        fs::read(self.shared.folder.path().join("log"))
            .map_or(String::new(), |log| String::from_utf8_lossy(&log).into_owned())
    }

    /// That the folder of its files has no room.
    pub fn no_room(&self) -> io::Error {
        no_room(self.shared.folder.parent())
    }

    /// Whether its kernel has ended. Its status is not taken.
    pub(super) fn has_ended(&self) -> io::Result<bool> {
        let kernel = Id::Pid(Pid::from_raw(self.kernel.id().cast_signed()));
        let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT;
        Ok(self.status.is_some() || waitid(kernel, flags)? != WaitStatus::StillAlive)
    }

    /// End all its processes, and take the status of its kernel last.
    pub(super) fn end(&mut self) -> io::Result<ExitStatus> {
        if let Some(status) = self.status {
            return Ok(status);
        }
        end_session(self.kernel.id());
        // It leads no session yet when it has just begun.
        self.kernel.kill()?;
        let status = self.kernel.wait()?;
        self.status = Some(status);
        Ok(status)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

#[cfg(test)]
mod tests;
