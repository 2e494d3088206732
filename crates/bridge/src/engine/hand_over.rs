//! Connections to the agent at another base station, and from there.

use super::arrivals::FIRST;
use super::{Address, Engine, Key, segment_of};
use crate::frame::LinkHeader;
use crate::handed::{Handed, TakenIn};
use crate::outgoing::Outgoing;
use seamline_agent::{Admission, Place, Side};
use seamline_wire::codec::{decode_complete, ecn_of, encode_around};
use seamline_wire::{Extra, Flags, Instant, Packet, Segment, SequenceNumber};
use std::net::IpAddr;
use std::sync::Arc;

/// A packet that was handed over.
struct Came<'a> {
    key: Key,
    header: LinkHeader,
    segment: Segment,
    bytes: &'a [u8],
}

impl Engine {
    /// The mobile hosts with these addresses have left: forget their connections, and hand out those of which something is kept.
    pub fn hand_out(&mut self, hosts: &[IpAddr]) -> Vec<Handed> {
        let of_host = |host: &IpAddr| {
            self.connections.of_host(Address { ip: *host, vlans: 0 }, |address| address.ip == *host)
        };
        let places: Vec<Place> = hosts.iter().flat_map(of_host).collect();
        let mut all = Vec::new();
        for place in places {
            all.extend(self.handed(place).filter(|handed| handed.packets() > 0));
            self.connections.forget(place);
        }
        self.handed_over.connections_out += all.len() as u64;
        self.handed_over.packets_out += all.iter().map(|handed| handed.packets() as u64).sum::<u64>();
        all
    }

    fn handed(&mut self, place: Place) -> Option<Handed> {
        let header = self.connections.link_of(place.node(Side::Wireless), Side::Wireless)?;
        let has_ended = self.connections.has_ended(place);
        let (acknowledged, packets) = self.connections.kept(place);
        let mut handed = Handed { acknowledged, has_ended, frames: Vec::new() };
        let mut room = Handed::room();
        for packet in packets {
            let Some(Extra::Segment(bytes)) = packet.extra.as_deref() else { continue };
            let Ok(written) = encode_around(packet, bytes, &mut self.room) else { continue };
            if !handed.push([header.as_slice(), written], &mut room) {
                break;
            }
        }
        Some(handed)
    }

    /// A connection of a mobile host that is here now, from the agent at another base station. What is still needed of it is kept, and sent over
    /// the air: the beginning at once ([`seamline_agent::Connection::on_arrival`]), more as that is acknowledged. It takes the place of what was kept of the
    /// connection here.
    ///
    /// The frames may come from anyone: what is no data of one connection is refused, as is that for which there is no room.
    pub fn take_in(&mut self, now: Instant, handed: &Handed, sent: &mut Outgoing<'_>) -> TakenIn {
        let packets = self.take_in_packets(now, handed, sent);
        let taken = TakenIn { connections: u32::from(packets > 0), packets };
        self.handed_over.connections_in += u64::from(taken.connections);
        self.handed_over.connections_refused += u64::from(1 - taken.connections);
        self.handed_over.packets_in += u64::from(packets);
        self.handed_over.packets_refused += (handed.packets() as u64).saturating_sub(u64::from(packets));
        taken
    }

    /// Returns how many of the packets are kept or wait to be sent.
    fn take_in_packets(&mut self, now: Instant, handed: &Handed, sent: &mut Outgoing<'_>) -> u32 {
        let came = self.read(handed);
        let Some(&Came { key, header, .. }) = came.first() else { return 0 };
        let known = self.connections.find_shown(&key);
        let acknowledged_here = known.and_then(|known| self.connections.kept(known).0);
        let acknowledged =
            acknowledged_here.into_iter().chain(handed.acknowledged).reduce(SequenceNumber::max);
        let is_needed = |it: &&Came<'_>| {
            it.key == key && acknowledged.is_none_or(|acknowledged| it.segment.end().is_after(acknowledged))
        };
        let needed: Vec<&Came<'_>> = came.iter().filter(is_needed).collect();
        if needed.is_empty() {
            return 0;
        }
        let adopted = self.act(|connections, _| connections.adopt(now, key, header, handed.has_ended));
        let Some(place) = adopted.flatten() else { return 0 };
        let (first, more) = needed.split_at(needed.len().min(FIRST));
        self.show_kept(now, place, acknowledged, first);
        let packets = self.arrive(now, place, sent);
        if packets == 0 {
            if known.is_none() {
                self.connections.forget(place);
            }
            return 0;
        }
        let under_way = first.iter().map(|it| it.segment.end()).collect();
        packets + self.arrivals.add(place, under_way, more.iter().map(|it| it.packet(place)).collect())
    }

    /// The mobile host has acknowledged something, perhaps: then more of what waits goes, as if it came from the wired side now.
    pub(super) fn go_on_arriving(&mut self, now: Instant, place: Place, key: &Key, sent: &mut Outgoing<'_>) {
        let Some(acknowledged) = self.connections.kept(place).0 else { return };
        for packet in self.arrivals.acknowledge(place, acknowledged) {
            self.show_arrived(now, key, Side::Wired, packet, &[]);
            self.send_made(sent);
        }
    }

    /// What can be read of it, and is data for the wireless side.
    fn read<'a>(&self, handed: &'a Handed) -> Vec<Came<'a>> {
        let read = handed.frames.iter().filter_map(|frame| {
            let received = self.receive(Side::Wired, frame)?;
            let decoded = decode_complete(received.packet).ok()?;
            let segment = decoded.headers.segment;
            let is_data = segment.length > 0 && !segment.flags.intersects(Flags::SYN | Flags::RST);
            let key = received.key(&decoded.headers);
            is_data.then_some(Came { key, header: received.header, segment, bytes: received.packet })
        });
        read.collect()
    }

    /// Let the agent keep what the agent at the other base station has kept, as if it came now. What the agent answers to that was already sent there.
    fn show_kept(
        &mut self,
        now: Instant,
        place: Place,
        acknowledged: Option<SequenceNumber>,
        packets: &[&Came<'_>],
    ) {
        if let Some((acknowledged, came)) = acknowledged.zip(packets.last()) {
            self.show_arrived(now, &came.key, Side::Wireless, came.acknowledgment(place, acknowledged), &[]);
        }
        for came in packets {
            let mut packet = segment_of(place, Side::Wired, &came.key, came.segment, came.bytes.len());
            packet.ecn = ecn_of(came.bytes).unwrap_or_default();
            self.show_arrived(now, &came.key, Side::Wired, packet, came.bytes);
        }
        self.discard();
    }

    fn show_arrived(&mut self, now: Instant, key: &Key, from: Side, packet: Packet, bytes: &[u8]) {
        self.act(|connections, out| {
            let admission = connections.admit(now, from, *key, &packet.segment, None, out);
            if let Admission::Shown(place) = admission {
                connections.show(now, from, place, Box::new(packet), bytes, out);
            }
        });
    }

    /// Returns how many packets the agent sends for the connection that has come.
    fn arrive(&mut self, now: Instant, place: Place, sent: &mut Outgoing<'_>) -> u32 {
        let woken = self.act(|connections, out| {
            connections.arrive(place);
            connections.wake(now, out);
        });
        if woken.is_none() {
            return 0;
        }
        let is_its = |packet: &Packet| {
            packet.source == place.node(Side::Wired)
                && matches!(packet.extra.as_deref(), Some(Extra::Segment(_)))
        };
        let packets = self.out.packets.iter().filter(|(_, packet)| is_its(packet)).count() as u32;
        self.send_made(sent);
        packets
    }
}

impl Came<'_> {
    /// As it came from the wired side, with its bytes.
    fn packet(&self, place: Place) -> Packet {
        let extra = Some(Box::new(Extra::Segment(Arc::from(self.bytes))));
        let ecn = ecn_of(self.bytes).unwrap_or_default();
        Packet { extra, ecn, ..segment_of(place, Side::Wired, &self.key, self.segment, self.bytes.len()) }
    }
    /// The last that the mobile host has sent, as far as it is known: its window is not.
    fn acknowledgment(&self, place: Place, acknowledged: SequenceNumber) -> Packet {
        let segment = Segment {
            sequence: self.segment.acknowledgment,
            acknowledgment: acknowledged,
            flags: Flags::ACK,
            ..Segment::default()
        };
        segment_of(place, Side::Wireless, &self.key, segment, 0)
    }
}
