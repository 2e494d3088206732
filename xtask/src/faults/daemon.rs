//! The process of an agent or a daemon, as an operator starts it.

use super::network::{Network, now, pause};
use super::subject::Subject;
use crate::support::{at, output};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use seamline_host::bpf::SharedWords;
use seamline_testing::cgroup::Cgroup;
use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::Arc;

/// The interface at which a sender's acknowledgments arrive.
pub(super) const SENDING: &str = "a0";
/// Nothing here takes so long.
const TIMEOUT_MS: u64 = 10_000;

/// How processes are started.
#[derive(Clone, Debug)]
pub(super) struct Setup {
    pub(super) subject: Subject,
    /// The command `seamline-host`.
    pub(super) program: PathBuf,
    /// For its files; only this setup uses it.
    pub(super) folder: PathBuf,
    /// `--keep-forwarding`.
    pub(super) keeps_forwarding: bool,
    /// `freeze = true`.
    pub(super) freezes: bool,
    /// Of connections that a sender helps: this process is in it.
    cgroup: Option<Arc<Cgroup>>,
}

impl Setup {
    /// With what this host and the command are able to do.
    pub(super) fn new(
        subject: Subject,
        program: &Path,
        folder: &Path,
        keeps_forwarding: bool,
    ) -> Result<Self, String> {
        let has_programs = has_programs(program);
        if subject == Subject::Sender && !has_programs {
            return Err(format!("{} cannot load the eBPF programs of sender", program.display()));
        }
        let cgroup = (subject == Subject::Sender).then(Cgroup::enter).transpose()?;
        Ok(Setup {
            subject,
            program: program.to_owned(),
            folder: folder.to_owned(),
            keeps_forwarding,
            freezes: has_programs,
            cgroup: cgroup.map(Arc::new),
        })
    }

    pub(super) fn cgroup(&self) -> Option<&Path> {
        self.cgroup.as_deref().map(Cgroup::path)
    }
    pub(super) fn metrics(&self) -> PathBuf {
        self.folder.join("metrics.prom")
    }
    fn log(&self) -> PathBuf {
        self.folder.join("log")
    }
    pub(super) fn socket(&self) -> PathBuf {
        self.folder.join("mobile.sock")
    }

    /// An outage of the mobile host's link is announced to it.
    pub(super) fn announce(&self, lead: u64) -> Result<(), String> {
        let mut command = Command::new(&self.program);
        command.args(["mobile", "--tell", &format!("going-down d0 in {lead} ms"), "--socket"]);
        let told = output(command.arg(self.socket()));
        told.map(drop).map_err(|error| format!("a notice is refused: {error}"))
    }

    fn arguments(&self) -> Result<Vec<String>, String> {
        let mut words: Vec<String> = self.subject.arguments().iter().map(|&word| word.to_owned()).collect();
        let path = |path: PathBuf| path.to_string_lossy().into_owned();
        let metrics = ["--metrics".to_owned(), path(self.metrics())];
        match self.subject {
            Subject::Mobile => {
                words.extend(["--socket".to_owned(), path(self.socket())]);
                if self.freezes {
                    let settings = self.folder.join("mobile.toml");
                    fs::write(&settings, "[default]\nfreeze = true\n").map_err(at(&settings))?;
                    words.extend(["--config".to_owned(), path(settings)]);
                }
            }
            Subject::Sender => {
                words.extend(["--interface", SENDING, "--cgroup"].map(str::to_owned));
                words.extend(self.cgroup().map(|cgroup| path(cgroup.to_owned())));
                words.extend(metrics);
            }
            _ => {
                words.extend(["--in", "b0", "--out", "b1"].map(str::to_owned));
                words.extend(metrics);
                words.extend(self.keeps_forwarding.then(|| "--keep-forwarding".to_owned()));
            }
        }
        Ok(words)
    }

    /// With a monotonic clock that is so many seconds off the host's.
    pub(super) fn begin(&self, network: &Network, clock: i64) -> Result<Daemon, String> {
        let log = self.log();
        let append = OpenOptions::new().create(true).append(true).open(&log);
        let begins_at = fs::metadata(&log).map_or(0, |it| it.len());
        let mut command = match clock {
            0 => Command::new(&self.program),
            offset => {
                let mut command = Command::new("unshare");
                command.args(["--time", &format!("--monotonic={offset}"), &format!("--boottime={offset}")]);
                command.arg(&self.program);
                command
            }
        };
        let out = append.and_then(|file| Ok((file.try_clone()?, file)));
        let (out, errors): (File, File) = out.map_err(at(&log))?;
        command.args(self.arguments()?).stdin(Stdio::null()).stdout(out).stderr(errors);
        let process = self.subject.host(network).within(|| command.spawn()).map_err(at(&self.program))?;
        let working = if self.subject == Subject::Sender { "ready: " } else { "event=start" };
        Ok(Daemon { process, log, begins_at, working })
    }
}

/// A running process. It ends with this value.
pub(super) struct Daemon {
    process: Child,
    log: PathBuf,
    begins_at: u64,
    /// What its log says once it works.
    working: &'static str,
}

impl Daemon {
    pub(super) fn id(&self) -> u32 {
        self.process.id()
    }

    /// Of this process.
    pub(super) fn log(&self) -> String {
        let text = fs::read(&self.log).unwrap_or_default();
        String::from_utf8_lossy(text.get(self.begins_at as usize..).unwrap_or_default()).into_owned()
    }

    /// Until its log says that it works. Returns after how many milliseconds.
    pub(super) fn await_start(&mut self) -> Result<u64, String> {
        let begun = now();
        while !self.log().contains(self.working) {
            self.require_alive()?;
            if now() - begun > TIMEOUT_MS {
                return Err(format!("it does not start within {TIMEOUT_MS} ms: {}", self.log()));
            }
            pause(1);
        }
        Ok(now() - begun)
    }

    /// An error if it has ended by itself.
    pub(super) fn require_alive(&mut self) -> Result<(), String> {
        match self.ended() {
            None => Ok(()),
            Some(status) => Err(format!("it has ended by itself ({status}): {}", last_lines(&self.log()))),
        }
    }

    pub(super) fn ended(&mut self) -> Option<ExitStatus> {
        self.process.try_wait().ok().flatten()
    }

    pub(super) fn signal(&self, signal: Signal) {
        let _ = kill(Pid::from_raw(self.process.id().cast_signed()), signal);
    }

    pub(super) fn kill(mut self) {
        self.end_now();
    }

    fn end_now(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }

    /// As an operator ends it; connections of `split` get time to end.
    pub(super) fn terminate(mut self) -> Result<(), String> {
        self.signal(Signal::SIGTERM);
        let until = now() + 2 * TIMEOUT_MS;
        while now() < until {
            match self.ended() {
                Some(status) if status.success() => return Ok(()),
                Some(status) => {
                    return Err(format!("SIGTERM ends it with {status}: {}", last_lines(&self.log())));
                }
                None => pause(2),
            }
        }
        Err(format!("SIGTERM does not end it: {}", last_lines(&self.log())))
    }

    /// Change a soft limit: `nofile`, or `as` (bytes of memory).
    pub(super) fn limit(&self, what: &str, value: &str) -> Result<(), String> {
        let arguments = ["--pid".to_owned(), self.id().to_string(), format!("--{what}={value}:")];
        output(Command::new("prlimit").args(arguments)).map(drop)
    }

    /// The lowest file descriptor that is free.
    pub(super) fn free_file(&self) -> u64 {
        let place = Path::new("/proc").join(self.id().to_string()).join("fd");
        (0..).find(|number| place.join(number.to_string()).symlink_metadata().is_err()).unwrap_or(0)
    }

    /// Bytes of address space.
    pub(super) fn memory(&self) -> Option<u64> {
        let pages = fs::read_to_string(format!("/proc/{}/statm", self.id())).ok()?;
        let pages: u64 = pages.split(' ').next()?.parse().ok()?;
        Some(pages * 4096)
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        self.end_now();
    }
}

fn last_lines(log: &str) -> String {
    let lines: Vec<&str> = log.lines().collect();
    lines[lines.len().saturating_sub(5)..].join("\n    ")
}

/// Whether this build of the command has its eBPF programs, and the kernel loads them.
pub(super) fn has_programs(program: &Path) -> bool {
    let output = Command::new(program).args(["sender", "--check"]).output();
    output.is_ok_and(|output| output.status.success())
}

/// Whether the kernel can forward without an agent.
pub(super) fn can_use_ebpf() -> bool {
    SharedWords::new(1).is_ok()
}
