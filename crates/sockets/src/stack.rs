//! The sockets of a node.

use crate::options::Tcp;
use crate::socket::Socket;
use seamline_tcp::Host;
use seamline_wire::timers::{NEVER, Timers};
use seamline_wire::{Instant, Machine, NodeId, Packet, TransportPort};
use std::collections::{BTreeMap, VecDeque};

/// The first of the ports that connections get that ask for none (RFC 6335 section 6).
const DYNAMIC_PORTS: u16 = 49_152;

/// Local port, remote node, remote port.
pub(crate) type Key = (TransportPort, NodeId, TransportPort);

/// Waits for connections.
#[derive(Debug)]
pub(crate) struct Listener {
    pub(crate) tcp: Tcp,
    /// Connections that nobody has accepted yet, by number; those whose handshake is over are first come, first served.
    pub(crate) ready: VecDeque<usize>,
}

/// The TCP of a node.
#[derive(Debug)]
pub(crate) struct Stack {
    /// The connections of flows, background traffic; it also answers what is for nobody.
    pub(crate) flows: Host,
    pub(crate) listeners: BTreeMap<u16, Listener>,
    sockets: Vec<Option<Box<Socket>>>,
    by_key: BTreeMap<Key, usize>,
    timers: Timers,
    next_port: u16,
}

impl Stack {
    pub(crate) fn new(flows: Host) -> Self {
        Stack {
            flows,
            listeners: BTreeMap::new(),
            sockets: Vec::new(),
            by_key: BTreeMap::new(),
            timers: Timers::default(),
            next_port: DYNAMIC_PORTS,
        }
    }

    /// A port that no connection to there has.
    pub(crate) fn port_to(&mut self, remote: NodeId, remote_port: TransportPort) -> Option<TransportPort> {
        for _ in DYNAMIC_PORTS..=u16::MAX {
            let port = TransportPort(self.next_port);
            self.next_port = self.next_port.checked_add(1).unwrap_or(DYNAMIC_PORTS);
            if !self.by_key.contains_key(&(port, remote, remote_port))
                && !self.listeners.contains_key(&port.0)
            {
                return Some(port);
            }
        }
        None
    }

    /// Whether a flow begins or ends at a port.
    pub(crate) fn is_of_flow(&self, port: u16) -> bool {
        self.flows.endpoints().any(|endpoint| endpoint.local().port == TransportPort(port))
    }

    /// Add a socket; its number.
    pub(crate) fn add(&mut self, socket: Socket) -> usize {
        let number = self.sockets.len();
        self.by_key.insert(key_of(&socket), number);
        self.sockets.push(Some(Box::new(socket)));
        self.timers.add(NEVER);
        number
    }
    pub(crate) fn get(&self, number: usize) -> Option<&Socket> {
        self.sockets.get(number)?.as_deref()
    }
    pub(crate) fn get_mut(&mut self, number: usize) -> Option<&mut Socket> {
        self.sockets.get_mut(number)?.as_deref_mut()
    }
    /// The numbers of sockets that there are.
    pub(crate) fn numbers(&self) -> Vec<usize> {
        (0..self.sockets.len()).filter(|number| self.sockets[*number].is_some()).collect()
    }
    pub(crate) fn remove(&mut self, number: usize) {
        self.release(number);
        if let Some(socket) = self.sockets.get_mut(number) {
            *socket = None;
            self.timers.set(number, NEVER);
        }
    }
    /// Others may have the ports of a socket; whether it still had them.
    pub(crate) fn release(&mut self, number: usize) -> bool {
        let Some(key) = self.get(number).map(key_of) else { return false };
        let had = self.by_key.get(&key) == Some(&number);
        if had {
            self.by_key.remove(&key);
        }
        had
    }

    /// The socket that a packet is for.
    pub(crate) fn find(&self, packet: &Packet) -> Option<usize> {
        self.by_key.get(&(packet.destination_port, packet.source, packet.source_port)).copied()
    }
    /// The socket between these ends.
    pub(crate) fn between(&self, key: Key) -> Option<usize> {
        self.by_key.get(&key).copied()
    }

    /// When something is due.
    pub(crate) fn wake_at(&self) -> Option<Instant> {
        let sockets = self.timers.first().map(|(at, _)| at);
        sockets.into_iter().chain(self.flows.wake_at()).filter(|at| *at < NEVER).min()
    }
    /// A socket whose time has come.
    pub(crate) fn due(&self, now: Instant) -> Option<usize> {
        self.timers.first().filter(|(at, _)| *at <= now).map(|(_, number)| number)
    }
    /// Look at the timer of a socket again.
    pub(crate) fn rearm(&mut self, number: usize) {
        let at = self.get(number).and_then(|socket| socket.endpoint.wake_at());
        self.timers.set(number, at.unwrap_or(NEVER));
    }
}

fn key_of(socket: &Socket) -> Key {
    let (local, remote) = (socket.endpoint.local(), socket.endpoint.remote());
    (local.port, remote.node, remote.port)
}
