//! The network with all sockets, as one thread advances it: calls never wait, and time passes only in [`Core::advance`].

mod events;
#[cfg(test)]
mod tests;

use crate::error::Error;
use crate::options::{Options, Tcp};
use crate::pipe::Pipes;
use crate::socket::Socket;
use crate::stack::{Listener, Stack};
use seamline_scenario::Plan;
use seamline_scenario::build::{Ends, Places, hosts, node_id};
use seamline_scenario::running::Running;
use seamline_scenario::schema::Scenario;
use seamline_sim::NoObserver;
use seamline_tcp::{Address, Host, Opening, State, Write};
use seamline_wire::random::Stream;
use seamline_wire::{Instant, Outbox, Packet, SequenceNumber, TransportPort};
use std::collections::{BTreeSet, VecDeque};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// A socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SocketId {
    node: usize,
    number: usize,
}

/// A listening socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ListenerId {
    node: usize,
    port: u16,
}

/// Where something has happened that its program may wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ready {
    /// A connection is open, has data or room, or has ended.
    Socket(SocketId),
    /// A connection can be accepted.
    Listener(ListenerId),
}

/// A network in virtual time, and the sockets of its nodes. [`Network`](crate::Network) runs programs over one.
#[derive(Debug)]
pub struct Core {
    running: Running<Arc<Scenario>, Arc<Places>, NoObserver>,
    stacks: Vec<Stack>,
    pipes: Pipes,
    sequences: Stream,
    out: Outbox,
    ready: BTreeSet<Ready>,
    /// Whether packets may have arrived that were not looked at.
    unfetched: bool,
    arrivals: Vec<(Instant, Box<Packet>)>,
}

impl Core {
    /// The network of a scenario, at time zero. Its first seed counts. `name` is its file in messages, and relative paths start from there.
    ///
    /// # Errors
    /// When the scenario is wrong, or has a grid.
    pub fn new(name: &Path, text: &str, settings: &[String]) -> Result<Self, Error> {
        let plan = Plan::network(name, text.to_owned(), settings).map_err(Error::Scenario)?;
        let [cell] = &plan.cells[..] else { return Err(Error::Grid(plan.cells.len())) };
        let mut scenario = cell.scenario.clone();
        scenario.hosts = (0..scenario.nodes.len()).collect();
        let seed = scenario.seeds.first().copied().unwrap_or(1);
        let flows = hosts(&scenario, seed).into_iter().enumerate();
        let stack = |(node, flows): (usize, Option<Host>)| {
            Stack::new(flows.unwrap_or_else(|| Host::new(node_id(node))))
        };
        let stacks = flows.map(stack).collect();
        let places = Arc::new(Places::new(&scenario));
        let running = Running::new(Arc::new(scenario), seed, Ends::Inside, places, NoObserver);
        Ok(Core {
            running,
            stacks,
            pipes: Pipes::default(),
            sequences: Stream::new(seed, "sockets/initial-sequence"),
            out: Outbox::new(),
            ready: BTreeSet::new(),
            unfetched: false,
            arrivals: Vec::new(),
        })
    }

    /// The time since the start.
    pub fn now(&self) -> Duration {
        Duration::from_nanos(self.running.now().as_nanos())
    }
    /// The length of the scenario: schedules say nothing about what is later.
    pub fn duration(&self) -> Duration {
        Duration::from_nanos(self.running.scenario().duration.as_nanos())
    }
    /// The names of the nodes.
    pub fn nodes(&self) -> &[String] {
        &self.running.scenario().nodes
    }
    fn node(&self, name: &str) -> Result<usize, Error> {
        let found = self.nodes().iter().position(|node| node == name);
        found.ok_or_else(|| Error::Node(name.to_owned()))
    }

    /// Listen at a port of a node.
    ///
    /// # Errors
    /// When the node, or such a TCP, does not exist, or the port is in use.
    pub fn listen(&mut self, node: &str, port: u16, options: &Options) -> Result<ListenerId, Error> {
        let node = self.node(node)?;
        let tcp = options.resolve()?;
        let stack = &mut self.stacks[node];
        if stack.listeners.contains_key(&port) || stack.is_of_flow(port) {
            return Err(Error::PortInUse(port));
        }
        stack.listeners.insert(port, Listener { tcp, ready: VecDeque::new() });
        Ok(ListenerId { node, port })
    }

    /// Begin to connect a node to a port of another one. Until [`Core::connected`] says so, the socket can do nothing.
    ///
    /// # Errors
    /// When a node, or such a TCP, does not exist, or the node has no port left.
    pub fn connect(&mut self, node: &str, remote: (&str, u16), options: &Options) -> Result<SocketId, Error> {
        let (node, to) = (self.node(node)?, self.node(remote.0)?);
        let remote = Address { node: node_id(to), port: TransportPort(remote.1) };
        let tcp = options.resolve()?;
        let port = self.stacks[node].port_to(remote.node, remote.port).ok_or(Error::PortInUse(u16::MAX))?;
        let id = self.add(node, &tcp, Address { node: node_id(node), port }, remote);
        self.with(id, |socket, now, out| socket.endpoint.open(now, Opening::Active, out));
        Ok(id)
    }

    fn add(&mut self, node: usize, tcp: &Tcp, local: Address, remote: Address) -> SocketId {
        let sequence = SequenceNumber((self.sequences.bits() >> 32) as u32);
        let socket = Socket::new(tcp, local, remote, sequence);
        self.pipes.begin(socket.outward());
        SocketId { node, number: self.stacks[node].add(socket) }
    }

    /// A connection of a listener whose handshake is over, if there is one.
    pub fn accept(&mut self, listener: ListenerId) -> Option<SocketId> {
        let ListenerId { node, port } = listener;
        let stack = &mut self.stacks[node];
        let number = stack.listeners.get_mut(&port)?.ready.pop_front()?;
        if let Some(socket) = stack.get_mut(number) {
            socket.unaccepted = None;
        }
        Some(SocketId { node, number })
    }
    /// Listen no more. Connections that nobody has accepted are reset.
    pub fn close_listener(&mut self, listener: ListenerId) {
        let ListenerId { node, port } = listener;
        self.stacks[node].listeners.remove(&port);
        for number in self.stacks[node].numbers() {
            if self.stacks[node].get(number).is_some_and(|socket| socket.unaccepted == Some(port)) {
                let id = SocketId { node, number };
                self.with(id, |socket, now, out| {
                    socket.dropped = true;
                    socket.endpoint.abort(now, out);
                });
            }
        }
    }

    /// Whether the handshake is over.
    ///
    /// # Errors
    /// [`io::ErrorKind::WouldBlock`] while it is not, and why it failed.
    pub fn connected(&self, id: SocketId) -> io::Result<()> {
        let socket = self.socket(id)?;
        match socket.error() {
            Some(error) => Err(error),
            None if socket.is_opening() => Err(io::ErrorKind::WouldBlock.into()),
            None => Ok(()),
        }
    }

    /// Send: TCP takes as many bytes as there is room for; how many is returned.
    ///
    /// # Errors
    /// [`io::ErrorKind::WouldBlock`] when there is no room, [`io::ErrorKind::BrokenPipe`] after [`Core::shutdown`], and why the connection
    /// ended.
    pub fn send(&mut self, id: SocketId, bytes: &[u8]) -> io::Result<usize> {
        self.connected(id)?;
        if bytes.is_empty() {
            return Ok(0);
        }
        if !self.socket(id)?.endpoint.state().may_send() {
            return Err(io::Error::new(io::ErrorKind::BrokenPipe, "this end of the connection is shut down"));
        }
        let taken = self.with(id, |socket, now, out| {
            let taken = socket.endpoint.write(now, bytes.len() as u64, Write::default(), out);
            if taken == 0 {
                // To ask for room is to wait for it.
                socket.endpoint.readiness();
            }
            taken as usize
        });
        let taken = taken.filter(|taken| *taken > 0).ok_or(io::ErrorKind::WouldBlock)?;
        let way = self.socket(id)?.outward();
        self.pipes.write(way, &bytes[..taken]);
        Ok(taken)
    }

    /// Receive: what has arrived, at most as much as fits into the buffer. 0 bytes: the other end sends no more.
    ///
    /// # Errors
    /// [`io::ErrorKind::WouldBlock`] while nothing is there, and why the connection ended.
    pub fn receive(&mut self, id: SocketId, buffer: &mut [u8]) -> io::Result<usize> {
        let socket = self.stacks[id.node].get_mut(id.number).ok_or(io::ErrorKind::NotConnected)?;
        let count = buffer.len().min(socket.arrived.len());
        for (place, byte) in buffer.iter_mut().zip(socket.arrived.drain(..count)) {
            *place = byte;
        }
        if count > 0 {
            self.with(id, |socket, now, out| socket.endpoint.consume(now, count as u64, out));
            return Ok(count);
        }
        if buffer.is_empty() || socket.endpoint.peer_has_closed() {
            return Ok(0);
        }
        match socket.error() {
            Some(error) => Err(error),
            None if socket.endpoint.state() == State::Closed => Ok(0),
            None => Err(io::ErrorKind::WouldBlock.into()),
        }
    }
    /// How many bytes can be received at once.
    pub fn readable(&self, id: SocketId) -> usize {
        self.socket(id).map_or(0, |socket| socket.arrived.len())
    }
    /// Whether TCP has everything acknowledged that it has taken.
    pub fn is_flushed(&self, id: SocketId) -> bool {
        self.socket(id).map_or(true, |socket| socket.endpoint.buffered() == 0)
    }

    /// Send no more: the other end learns of the end when it has received everything. This end goes on receiving.
    pub fn shutdown(&mut self, id: SocketId) {
        self.with(id, |socket, now, out| socket.endpoint.close(now, out));
    }
    /// The program is gone, as after `close` of a system: what was sent still goes to the other end, and what has arrived and was not received
    /// is answered by a reset.
    pub fn close(&mut self, id: SocketId) {
        self.with(id, |socket, now, out| {
            socket.dropped = true;
            socket.endpoint.close_both_ways(now, out);
        });
    }
    /// Reset the connection.
    pub fn abort(&mut self, id: SocketId) {
        self.with(id, |socket, now, out| {
            socket.dropped = true;
            socket.endpoint.abort(now, out);
        });
    }

    /// The ends of a connection, each as node and port: this one and the other one.
    ///
    /// # Errors
    /// When it is closed.
    pub fn ends(&self, id: SocketId) -> io::Result<[(String, u16); 2]> {
        let (local, remote) = self.socket(id)?.outward();
        let named = |address: Address| {
            let node = self.nodes().get(address.node.0.saturating_sub(1) as usize);
            (node.cloned().unwrap_or_default(), address.port.0)
        };
        Ok([named(local), named(remote)])
    }

    /// Where something has happened, in a fixed order.
    pub fn take_ready(&mut self) -> Vec<Ready> {
        std::mem::take(&mut self.ready).into_iter().collect()
    }
    /// Whether something will happen if no program does anything.
    pub fn is_busy(&self) -> bool {
        self.unfetched || !self.ready.is_empty() || self.wake_at().is_some()
    }

    fn socket(&self, id: SocketId) -> io::Result<&Socket> {
        let socket = self.stacks[id.node].get(id.number);
        socket.ok_or_else(|| io::Error::new(io::ErrorKind::NotConnected, "the socket is closed"))
    }
}
