//! The buffer of a base station for nodes that have left its radio cell; its packets are forwarded to them.

use crate::binding_cache::{BindingCache, answer};
use crate::handover_preparation::HandoverPreparation;
use crate::send::{control, lose, report_binding};
use seamline_wire::control::{
    BindingAcknowledgement, BindingFlags, BindingStatus, BindingUpdate, HandoverAcknowledge,
    HandoverInitiate, Ipv6Control,
};
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
/// For nodes with fast handovers it is a part of the access router (RFC 5568 section 4). As the previous one: the runner
/// only reports that their link is down or up, and a Fast Binding Update says where to tunnel buffered and arriving
/// packets; one that comes before the node leaves takes the consent of the new router. As the new one: packets for a node
/// that is announced wait here until it announces itself.
#[derive(Debug)]
pub struct DepartedBuffer {
    fast: Option<FastHandovers>,
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

/// The state of an access router with fast handovers.
#[derive(Debug)]
struct FastHandovers {
    node: NodeId,
    /// Where its tunnels lead.
    cache: BindingCache,
    preparation: HandoverPreparation,
}

impl DepartedBuffer {
    /// Packets come in from the base station, and leave to the downlink, by this port.
    pub const AIR: Port = Port(0);
    /// Forwarded packets leave to the router through this port.
    pub const NETWORK: Port = Port(1);
    /// The messages of fast handovers come in by this port.
    pub const UPDATES: Port = Port(2);

    /// An empty buffer.
    pub fn new(at_most: KeptAtMost) -> Self {
        DepartedBuffer {
            fast: None,
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
    /// link, and for which addresses on the links of neighbors the routers there are known.
    #[must_use]
    pub fn with_fast_handovers(
        mut self,
        node: NodeId,
        addresses: &[NodeId],
        neighbors: &[(NodeId, NodeId)],
    ) -> Self {
        // Lifetimes of Fast Binding Updates are in seconds (RFC 5568 section 6.2.2).
        let mut cache = BindingCache::new(1);
        addresses.iter().for_each(|address| cache.serve(*address, BindingFlags::HOME_REGISTRATION));
        let preparation = HandoverPreparation::with_neighbors(neighbors.iter().copied());
        self.fast = Some(FastHandovers { node, cache, preparation });
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
        let FastHandovers { node, cache, .. } = self.fast.as_ref()?;
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

    /// RFC 5568 section 4: bind the previous to the new care-of address, and acknowledge. An update from the new link may
    /// be acknowledged at once (section 6.2.3).
    fn bind(
        &mut self,
        now: Instant,
        update: &BindingUpdate,
        out: &mut Outbox,
    ) -> Option<BindingAcknowledgement> {
        let FastHandovers { node, cache, .. } = self.fast.as_mut()?;
        let answer = cache.update(now, update, out);
        let message = Control::Ipv6(Ipv6Control::FastBindingAcknowledgment(answer));
        control(out, Self::NETWORK, *node, update.care_of_address, message);
        self.forward_kept(now, out);
        Some(answer)
    }

    /// Send buffered packets through the tunnels that there are now.
    fn forward_kept(&mut self, now: Instant, out: &mut Outbox) {
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

    /// Bind a node that is still here, and acknowledge on both links (RFC 5568 section 6.2.3).
    fn bind_early(&mut self, now: Instant, update: &BindingUpdate, out: &mut Outbox) {
        if let Some(answer) = self.bind(now, update, out) {
            self.answer_on_link(answer, out);
        }
    }

    /// An acknowledgment to the node on the link of this router, whose source address needs no option.
    fn answer_on_link(&self, answer: BindingAcknowledgement, out: &mut Outbox) {
        let Some(FastHandovers { node, .. }) = self.fast else { return };
        let to = answer.home_address;
        let answer = BindingAcknowledgement { care_of_address: to, ..answer };
        control(out, Self::AIR, node, to, Control::Ipv6(Ipv6Control::FastBindingAcknowledgment(answer)));
    }

    /// RFC 5568 sections 4 and 6.2.1: ask the new router first.
    fn prepare(&mut self, now: Instant, update: &BindingUpdate, out: &mut Outbox) {
        let Some(FastHandovers { node, cache, preparation }) = &mut self.fast else { return };
        match cache.exit(now, update.home_address) {
            Some(exit) if exit == Some(update.care_of_address) => self.bind_early(now, update, out),
            Some(_) if let Ok(begun) = preparation.begin(now, update) => {
                begun.into_iter().for_each(|message| initiate(*node, message, out));
            }
            _ => self.answer_on_link(refused(update), out),
        }
    }

    /// The answer of the new router.
    fn on_acknowledge(&mut self, now: Instant, answer: &HandoverAcknowledge, out: &mut Outbox) {
        let Some(FastHandovers { preparation, .. }) = &mut self.fast else { return };
        let Some(update) = preparation.acknowledged(answer) else { return };
        match answer.is_accepted() {
            true => self.bind_early(now, &update, out),
            false => self.answer_on_link(refused(&update), out),
        }
    }

    /// A node comes: keep its packets until it is here (RFC 5568 section 4).
    fn on_initiate(&mut self, now: Instant, from: NodeId, it: &HandoverInitiate, out: &mut Outbox) {
        let Some(FastHandovers { node, cache, preparation }) = &mut self.fast else { return };
        let address = it.new_care_of_address;
        let is_ours = cache.exit(now, address).is_some();
        if is_ours {
            // An earlier departure is over.
            cache.unbind(now, address, out);
            preparation.expect(now, address);
            report_binding(address, Some(*node), out);
        }
        let code = if is_ours { 0 } else { HandoverAcknowledge::PROHIBITED };
        let answer = HandoverAcknowledge { sequence: it.sequence, code };
        control(out, Self::NETWORK, *node, from, Control::Ipv6(Ipv6Control::HandoverAcknowledge(answer)));
    }

    /// A node announces itself: its packets go on the air (RFC 5568 section 6.3).
    fn on_announcement(&mut self, address: NodeId, out: &mut Outbox) {
        let Some(FastHandovers { preparation, .. }) = &mut self.fast else { return };
        if !preparation.came(address) {
            return;
        }
        report_binding(address, None, out);
        for packet in self.take_kept(|to| to == address) {
            out.send(Self::AIR, packet);
        }
    }

    /// The buffered packets for these addresses.
    fn take_kept(&mut self, is_one: impl Fn(NodeId) -> bool) -> VecDeque<Box<Packet>> {
        let kept = std::mem::take(&mut self.kept);
        let (taken, rest): (VecDeque<_>, VecDeque<_>) =
            kept.into_iter().partition(|packet| is_one(packet.next_destination()));
        self.kept = rest;
        self.kept_bytes -= taken.iter().map(|packet| u64::from(packet.wire_bytes)).sum::<u64>();
        taken
    }

    fn on_message(&mut self, now: Instant, from: NodeId, message: &Ipv6Control, out: &mut Outbox) {
        match message {
            Ipv6Control::FastBindingUpdate(update) => {
                if let Some(fast) = &mut self.fast {
                    fast.preparation.abandon(update.home_address);
                }
                self.bind(now, update, out);
            }
            Ipv6Control::PredictiveBindingUpdate(update) => self.prepare(now, update, out),
            Ipv6Control::HandoverInitiate(it) => self.on_initiate(now, from, it, out),
            Ipv6Control::HandoverAcknowledge(answer) => self.on_acknowledge(now, answer, out),
            Ipv6Control::NeighborAdvertisement(address) => self.on_announcement(*address, out),
            _ => {}
        }
    }

    /// Send what is due once more, and drop the packets of nodes that have not come.
    fn on_wake(&mut self, now: Instant, out: &mut Outbox) {
        let Some(FastHandovers { node, cache, preparation }) = &mut self.fast else { return };
        cache.expire(now, out);
        preparation.due(now).into_iter().for_each(|message| initiate(*node, message, out));
        for address in preparation.missed(now) {
            report_binding(address, None, out);
            for packet in self.take_kept(|to| to == address) {
                self.dropped += 1;
                lose(out, DropCause::LeftCell, packet);
            }
        }
    }

    fn on_air_packet(&mut self, now: Instant, packet: Box<Packet>, out: &mut Outbox) {
        let to = packet.next_destination();
        if self.fast.as_ref().is_some_and(|fast| fast.preparation.expects(to)) {
            return self.keep(packet, out);
        }
        match self.tunnel(now, &packet) {
            Some(tunnel) => self.send_through(tunnel, packet, out),
            None if self.departed.contains(&to) => self.keep(packet, out),
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
        for packet in self.take_kept(|to| reachable.contains(&to)) {
            out.send(Self::NETWORK, packet);
        }
    }
}

fn initiate(node: NodeId, (to, message): (NodeId, HandoverInitiate), out: &mut Outbox) {
    let message = Control::Ipv6(Ipv6Control::HandoverInitiate(message));
    control(out, DepartedBuffer::NETWORK, node, to, message);
}

fn refused(update: &BindingUpdate) -> BindingAcknowledgement {
    answer(update, BindingStatus::ADMINISTRATIVELY_PROHIBITED)
}

impl Machine for DepartedBuffer {
    fn step(&mut self, now: Instant, input: Input, out: &mut Outbox) {
        self.catch_up(now, out);
        match input {
            Input::Packet(Self::UPDATES, packet) => {
                if let Some(Control::Ipv6(message)) = packet.control() {
                    self.on_message(now, packet.source, &{ *message }, out);
                }
                out.recycle(packet);
            }
            Input::Packet(_, packet) => self.on_air_packet(now, packet, out),
            Input::Wake => self.on_wake(now, out),
            Input::Signal(_) => {}
        }
    }
    fn wake_at(&self) -> Option<Instant> {
        let has_news = !self.withdrawn.is_empty() || !self.reachable.is_empty();
        let due = |fast: &FastHandovers| {
            fast.cache.next_expiry().into_iter().chain(fast.preparation.wake_at()).min()
        };
        has_news.then_some(Instant::ZERO).or(self.fast.as_ref().and_then(due))
    }
}
