//! A command that is waited for, and ended when somebody asks to stop.

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::fs::File;
use std::io::{self, Read, Seek};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// How often somebody looks whether it has ended.
const LOOK_EVERY: Duration = Duration::from_millis(20);

/// A command that runs.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    output: File,
    errors: File,
}

/// What it has written, after its end.
#[derive(Debug)]
pub(super) struct Ended {
    pub(super) success: bool,
    pub(super) output: String,
    pub(super) errors: String,
}

impl Process {
    /// Start it in a folder, and with all that it starts in a cgroup if there is one. Ctrl-C at the terminal does not reach it.
    pub(super) fn start(
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
            .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", program.display())))?;
        Ok(Process { child, output, errors })
    }

    /// Wait for its end; `None` when it was ended because `stop` is set.
    pub(super) fn wait(mut self, stop: &AtomicBool) -> io::Result<Option<Ended>> {
        let mut is_asked = false;
        let status = loop {
            if let Some(status) = self.child.try_wait()? {
                break status;
            }
            if stop.load(Ordering::Relaxed) && !is_asked {
                is_asked = true;
                kill(Pid::from_raw(self.child.id().cast_signed()), Signal::SIGTERM)?;
            }
            #[expect(clippy::disallowed_methods, reason = "waits for a process, in real time")]
            thread::sleep(LOOK_EVERY);
        };
        let read = |file: &mut File| {
            let mut text = String::new();
            file.rewind()?;
            file.read_to_string(&mut text).map(|_| text)
        };
        let ended = Ended {
            success: status.success(),
            output: read(&mut self.output)?,
            errors: read(&mut self.errors)?,
        };
        Ok((!is_asked).then_some(ended))
    }
}
