//! Frames of what the agent sends.

use super::{Engine, Key, Received, Shown};
use crate::outgoing::Outgoing;
use seamline_agent::Side;
use seamline_wire::codec::{Decoded, Headers, IpHeader, MAX_HEADER_LENGTH, encode, encode_around, recovery};
use seamline_wire::{Control, Extra, Packet, Segment};
use std::net::IpAddr;

impl Engine {
    /// Take the packets that the agent sends, one after the other.
    fn drain(&mut self, mut each: impl FnMut(&mut Self, Side, &Packet)) {
        let mut packets = std::mem::take(&mut self.out.packets);
        for (port, mut packet) in packets.drain(..) {
            each(self, Side::of(port), &packet);
            // Without the bytes of a real packet, which the pool does not count.
            packet.make_bare();
            self.out.recycle(packet);
        }
        self.out.packets = packets;
    }

    /// Drop the packets that the agent sends.
    pub(super) fn discard(&mut self) {
        self.drain(|_, _, _| {});
    }

    /// Make frames of the packets that the agent sends when it was shown a frame.
    pub(super) fn send<'f>(&mut self, it: Received<'f>, shown: &Shown<'_>, sent: &mut Outgoing<'f>) {
        self.counters.shown += 1;
        if self.settings.is_dry {
            self.discard();
            return match shown {
                Shown::Segment(_) => sent.pass_segment(it.from.other(), it.frame),
                Shown::Message(_) => sent.pass(it.from.other(), it.frame),
            };
        }
        self.drain(|engine, towards, packet| {
            let is_forwarded = towards != it.from;
            match (packet.extra.as_deref(), shown) {
                (None, Shown::Segment(decoded)) if is_forwarded => {
                    engine.forward(towards, &packet.segment, decoded, it, sent);
                }
                (Some(Extra::Control(Control::Recovery(message))), Shown::Message(came))
                    if is_forwarded && message == came =>
                {
                    sent.pass(towards, it.frame);
                }
                _ => engine.make(towards, packet, sent),
            }
        });
    }

    /// Make frames of the packets that the agent sends on its own.
    pub(super) fn send_made(&mut self, sent: &mut Outgoing<'_>) {
        match self.settings.is_dry {
            true => self.discard(),
            false => self.drain(|engine, towards, packet| engine.make(towards, packet, sent)),
        }
    }

    /// Forward the segment that came in, changed or not.
    fn forward<'f>(
        &mut self,
        towards: Side,
        segment: &Segment,
        decoded: &Decoded<'_>,
        it: Received<'f>,
        sent: &mut Outgoing<'f>,
    ) {
        if *segment == decoded.headers.segment {
            return sent.pass_segment(towards, it.frame);
        }
        let headers = Headers { segment: *segment, ..decoded.headers };
        self.room.resize(MAX_HEADER_LENGTH + decoded.payload.len(), 0);
        let count = match encode(&headers, decoded.payload, &mut self.room) {
            Ok(length) if length <= it.packet.len().max(self.longest[towards.index()]) => {
                self.counters.changed += 1;
                return sent.push(towards, &[it.header.as_slice(), &self.room[..length]]);
            }
            Ok(_) => &mut self.counters.too_long,
            Err(_) => &mut self.counters.unsendable,
        };
        *count += 1;
        sent.pass(towards, it.frame);
    }

    /// A frame of the agent's own: a packet that it has kept, behind the link header of the newest packet of the connection, or a message.
    fn make(&mut self, towards: Side, packet: &Packet, sent: &mut Outgoing<'_>) {
        let header = self.connections.link_of(packet.source, towards);
        let written = match packet.extra.as_deref() {
            Some(Extra::Segment(bytes)) => encode_around(packet, bytes, &mut self.room).ok(),
            Some(Extra::Control(Control::Recovery(message))) => {
                let key = self.connections.key_of(packet.source);
                let ip = key.and_then(|key| ip_header(&key, towards));
                self.room.resize(MAX_HEADER_LENGTH + message.length(), 0);
                let length = ip.and_then(|ip| recovery::encode(&ip, message, &mut self.room).ok());
                length.map(|length| &self.room[..length])
            }
            _ => None,
        };
        let Some((header, written)) = header.zip(written) else {
            self.counters.unsendable += 1;
            return;
        };
        self.counters.made += 1;
        sent.push(towards, &[header.as_slice(), written]);
    }
}

fn ip_header(key: &Key, towards: Side) -> Option<IpHeader> {
    let (source, destination) = match towards {
        Side::Wireless => (key.wired.0.ip, key.wireless.0.ip),
        Side::Wired => (key.wireless.0.ip, key.wired.0.ip),
    };
    match (source, destination) {
        (IpAddr::V4(source), IpAddr::V4(destination)) => Some(IpHeader::v4(source, destination)),
        (IpAddr::V6(source), IpAddr::V6(destination)) => Some(IpHeader::v6(source, destination)),
        _ => None,
    }
}
