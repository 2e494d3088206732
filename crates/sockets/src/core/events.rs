//! What happens as time passes: packets arrive, timers expire, and sockets get something for their programs.

use super::{Core, ListenerId, Ready, SocketId};
use crate::socket::Socket;
use crate::stack::Stack;
use seamline_tcp::endpoint::NetworkError;
use seamline_tcp::{Address, Opening, State};
use seamline_wire::{Control, Flags, Input, Instant, Machine, Outbox, Packet, Port, Signal};
use std::time::Duration;

/// Connections that wait to be accepted at one port; a SYN that would be one more is dropped (Linux: `net.core.somaxconn`).
const MOST_WAITING: usize = 4096;

impl Core {
    /// Let time pass, until something has happened at a socket, at most until `until` since the start; whether something has. [`Core::take_ready`]
    /// says where.
    pub fn advance(&mut self, until: Duration) -> bool {
        let until = Instant::from_nanos(u64::try_from(until.as_nanos()).unwrap_or(u64::MAX));
        loop {
            if std::mem::take(&mut self.unfetched) {
                self.fetch();
            }
            self.wake();
            if !self.ready.is_empty() {
                return true;
            }
            if self.unfetched {
                continue;
            }
            match self.wake_at().filter(|at| *at <= until) {
                Some(at) => self.running.run_until(at.max(self.running.now())),
                None => {
                    self.running.run_until(until.max(self.running.now()));
                    return false;
                }
            }
            self.unfetched = true;
        }
    }
    pub(super) fn wake_at(&self) -> Option<Instant> {
        self.running.wake_at().into_iter().chain(self.stacks.iter().filter_map(Stack::wake_at)).min()
    }

    /// Take what has arrived at the nodes.
    fn fetch(&mut self) {
        let mut arrivals = std::mem::take(&mut self.arrivals);
        let mut signals = Vec::new();
        for node in 0..self.stacks.len() {
            self.running.fetch(node, &mut arrivals);
            self.running.fetch_signals(node, &mut signals);
            for (_, packet) in arrivals.drain(..) {
                self.arrive(node, packet);
            }
            for (_, signal) in signals.drain(..) {
                self.notify(node, signal);
            }
        }
        self.arrivals = arrivals;
    }

    fn arrive(&mut self, node: usize, packet: Box<Packet>) {
        if !packet.is_bare_segment() {
            return self.take_report(node, packet);
        }
        let found = self.stacks[node].find(&packet).or_else(|| self.begin(node, &packet));
        match found {
            Some(number) => {
                let id = SocketId { node, number };
                self.with(id, |socket, now, out| socket.endpoint.on_packet(now, &packet, out));
                self.forget_unopened(id);
                self.running.recycle(packet);
            }
            None => self.step_flows(node, Input::Packet(Port(0), packet)),
        }
    }

    /// A SYN for a listener: it gets a socket.
    fn begin(&mut self, node: usize, packet: &Packet) -> Option<usize> {
        let flags = packet.segment.flags;
        if !flags.contains(Flags::SYN) || flags.intersects(Flags::ACK | Flags::RST) {
            return None;
        }
        let port = packet.destination_port;
        let listener = self.stacks[node].listeners.get(&port.0)?;
        let tcp = listener.tcp.clone();
        let is_full = listener.ready.len() >= MOST_WAITING;
        let local = Address { node: packet.destination, port };
        let remote = Address { node: packet.source, port: packet.source_port };
        let id = self.add(node, &tcp, local, remote);
        self.with(id, |socket, now, out| {
            socket.unaccepted = Some(port.0);
            socket.dropped = is_full;
            socket.endpoint.open(now, Opening::Passive, out);
        });
        if is_full {
            self.stacks[node].remove(id.number);
        }
        Some(id.number)
    }

    /// A socket of a listener that waits for a SYN again was given up half-open. The listener makes another one for the next SYN.
    fn forget_unopened(&mut self, SocketId { node, number }: SocketId) {
        let waits = |socket: &Socket| socket.unaccepted.is_some() && socket.endpoint.state() == State::Listen;
        if self.stacks[node].get(number).is_some_and(waits) {
            self.stacks[node].remove(number);
        }
    }

    /// What is no segment: only a report that a peer cannot be reached is for a socket.
    fn take_report(&mut self, node: usize, packet: Box<Packet>) {
        let report = match packet.control().filter(|_| packet.tunnels.is_empty()) {
            Some(Control::HostUnreachable(report)) => Some(*report),
            _ => None,
        };
        let key = report.as_ref().map(|it| (it.source_port, it.destination, it.destination_port));
        match (key.and_then(|key| self.stacks[node].between(key)), report) {
            (Some(number), Some(report)) => {
                let id = SocketId { node, number };
                self.with(id, |socket, now, out| {
                    socket.endpoint.on_icmp(now, report.sequence, NetworkError::Unreachable, out);
                });
                self.running.recycle(packet);
            }
            _ => self.step_flows(node, Input::Packet(Port(0), packet)),
        }
    }

    fn notify(&mut self, node: usize, signal: Signal) {
        for number in self.stacks[node].numbers() {
            let id = SocketId { node, number };
            self.with(id, |socket, now, out| socket.endpoint.on_signal(now, signal, out));
        }
        self.step_flows(node, Input::Signal(signal));
    }

    /// Whose time has come.
    fn wake(&mut self) {
        let now = self.running.now();
        for node in 0..self.stacks.len() {
            while let Some(number) = self.stacks[node].due(now) {
                let id = SocketId { node, number };
                self.with(id, |socket, now, out| socket.endpoint.on_wake(now, out));
                self.forget_unopened(id);
            }
            if self.stacks[node].flows.wake_at().is_some_and(|at| at <= now) {
                self.step_flows(node, Input::Wake);
            }
        }
    }

    fn step_flows(&mut self, node: usize, input: Input) {
        self.stacks[node].flows.step(self.running.now(), input, &mut self.out);
        self.flush(node);
    }

    /// Do something with a socket, and let everything follow that this causes.
    pub(super) fn with<T>(
        &mut self,
        id: SocketId,
        act: impl FnOnce(&mut Socket, Instant, &mut Outbox) -> T,
    ) -> Option<T> {
        let socket = self.stacks[id.node].get_mut(id.number)?;
        let done = act(socket, self.running.now(), &mut self.out);
        self.settle(id);
        Some(done)
    }

    fn settle(&mut self, id: SocketId) {
        let SocketId { node, number } = id;
        let Some(socket) = self.stacks[node].get_mut(number) else { return };
        let arrived = socket.endpoint.statistics().bytes_delivered;
        self.pipes.arrive(socket.inward(), arrived, &mut socket.arrived);
        let signature = socket.signature();
        let is_new = std::mem::replace(&mut socket.known, signature) != signature;
        let is_over = socket.endpoint.state() == State::Closed;
        let (is_opening, dropped, unaccepted) = (socket.is_opening(), socket.dropped, socket.unaccepted);
        if is_new && !dropped {
            match unaccepted {
                None => drop(self.ready.insert(Ready::Socket(id))),
                Some(port) if !is_opening => self.offer(ListenerId { node, port }, number, is_over),
                Some(_) => {}
            }
        }
        self.stacks[node].rearm(number);
        self.flush(node);
        if is_over {
            self.end(id);
        }
    }

    /// A connection of a listener is open, or over before anybody has accepted it.
    fn offer(&mut self, listener: ListenerId, number: usize, is_over: bool) {
        let stack = &mut self.stacks[listener.node];
        let Some(found) = stack.listeners.get_mut(&listener.port) else { return };
        if found.ready.contains(&number) {
            return;
        }
        if is_over {
            // Its handshake has failed.
            stack.remove(number);
        } else {
            found.ready.push_back(number);
            self.ready.insert(Ready::Listener(listener));
        }
    }

    /// A connection is over: others may have its ports. What has arrived is still there for its program.
    fn end(&mut self, id: SocketId) {
        let Some(socket) = self.stacks[id.node].get(id.number) else { return };
        let (inward, outward, dropped) = (socket.inward(), socket.outward(), socket.dropped);
        if self.stacks[id.node].release(id.number) {
            self.pipes.end(inward);
            let (local, remote) = outward;
            let peer = self.stacks.get((remote.node.0 as usize).wrapping_sub(1));
            if peer.is_none_or(|peer| peer.between((remote.port, local.node, local.port)).is_none()) {
                self.pipes.end(outward);
            }
        }
        if dropped {
            self.stacks[id.node].remove(id.number);
        }
    }

    /// What was sent enters the network.
    fn flush(&mut self, node: usize) {
        self.out.events.clear();
        self.out.signals.clear();
        if self.out.packets.is_empty() {
            return;
        }
        let mut packets = std::mem::take(&mut self.out.packets);
        for (_, packet) in packets.drain(..) {
            self.running.take_in(node, packet);
        }
        self.out.packets = packets;
        self.unfetched = true;
    }
}
