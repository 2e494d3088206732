//! Running a user's command inside a namespace.
#![expect(unsafe_code, reason = "a hook before the program of a new process is an unsafe function")]

use super::leftovers::{MARK, Owner};
use super::processes::refer_to;
use super::{Namespace, explained};
use nix::errno::Errno;
use nix::mount::{MsFlags, mount};
use nix::sched::{CloneFlags, setns, unshare};
use nix::sys::prctl;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::{Pid, getpid, getppid};
use std::ffi::{CStr, CString, OsString};
use std::fmt::Write as _;
use std::fs::Permissions;
use std::io::{self, ErrorKind, Read, Write};
use std::net::IpAddr;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ExitStatus, Stdio};
use tempfile::NamedTempFile;

const HOSTS: &str = "/etc/hosts";
/// How exact the sleeps of ordinary processes are (prctl(2), `PR_SET_TIMERSLACK`).
const ORDINARY_TIMER_SLACK_NANOSECONDS: libc::c_ulong = 50_000;

/// A command, not yet running.
#[derive(Clone, Debug, Default)]
pub struct Command {
    /// The program, looked for in `PATH`, and its arguments.
    pub arguments: Vec<OsString>,
    /// What its environment has besides ours.
    pub environment: Vec<(OsString, OsString)>,
    /// The names it knows, each with its address: its `/etc/hosts`, besides `localhost`.
    pub hosts: Vec<(IpAddr, String)>,
    /// It has a process group of its own, which Ctrl-C at a terminal does not reach, and no input.
    pub is_apart: bool,
}

impl Command {
    /// Run it inside the namespace, with our working folder, input and outputs. It is ended when the calling *thread* ends,
    /// however that happens.
    ///
    /// # Errors
    /// When there is no such program, or no process can be made for it.
    pub fn start(&self, namespace: &Namespace) -> io::Result<Running> {
        let Some((program, arguments)) = self.arguments.split_first() else {
            return Err(io::Error::new(ErrorKind::InvalidInput, "the command is empty"));
        };
        let hosts = self.hosts_file()?;
        let (mut failed, stage) = io::pipe()?;
        let inside = Inside { namespace: namespace.as_fd().try_clone_to_owned()?, parent: getpid() };
        let mut command = std::process::Command::new(program);
        command.args(arguments).envs(self.environment.iter().cloned());
        command.env(MARK, Owner::this_process()?.to_string());
        if self.is_apart {
            command.process_group(0).stdin(Stdio::null());
        }
        let path = CString::new(hosts.path().as_os_str().as_bytes())?;
        // SAFETY: the closure makes system calls only, on values made before: it neither allocates nor takes locks. The one path
        // that may be long is given as a C string, which nix passes on without a copy.
        unsafe {
            command.pre_exec(move || {
                inside.prepare(&path).map_err(|(place, errno)| {
                    let _ = (&stage).write(&[place as u8]);
                    io::Error::from_raw_os_error(errno as i32)
                })
            });
        }
        let started = command.spawn();
        // Its end of the pipe is in `command`.
        drop(command);
        let mut child = started.map_err(|error| {
            let mut place = Vec::new();
            let _ = failed.read_to_end(&mut place);
            let why = place.first().map_or("it cannot be run", |&place| Stage::describe(place));
            explained(error, format_args!("starting {}: {why}", program.display()))
        })?;
        match refer_to(child.id()) {
            Ok(process) => Ok(Running { child, process }),
            Err(error) => {
                let _ = child.kill().and_then(|()| child.wait());
                Err(explained(error, format_args!("watching {}", program.display())))
            }
        }
    }

    /// The file that the command sees as `/etc/hosts`; its name is gone once the command runs.
    fn hosts_file(&self) -> io::Result<NamedTempFile> {
        let mut text = "127.0.0.1 localhost\n::1 localhost\n".to_owned();
        for (address, name) in &self.hosts {
            let _ = writeln!(text, "{address} {name}");
        }
        let made = tempfile::Builder::new()
            .prefix("seamline-hosts-")
            .permissions(Permissions::from_mode(0o644))
            .tempfile()
            .and_then(|mut file| file.write_all(text.as_bytes()).map(|()| file));
        made.map_err(|error| {
            explained(error, "writing the command's /etc/hosts to the directory for temporary files")
        })
    }
}

/// What is done in the new process before its program begins.
struct Inside {
    namespace: OwnedFd,
    parent: Pid,
}

#[derive(Clone, Copy)]
enum Stage {
    Ending = 1,
    Entering,
    Mounting,
    Naming,
}

impl Stage {
    fn describe(stage: u8) -> &'static str {
        match stage {
            1 => "it cannot be made to end with the lab",
            2 => "its namespace cannot be entered",
            3 => "it can have no file systems of its own",
            _ => "its /etc/hosts cannot be replaced (is there one?)",
        }
    }
}

impl Inside {
    fn prepare(&self, hosts: &CStr) -> Result<(), (Stage, Errno)> {
        let at = |stage| move |errno| (stage, errno);
        prctl::set_pdeathsig(Signal::SIGKILL).map_err(at(Stage::Ending))?;
        if getppid() != self.parent {
            return Err((Stage::Ending, Errno::ESRCH));
        }
        prctl::set_timerslack(ORDINARY_TIMER_SLACK_NANOSECONDS).map_err(at(Stage::Ending))?;
        setns(&self.namespace, CloneFlags::CLONE_NEWNET).map_err(at(Stage::Entering))?;
        unshare(CloneFlags::CLONE_NEWNS).map_err(at(Stage::Mounting))?;
        // What the host mounts later is seen here; what is mounted here is not seen there.
        let none = None::<&str>;
        mount(none, "/", none, MsFlags::MS_SLAVE | MsFlags::MS_REC, none).map_err(at(Stage::Mounting))?;
        mount(Some(hosts), HOSTS, none, MsFlags::MS_BIND, none).map_err(at(Stage::Naming))
    }
}

/// A command that was started. If it still runs when this value is dropped, it is killed; what it has started
/// itself is not (see [`super::processes::end_all`]).
///
/// Its descriptor can be read from when the command has ended.
#[derive(Debug)]
pub struct Running {
    child: Child,
    process: OwnedFd,
}

impl Running {
    /// Its process number.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Wait until it has ended. Its exit status, or 128 and the number of the signal that ended it, as in a shell.
    ///
    /// # Errors
    /// None that could be expected.
    pub fn wait(&mut self) -> io::Result<u8> {
        self.child.wait().map(exit_code)
    }

    /// As [`Running::wait`], without waiting: `None` while it runs.
    ///
    /// # Errors
    /// None that could be expected.
    pub fn try_wait(&mut self) -> io::Result<Option<u8>> {
        Ok(self.child.try_wait()?.map(exit_code))
    }

    /// Ask it to end, by SIGTERM; nothing where it has ended already. Does not wait.
    ///
    /// # Errors
    /// When it may not be signalled, as another user's.
    pub fn ask_to_end(&self) -> io::Result<()> {
        match rustix::process::pidfd_send_signal(&self.process, rustix::process::Signal::TERM) {
            Err(rustix::io::Errno::SRCH) => Ok(()),
            sent => Ok(sent?),
        }
    }

    /// Ask it and all others of the process group that it leads to end, by SIGTERM. For commands that are apart ([`Command::is_apart`]).
    ///
    /// # Errors
    /// When there is no such group, or it may not be signalled.
    pub fn ask_all_to_end(&mut self) -> io::Result<()> {
        // No other process gets its number before it is waited for.
        match self.try_wait()? {
            None => Ok(killpg(Pid::from_raw(self.child.id().cast_signed()), Signal::SIGTERM)?),
            Some(_) => Ok(()),
        }
    }

    /// End it by SIGKILL; nothing where it has ended already. Does not wait.
    ///
    /// # Errors
    /// When it may not be signalled, as another user's.
    pub fn kill(&mut self) -> io::Result<()> {
        self.child.kill()
    }
}

impl AsFd for Running {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.process.as_fd()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Both fail only when it has ended and was waited for.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn exit_code(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)
}
