//! Plain forwarding while the agent's thread does not respond.

use super::log::{CHECK, LogSender};
use super::port::{Batch, Port};
use super::worker::Shared;
use crate::outgoing::Outgoing;
use nix::poll::{PollFd, PollFlags, poll};
use seamline_agent::Side;
use seamline_host::socket::timeout;
use seamline_host::{Every, Line, clock};
use seamline_wire::{Duration, Instant};
use std::os::fd::AsFd;
use std::sync::atomic::Ordering;

/// It takes over after this time without progress. An idle agent's thread makes a round every 100 ms.
const TIMEOUT: Duration = Duration::from_millis(500);
/// How often it checks the interfaces.
const LOOK: Duration = Duration::from_millis(250);

/// The guard, with sockets of its own, which receive nothing while the agent works.
#[derive(Debug)]
pub(super) struct Guard<'a> {
    interfaces: &'a [String; 2],
    ports: [Option<Port>; 2],
    batch: Batch,
    is_active: bool,
    look: Every,
}

impl<'a> Guard<'a> {
    pub(super) fn new(interfaces: &'a [String; 2]) -> Self {
        let mut guard = Guard {
            interfaces,
            ports: [None, None],
            batch: Batch::default(),
            is_active: false,
            look: Every::new(LOOK),
        };
        guard.open_missing();
        guard
    }

    /// Run until stopped.
    pub(super) fn run(&mut self, shared: &Shared, log: &LogSender) {
        while !shared.stop.load(Ordering::Relaxed) {
            self.wait();
            let now = clock::monotonic();
            if self.look.is_due(now) {
                self.open_missing();
            }
            let progress = Instant::from_nanos(shared.progress.load(Ordering::Relaxed));
            let is_stalled = now.saturating_since(progress) > TIMEOUT;
            if is_stalled && !self.is_active {
                self.set_active(true);
                shared.bypass.store(true, Ordering::SeqCst);
                shared.bypasses.fetch_add(1, Ordering::Relaxed);
                let stalled = now.saturating_since(progress).as_millis();
                log.send(
                    Line::warning("bypass").with("why", "the agent does not respond").with("for_ms", stalled),
                );
            }
            if self.is_active {
                if !is_stalled {
                    self.set_active(false);
                }
                self.forward(shared);
                if !is_stalled {
                    shared.bypass.store(false, Ordering::SeqCst);
                    log.send(Line::new("resume"));
                }
            } else {
                // Only the error that an interface is down can wait here; unread, it would end every poll at once.
                self.ports.iter_mut().flatten().for_each(|port| discard(port, &mut self.batch));
            }
        }
    }

    fn wait(&self) {
        let sockets = self.ports.iter().flatten().map(AsFd::as_fd);
        let mut descriptors: Vec<_> = sockets.map(|socket| PollFd::new(socket, PollFlags::POLLIN)).collect();
        let _ = poll(&mut descriptors, timeout(CHECK));
    }

    fn set_active(&mut self, active: bool) {
        self.is_active = active;
        for port in self.ports.iter().flatten() {
            let _ = port.set_deaf(!active);
        }
    }

    /// Open interfaces that were removed and created again.
    fn open_missing(&mut self) {
        for (port, interface) in self.ports.iter_mut().zip(self.interfaces) {
            if port.as_ref().is_none_or(Port::is_gone) {
                *port =
                    Port::open(interface).ok().filter(|port| self.is_active || port.set_deaf(true).is_ok());
                // What came before it was deaf has been forwarded by the agent's thread.
                if let Some(port) = port.as_mut().filter(|_| !self.is_active) {
                    discard(port, &mut self.batch);
                }
            }
        }
    }

    /// Forward all frames that wait.
    fn forward(&mut self, shared: &Shared) {
        let mut outgoing = Outgoing::new();
        for side in Side::BOTH {
            let from = side.index();
            while let Some(port) = &mut self.ports[from] {
                if port.receive(&mut self.batch).is_err() {
                    break;
                }
                self.batch.iter().for_each(|(frame, _)| outgoing.pass(side.other(), frame));
                shared.bypassed.fetch_add(outgoing.len() as u64, Ordering::Relaxed);
                if let Some(port) = &mut self.ports[1 - from] {
                    port.send(side.other(), &outgoing, &self.batch);
                }
                outgoing = outgoing.reused();
                if !self.batch.is_full {
                    break;
                }
            }
        }
    }
}

/// Receive what waits, and drop it.
pub(super) fn discard(port: &mut Port, batch: &mut Batch) {
    while port.receive(batch).is_ok() && batch.is_full {}
}
