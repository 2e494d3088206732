//! The buffer of a base station for nodes that have left its radio cell; its packets are forwarded to them.

use crate::binding_cache::BindingCache;
use crate::send::{control, lose};
use seamline_wire::control::{BindingFlags, BindingUpdate, Ipv6Control};
use seamline_wire::{Control, DropCause, Input, Instant, Machine, NodeId, Outbox, Packet, Port, Tunnel};
use std::collections::{BTreeSet, VecDeque};

/// The buffer size of a base station, for all departed nodes together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeptAtMost {
    /// A number of packets.
    Packets(u64),
    /// A number of bytes, headers included.
    Bytes(u64),
}

/// A buffer before the downlink of a radio cell. Packets for nodes that are there pass at once. Packets for departed
/// nodes wait here, first in, first out; overflowing packets are lost ([`DropCause::LeftCell`]). When the node is
/// reachable elsewhere, the packets go back to the router, which knows the route.
///
/// The runner of the world reports departures and reachability, and passes in the packets that waited at the
/// downlink.
///
/// For nodes with fast handovers it is a part of the previous access router (RFC 5568 section 4): the runner only
/// reports that their link is down or up, and a Fast Binding Update says where to tunnel buffered and arriving
/// packets.
#[derive(Debug)]
pub struct DepartedBuffer {
    /// The node it is on, and where its tunnels lead.
    tunnels: Option<(NodeId, BindingCache)>,
    at_most: KeptAtMost,
    departed: BTreeSet<NodeId>,
    /// Packets that waited at the downlink, to be buffered at the next step.
    withdrawn: VecDeque<Box<Packet>>,
    /// Nodes that became reachable, to be served at the next step.
    reachable: BTreeSet<NodeId>,
    kept: VecDeque<Box<Packet>>,
    kept_bytes: u64,
    dropped: u64,
}

impl DepartedBuffer {
    /// Packets come in from the base station, and leave to the downlink, by this port.
    pub const AIR: Port = Port(0);
    /// Forwarded packets leave to the router through this port.
    pub const NETWORK: Port = Port(1);
    /// Fast Binding Updates come in by this port.
    pub const UPDATES: Port = Port(2);

    /// An empty buffer.
    pub fn new(at_most: KeptAtMost) -> Self {
        DepartedBuffer {
            tunnels: None,
            at_most,
            departed: BTreeSet::new(),
            withdrawn: VecDeque::new(),
            reachable: BTreeSet::new(),
            kept: VecDeque::new(),
            kept_bytes: 0,
            dropped: 0,
        }
    }

    /// The buffer of the access router on a node, which may be asked to tunnel packets for these addresses on its
    /// link.
    #[must_use]
    pub fn with_fast_handovers(mut self, node: NodeId, addresses: &[NodeId]) -> Self {
        // Lifetimes of Fast Binding Updates are in seconds (RFC 5568 section 6.2.2).
        let mut cache = BindingCache::new(1);
        addresses.iter().for_each(|address| cache.serve(*address, BindingFlags::HOME_REGISTRATION));
        self.tunnels = Some((node, cache));
        self
    }

    /// A node with these addresses, its own and those of hosts behind it, has left the radio cell; with the packets
    /// that waited for it at the downlink.
    pub fn depart(&mut self, addresses: &[NodeId], withdrawn: VecDeque<Box<Packet>>) {
        self.departed.extend(addresses);
        self.withdrawn.extend(withdrawn);
    }
    /// A node with these addresses is reachable again, here or elsewhere.
    pub fn reach(&mut self, addresses: &[NodeId]) {
        for address in addresses {
            if self.departed.remove(address) {
                self.reachable.insert(*address);
            }
        }
    }
    /// Packets dropped for lack of room.
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

    /// The tunnel destination of a packet according to the last update.
    fn tunnel(&self, now: Instant, packet: &Packet) -> Option<Tunnel> {
        let (node, cache) = self.tunnels.as_ref()?;
        let exit = cache.exit(now, packet.next_destination())??;
        Some(Tunnel { entry: *node, exit })
    }

    fn send_through(&mut self, tunnel: Tunnel, mut packet: Box<Packet>, out: &mut Outbox) {
        if packet.encapsulate_in_ipv6(tunnel) {
            out.send(Self::NETWORK, packet);
        } else {
            lose(out, DropCause::NoRoute, packet);
        }
    }

    /// RFC 5568 section 4: bind the previous to the new care-of address, acknowledge at once (section 6.2.3 allows it
    /// when the node sends from its new link), and forward the buffered packets.
    fn update(&mut self, now: Instant, update: &BindingUpdate, out: &mut Outbox) {
        let Some((node, cache)) = &mut self.tunnels else { return };
        let answer = cache.update(now, update, out);
        let message = Control::Ipv6(Ipv6Control::FastBindingAcknowledgment(answer));
        control(out, Self::NETWORK, *node, update.care_of_address, message);
        for packet in std::mem::take(&mut self.kept) {
            match self.tunnel(now, &packet) {
                Some(tunnel) => {
                    self.kept_bytes -= u64::from(packet.wire_bytes);
                    self.send_through(tunnel, packet, out);
                }
                None => self.kept.push_back(packet),
            }
        }
    }

    fn on_air_packet(&mut self, now: Instant, packet: Box<Packet>, out: &mut Outbox) {
        match self.tunnel(now, &packet) {
            Some(tunnel) => self.send_through(tunnel, packet, out),
            None if self.departed.contains(&packet.next_destination()) => self.keep(packet, out),
            None => out.send(Self::AIR, packet),
        }
    }

    /// Apply the reported changes.
    fn catch_up(&mut self, now: Instant, out: &mut Outbox) {
        for packet in std::mem::take(&mut self.withdrawn) {
            // The node may already have sent its location over an old link that still worked.
            match self.tunnel(now, &packet) {
                Some(tunnel) => self.send_through(tunnel, packet, out),
                None => self.keep(packet, out),
            }
        }
        let reachable = std::mem::take(&mut self.reachable);
        if reachable.is_empty() {
            return;
        }
        for packet in std::mem::take(&mut self.kept) {
            if reachable.contains(&packet.next_destination()) {
                self.kept_bytes -= u64::from(packet.wire_bytes);
                out.send(Self::NETWORK, packet);
            } else {
                self.kept.push_back(packet);
            }
        }
    }
}

impl Machine for DepartedBuffer {
    fn step(&mut self, now: Instant, input: Input, out: &mut Outbox) {
        self.catch_up(now, out);
        match input {
            Input::Packet(Self::UPDATES, packet) => {
                if let Some(Control::Ipv6(Ipv6Control::FastBindingUpdate(update))) = packet.control() {
                    self.update(now, &{ *update }, out);
                }
                out.recycle(packet);
            }
            Input::Packet(_, packet) => self.on_air_packet(now, packet, out),
            Input::Wake => {
                if let Some((_, cache)) = &mut self.tunnels {
                    cache.expire(now, out);
                }
            }
            Input::Signal(_) => {}
        }
    }
    fn wake_at(&self) -> Option<Instant> {
        let has_news = !self.withdrawn.is_empty() || !self.reachable.is_empty();
        let expiry = self.tunnels.as_ref().and_then(|(_, cache)| cache.next_expiry());
        has_news.then_some(Instant::ZERO).or(expiry)
    }
}
