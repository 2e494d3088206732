//! The start of a command, on another thread than the emulator's.

use super::LOOK_EVERY;
use crate::clock::monotonic;
use crate::system::{Command, Namespace, Running};
use seamline_wire::Duration;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender, TryRecvError};
use std::thread;

/// How long servers have to listen before the command begins.
const SERVERS_READY: Duration = Duration::from_secs(3);

/// Servers that a command waits for.
#[derive(Debug)]
pub(super) struct Servers {
    /// Where they are, and whether they still run.
    pub(super) awaited: Vec<(Arc<Namespace>, Arc<AtomicBool>)>,
    /// Ports at which others listen.
    pub(super) taken: Vec<u16>,
}

impl Servers {
    /// Wait until all listen that still run, but not for ever. Whether the command is still wanted: otherwise `left` has no sender.
    fn wait(&self, left: &Receiver<()>) -> io::Result<bool> {
        let since = monotonic();
        for (namespace, is_awaited) in &self.awaited {
            while is_awaited.load(Ordering::Relaxed)
                && monotonic().saturating_since(since) < SERVERS_READY
                && !listens(namespace, &self.taken)?
            {
                if has_left(left) {
                    return Ok(false);
                }
                #[expect(
                    clippy::disallowed_methods,
                    reason = "waits for other processes, on a thread for that"
                )]
                thread::sleep(std::time::Duration::from_nanos(LOOK_EVERY.as_nanos()));
            }
        }
        Ok(!has_left(left))
    }
}

fn has_left(left: &Receiver<()>) -> bool {
    left.try_recv() == Err(TryRecvError::Disconnected)
}

/// A command that is started on a thread of its own, because that and looking for its servers take longer than packets may be late. The
/// thread stays for as long as this value: the command would end with it.
#[derive(Debug)]
pub(super) struct Starting {
    started: Receiver<io::Result<Running>>,
    _stay: Sender<()>,
}

impl Starting {
    pub(super) fn begin(command: Command, namespace: Arc<Namespace>, servers: Servers) -> io::Result<Self> {
        let ((report, started), (stay, left)) = (mpsc::channel(), mpsc::channel::<()>());
        let thread = thread::Builder::new().name("command".to_owned());
        thread.spawn(move || {
            let started = match servers.wait(&left) {
                Ok(false) => return,
                Ok(true) => command.start(&namespace),
                Err(error) => Err(error),
            };
            let _ = report.send(started);
            let _ = left.recv();
        })?;
        Ok(Starting { started, _stay: stay })
    }

    /// The command, once it runs.
    pub(super) fn look(&self) -> io::Result<Option<Running>> {
        match self.started.try_recv() {
            Ok(running) => running.map(Some),
            Err(TryRecvError::Empty) => Ok(None),
            Err(TryRecvError::Disconnected) => {
                Err(io::Error::other("the thread that starts the command is gone"))
            }
        }
    }
}

/// Whether anything listens for TCP connections in a namespace, at other ports than these.
fn listens(namespace: &Namespace, taken: &[u16]) -> io::Result<bool> {
    namespace.within(|| {
        let tables = ["/proc/thread-self/net/tcp", "/proc/thread-self/net/tcp6"];
        let ports = tables.iter().filter_map(|table| std::fs::read_to_string(table).ok());
        Ok(ports.flat_map(|table| listening(&table)).any(|port| !taken.contains(&port)))
    })
}

/// The listening ports in a table of the kernel's.
fn listening(table: &str) -> Vec<u16> {
    // The second column is the address and, after a colon, the port; the fourth is the state, of which 0A is LISTEN (proc(5)).
    const LISTEN: &str = "0A";
    let port = |line: &str| {
        let mut columns = line.split_whitespace().skip(1);
        let (_, port) = columns.next()?.rsplit_once(':')?;
        (columns.nth(1)? == LISTEN).then(|| u16::from_str_radix(port, 16).ok())?
    };
    table.lines().filter_map(port).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_is_no_longer_wanted_waits_for_no_server() {
        let Ok(namespace) = Namespace::new() else {
            return seamline_testing::skip(
                "a_command_that_is_no_longer_wanted_waits_for_no_server",
                "no namespace can be made",
            );
        };
        let awaited = vec![(Arc::new(namespace), Arc::new(AtomicBool::new(true)))];
        let servers = Servers { awaited, taken: Vec::new() };
        let (stay, left) = mpsc::channel();
        let since = monotonic();
        assert!(servers.wait(&left).unwrap(), "a server that never listens");
        let waited = monotonic().saturating_since(since);
        assert!(waited >= SERVERS_READY, "{waited}");
        drop(stay);
        let since = monotonic();
        assert!(!servers.wait(&left).unwrap());
        let waited = monotonic().saturating_since(since);
        assert!(waited < SERVERS_READY / 3, "{waited}");
    }
}
