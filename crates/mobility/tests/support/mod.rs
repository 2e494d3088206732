//! What the tests of machines share.
#![allow(dead_code, reason = "each test uses its part of this")]

use seamline_wire::control::{Identification, RegistrationReply, RegistrationRequest, RequestFlags};
use seamline_wire::{
    Control, DropCause, Event, Extra, Input, Instant, Machine, MobilityEvent, NodeId, Outbox, Packet, Port,
    Signal,
};

pub(crate) const SENDER: NodeId = NodeId(1);
pub(crate) const HOME_AGENT: NodeId = NodeId(2);
pub(crate) const AGENT_1: NodeId = NodeId(3);
pub(crate) const AGENT_2: NodeId = NodeId(4);
pub(crate) const MOBILE: NodeId = NodeId(5);

/// What one step caused.
#[derive(Debug, Default)]
pub(crate) struct Caused {
    pub(crate) packets: Vec<(Port, Packet)>,
    pub(crate) signals: Vec<Signal>,
    pub(crate) events: Vec<Event>,
}

impl Caused {
    /// The control messages, with their ports and destinations.
    pub(crate) fn messages(&self) -> Vec<(Port, NodeId, Control)> {
        let message = |(port, packet): &(Port, Packet)| Some((*port, packet.destination, *packet.control()?));
        self.packets.iter().filter_map(message).collect()
    }
    /// The only registration request.
    pub(crate) fn request(&self) -> RegistrationRequest {
        match self.messages()[..] {
            [(_, _, Control::RegistrationRequest(request))] => request,
            ref other => panic!("one request expected: {other:?}"),
        }
    }
    /// The only registration reply.
    pub(crate) fn reply(&self) -> RegistrationReply {
        match self.messages()[..] {
            [(_, _, Control::RegistrationReply(reply))] => reply,
            ref other => panic!("one reply expected: {other:?}"),
        }
    }
    pub(crate) fn drops(&self) -> Vec<DropCause> {
        let cause = |event: &Event| match event {
            Event::Dropped { cause, .. } => Some(*cause),
            _ => None,
        };
        self.events.iter().filter_map(cause).collect()
    }
    pub(crate) fn mobility(&self) -> Vec<MobilityEvent> {
        let what = |event: &Event| match event {
            Event::Mobility(what) => Some(*what),
            _ => None,
        };
        self.events.iter().filter_map(what).collect()
    }
}

/// Step a machine.
pub(crate) fn step(machine: &mut impl Machine, now: Instant, input: Input) -> Caused {
    let mut out = Outbox::new();
    out.set_listening(true);
    machine.step(now, input, &mut out);
    Caused {
        packets: out.packets.drain(..).map(|(port, packet)| (port, *packet)).collect(),
        signals: std::mem::take(&mut out.signals),
        events: std::mem::take(&mut out.events),
    }
}

pub(crate) fn deliver(machine: &mut impl Machine, now: Instant, port: Port, packet: Packet) -> Caused {
    step(machine, now, Input::Packet(port, Box::new(packet)))
}

/// Wake a machine whenever it wants, up to and including `end`.
pub(crate) fn wake_until(machine: &mut impl Machine, end: Instant) -> Vec<(Instant, Caused)> {
    let mut all = Vec::new();
    while let Some(at) = machine.wake_at().filter(|at| *at <= end) {
        all.push((at, step(machine, at, Input::Wake)));
    }
    all
}

pub(crate) fn data(source: NodeId, destination: NodeId) -> Packet {
    Packet { source, destination, wire_bytes: 1000, ..Packet::default() }
}

pub(crate) fn carrying(source: NodeId, destination: NodeId, control: Control) -> Packet {
    let wire_bytes = control.wire_bytes();
    Packet { source, destination, wire_bytes, extra: Extra::control(control), ..Packet::default() }
}

/// A registration by way of the agent at `care_of_address`, made `at` that time.
pub(crate) fn request(care_of_address: NodeId, lifetime_s: u16, at: Instant) -> RegistrationRequest {
    RegistrationRequest {
        flags: RequestFlags::default(),
        lifetime_s,
        home_address: MOBILE,
        home_agent: HOME_AGENT,
        care_of_address,
        identification: Identification::at(at),
    }
}
