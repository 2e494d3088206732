//! A command that is waited for, and ended on request.

use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;
use seamline_lab::clock::monotonic;
use seamline_lab::system::explained;
use seamline_wire::Duration;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// How often to check whether it has ended.
const LOOK_EVERY: std::time::Duration = std::time::Duration::from_millis(20);
/// How long it may take to clear away once it is asked to end; then it is ended as it is.
const CLEARING: Duration = Duration::from_secs(30);

/// A command that runs.
#[derive(Debug)]
pub(crate) struct Process {
    /// What it is called in errors.
    name: String,
    child: Child,
    output: File,
    errors: File,
}

/// What it has written, after its end.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) success: bool,
    pub(crate) output: String,
    pub(crate) errors: String,
}

impl Process {
    /// Start it in a folder, and with all that it starts in a cgroup if there is one. Ctrl-C at the terminal does not reach it.
    pub(crate) fn start(
        program: &Path,
        arguments: &[String],
        folder: &Path,
        cgroup: Option<&Path>,
    ) -> io::Result<Self> {
        let (output, errors) = (tempfile::tempfile()?, tempfile::tempfile()?);
        let mut command = match cgroup {
            None => Command::new(program),
            // It has to be there before it opens its first socket.
            Some(cgroup) => {
                let mut command = Command::new("sh");
                command.args(["-c", "echo $$ > \"$1\"/cgroup.procs && shift && exec \"$@\"", "sh"]);
                command.arg(cgroup).arg(program);
                command
            }
        };
        let child = command
            .args(arguments)
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(output.try_clone()?)
            .stderr(errors.try_clone()?)
            .process_group(0)
            .spawn()
            .map_err(|error| explained(error, program.display()))?;
        let name = program.file_name().unwrap_or(program.as_os_str()).to_string_lossy();
        let name = format!("{name} {}", arguments.first().map_or("", String::as_str));
        Ok(Process { name, child, output, errors })
    }

    /// Wait for its end; `None` when it was ended because `stop` is set.
    ///
    /// # Errors
    /// When it has not ended after `longest`, and was made to.
    pub(crate) fn wait(mut self, longest: Duration, stop: &AtomicBool) -> io::Result<Option<Ended>> {
        let begin = monotonic();
        let mut asked_at = None;
        let mut is_late = false;
        let status = loop {
            if let Some(status) = self.child.try_wait()? {
                break status;
            }
            let now = monotonic();
            match asked_at {
                None if stop.load(Ordering::Relaxed) || now - begin >= longest => {
                    is_late = !stop.load(Ordering::Relaxed);
                    asked_at = Some(now);
                    kill(self.id(), Signal::SIGTERM)?;
                }
                Some(at) if now - at >= CLEARING => killpg(self.id(), Signal::SIGKILL)?,
                _ => {}
            }
            #[expect(clippy::disallowed_methods, reason = "waits for a process, in real time")]
            thread::sleep(LOOK_EVERY);
        };
        let read = |file: &mut File| {
            let mut text = String::new();
            file.rewind()?;
            file.read_to_string(&mut text).map(|_| text)
        };
        let (output, errors) = (read(&mut self.output)?, read(&mut self.errors)?);
        if is_late {
            let why = format!("{} had not ended after {longest}: {errors}", self.name);
            return Err(io::Error::new(ErrorKind::TimedOut, why));
        }
        Ok(asked_at.is_none().then_some(Ended { success: status.success(), output, errors }))
    }

    /// The process, and the group of it and of what it has started.
    fn id(&self) -> Pid {
        Pid::from_raw(self.child.id().cast_signed())
    }
}

#[cfg(test)]
#[test]
fn a_command_that_does_not_end_is_named_and_ended() {
    let begin = monotonic();
    let folder = tempfile::tempdir().unwrap();
    let process = Process::start(Path::new("/bin/sleep"), &["60".to_owned()], folder.path(), None).unwrap();
    let error = process.wait(Duration::from_millis(200), &AtomicBool::new(false)).unwrap_err();
    assert!(error.to_string().starts_with("sleep 60 had not ended after "), "{error}");
    assert!((Duration::from_millis(200)..Duration::from_secs(20)).contains(&(monotonic() - begin)));
}
