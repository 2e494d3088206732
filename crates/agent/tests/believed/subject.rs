//! Agents of each kind, and what has passed them.

use crate::fields::is_of_part;
use crate::story::{Event, Known, PORTS, other_segments};
use seamline_agent::{
    ALL, Admission, Agent, ConnectionKey, Connections, ElnAckParameters, End, FairnessParameters, Limits,
    ObtcpParameters, Parameters, Role, Side, SplitParameters,
};
use seamline_wire::control::RecoveryMessage;
use seamline_wire::{Control, Extra, Input, Instant, NodeId, Outbox, Packet, Port, Segment, TransportPort};

/// An address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Host(u32);

impl End for Host {}

/// What a frame begins with.
type Link = u64;

/// Nobody's.
const INVENTED: Link = 666;

/// A kind as it runs on bridges, or as it runs in simulations.
#[derive(Debug)]
pub(crate) enum Agents {
    Table(Box<Connections<Host, Link>>),
    Machine(Box<dyn Agent>),
}

#[derive(Debug)]
pub(crate) struct Subject {
    pub(crate) name: &'static str,
    /// It answers in place of hosts.
    pub(crate) has_endpoints: bool,
    pub(crate) agent: Agents,
    known: Known,
    /// How much genuine has come: each has a link header of its own.
    genuine: Link,
    out: Outbox,
}

/// What has left.
#[derive(Debug)]
pub(crate) struct Sent(Port, Packet);

impl Sent {
    /// It is this, on its way.
    pub(crate) fn is_like(&self, event: &Event) -> bool {
        match event {
            Event::Segment(from, segment) | Event::Overheard(from, segment) => {
                self.0 == from.onwards() && self.1.segment == *segment
            }
            Event::Message(from, message) => {
                let is_it = self.1.control() == Some(&Control::Recovery(*message));
                self.0 == from.onwards() && is_it
            }
            Event::Other { .. } | Event::Wake => false,
        }
    }
}

/// One of each kind, and of each role.
pub(crate) fn subjects() -> impl Iterator<Item = Subject> {
    ALL.iter().flat_map(|kind| {
        const ROLES: [Role; 2] = [Role::BaseStation, Role::MobileRouter];
        let roles = if kind.name == "obtcp" { &ROLES[..] } else { &ROLES[..1] };
        roles.iter().map(|role| {
            // Memory for some packets, or for both windows of a split connection, and more.
            let bytes = if kind.ends_connections { 300_000 } else { 10_000 };
            let parameters = Parameters {
                limits: Limits { connections: 6, bytes, ..Limits::default() },
                obtcp: ObtcpParameters { role: *role, ..ObtcpParameters::default() },
                eln_ack: ElnAckParameters { lists_losses: true, ..ElnAckParameters::default() },
                fairness: FairnessParameters { target: 1.0, ..FairnessParameters::default() },
                // Both hosts' own numbers.
                split: SplitParameters { buffer: Some(20_000), ..SplitParameters::spoofing() },
                spoofing: SplitParameters { buffer: Some(20_000), ..SplitParameters::spoofing() },
                ..Parameters::default()
            };
            let table = || {
                Connections::new(parameters.limits, (kind.connection)(&parameters))
                    .confirming()
                    .measuring(true)
            };
            let agent = match kind.runs_on_real_hosts && !kind.ends_connections {
                true => Agents::Table(Box::new(table())),
                false => Agents::Machine(kind.build(&parameters)),
            };
            let name = match (kind.name, role) {
                ("obtcp", Role::BaseStation) => "obtcp at the base station",
                (name, _) => name,
            };
            let has_endpoints = kind.ends_connections;
            Subject { name, has_endpoints, agent, known: Known::default(), genuine: 0, out: Outbox::new() }
        })
    })
}

impl Subject {
    /// What the agent may know by now.
    pub(crate) fn known(&self) -> &Known {
        &self.known
    }
    /// A field's name; of an agent's part in the attacked connection, together with the kind and the role.
    pub(crate) fn own(&self, field: &str) -> String {
        if is_of_part(field) { format!("{} {field}", self.name) } else { format!(" .{field}") }
    }
    /// Both sides have shown their numbers.
    pub(crate) fn is_open(&self) -> bool {
        self.known.is_open()
    }
    /// It believes nothing before one side has confirmed the other.
    pub(crate) fn confirms(&self) -> bool {
        matches!(self.agent, Agents::Table(_))
    }

    /// How many round trips were measured on each side.
    pub(crate) fn round_trips(&self) -> [u64; 2] {
        match &self.agent {
            Agents::Table(table) => table.measurements().round_trips.map(|it| it.count()),
            Agents::Machine(_) => [0; 2],
        }
    }

    /// Let it come, and what leaves.
    pub(crate) fn pass(&mut self, now: Instant, event: &Event, is_forged: bool) -> Vec<Sent> {
        if !is_forged {
            self.known.note(now, event);
            self.genuine += 1;
        }
        let link = if is_forged { INVENTED } else { self.genuine };
        match event {
            Event::Segment(from, segment) => self.segment(now, *from, OWN, *segment, link),
            Event::Other { host, port, segments } => {
                let ends = [(1, TransportPort(1000 + port)), (*host, PORTS[1])];
                for (from, segment) in other_segments(*segments) {
                    self.segment(now, from, ends, segment, link);
                }
            }
            Event::Overheard(from, segment) => {
                if let Agents::Table(table) = &mut self.agent {
                    table.overhear(now, *from, key(OWN), segment, &mut self.out);
                }
            }
            Event::Message(from, message) => self.message(now, *from, *message),
            Event::Wake => self.wake(now),
        }
        self.out.packets.drain(..).map(|(port, packet)| Sent(port, *packet)).collect()
    }

    fn segment(&mut self, now: Instant, from: Side, ends: Ends, segment: Segment, link: Link) {
        let packet = packet(from, ends, segment);
        match &mut self.agent {
            Agents::Machine(agent) => {
                agent.step(now, Input::Packet(from.port(), Box::new(packet)), &mut self.out);
            }
            Agents::Table(table) => {
                match table.admit(now, from, key(ends), &segment, Some(link), &mut self.out) {
                    Admission::Shown(place) => {
                        table.measure(now, from, place, &segment);
                        table.show(now, from, place, Box::new(packet), &[], &mut self.out);
                    }
                    Admission::Unknown | Admission::NoRoom | Admission::Implausible => {
                        self.out.send(from.onwards(), Box::new(packet));
                    }
                }
            }
        }
    }

    fn message(&mut self, now: Instant, from: Side, message: RecoveryMessage) {
        let mut packet = packet(from, OWN, Segment::default());
        packet.extra = Extra::control(Control::Recovery(message));
        match &mut self.agent {
            Agents::Machine(agent) => {
                agent.step(now, Input::Packet(from.port(), Box::new(packet)), &mut self.out);
            }
            Agents::Table(table) => match table.find_shown(&key(OWN)) {
                Some(place) => {
                    table.show_message(now, from, place, message, Box::new(packet), &mut self.out);
                }
                None => self.out.send(from.onwards(), Box::new(packet)),
            },
        }
    }

    fn wake(&mut self, now: Instant) {
        match &mut self.agent {
            Agents::Machine(agent) => agent.step(now, Input::Wake, &mut self.out),
            Agents::Table(table) => table.wake(now, &mut self.out),
        }
    }
}

/// The wired one, and the wireless one.
type Ends = [(u32, TransportPort); 2];

const OWN: Ends = [(1, PORTS[0]), (2, PORTS[1])];

fn key([wired, wireless]: Ends) -> ConnectionKey<Host> {
    ConnectionKey { wireless: (Host(wireless.0), wireless.1), wired: (Host(wired.0), wired.1) }
}

fn packet(from: Side, ends: Ends, segment: Segment) -> Packet {
    let (source, destination) = (ends[from.index()], ends[from.other().index()]);
    Packet {
        source: NodeId(source.0),
        destination: NodeId(destination.0),
        source_port: source.1,
        destination_port: destination.1,
        wire_bytes: 40 + segment.length,
        segment,
        ..Packet::default()
    }
}
