//! Packets to and from packetdrill, as bytes.

use crate::cookies::CookieOption;
use crate::errno::{Answer, Errno};
use crate::socket::{IpOptions, Kind};
use crate::world::{LOCAL, REMOTE, Sent, World};
use libc::c_int;
use seamline_tcp::{Host, NetworkError, Opening, State};
use seamline_wire::codec::{Headers, decode, encode_to_vec};
use seamline_wire::{Input, Machine, Packet, Port, SequenceNumber};
use std::net::{IpAddr, SocketAddrV4};

const ICMP: u8 = 1;

/// An ICMP message over IPv4 that quotes a TCP segment of ours.
#[derive(Debug)]
struct Report {
    kind: u8,
    code: u8,
    next_hop_mtu: u16,
    local: u16,
    remote: u16,
    sequence: u32,
}

impl Report {
    /// `None` when the packet is something else.
    fn read(bytes: &[u8]) -> Option<Report> {
        let message = body(bytes).filter(|_| bytes.get(9) == Some(&ICMP))?;
        let quoted = body(message.get(8..)?)?;
        let word =
            |bytes: &[u8], at: usize| Some(u16::from_be_bytes(bytes.get(at..at + 2)?.try_into().ok()?));
        Some(Report {
            kind: *message.first()?,
            code: *message.get(1)?,
            next_hop_mtu: word(message, 6)?,
            local: word(quoted, 0)?,
            remote: word(quoted, 2)?,
            sequence: u32::from_be_bytes(quoted.get(4..8)?.try_into().ok()?),
        })
    }
}

/// What follows the IPv4 header.
fn body(bytes: &[u8]) -> Option<&[u8]> {
    bytes.get(4 * usize::from(bytes.first()? & 0xf)..)
}

impl World {
    /// Put what is in the outbox on the wire, between these ends.
    pub(crate) fn send_all(&mut self, local: SocketAddrV4, remote: SocketAddrV4, ip: IpOptions) {
        self.out.signals.clear();
        self.out.events.clear();
        for (_, packet) in std::mem::take(&mut self.out.packets) {
            self.trace("out", &packet);
            self.note_data_sent(&packet);
            let headers = Headers {
                ip: ip.header(*local.ip(), *remote.ip()).with_ecn(packet.ecn),
                source_port: packet.source_port,
                destination_port: packet.destination_port,
                segment: packet.segment,
            };
            match encode_to_vec(&headers, &vec![0; packet.segment.length as usize]) {
                Ok(mut bytes) => {
                    self.add_option(&packet, &mut bytes);
                    self.sent.push_back(Sent { at: self.now, bytes });
                }
                Err(error) => eprintln!("a packet that cannot be written: {error}"),
            }
            self.out.recycle(packet);
        }
    }

    fn note_data_sent(&mut self, packet: &Packet) {
        let ports = (packet.source_port.0, packet.destination_port.0);
        if let Some(id) = self.find(ports.0, ports.1).filter(|_| packet.segment.length > 0) {
            self.connections[id].data_sent_at = self.now;
        }
    }

    /// A packet of packetdrill arrives. What is neither TCP nor ICMP over IPv4 is dropped.
    pub(crate) fn receive(&mut self, bytes: &[u8]) -> Answer {
        if let Some(report) = Report::read(bytes) {
            return self.take_report(&report);
        }
        let Ok(decoded) = decode(bytes) else { return Ok(0) };
        let ip = decoded.headers.ip;
        let (IpAddr::V4(source), IpAddr::V4(destination)) = (ip.source(), ip.destination()) else {
            return Err(Errno::UNSUPPORTED);
        };
        let packet = Packet {
            source: REMOTE,
            destination: LOCAL,
            source_port: decoded.headers.source_port,
            destination_port: decoded.headers.destination_port,
            segment: decoded.headers.segment,
            wire_bytes: bytes.len() as u32,
            ecn: ip.traffic_class().ecn(),
            ..Packet::default()
        };
        self.trace("in ", &packet);
        let local = SocketAddrV4::new(destination, packet.destination_port.0);
        let remote = SocketAddrV4::new(source, packet.source_port.0);
        match self.find(local.port(), remote.port()) {
            Some(id) => {
                self.deliver(id, &packet);
                self.learn_cookie(id, &packet, CookieOption::of(bytes));
            }
            None => match self.listener_of(local.port()) {
                Some(listener) => {
                    self.open_passively(listener, (local, remote), &packet, CookieOption::of(bytes));
                }
                None => self.refuse(local, remote, packet),
            },
        }
        Ok(0)
    }

    /// An ICMP message arrives.
    fn take_report(&mut self, report: &Report) -> Answer {
        let error = NetworkError::of_icmp_v4(report.kind, report.code, report.next_hop_mtu);
        if let (Some(id), Some(error)) = (self.find(report.local, report.remote), error) {
            self.connections[id].icmp = Some((report.kind, report.code));
            let sequence = SequenceNumber(report.sequence);
            self.with(id, |endpoint, now, out| endpoint.on_icmp(now, sequence, error, out));
        }
        Ok(0)
    }

    /// The newest connection between these ports that is not closed.
    pub(crate) fn find(&self, local: u16, remote: u16) -> Option<usize> {
        self.connections.iter().rposition(|connection| {
            let ports = (connection.local.port(), connection.remote.port());
            ports == (local, remote) && connection.endpoint.state() != State::Closed
        })
    }
    fn listener_of(&self, port: u16) -> Option<c_int> {
        let mut sockets = self.sockets.iter();
        let found =
            sockets.find(|(_, socket)| socket.port == port && matches!(socket.kind, Kind::Listener(_)));
        found.map(|(descriptor, _)| *descriptor)
    }

    fn deliver(&mut self, id: usize, packet: &Packet) {
        let was_opening = self.connections[id].is_opening();
        self.with(id, |endpoint, now, out| endpoint.on_packet(now, packet, out));
        let connection = &mut self.connections[id];
        let opens = was_opening && !connection.is_opening();
        if packet.segment.length > 0 || opens {
            connection.data_received_at = self.now;
        }
    }

    /// A listener has a connection for each peer that begins one.
    fn open_passively(
        &mut self,
        listener: c_int,
        (local, remote): (SocketAddrV4, SocketAddrV4),
        packet: &Packet,
        option: Option<CookieOption>,
    ) {
        let socket = self.sockets[&listener].clone();
        let id = self.add_connection(&socket, true, local, remote);
        self.with(id, |endpoint, now, out| endpoint.open(now, Opening::Passive, out));
        self.offer_fast_open(id, &socket, packet, option);
        self.deliver(id, packet);
        if self.connections[id].endpoint.state() == State::Listen {
            // It was no SYN.
            self.with(id, |endpoint, now, out| endpoint.abort(now, out));
        } else if let Some(Kind::Listener(queue)) =
            self.sockets.get_mut(&listener).map(|socket| &mut socket.kind)
        {
            queue.push(id);
        }
    }

    /// Nothing is there: what a host without connections answers.
    fn refuse(&mut self, local: SocketAddrV4, remote: SocketAddrV4, packet: Packet) {
        Host::new(LOCAL).step(self.now, Input::Packet(Port(0), Box::new(packet)), &mut self.out);
        let bound = self.sockets.values().find(|socket| socket.port == local.port());
        let ip = bound.map(|socket| socket.options.ip).unwrap_or_default();
        self.send_all(local, remote, ip);
    }

    fn trace(&self, direction: &str, packet: &Packet) {
        if self.subject.trace {
            eprintln!("{:.6} {direction} {:?}", self.now.as_secs_f64(), packet.segment);
        }
    }
}
