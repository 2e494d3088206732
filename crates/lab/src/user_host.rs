//! A host whose TCP is ours: the endpoints of the simulator behind a TUN device, with real bytes and real time.

use crate::edge;
use crate::stream::Stream;
use crate::system::Tun;
use crate::traffic::{Content, Mismatch};
use seamline_tcp::Host;
use seamline_wire::codec::{IpVersion, MAX_HEADER_LENGTH, encode};
use seamline_wire::{Event, Input, Instant, Machine, Outbox, Packet, Port, TransportPort};
use std::collections::BTreeMap;
use std::io;

/// The largest packet of IP.
pub(crate) const LARGEST_PACKET: usize = 65_535;
/// So many packets are taken before something else has its turn.
pub(crate) const BATCH: usize = 32;

/// A host with endpoints of ours, reached by an interface of a namespace.
#[derive(Debug)]
pub(crate) struct UserHost {
    host: Host,
    /// Its interface, to wait for packets at.
    pub(crate) interface: Tun,
    version: IpVersion,
    out: Outbox,
    /// By local port: what is sent from it.
    sent: BTreeMap<TransportPort, Stream>,
    /// By local port: what should come to it.
    received: BTreeMap<TransportPort, Stream>,
    /// The first payload that came and was not what was sent, with the local port of its connection.
    pub(crate) mismatch: Option<(TransportPort, Mismatch)>,
    buffer: Vec<u8>,
    payload: Vec<u8>,
    /// Packets that the interface had no room for.
    pub(crate) refused: u64,
}

impl UserHost {
    /// A host behind an interface, which sends in this version of IP. Its events are collected.
    pub(crate) fn new(host: Host, interface: Tun, version: IpVersion) -> Self {
        let mut out = Outbox::new();
        out.set_listening(true);
        UserHost {
            host,
            interface,
            version,
            out,
            sent: BTreeMap::new(),
            received: BTreeMap::new(),
            mismatch: None,
            buffer: vec![0; LARGEST_PACKET],
            payload: vec![0; LARGEST_PACKET],
            refused: 0,
        }
    }

    /// What the connection with this local port sends.
    pub(crate) fn sends(&mut self, port: TransportPort, content: Content) {
        self.sent.insert(port, Stream::new(content));
    }
    /// What the connection with this local port should receive.
    pub(crate) fn receives(&mut self, port: TransportPort, content: Content) {
        self.received.insert(port, Stream::new(content));
    }

    /// When it must be woken.
    pub(crate) fn wake_at(&self) -> Option<Instant> {
        self.host.wake_at()
    }

    /// Take packets from the interface, as many as fit into a batch; whether there may be more. Each event goes to
    /// `listener`.
    pub(crate) fn receive(&mut self, now: Instant, listener: &mut dyn FnMut(&Event)) -> io::Result<bool> {
        for _ in 0..BATCH {
            let Some(length) = self.interface.read(&mut self.buffer)? else { return Ok(false) };
            let mut packet = self.out.packet();
            let Some(payload) = edge::receive(&self.buffer[..length], &mut packet) else {
                self.out.recycle(packet);
                continue;
            };
            if let Some(stream) = self.received.get_mut(&packet.destination_port)
                && let Err(mismatch) = stream.check(&packet.segment, payload)
            {
                self.mismatch.get_or_insert((packet.destination_port, mismatch));
            }
            self.step(now, Input::Packet(Port(0), packet), listener)?;
        }
        Ok(true)
    }

    /// Wake what is due.
    pub(crate) fn wake(&mut self, now: Instant, listener: &mut dyn FnMut(&Event)) -> io::Result<()> {
        match self.host.wake_at() {
            Some(at) if at <= now => self.step(now, Input::Wake, listener),
            _ => Ok(()),
        }
    }

    /// Give the host an input. Its packets leave, and each event goes to `listener`.
    pub(crate) fn step(
        &mut self,
        now: Instant,
        input: Input,
        listener: &mut dyn FnMut(&Event),
    ) -> io::Result<()> {
        self.host.step(now, input, &mut self.out);
        self.out.events.drain(..).for_each(|event| listener(&event));
        let mut packets = std::mem::take(&mut self.out.packets);
        for (_, packet) in packets.drain(..) {
            self.send(&packet)?;
            self.out.recycle(packet);
        }
        self.out.packets = packets;
        Ok(())
    }

    fn send(&mut self, packet: &Packet) -> io::Result<()> {
        let segment = &packet.segment;
        let payload = &mut self.payload[..segment.length as usize];
        if let Some(stream) = self.sent.get_mut(&packet.source_port) {
            stream.fill(segment, payload);
        }
        let headers = edge::headers(packet, self.version);
        let room = &mut self.buffer[..(MAX_HEADER_LENGTH + payload.len()).min(LARGEST_PACKET)];
        let length = encode(&headers, payload, room).map_err(io::Error::other)?;
        if !self.interface.write(&room[..length])? {
            self.refused += 1;
        }
        Ok(())
    }
}
