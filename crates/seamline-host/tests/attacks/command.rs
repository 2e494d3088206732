//! The running command `seamline-host sender`, and what it says at its end.

use crate::support::{HOST, program};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use seamline_host::namespace::Namespace;
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};

/// It ends with this value.
pub(crate) struct Sender {
    child: Child,
    errors: BufReader<ChildStderr>,
}

/// What it has counted, and what it has cost.
#[derive(Clone, Debug)]
pub(crate) struct Counted {
    stop: Value,
    /// Of its log, without the last one, which has the counters.
    pub(crate) lines: usize,
    /// Seconds of processor time that the process itself has taken.
    pub(crate) processor: f64,
}

impl Sender {
    /// For new connections of the cgroup. It works when this returns.
    pub(crate) fn begin(namespace: &Namespace, cgroup: &Path, interface: &str) -> Result<Self, String> {
        let mut command = Command::new(program(HOST));
        command.args(["sender", "--json", "--interface", interface, "--cgroup"]).arg(cgroup);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = namespace.within(|| command.spawn()).map_err(|error| error.to_string())?;
        let errors = BufReader::new(child.stderr.take().unwrap());
        let mut sender = Sender { child, errors };
        let mut line = String::new();
        while !line.starts_with("ready: ") {
            line.clear();
            if sender.errors.read_line(&mut line).unwrap() == 0 {
                return Err(format!("the command has ended: {:?}", sender.child.wait()));
            }
            assert!(!line.starts_with("warning: "), "{line}");
        }
        Ok(sender)
    }

    /// End it as an operator does.
    pub(crate) fn end(mut self) -> Counted {
        let process = self.child.id();
        let processor = processor(process);
        kill(Pid::from_raw(process.cast_signed()), Signal::SIGTERM).unwrap();
        let output = BufReader::new(self.child.stdout.take().unwrap());
        let lines: Vec<String> = output.lines().map(Result::unwrap).collect();
        let status = self.child.wait().unwrap();
        assert!(status.success(), "{status}: {lines:?}");
        let stop: Value = serde_json::from_str(lines.last().unwrap()).unwrap();
        assert_eq!(stop["event"], "stop");
        Counted { stop, lines: lines.len() - 1, processor }
    }
}

impl Drop for Sender {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Counted {
    pub(crate) fn of(&self, counter: &str) -> u64 {
        self.stop[counter].as_u64().unwrap_or_else(|| panic!("no {counter} in {}", self.stop))
    }
}

/// Of a process.
fn processor(process: u32) -> f64 {
    let text = fs::read_to_string(format!("/proc/{process}/schedstat")).unwrap();
    text.split(' ').next().unwrap().parse::<f64>().unwrap() / 1e9
}
