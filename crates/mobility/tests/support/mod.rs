//! What the tests of machines share.
#![allow(dead_code, reason = "each test uses its part of this")]

use seamline_mobility::protocol::{self, Setup};
use seamline_mobility::{CellId, MobileNode, MobileNodeConfig, Move, Movement, MovementDetection};
use seamline_wire::control::{
    Identification, Ipv6Control, RegistrationReply, RegistrationRequest, RequestFlags,
};
use seamline_wire::{
    Control, DropCause, Duration, Event, Extra, Input, Instant, Machine, MobilityEvent, NodeId, Outbox,
    Packet, Port, Signal,
};

pub(crate) const SENDER: NodeId = NodeId(1);
pub(crate) const HOME_AGENT: NodeId = NodeId(2);
pub(crate) const AGENT_1: NodeId = NodeId(3);
pub(crate) const AGENT_2: NodeId = NodeId(4);
pub(crate) const MOBILE: NodeId = NodeId(5);
pub(crate) const ON_LINK_1: NodeId = NodeId(11);
pub(crate) const ON_LINK_2: NodeId = NodeId(12);

/// A node with IPv4 that is registered with the first agent, 600 s at a time.
pub(crate) fn setup() -> Setup {
    Setup {
        home_address: MOBILE,
        home_agent: Some(HOME_AGENT),
        movement_detection: MovementDetection::Eager,
        registration_lifetime_s: 600,
        registration_retransmission: Duration::from_secs(1),
        layer_2_triggers: false,
        registered_with: Some(AGENT_1),
        on_link_addresses: Vec::new(),
        regional_address: None,
        correspondents: Vec::new(),
        simultaneous_bindings: Duration::ZERO,
    }
}
/// The same with IPv6.
pub(crate) fn setup6() -> Setup {
    Setup { on_link_addresses: vec![(AGENT_1, ON_LINK_1), (AGENT_2, ON_LINK_2)], ..setup() }
}
/// A node that runs the protocol of this name.
pub(crate) fn mobile_node(name: &str, setup: &Setup, movement: Movement) -> MobileNode {
    let scheme = protocol::find(name).expect("registered");
    MobileNode::new(MobileNodeConfig {
        movement,
        first_cell: CellId(0),
        protocol: Some((scheme.build)(setup)),
    })
}
/// It stays in cell 0; what it hears there decides where it believes to be.
pub(crate) fn staying() -> Movement {
    Movement::new(CellId(0), Vec::new(), Duration::ZERO).expect("no move")
}
/// It is in cell 0 until then, and in cell 1 20 ms later.
pub(crate) const LEAVES: Instant = Instant::from_secs(10);
pub(crate) const ARRIVES: Instant = Instant::from_millis(10_020);
pub(crate) fn moving() -> Movement {
    let moves = vec![Move { at: LEAVES, to: CellId(1) }];
    Movement::new(CellId(0), moves, Duration::from_millis(20)).expect("one move")
}
/// The node that moves is on its new link.
pub(crate) fn up(node: &mut MobileNode) -> Caused {
    wake_until(node, ARRIVES);
    step(node, ARRIVES, Input::Signal(Signal::LinkUp { rate: None, round_trip_time: None }))
}

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
    /// The messages of IPv6, with their destinations.
    pub(crate) fn ipv6(&self) -> Vec<(NodeId, Ipv6Control)> {
        let message = |(_, to, message): (_, NodeId, Control)| match message {
            Control::Ipv6(message) => Some((to, message)),
            _ => None,
        };
        self.messages().into_iter().filter_map(message).collect()
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
