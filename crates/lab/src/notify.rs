//! Reports a node's link events to programs in the lab, as a modem would: as text in datagrams.

use crate::system::explained;
use nix::errno::Errno;
use nix::sys::socket::{AddressFamily, MsgFlags, SockFlag, SockType, UnixAddr, sendto, socket};
use seamline_wire::Signal;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::PathBuf;

/// Which programs get the link events of which nodes.
#[derive(Debug)]
pub(crate) struct Notify {
    socket: OwnedFd,
    listeners: Vec<(usize, UnixAddr)>,
}

impl Notify {
    /// Report the link events of each node to the Unix datagram socket at its path. Paths mean the same in all network namespaces.
    pub(crate) fn new(listeners: Vec<(usize, PathBuf)>) -> io::Result<Self> {
        let flags = SockFlag::SOCK_NONBLOCK | SockFlag::SOCK_CLOEXEC;
        let socket = socket(AddressFamily::Unix, SockType::Datagram, flags, None)?;
        let address = |(node, path): (usize, PathBuf)| match UnixAddr::new(&path) {
            Ok(address) => Ok((node, address)),
            Err(error) => Err(explained(error, path.display())),
        };
        let listeners = listeners.into_iter().map(address).collect::<io::Result<_>>()?;
        Ok(Notify { socket, listeners })
    }

    /// Report an event of a node's link layer. Never waits: a program that does not listen or read misses it.
    pub(crate) fn report(&self, node: usize, signal: Signal) -> io::Result<()> {
        let Some(text) = text_of(signal) else { return Ok(()) };
        for (_, to) in self.listeners.iter().filter(|(of, _)| *of == node) {
            // What is at the path, and whether it may be written to, does not concern the network.
            if let Err(error @ (Errno::ENOMEM | Errno::ENOBUFS)) =
                sendto(self.socket.as_raw_fd(), text.as_bytes(), to, MsgFlags::empty())
            {
                return Err(explained(error, "reporting link events to a program"));
            }
        }
        Ok(())
    }
}

/// The text of a signal about whether packets come through. A node that a mobility protocol registers is reachable from
/// then on.
fn text_of(signal: Signal) -> Option<String> {
    match signal {
        Signal::LinkGoingDown { within } => Some(format!("going-down in {within}")),
        Signal::LinkDown => Some("down".to_owned()),
        Signal::LinkUp { .. } | Signal::Registered => Some("up".to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use seamline_wire::Duration;
    use std::os::unix::net::UnixDatagram;

    #[test]
    fn only_the_listeners_of_a_node_get_its_events_and_none_has_to_listen() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let phone = UnixDatagram::bind(path("phone")).unwrap();
        let server = UnixDatagram::bind(path("server")).unwrap();
        server.set_nonblocking(true).unwrap();
        let listeners = vec![(1, path("phone")), (0, path("server")), (1, path("absent"))];
        let notify = Notify::new(listeners).unwrap();
        notify.report(1, Signal::LinkGoingDown { within: Duration::from_micros(1500) }).unwrap();
        notify.report(1, Signal::MovementDetected).unwrap();
        notify.report(1, Signal::LinkUp { rate: None, round_trip_time: None }).unwrap();
        let mut room = [0; 64];
        for expected in ["going-down in 1.5 ms", "up"] {
            let length = phone.recv(&mut room).unwrap();
            assert_eq!(&room[..length], expected.as_bytes());
        }
        assert!(server.recv(&mut room).is_err(), "nothing happened to its link");
    }

    /// Where others may not write, and where there is no socket.
    #[test]
    fn events_that_cannot_be_delivered_end_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("file"), "text").unwrap();
        let _stream = std::os::unix::net::UnixListener::bind(path("stream")).unwrap();
        let inside = path("file").join("socket");
        for path in [path("file"), path("stream"), path("."), inside] {
            let notify = Notify::new(vec![(0, path.clone())]).unwrap();
            assert!(notify.report(0, Signal::LinkDown).is_ok(), "{}", path.display());
        }
    }

    #[test]
    fn a_listener_that_does_not_read_delays_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("slow");
        let _slow = UnixDatagram::bind(&path).unwrap();
        let notify = Notify::new(vec![(0, path)]).unwrap();
        for _ in 0..10_000 {
            notify.report(0, Signal::LinkDown).unwrap();
        }
    }
}
