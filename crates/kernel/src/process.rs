//! Programs that take long: their output goes to a log, and they end within a second when the user asks to stop.

use crate::Error;
use crate::error::failed;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, PipeReader, Write, pipe};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

/// How often a request to stop is looked for.
const LOOK: Duration = Duration::from_millis(50);
/// How many looks a program has to end by itself.
const TRIES: usize = 10;

/// Run a program to its end, without input and in a process group of its own. Each line it writes goes to the log and to `line`.
/// Returns whether it succeeded.
///
/// # Errors
/// When it cannot be started, or the user asked to stop: then it and its children have ended.
pub(crate) fn run(
    command: &mut Command,
    log: &Path,
    stop: &AtomicBool,
    line: &mut dyn FnMut(&str),
) -> Result<bool, Error> {
    let mut file =
        File::options().create(true).append(true).open(log).map_err(failed("cannot write", log))?;
    let (reader, writer) = pipe()?;
    let program = command.get_program().to_string_lossy().into_owned();
    command.stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer).process_group(0);
    let child = command.spawn().map_err(|error| Error::Failed(format!("cannot run {program}: {error}")))?;
    // Ours are in the command; the pipe ends with the last process that has it.
    command.stdout(Stdio::null()).stderr(Stdio::null());
    let (sender, lines) = mpsc::channel();
    thread::spawn(move || read(reader, &sender));
    let status = follow(child, &lines, stop, &mut |text| {
        // A full disk ends the program too, which then is the error.
        let _ = writeln!(file, "{text}");
        line(text);
    })?;
    Ok(status.success())
}

fn read(reader: PipeReader, lines: &Sender<String>) {
    let mut reader = BufReader::new(reader);
    let mut bytes = Vec::new();
    while reader.read_until(b'\n', &mut bytes).is_ok_and(|count| count > 0) {
        let text = String::from_utf8_lossy(&bytes);
        if lines.send(text.trim_end().to_owned()).is_err() {
            return;
        }
        bytes.clear();
    }
}

fn follow(
    mut child: Child,
    lines: &Receiver<String>,
    stop: &AtomicBool,
    line: &mut dyn FnMut(&str),
) -> Result<ExitStatus, Error> {
    loop {
        match lines.recv_timeout(LOOK) {
            Ok(text) => line(&text),
            Err(RecvTimeoutError::Disconnected) => return Ok(child.wait()?),
            // A daemon that it left behind may hold the pipe.
            Err(RecvTimeoutError::Timeout) => {
                if let Some(status) = child.try_wait()? {
                    await_silence(lines, line);
                    return Ok(status);
                }
            }
        }
        if stop.load(Ordering::Relaxed) {
            end(&mut child, lines);
            return Err(Error::Interrupted);
        }
    }
}

/// End a program and all of its group.
fn end(child: &mut Child, lines: &Receiver<String>) {
    let group = Pid::from_raw(child.id().cast_signed());
    let _ = killpg(group, Signal::SIGTERM);
    await_silence(lines, &mut |_| ());
    let _ = killpg(group, Signal::SIGKILL);
    let _ = child.wait();
    await_silence(lines, &mut |_| ());
}

/// Wait, but not for long, until no process has the pipe any more. On a busy host the last lines come later than the end of the program.
fn await_silence(lines: &Receiver<String>, line: &mut dyn FnMut(&str)) {
    let mut silent = 0;
    while silent < TRIES {
        match lines.recv_timeout(LOOK) {
            Ok(text) => line(&text),
            Err(RecvTimeoutError::Timeout) => silent += 1,
            Err(RecvTimeoutError::Disconnected) => return,
        }
    }
}

/// The lines of a log that say what went wrong, or its last ones.
pub(crate) fn errors_in(log: &Path) -> String {
    let text = fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().collect();
    let is_error =
        |line: &&&str| ["error:", "ERROR:", "undefined reference"].iter().any(|it| line.contains(it));
    let errors: Vec<&str> = lines.iter().filter(is_error).copied().collect();
    let shown = if errors.is_empty() { &lines } else { &errors };
    let last = shown.iter().skip(shown.len().saturating_sub(12));
    last.map(|line| format!("  {line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn lines_reach_the_log_and_the_caller() {
        let folder = tempfile::tempdir().unwrap();
        let (log, stop) = (folder.path().join("log"), AtomicBool::new(false));
        let mut seen = Vec::new();
        let mut note = |line: &str| seen.push(line.to_owned());
        assert!(run(&mut shell("echo one; echo two >&2"), &log, &stop, &mut note).unwrap());
        assert!(!run(&mut shell("echo 'x.c:1: error: no'; exit 3"), &log, &stop, &mut note).unwrap());
        assert_eq!(seen, ["one", "two", "x.c:1: error: no"]);
        assert_eq!(fs::read_to_string(&log).unwrap(), "one\ntwo\nx.c:1: error: no\n");
        assert_eq!(errors_in(&log), "  x.c:1: error: no\n");
        let unknown =
            "ERROR: modpost: \"tcp_other\" [tcp_mine.ko] undefined!\nmake: *** [Makefile:2: all] Error 2\n";
        fs::write(&log, unknown).unwrap();
        assert_eq!(errors_in(&log), "  ERROR: modpost: \"tcp_other\" [tcp_mine.ko] undefined!\n");
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "the time until a program has ended is what is tested")]
    fn a_request_to_stop_ends_the_children_too() {
        seamline_testing::punctual(50, || {
            let folder = tempfile::tempdir().unwrap();
            let (log, stop) = (folder.path().join("log"), AtomicBool::new(false));
            let began = std::time::Instant::now();
            let mut at_first_line = |_: &str| stop.store(true, Ordering::Relaxed);
            let script = "trap '' TERM; sleep 100 & echo $!; wait; sleep 100";
            let ended = run(&mut shell(script), &log, &stop, &mut at_first_line);
            assert!(matches!(ended, Err(Error::Interrupted)));
            assert!(began.elapsed() < Duration::from_secs(1), "{:?}", began.elapsed());
            let child: i32 = fs::read_to_string(&log).unwrap().trim().parse().unwrap();
            // A killed process has given up its memory and files; the kernel may still be busy with the rest of it.
            let memory = fs::read_to_string(format!("/proc/{child}/statm")).unwrap_or_default();
            assert!(memory.is_empty() || memory.starts_with("0 "), "{memory}");
        });
    }
}
