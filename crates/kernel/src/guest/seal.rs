//! What a guest's process may do on the host, and what it may learn from it.
#![expect(unsafe_code, reason = "a closure between fork and exec")]

use landlock::{AccessFs, RulesetCreated};
use nix::sched::{CpuSet, sched_setaffinity};
use nix::sys::personality::{self, Persona};
use nix::unistd::Pid;
use seamline_host::confinement::{self, VERSION};
use seccompiler::{BpfProgram, SeccompAction, apply_filter};
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

/// Restrictions of a guest's process, which hold for everything it starts. They need no privileges.
#[derive(Debug)]
pub(super) struct Seal {
    files: Option<RulesetCreated>,
    entropy: BpfProgram,
}

impl Seal {
    /// It writes to these folders only, as far as the host's kernel can enforce that (Landlock), and gets no entropy.
    ///
    /// # Errors
    /// When a folder cannot be opened.
    pub(super) fn new(writable: &[&Path]) -> io::Result<Self> {
        Ok(Seal { files: Some(files(writable)?), entropy: without_entropy()? })
    }

    /// Let a command run inside, with addresses that are the same in every run, on this processor of the host.
    pub(super) fn around(mut self, command: &mut Command, processor: Option<usize>) {
        let enter = move || {
            personality::set(personality::get()? | Persona::ADDR_NO_RANDOMIZE)?;
            if let Some(processor) = processor {
                let mut only = CpuSet::new();
                only.set(processor)?;
                sched_setaffinity(Pid::from_raw(0), &only)?;
            }
            if let Some(files) = self.files.take() {
                files.restrict_self().map_err(io::Error::other)?;
            }
            apply_filter(&self.entropy).map_err(io::Error::other)
        };
        // SAFETY: after the fork it makes system calls on what was prepared before it; nothing else holds a lock that it takes.
        unsafe { command.pre_exec(enter) };
    }
}

fn files(writable: &[&Path]) -> io::Result<RulesetCreated> {
    // The kernel opens the device as a console without input.
    let device = (Path::new("/dev/null"), AccessFs::WriteFile.into());
    let folders = writable.iter().map(|folder| (*folder, AccessFs::from_write(VERSION)));
    confinement::files(AccessFs::from_write(VERSION), folders.chain([device]))
}

/// The kernel takes what the host has for entropy at boot and whenever it seeds its generator again. Without, it uses only
/// what its first process gives it.
fn without_entropy() -> io::Result<BpfProgram> {
    let refused = SeccompAction::Errno(libc::ENOSYS.cast_unsigned());
    confinement::calls(&[libc::SYS_getrandom], refused, SeccompAction::Allow)
}
