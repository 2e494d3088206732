//! What a base station keeps for nodes that have left its cell, to send it after them.

use crate::send::lose;
use seamline_wire::{DropCause, Input, Instant, Machine, NodeId, Outbox, Packet, Port};
use std::collections::{BTreeSet, VecDeque};

/// How much a base station keeps, for all departed nodes together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeptAtMost {
    /// So many packets.
    Packets(u64),
    /// So many bytes, headers included.
    Bytes(u64),
}

/// Stands before the downlink of a cell. What is for a node that is there passes at once. What is for one that has
/// left waits here, first in, first out; what finds no room is lost ([`DropCause::LeftCell`]). When the node can be
/// reached elsewhere, all of it goes back to the router, which knows the way.
///
/// Whoever runs the world tells it who leaves and who can be reached, and hands it what waited at the downlink.
#[derive(Debug)]
pub struct DepartedBuffer {
    at_most: KeptAtMost,
    departed: BTreeSet<NodeId>,
    /// What waited at the downlink, to be kept at the next step.
    withdrawn: VecDeque<Box<Packet>>,
    /// Who can be reached, to be served at the next step.
    reachable: BTreeSet<NodeId>,
    kept: VecDeque<Box<Packet>>,
    kept_bytes: u64,
    forwarded: u64,
    dropped: u64,
}

impl DepartedBuffer {
    /// Packets come in from the base station, and leave to the downlink, by this port.
    pub const AIR: Port = Port(0);
    /// What is sent after departed nodes leaves to the router by this port.
    pub const NETWORK: Port = Port(1);

    /// An empty buffer.
    pub fn new(at_most: KeptAtMost) -> Self {
        DepartedBuffer {
            at_most,
            departed: BTreeSet::new(),
            withdrawn: VecDeque::new(),
            reachable: BTreeSet::new(),
            kept: VecDeque::new(),
            kept_bytes: 0,
            forwarded: 0,
            dropped: 0,
        }
    }

    /// A node with these addresses, which are its own and those of the hosts behind it, has left the cell; this is what
    /// waited for it at the downlink.
    pub fn depart(&mut self, addresses: &[NodeId], withdrawn: VecDeque<Box<Packet>>) {
        self.departed.extend(addresses);
        self.withdrawn.extend(withdrawn);
    }
    /// A node with these addresses can be reached again, here or elsewhere.
    pub fn reach(&mut self, addresses: &[NodeId]) {
        for address in addresses {
            if self.departed.remove(address) {
                self.reachable.insert(*address);
            }
        }
    }
    /// Packets that were sent after departed nodes.
    pub fn forwarded(&self) -> u64 {
        self.forwarded
    }
    /// Packets that found no room.
    pub fn dropped(&self) -> u64 {
        self.dropped
    }

    fn keep(&mut self, packet: Box<Packet>, out: &mut Outbox) {
        let bytes = self.kept_bytes + u64::from(packet.wire_bytes);
        let has_room = match self.at_most {
            KeptAtMost::Packets(most) => (self.kept.len() as u64) < most,
            KeptAtMost::Bytes(most) => bytes <= most,
        };
        if has_room {
            self.kept_bytes = bytes;
            self.kept.push_back(packet);
        } else {
            self.dropped += 1;
            lose(out, DropCause::LeftCell, packet);
        }
    }

    /// Do what has been told.
    fn catch_up(&mut self, out: &mut Outbox) {
        for packet in std::mem::take(&mut self.withdrawn) {
            self.keep(packet, out);
        }
        let reachable = std::mem::take(&mut self.reachable);
        if reachable.is_empty() {
            return;
        }
        for packet in std::mem::take(&mut self.kept) {
            if reachable.contains(&packet.next_destination()) {
                self.kept_bytes -= u64::from(packet.wire_bytes);
                self.forwarded += 1;
                out.send(Self::NETWORK, packet);
            } else {
                self.kept.push_back(packet);
            }
        }
    }
}

impl Machine for DepartedBuffer {
    fn step(&mut self, _now: Instant, input: Input, out: &mut Outbox) {
        self.catch_up(out);
        match input {
            Input::Packet(_, packet) if self.departed.contains(&packet.next_destination()) => {
                self.keep(packet, out);
            }
            Input::Packet(_, packet) => out.send(Self::AIR, packet),
            Input::Signal(_) | Input::Wake => {}
        }
    }
    fn wake_at(&self) -> Option<Instant> {
        let has_news = !self.withdrawn.is_empty() || !self.reachable.is_empty();
        has_news.then_some(Instant::ZERO)
    }
}
