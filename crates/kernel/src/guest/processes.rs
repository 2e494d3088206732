//! The host's processes of a guest. Its kernel leads a session of its own, to which all of them belong.

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use std::fs;
use std::thread;
use std::time::Duration;

/// End all processes of the session that this process leads. Repeats while new ones appear, or some have not ended yet.
#[expect(clippy::disallowed_methods, reason = "a process that is killed ends when it is scheduled")]
pub(super) fn end_session(leader: u32) {
    const MOST_ROUNDS: usize = 200;
    const PAUSE: Duration = Duration::from_millis(2);
    for _ in 0..MOST_ROUNDS {
        let members = members(leader);
        if members.is_empty() {
            return;
        }
        for process in members {
            let _ = kill(Pid::from_raw(process.cast_signed()), Signal::SIGKILL);
        }
        thread::sleep(PAUSE);
    }
}

/// Its living members.
pub(super) fn members(leader: u32) -> Vec<u32> {
    let Ok(entries) = fs::read_dir("/proc") else { return Vec::new() };
    let process = |entry: fs::DirEntry| entry.file_name().to_str()?.parse::<u32>().ok();
    entries.flatten().filter_map(process).filter(|process| session(*process) == Some(leader)).collect()
}

/// The session of a process; none once it has ended (proc(5): the sixth field of `stat`, counted from the last parenthesis).
fn session(process: u32) -> Option<u32> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let mut fields = stat.rsplit_once(") ")?.1.split(' ');
    let has_ended = matches!(fields.next()?, "Z" | "X");
    let session = fields.nth(2)?.parse().ok()?;
    (!has_ended).then_some(session)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::process::CommandExt;
    use std::process::{Command, Stdio};

    #[test]
    fn a_session_ends_with_what_its_leader_started() {
        let mut command = Command::new("sh");
        command.args(["-c", "sleep 1000 & sleep 1000 & echo; wait"]).stdout(Stdio::piped());
        // SAFETY: one system call between fork and exec.
        #[expect(unsafe_code, reason = "a session of its own")]
        unsafe {
            command.pre_exec(|| nix::unistd::setsid().map(drop).map_err(Into::into));
        }
        let mut leader = command.spawn().unwrap();
        let mut started = [0];
        std::io::Read::read_exact(leader.stdout.as_mut().unwrap(), &mut started).unwrap();
        assert_eq!(members(leader.id()).len(), 3);
        end_session(leader.id());
        leader.wait().unwrap();
        // What is killed is listed until somebody has noticed that.
        for _ in 0..100 {
            if members(leader.id()).is_empty() {
                return;
            }
            #[expect(clippy::disallowed_methods, reason = "waits for processes, in real time")]
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        panic!("{:?} are left", members(leader.id()));
    }
}
