//! Connections to the agent at another base station, and from there.

use super::arrivals::FIRST;
use super::{Engine, OVERHEAD, Way, key_of, make};
use crate::flows::{FlowKey, Place};
use crate::frame::{self, LinkHeader};
use crate::handed::{Handed, TakenIn};
use crate::outgoing::Outgoing;
use seamline_agent::{Moved, Side, WIRED, WIRELESS};
use seamline_wire::codec::{decode_complete, encode_around};
use seamline_wire::{Aside, Flags, Input, Instant, Outbox, Packet, Segment, SequenceNumber};
use std::net::IpAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// A packet that was handed over.
struct Came<'a> {
    key: FlowKey,
    header: LinkHeader,
    segment: Segment,
    bytes: &'a [u8],
}

impl Engine {
    /// The mobile hosts with these addresses have left: forget their connections, and hand out those of which something is kept.
    pub fn hand_out(&mut self, hosts: &[IpAddr]) -> Vec<Handed> {
        let mut all = Vec::new();
        for (place, is_known) in hosts.iter().flat_map(|host| self.flows.of_host(*host)).collect::<Vec<_>>() {
            if is_known {
                all.extend(self.handed(place).filter(|handed| handed.packets() > 0));
                self.forget(&[place]);
            }
            self.flows.remove(place);
        }
        self.handed_over.connections_out += all.len() as u64;
        self.handed_over.packets_out += all.iter().map(|handed| handed.packets() as u64).sum::<u64>();
        all
    }

    fn handed(&mut self, place: Place) -> Option<Handed> {
        let header = self.flows.header(place, Side::Wireless)?;
        let has_ended = self.flows.has_ended(place)?;
        // Every connection has an end, and so an address, of its own.
        let kept = self.agent.kept(place.node(Side::Wireless)).into_iter().next()?;
        let mut handed = Handed { acknowledged: kept.acknowledged, has_ended, frames: Vec::new() };
        let mut room = Handed::room();
        for packet in kept.packets {
            let Some(Aside::Segment(bytes)) = packet.aside.as_deref() else { continue };
            let Ok(written) = encode_around(packet, bytes, &mut self.room) else { continue };
            if !handed.push([header.as_slice(), written], &mut room) {
                break;
            }
        }
        Some(handed)
    }

    /// A connection of a mobile host that is here now, from the agent at another base station. What is still needed of it is kept, and sent over
    /// the air: the beginning at once ([`seamline_agent::Connection::on_arrival`]), more as that is acknowledged. It takes the place of what has been kept of the
    /// connection here.
    ///
    /// The frames may be anybody's: what is no data of one connection is refused, as is that for which there is no room.
    pub fn take_in(&mut self, now: Instant, handed: &Handed, sent: &mut Outgoing) -> TakenIn {
        let packets = self.take_in_packets(now, handed, sent);
        let taken = TakenIn { connections: u32::from(packets > 0), packets };
        self.handed_over.connections_in += u64::from(taken.connections);
        self.handed_over.connections_refused += u64::from(1 - taken.connections);
        self.handed_over.packets_in += u64::from(packets);
        self.handed_over.packets_refused += (handed.packets() as u64).saturating_sub(u64::from(packets));
        taken
    }

    /// How many of them.
    fn take_in_packets(&mut self, now: Instant, handed: &Handed, sent: &mut Outgoing) -> u32 {
        let came = self.read(handed);
        let Some(&Came { key, header, .. }) = came.first() else { return 0 };
        let acknowledged =
            self.acknowledged(&key).into_iter().chain(handed.acknowledged).reduce(SequenceNumber::max);
        let is_needed = |it: &&Came<'_>| {
            it.key == key && acknowledged.is_none_or(|acknowledged| it.segment.end().is_after(acknowledged))
        };
        let needed: Vec<&Came<'_>> = came.iter().filter(is_needed).collect();
        if needed.is_empty() {
            return 0;
        }
        let was_known = self.flows.find(&key).is_some();
        let Some(place) = self.flows.adopt(now, key, header, handed.has_ended) else { return 0 };
        let (first, more) = needed.split_at(needed.len().min(FIRST));
        let moved = self.moved(now, place, acknowledged, first);
        let packets = self.arrive(now, place, moved, sent);
        if packets == 0 {
            if !was_known {
                self.flows.remove(place);
                self.forget(&[place]);
            }
            return 0;
        }
        let under_way = first.iter().map(|it| it.segment.end()).collect();
        let more = more.iter().map(|it| data(place, it)).collect();
        packets + self.arrivals.add(place, under_way, more)
    }

    /// The mobile host has acknowledged something, perhaps: then more of what waits goes, as if it came from the wired side now.
    pub(super) fn go_on_arriving(&mut self, now: Instant, place: Place, sent: &mut Outgoing) {
        let kept = self.agent.kept(place.node(Side::Wireless)).into_iter().next();
        let Some(acknowledged) = kept.and_then(|kept| kept.acknowledged) else { return };
        for packet in self.arrivals.acknowledge(place, acknowledged) {
            if self.step(now, Input::Packet(WIRED, Box::new(packet))) {
                self.carry(None, sent);
            }
        }
    }

    /// What can be read of it, and is data for the wireless side.
    fn read<'a>(&self, handed: &'a Handed) -> Vec<Came<'a>> {
        let read = handed.frames.iter().filter_map(|frame| {
            let (header, packet) = frame::split(self.settings.medium, frame)?;
            let decoded = decode_complete(packet).ok()?;
            let segment = decoded.headers.segment;
            let is_data = segment.length > 0 && !segment.flags.intersects(Flags::SYN | Flags::RST);
            let key = key_of(Way { from: Side::Wired, header, frame }, &decoded.headers);
            let bytes = frame::ip_length(packet).and_then(|stated| packet.get(..stated))?;
            is_data.then_some(Came { key, header, segment, bytes })
        });
        read.collect()
    }

    /// What the mobile host has acknowledged here.
    fn acknowledged(&self, key: &FlowKey) -> Option<SequenceNumber> {
        let place = self.flows.find(key)?;
        self.agent.kept(place.node(Side::Wireless)).first()?.acknowledged
    }

    /// The connection as the agent at the other base station has it: an agent of the same kind that has seen nothing is shown what that one keeps,
    /// and hands it out.
    fn moved(
        &self,
        now: Instant,
        place: Place,
        acknowledged: Option<SequenceNumber>,
        packets: &[&Came<'_>],
    ) -> Vec<Moved> {
        let mut other = make(&self.settings);
        let mut out = Outbox::new();
        let shown = catch_unwind(AssertUnwindSafe(|| {
            if let Some((acknowledged, came)) = acknowledged.zip(packets.last()) {
                let packet = acknowledgment(place, acknowledged, came);
                other.step(now, Input::Packet(WIRELESS, packet), &mut out);
            }
            for came in packets {
                other.step(now, Input::Packet(WIRED, Box::new(data(place, came))), &mut out);
                out.packets.clear();
            }
            other.hand_out(&[place.node(Side::Wireless)])
        }));
        shown.unwrap_or_default()
    }

    /// Returns how many packets the agent sends for the connection that has come.
    fn arrive(&mut self, now: Instant, place: Place, moved: Vec<Moved>, sent: &mut Outgoing) -> u32 {
        let agent = &mut self.agent;
        if catch_unwind(AssertUnwindSafe(|| agent.take_in(moved))).is_err() {
            self.replace_agent();
            return 0;
        }
        if !self.step(now, Input::Wake) {
            return 0;
        }
        let is_its = |packet: &Packet| {
            Place::of(packet.source) == place && matches!(packet.aside.as_deref(), Some(Aside::Segment(_)))
        };
        let packets = self.out.packets.iter().filter(|(_, packet)| is_its(packet)).count() as u32;
        self.carry(None, sent);
        packets
    }
}

/// As it came from the wired side.
fn data(place: Place, came: &Came<'_>) -> Packet {
    let bytes: Arc<[u8]> = Arc::from(came.bytes);
    Packet {
        source: place.node(Side::Wired),
        destination: place.node(Side::Wireless),
        source_port: came.key.wired.1,
        destination_port: came.key.wireless.1,
        wire_bytes: bytes.len() as u32 + OVERHEAD,
        segment: came.segment,
        aside: Some(Box::new(Aside::Segment(bytes))),
        ..Packet::default()
    }
}

/// The last that the mobile host has sent, as far as it is known: its window is not.
fn acknowledgment(place: Place, acknowledged: SequenceNumber, came: &Came<'_>) -> Box<Packet> {
    let segment = Segment {
        sequence: came.segment.acknowledgment,
        acknowledgment: acknowledged,
        flags: Flags::ACK,
        ..Segment::default()
    };
    Box::new(Packet {
        source: place.node(Side::Wireless),
        destination: place.node(Side::Wired),
        source_port: came.key.wireless.1,
        destination_port: came.key.wired.1,
        segment,
        ..Packet::default()
    })
}
